r"""Three simple systems that answer a multiple-choice question about a story, and can decline.

All compare content stems (`nescio.text`: no stop words, Snowball's stemmer). An option is judged by its *own* stems: those
that the question does not hold. No system reads the answer key, and none draws at random.

    option-overlap     MCTest's sliding window (Richardson et al. 2013) with a window of one sentence: the weight that the
                       best sentence shares with question and option together; only sentences with an own stem count
    sentence-overlap   Deep Read's bag of words (Hirschman et al. 1999) selects one sentence for all options; the share of
                       own stems in it, plus a quarter of the share in each neighbour, times the question's stems in it
    word-distance      MCTest's distance idea: the mean over own stems, by weight, of $\sum_t w_t / d_t$, where $d_t$ is the
                       distance in content words to the nearest place of the question's stem t

A stem in $n_t$ of the n sentences weighs $w_t = \ln(1 + n / n_t)$, so rare stems count more; sentence-overlap only counts.

The confidence of all three is $m / (1 + m)$ with m the margin of the best score over the runner-up: 0 where options tie or
nothing was found, growing with the evidence, below 1. It ranks answers; it is no probability of being right.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError
from nescio.files import write_text
from nescio.formats import open_source
from nescio.formats._source import LINES
from nescio.formats._tables import json_lines
from nescio.formats.questions import identifier
from nescio.model import Collection, Question, Response, Run
from nescio.text import content_stems

NEIGHBOUR = 0.25  # what a match beside the selected sentence counts, against one within it
Stories = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Scored:
    """A score of 0 or more for each option, and the index of the sentence that supports the best one."""

    scores: tuple[float, ...]
    support: int

    @property
    def best(self) -> int:
        """The index of the best option: the first where several tie."""
        return self.scores.index(max(self.scores))

    @property
    def confidence(self) -> float:
        """m / (1 + m), in [0, 1), with m the margin of the best score over the runner-up."""
        runner_up, best = sorted((0.0, *self.scores))[-2:]
        return (best - runner_up) / (1 + best - runner_up)


System = Callable[[Question, Sequence[str]], Scored]


@dataclass(frozen=True, slots=True)
class _Stems:
    """A question before its story, all in stems: what is asked, the own stems of each option, and the sentences."""

    asked: frozenset[str]
    options: tuple[frozenset[str], ...]
    story: tuple[tuple[str, ...], ...]
    held: Mapping[str, int]  # in how many sentences a stem stands

    @classmethod
    def of(cls, question: Question, sentences: Sequence[str]) -> _Stems:
        if not question.options or not sentences:
            raise MismatchError(
                f"question {question.id!r} has no {'sentences to read' if question.options else 'options'}"
            )
        asked = frozenset(content_stems(question.text))
        story = tuple(tuple(content_stems(sentence)) for sentence in sentences)
        held = Counter(stem for sentence in story for stem in set(sentence))
        return cls(asked, tuple(frozenset(content_stems(o)) - asked for o in question.options), story, held)

    def weight(self, stems: Iterable[str]) -> float:
        """The weights of stems, added exactly; one that stands nowhere weighs as much as one that stands once."""
        return math.fsum(math.log1p(len(self.story) / self.held.get(stem, 1)) for stem in stems)

    def closest(self) -> int:
        """The sentence with the most of the question's stems; ties go to longer stems, then to the earlier sentence."""

        def merit(index: int) -> tuple[int, list[int], int]:
            matches = self.asked.intersection(self.story[index])
            return len(matches), sorted(map(len, matches), reverse=True), -index

        return max(range(len(self.story)), key=merit)


def option_overlap(question: Question, sentences: Sequence[str]) -> Scored:
    """Score each option by the weight that its best sentence shares with question and option together."""
    stems, found = _Stems.of(question, sentences), []
    for own in stems.options:
        shared = [
            stems.weight((stems.asked | own).intersection(sentence)) if own.intersection(sentence) else 0.0
            for sentence in stems.story
        ]
        found.append((max(shared), shared.index(max(shared))))
    return _scored(found, stems)


def sentence_overlap(question: Question, sentences: Sequence[str]) -> Scored:
    """Score each option by the share of its stems in, and beside, the sentence that is closest to the question."""
    stems = _Stems.of(question, sentences)
    at, found = stems.closest(), []
    beside = [stems.story[i] for i in (at - 1, at + 1) if 0 <= i < len(stems.story)]
    matches = len(stems.asked.intersection(stems.story[at]))
    for own in stems.options:
        overlap = len(own.intersection(stems.story[at])) + NEIGHBOUR * sum(len(own.intersection(s)) for s in beside)
        found.append((matches * overlap / max(1, len(own)), at))
    return _scored(found, stems)


def word_distance(question: Question, sentences: Sequence[str]) -> Scored:
    """Score each option by how near its stems stand to the question's, over the story as one line of content words."""
    stems = _Stems.of(question, sentences)
    line = [(stem, index) for index, sentence in enumerate(stems.story) for stem in sentence]
    places: dict[str, list[int]] = {}
    for place, (stem, _) in enumerate(line):
        places.setdefault(stem, []).append(place)
    asked = stems.asked & places.keys()

    def nearness(place: int) -> float:
        return math.fsum(stems.weight([t]) / min(abs(place - other) for other in places[t]) for t in asked)

    found = []
    for own in stems.options:
        credit = [
            max((stems.weight([stem]) * nearness(place), -line[place][1]) for place in places[stem])
            for stem in own & places.keys()
        ]
        _, before = max(credit, default=(0.0, 0))
        found.append((math.fsum(value for value, _ in credit) / (stems.weight(own) or 1.0), -before))
    return _scored(found, stems)


SYSTEMS: Mapping[str, System] = {
    "option-overlap": option_overlap,
    "sentence-overlap": sentence_overlap,
    "word-distance": word_distance,
}


def _scored(found: Sequence[tuple[float, int]], stems: _Stems) -> Scored:
    """Scores with their sentences, rounded so that equal evidence is an exact tie on every machine."""
    scored = Scored(tuple(round(score, 9) for score, _ in found), stems.closest())
    return Scored(scored.scores, found[scored.best][1]) if max(scored.scores) > 0 else scored


def answer(collection: Collection, stories: Stories, system: str, threshold: float = 0.0) -> Run:
    """Let a system answer each question by the story that its stratum `story` names; it declines below the threshold.

    A declined candidate keeps its answer and confidence. Raises UnknownNameError for the system, UsageError for a threshold
    outside [0, 1], MismatchError for a question without story or options.
    """
    if system not in SYSTEMS:
        raise UnknownNameError("system", system, SYSTEMS)
    if not 0 <= threshold <= 1:
        raise UsageError(f"a threshold is a number from 0 to 1 (found {threshold!r})")
    responses = tuple(_respond(q, _story_of(q, stories), SYSTEMS[system], threshold) for q in collection.questions)
    return Run(f"{system}@{threshold:.2f}", responses, {"system": system, "threshold": str(threshold)})


def _respond(question: Question, sentences: Sequence[str], system: System, threshold: float) -> Response:
    scored = system(question, sentences)
    sure = scored.confidence
    support = sentences[scored.support]
    return Response(question.id, question.options[scored.best], sure >= threshold, sure, support=support)


def _story_of(question: Question, stories: Stories) -> Sequence[str]:
    name = question.strata.get("story")
    if name is None:
        raise MismatchError(f"question {question.id!r} names no story")
    if name not in stories:
        raise MismatchError(f"question {question.id!r}: there is no story {name!r}")
    return stories[name]


def bundled() -> Path:
    """The folder of the stories that come with the package: `stories.jsonl` and `questions.jsonl`."""
    return Path(str(files("nescio.systems").joinpath("stories")))


def load_stories(path: Path | str) -> dict[str, tuple[str, ...]]:
    """The sentences of each story of a JSON Lines file of `id` and `sentences`; raises FormatError with the line."""
    source = open_source(path)
    if source.suffix not in LINES:
        raise FormatError(path, f"stories are JSON Lines, in a file that ends in {' or '.join(LINES)}")
    stories: dict[str, tuple[str, ...]] = {}
    for row, line in json_lines(source):
        name, sentences = identifier(source, row, line), row.get("sentences")
        if name in stories:
            raise FormatError(path, "the story stands here again", where=f"line {line}", value=name)
        if not isinstance(sentences, list) or not sentences or not all(map(_is_text, sentences)):
            raise FormatError(path, "sentences must be a list of texts", where=f"line {line}", value=sentences)
        stories[name] = tuple(sentences)
    return stories


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def write_run(run: Run, path: Path | str) -> None:
    """Write a run as JSON Lines, whole or not at all. Its name is that of the file, or else stands in each row."""
    path = Path(path)
    named = {} if path.stem == run.name else {"run": run.name}
    rows = [_row(response) | named for response in run.responses]
    write_text(path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


def _row(response: Response) -> dict[str, Any]:
    row: dict[str, Any] = {"id": response.question_id, "answer": response.answer, "answered": response.answered}
    more = {
        "confidence": response.confidence,
        "rank": None if response.rank == 1 else response.rank,
        "support": response.support,
    }
    return row | {key: value for key, value in more.items() if value is not None}
