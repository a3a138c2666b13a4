"""English verbs and their forms, and the word classes that the rules of hypotheses need; written for this project."""

from __future__ import annotations

import re
from functools import lru_cache

from nescio.tasks.word_lists import word_lists
from nescio.text import word_set

_LISTS = word_lists(__file__)

_REGULAR = word_set(_LISTS["regular"])
# those of the above that are nouns at least as often: another verb beside them is more likely the verb
NOUNS_TOO = word_set(_LISTS["nouns_too"])

_DOUBLED = word_set("commit permit admit submit refer prefer occur transfer transmit rebel control ban equip")
BE = word_set("is are was were am")
HAVE = word_set("has have had")
DO = word_set("do does did don't doesn't didn't")
MODALS = word_set("can could will would shall should may might must can't couldn't won't wouldn't shouldn't")
AUXILIARIES = BE | HAVE | DO | MODALS
DETERMINERS = word_set("""
the a an this that these those his her its their my your our some any all both each every no another many most several
few other
""")
PRONOUNS = word_set("he she it they we you i someone people everyone anyone there")
PREPOSITIONS = word_set(_LISTS["prepositions"])
CONJUNCTIONS = word_set(
    "and or but that which who when while if because where so whose although though as until after before"
)
ADJECTIVES = word_set(_LISTS["adjectives"])
MEASURED = word_set("old tall high long wide deep thick heavy broad tall short")
TIMES = word_set("year month century decade day date season week years time era period days dates")


def _pairs() -> list[list[str]]:
    return [entry.split() for entry in _LISTS["irregular"].replace("\n", " ").split(";")]


@lru_cache(maxsize=1)
def _past() -> dict[str, str]:
    return {base: past for base, past, *_ in _pairs()}


@lru_cache(maxsize=1)
def _participles() -> frozenset[str]:
    return frozenset(forms[-1] for forms in _pairs()) | word_set("born stuck")


@lru_cache(maxsize=1)
def _finite() -> frozenset[str]:
    bases = {*_past(), *_REGULAR}
    return frozenset({*_past().values(), *map(past, _REGULAR), *map(third_person, bases)})


def is_base(word: str) -> bool:
    """Return whether a lower-case word can be the base form of a verb."""
    return word in _REGULAR or word in _past() or bool(re.fullmatch(r"\w{3,}(?:ify|ize|ise)", word))


def is_participle(word: str) -> bool:
    """Return whether a lower-case word can be a past participle."""
    return (word in _participles() and word not in ("set", "cost", "cast", "cut", "split")) or (
        len(word) > 4 and word.endswith("ed") and word not in ("hundred", "indeed", "united", "speed", "breed")
    )


def is_finite(word: str) -> bool:
    """Return whether a lower-case word can be a finite verb form other than the base form."""
    return word in AUXILIARIES or word in _finite() or (len(word) > 4 and word.endswith("ed"))


def past(base: str) -> str:
    """Return the past tense of a verb."""
    if base in _past():
        return _past()[base]
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base) or base in _DOUBLED:
        return base + base[-1] + "ed"
    return base + "ed"


def third_person(base: str) -> str:
    """Return the third person singular of a verb in the present tense."""
    if base == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def plural(word: str) -> str:
    """Return the plural of a finite verb, or any other word unchanged."""
    return {"is": "are", "was": "were", "has": "have", "does": "do"}.get(word) or _bases().get(word, word)


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    return {third_person(base): base for base in (*_past(), *_REGULAR)}
