"""Represent a candidate for the techniques, with the matches between its question's words and its text's words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from msgspec import Struct, field

from nescio.tasks.ave.hypotheses import around
from nescio.tasks.ave.validator import _lexicon
from nescio.tasks.ave.validator._languages import ENGLISH
from nescio.tasks.ave.validator._words import Words, question_word, read
from nescio.text import find_words

NEAR = 6.0  # At this distance from the answer, a match counts 1/e of one beside it.
EXACT, RELATED, TITLE, NONE = 3, 2, 1, 0

Weight = Callable[[str], float]  # maps a stem to [0, 1]: 1 for a stem that the development texts do not hold


class Case(Struct, frozen=True):
    """A candidate to validate: the question, the answer and the supporting text as words, and how they match.

    `weight` is a function that returns how informative a stem is, and `asks` is the index of the question word. `span`
    is the range of words of the text that equals the answer, as (from, to); (0, 0) if there is none. If `places`, the
    number of such ranges, is above 1, `span` is the range with most question words nearby.
    """

    question: Words
    answer: Words
    text: Words
    weight: Weight
    asks: int | None
    span: tuple[int, int]
    places: int
    matches: tuple[Match, ...] = field(default=())

    @property
    def stated(self) -> tuple[str, ...]:
        """Return the words of the statement from question and answer, in lower case."""
        before, after = self._sides
        return (*before.lower, *self.answer.lower, *after.lower)

    @property
    def stated_stems(self) -> tuple[str, ...]:
        """Return the stems of the statement's words."""
        before, after = self._sides
        return (*before.stem, *self.answer.stem, *after.stem)

    @property
    def _sides(self) -> tuple[Words, Words]:
        language = self.question.language
        before, after = around(self.question.text, self.answer.text, "" if language == ENGLISH else language)
        return read(before, language), read(after, language)

    @property
    def total(self) -> float:
        """Return the sum of the weights of the question's content words, or 1 if that is 0."""
        return math.fsum(match.weight for match in self.matches) or 1.0

    def share(self, matches: Iterable[Match]) -> float:
        """Return the share of the question's content words, by weight, that are in `matches`."""
        return math.fsum(match.weight for match in matches) / self.total


class Match(Struct, frozen=True):
    """The match of a content word of the question in the text, outside the words of the answer.

    `level` is EXACT (same stem), RELATED (same beginning or nearly the same letters), TITLE (only in the title) or
    NONE. `distance` is the distance from the answer to the nearest match, infinite without a match. `before` says
    whether this match is before the answer.
    """

    at: int
    stem: str
    weight: float
    level: int
    distance: float = math.inf
    before: bool = False

    @property
    def near(self) -> float:
        """Return how near the match is to the answer, exp(-distance / 6): 1 beside it, 0 without a match."""
        return math.exp(-self.distance / NEAR)


def case(question: str, answer: str, text: str, weight: Weight, title: str = "", *, language: str = ENGLISH) -> Case:
    """Return the case of a candidate: question, answer and text split into words, with their matches.

    `weight` returns how informative a stem is, `title` is the title of the text, and `language` a code such as "en".
    """
    q, a, t = read(question, language), read(answer, language), read(text, language)
    named = frozenset(read(title.replace("_", " "), language).stem)
    starts = find_words(t.lower, a.lower)
    spans = [(i, i + len(a)) for i in starts] or [(0, 0)]
    matched = [(span, _matches(q, t, span, weight, named)) for span in spans]
    # the first of equals
    span, matches = max(matched, key=lambda item: math.fsum(match.weight * match.near for match in item[1]))
    return Case(q, a, t, weight, question_word(q), span, len(starts), matches)


def _matches(q: Words, t: Words, span: tuple[int, int], weight: Weight, title: frozenset[str]) -> tuple[Match, ...]:
    answer_places = range(*span)
    matches, seen, short = [], set(), initials(t)
    for at in asked_of_text(q):
        stem = q.stem[at]
        if stem in seen:
            continue
        seen.add(stem)
        levels = [(alike(stem, other), i) for i, other in enumerate(t.stem) if i not in answer_places]
        level = max((level for level, _ in levels), default=NONE)
        places = [i for match_level, i in levels if match_level == level]
        if (
            level == NONE
            and q.surface[at].isupper()
            and q.lower[at] in short
            and short[q.lower[at]] not in answer_places
        ):
            level, places = RELATED, [short[q.lower[at]]]
        if level == NONE:
            matches.append(Match(at, stem, weight(stem), TITLE if stem in title else NONE))
        else:
            distance, i = min((gap(t, i, span), i) for i in places)
            matches.append(Match(at, stem, weight(stem), level, distance, i < span[0]))
    return tuple(matches)


def asked_of_text(q: Words) -> list[int]:
    """Return the positions of the content words of a question that its text should contain.

    Words that only name the kind of answer are left out, such as "year" in "what year".
    """
    asks = question_word(q)
    kinds: set[int] = set()
    if asks is not None:
        at = asks + 1
        while at < len(q) and q.lower[at] in _lexicon.KINDS:
            kinds.add(at)
            at += 1
    return [at for at in q.content if at not in kinds]


def initials(t: Words) -> dict[str, int]:
    """Return the index at which a name begins in a text, keyed by the initials of the name: "us" for "United States".

    A name is a sequence of two to five capitalised words. The first name with the same initials counts.
    """
    places: dict[str, int] = {}
    for i in range(len(t)):
        for n in range(2, 6):
            name = t.surface[i : i + n]
            if len(name) == n and all(word[0].isupper() for word in name):
                places.setdefault("".join(word[0] for word in name).lower(), i)
    return places


def gap(t: Words, i: int, span: tuple[int, int]) -> float:
    """Return the distance of the i-th word of a text from `span`, a range of words, or from the start of the text.

    The distance is from the start if `span` is empty. It counts words, and more for punctuation (see `Words`).
    """
    first, end = span
    if first == end:
        return t.place[i]
    return t.place[first] - t.place[i] if i < first else t.place[i] - t.place[end - 1]


@lru_cache(maxsize=1 << 20)
def alike(stem: str, other: str) -> int:
    """Return the match of two stems: EXACT, RELATED (five equal first letters, or similar letter pairs) or NONE."""
    if stem == other:
        return EXACT
    if min(len(stem), len(other)) < 4 or stem[0].isdigit() or other[0].isdigit() or _lexicon.negated(stem, other):
        return NONE
    if stem[:5] == other[:5] and len(stem) >= 5 <= len(other):
        return RELATED
    if abs(len(stem) - len(other)) > 3 or stem[0] != other[0]:
        return NONE
    pairs, others = _pairs(stem), _pairs(other)
    return RELATED if 2 * len(pairs & others) >= 0.7 * (len(pairs) + len(others)) else NONE


@lru_cache(maxsize=1 << 16)
def _pairs(word: str) -> frozenset[str]:
    return frozenset(word[i : i + 2] for i in range(len(word) - 1))


def focus(one: Case) -> int | None:
    """Return the position of the question's first content word after the question word, or None.

    This word usually names the kind of answer, such as "river" in "which long river".
    """
    if one.asks is None:
        return None
    beyond = (at for at in one.question.content if at > one.asks)
    return next((at for at in beyond if one.question.lower[at] not in _lexicon.DEGREES), None)


def longest_common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return the length of the longest common subsequence of two sequences of words."""
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for j, other in enumerate(second, 1):
            diagonal, row[j] = row[j], diagonal + 1 if word == other else max(row[j], row[j - 1])
    return row[-1]


def longest_run(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return the length of the longest sequence of consecutive words that both sequences contain."""
    return SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size
