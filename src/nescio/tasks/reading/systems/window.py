r"""MCTest's baselines (Richardson, Burges & Renshaw, EMNLP 2013, algorithms 1 and 2), and choice at random.

P are the words of the story in order, Q and A the sets of words of the question and of an option. C(w) is the number of
occurrences of w in P, and IC(w) = ln(1 + 1 / C(w)):

    sliding-window    $\max_j \sum_{i=1}^{|S|} \mathrm{IC}(P_{j+i}) [P_{j+i} \in S]$ with S = A ∪ Q
    window-distance   the same minus d; with stop words removed, $d = \min d_P(q, a) / (|P| - 1)$ over the words q of
                      Q and a of A \\ Q in the story, d_P being the number of words between their nearest places plus
                      one; 1 where there are none
    random            an option, or a sentence, by lot
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.model import Collection, Question
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream
from nescio.tasks.reading.systems._system import Scored, System, check
from nescio.text import STOP_WORDS, words


class _Story(Struct, frozen=True, eq=False):
    """The words of a story, coded as numbers in order of their places.

    It also has the places of each word, and the sentence and the weight (`worth`) of the word at each place.
    """

    code: NDArray[np.int64]
    places: dict[str, list[int]]
    sentence: NDArray[np.int64]
    worth: NDArray[np.float64]  # the weight of the word at each place


@lru_cache(maxsize=1 << 8)
def _read(story: tuple[str, ...]) -> _Story:
    line = [(word, i) for i, sentence in enumerate(story) for word in words(sentence)]
    count = Counter(word for word, _ in line)
    known = {word: code for code, word in enumerate(count)}
    places: dict[str, list[int]] = {word: [] for word in known}
    for place, (word, _) in enumerate(line):
        places[word].append(place)
    worth = np.array([np.log1p(1 / count[word]) for word, _ in line])
    return _Story(np.array([known[w] for w, _ in line]), places, np.array([i for _, i in line]), worth)


def _window(story: _Story, wanted: frozenset[str]) -> tuple[float, int]:
    """Return the largest weight of `wanted` words in a window of the story, and the index of its middle sentence.

    A window has as many words as `wanted`.
    """
    held = np.zeros(len(story.code))
    for word in wanted:
        at = story.places.get(word, ())
        held[list(at)] = 1
    size = min(len(wanted), len(held))
    if not size:
        return 0.0, 0
    sums = np.concatenate([[0.0], np.cumsum(held * story.worth)])
    # The windows of the paper start after each place and may extend past the end. Windows that begin at the first word
    # are included here.
    ends = np.minimum(np.arange(len(held)) + size, len(held))
    weights = np.round(sums[ends] - sums[:-1], 9)
    best = int(np.argmax(weights))
    middle = min(best + size // 2, len(held) - 1)
    return float(weights[best]), int(story.sentence[middle])


def _distance(story: _Story, question: frozenset[str], option: frozenset[str]) -> float:
    """Return the distance d of the paper's algorithm 2, in (0, 1], between question and option.

    It is the least distance of their words in the story, relative to its length; 1 if the story lacks such words.
    """
    story_words = story.places.keys() - STOP_WORDS
    near, far = question & story_words, (option & story_words) - question
    if not near or not far or len(story.code) < 2:
        return 1.0
    least = min(_apart(story.places[q], story.places[a]) for q in near for a in far)
    return least / (len(story.code) - 1)


def _apart(first: list[int], other: list[int]) -> int:
    """Return the least distance between an element of `first` and one of `other`; both are sorted."""
    least = abs(first[0] - other[0])
    for place in first:
        at = bisect_left(other, place)
        least = min([least, *(abs(place - other[i]) for i in (at - 1, at) if 0 <= i < len(other))])
    return least


def _scored(question: Question, *, distance: bool) -> Scored:
    check(question, options=True)
    story, question_words = _read(question.story), frozenset(words(question.text))
    scores, supports = [], []
    for text in question.options:
        option = frozenset(words(text))
        weight, support = _window(story, question_words | option)
        scores.append(round(weight + 1 - _distance(story, question_words, option), 9) if distance else weight)
        supports.append(support)
    scored = Scored(tuple(scores), 0)
    return Scored(scored.scores, supports[scored.best])


def sliding_window(question: Question) -> Scored:
    """Return a score for each option by the paper's algorithm 1.

    The score is the weight of the words of question and option in the best window of the story.
    """
    return _scored(question, distance=False)


def window_distance(question: Question) -> Scored:
    """Return a score for each option: the score of algorithm 1 minus the distance of algorithm 2, plus 1.

    Adding 1 keeps scores from being negative, and changes no choice.
    """
    return _scored(question, distance=True)


def random_choice(collection: Collection, seed: int = 0) -> System:
    """Return a system that chooses at random among the options of each question, or the sentences of its story.

    Its confidence is the probability of each choice. The draw depends on the question's id, not on the order of
    questions.
    """
    names = sorted(question.id for question in collection.questions)
    lots = dict(zip(names, Block(0, len(names), seed).generator(Stream.RANDOM_READER).random(len(names)), strict=True))

    def choose(question: Question) -> Scored:
        check(question, options=False)
        many = len(question.options or question.story)
        drawn = min(int(lots[question.id] * many), many - 1)
        scores = tuple(float(i == drawn) for i in range(many))
        return Scored(scores, 0 if question.options else drawn, sure=1 / many)

    return choose
