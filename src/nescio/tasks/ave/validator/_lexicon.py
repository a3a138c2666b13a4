"""A small lexicon of English, written for this project: irregular forms, peoples, synonyms, opposites and function
words.

It is much smaller than WordNet. With its everyday words, a validator without any resource still knows that *began* is
*begin* and that *east* is not *west*.
"""

from __future__ import annotations

from functools import lru_cache

from nescio.tasks.word_lists import word_lists
from nescio.text import stem, word_set

_LISTS = word_lists(__file__)

NEGATIONS = word_set(_LISTS["negations"])
RESTRICTIONS = word_set(_LISTS["restrictions"])
_OPPOSITE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "anti", "mis")

DEGREES = word_set("many much long far old tall large big high deep wide often fast")
KINDS = word_set(_LISTS["kinds"])
NUMBER_WORDS = word_set(_LISTS["number_words"])
_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
TIME_WORDS = frozenset(MONTHS) | word_set(_LISTS["time_words"])


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.replace("\n", " ").split(";")]


@lru_cache(maxsize=1)
def lemmas() -> dict[str, str]:
    """Return the base form of irregular words, keyed by the irregular form: "go" for "went"."""
    base_of: dict[str, str] = {}
    for base, *forms in _groups(_LISTS["irregular"]):
        for form in forms:
            base_of.setdefault(form, base)
    return base_of


@lru_cache(maxsize=1)
def peoples() -> dict[str, str]:
    """Return the country or faith of adjectives and names of members, keyed by that word: the country for "german"."""
    return {form: base for base, *forms in _groups(_LISTS["peoples"]) for form in forms}


@lru_cache(maxsize=1)
def synonyms() -> dict[str, frozenset[str]]:
    """Return the stems of each word's synonyms, keyed by the stem of the word."""
    return _related(_groups(_LISTS["synonyms"]))


@lru_cache(maxsize=1)
def opposites() -> dict[str, frozenset[str]]:
    """Return the stems of the words that contradict a word, keyed by the stem of that word."""
    return _related(_groups(_LISTS["opposites"]))


@lru_cache(maxsize=1)
def rivals() -> dict[str, frozenset[str]]:
    """Return the stems of the words that could replace a word, such as other months, keyed by the stem of that word."""
    countries = [[base for base, *_ in _groups(_LISTS["peoples"])]]
    return _related([*_groups(_LISTS["rivals"]), *countries])


def _related(groups: list[list[str]]) -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for group in groups:
        stems = {stem(word) for word in group}
        for word in stems:
            related.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in related.items()}


def negated(word: str, other: str) -> bool:
    """Return whether one of two words is the other with a negating prefix, as in "clear" and "unclear"."""
    long, short = sorted((word, other), key=len, reverse=True)
    if len(short) > 3 and any(long == prefix + short for prefix in _OPPOSITE_PREFIXES):
        return True
    return word.endswith("less") != other.endswith("less") and word.removesuffix("less") == other.removesuffix(
        "less"
    ).removesuffix("ful")
