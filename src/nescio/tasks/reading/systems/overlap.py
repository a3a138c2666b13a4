r"""Choose options by three simple systems: the option whose stems a story shares most.

All compare content stems (`nescio.text`: no stop words, Snowball's stemmer). An option is judged by its *own* stems,
those that are not in the question. No system reads the answer key, and none is random.

    option-overlap     MCTest's sliding window (Richardson et al. 2013) with a window of one sentence: the weight that
                       the best sentence shares with question and option together; only sentences with an own stem
                       count
    sentence-overlap   Deep Read's bag of words (Hirschman et al. 1999) selects one sentence for all options; the
                       share of own stems in it, plus a quarter of the share in each neighbour, times the question's
                       stems in it
    word-distance      MCTest's distance idea: the mean over own stems, by weight, of $\sum_t w_t / d_t$, where $d_t$
                       is the distance in content words to the nearest place of the question's stem t

A stem in $n_t$ of the n sentences weighs $w_t = \ln(1 + n / n_t)$, so rare stems weigh more; sentence-overlap only
counts.

The confidence of all three is $m / (1 + m)$ with m the margin of the best score over the second. It is 0 if options tie
or nothing matches, grows with the evidence, and stays below 1. It ranks answers; it is not a probability.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from nescio.data.model import Question
from nescio.tasks.reading.systems._system import Scored, check, weigh
from nescio.text import content_stems

NEIGHBOUR = 0.25  # the weight of a match in a neighbour of the selected sentence, relative to one within it


class _Stems(Struct, frozen=True):
    """The stems of a question and of its story; `options` has the stems of each option that are not in the question."""

    asked: frozenset[str]
    options: tuple[frozenset[str], ...]
    story: tuple[tuple[str, ...], ...]
    held: Mapping[str, int]  # the number of sentences with each stem

    @classmethod
    def of(cls, question: Question) -> _Stems:
        check(question, options=True)
        of_question = frozenset(content_stems(question.text))
        story = tuple(tuple(content_stems(sentence)) for sentence in question.story)
        sentence_counts = Counter(stem for sentence in story for stem in set(sentence))
        return cls(
            of_question,
            tuple(frozenset(content_stems(o)) - of_question for o in question.options),
            story,
            sentence_counts,
        )

    def weight(self, stems: Iterable[str]) -> float:
        return weigh(stems, self.held, len(self.story))

    def closest(self) -> int:
        """Return the index of the sentence with the most stems of the question; at a tie, longer stems decide."""

        def merit(index: int) -> tuple[int, list[int], int]:
            matches = self.asked.intersection(self.story[index])
            return len(matches), sorted(map(len, matches), reverse=True), -index

        return max(range(len(self.story)), key=merit)


def option_overlap(question: Question) -> Scored:
    """Return a score for each option: the weight of the stems that its best sentence shares with it or the question."""
    stems, scored = _Stems.of(question), []
    for option_stems in stems.options:
        shared = [
            stems.weight((stems.asked | option_stems).intersection(sentence))
            if option_stems.intersection(sentence)
            else 0.0
            for sentence in stems.story
        ]
        scored.append((max(shared), shared.index(max(shared))))
    return _scored(scored, stems)


def sentence_overlap(question: Question) -> Scored:
    """Return a score for each option: the share of its stems in the sentence closest to the question.

    Stems in the sentences beside that sentence count for less. All scores are multiplied by the number of the
    question's stems in the closest sentence.
    """
    stems = _Stems.of(question)
    at, scored = stems.closest(), []
    beside = [stems.story[i] for i in (at - 1, at + 1) if 0 <= i < len(stems.story)]
    matches = len(stems.asked.intersection(stems.story[at]))
    for option_stems in stems.options:
        overlap = len(option_stems.intersection(stems.story[at])) + NEIGHBOUR * sum(
            len(option_stems.intersection(s)) for s in beside
        )
        scored.append((matches * overlap / max(1, len(option_stems)), at))
    return _scored(scored, stems)


def word_distance(question: Question) -> Scored:
    """Return a score for each option: the nearer its stems are to the question's stems in the story, the higher.

    The distance counts content words.
    """
    stems = _Stems.of(question)
    line = [(stem, index) for index, sentence in enumerate(stems.story) for stem in sentence]
    places: dict[str, list[int]] = {}
    for place, (stem, _) in enumerate(line):
        places.setdefault(stem, []).append(place)
    placed = stems.asked & places.keys()

    def nearness(place: int) -> float:
        return math.fsum(stems.weight([t]) / min(abs(place - other) for other in places[t]) for t in placed)

    scored = []
    for option_stems in stems.options:
        credit = [
            max((stems.weight([stem]) * nearness(place), -line[place][1]) for place in places[stem])
            for stem in option_stems & places.keys()
        ]
        _, before = max(credit, default=(0.0, 0))
        scored.append((math.fsum(value for value, _ in credit) / (stems.weight(option_stems) or 1.0), -before))
    return _scored(scored, stems)


def _scored(supported: Sequence[tuple[float, int]], stems: _Stems) -> Scored:
    """Return the scores of the options, and the sentence that supports the option with the best score.

    `supported` has the score and the supporting sentence of each option. Scores are rounded, so that equal scores tie
    on every machine. If all are 0, the sentence closest to the question is the support.
    """
    scored = Scored(tuple(round(score, 9) for score, _ in supported), stems.closest())
    return Scored(scored.scores, supported[scored.best][1]) if max(scored.scores) > 0 else scored
