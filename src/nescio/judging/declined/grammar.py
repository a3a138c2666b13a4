"""Decide whether a clause says that there is no answer, from the classes of its words, in orders that hold in every
language.

`words.toml` lists the words of each class. A clause becomes one letter per class of each word, and the rules are
patterns of these letters: speaker, negation, verb of knowing ("I could not find"), source, negation, verb of saying
("the text does not mention"), and so on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from nescio.judging.declined.phrases import languages

# The classes of words, each with its letter, in the order of a word's letters if it has several classes.
CLASSES = {
    "not": "n",  # not, cannot, unable
    "none": "z",  # no, none, neither
    "lack": "f",  # lacks, insufficient
    "me": "m",  # the speaker: I, my, or a verb with such an ending
    "own": "w",  # know, in the first person, in a language without pronouns
    "finite": "h",  # a verb that comes before its negation: "der Text sagt das nicht"
    "know": "k",  # what a speaker or a source does not do: know, find, answer, mention, contain
    "known": "p",  # what an answer is not: known, confirmed, available, clear
    "can": "c",  # possible, impossible
    "be": "b",  # is, there; and we, which may mean anybody
    "source": "s",  # text, document, context
    "info": "i",  # information, answer, evidence
    "in": "l",  # in, from, by
    "would": "y",  # would, needs
    "sure": "u",
    "open": "o",  # unknown, unclear
    "decline": "d",  # refuse
    "until": "t",
    "that": "x",  # begins a subordinate clause, which no rule enters
    "filler": "a",  # adds nothing: unfortunately, could
}
_LONGEST = 20  # the longest beginning of words, in letters
_ORDER = [*CLASSES.values()]
_EVIDENT = frozenset("nzfod")  # No rule matches without one of these.
# In a rule, a digit is a gap of at most so many letters, N a negation, K what a source does not say. [Ki] is K or what
# it lacks, ~ anything but K, and ^ the start of a clause, after words that add nothing.
_SAID_BY_SPEAKER = (
    "m3N6[Ki]",  # I could not find, I have no information
    "N4m4[Ki]",  # that is not something I can answer; mir fehlen die Angaben
    "n2w",  # no sé
    "m2h4N|h2m4N",  # ich weiß es nicht, das weiß ich nicht
    "m2d",  # I refuse
)
_SAID_OF_SOURCE = (
    "s~{0,6}N4[Ki]",  # the text does not mention
    "s3[kh]3N3i",  # the passages contain no details
    "s2h4N",  # der Abschnitt nennt kein Datum
    "h3s3N",  # im Text steht nichts
    "N4s5K",  # none of the documents mention
    "N4[kp]5l2s",  # not mentioned in the text
    "b2z.{0,9}l2s",  # there is no such thing in the text
    "i3N4s",  # the answer is not in the text
    "s2o",  # the documents are silent
)
_SAID_OF_ANSWER = (
    "b3z4i|z2i4p|b1n2i|N2b3i|^N4i|f4i",  # there is no information, insufficient information
    "i8N2c|N2c8k|c3n3k",  # no answer is possible, it is impossible to say; lässt sich nicht sagen
    "b3n4p|nb6p|n3p1b|nk?p",  # cannot be confirmed, is not known
    "b3o",  # remains unknown
    "^n4K",  # not stated
)
_UNSURE = ("m3n4u|n1m4u|^n4u",)  # I am not sure
_ABOUT = ("^.{0,3}s~*$", "y9[kis]|[kis]9y")  # the text is about another matter; it would take more documents


def denies(words: Sequence[str], names: Iterable[str]) -> set[str]:
    """Return whether a clause denies that there is an answer, doubts one, or describes sources, as a set of words.

    The words are "strong" for a clause that denies an answer, "weak" for one that doubts it, and "about" for one on
    sources or missing knowledge. The clause is read in each of the languages `names`.
    """
    return {what for name in names if (what := _denies("".join(_letters(word).get(name, ".") for word in words)))}


@lru_cache(1 << 12)
def _denies(letters: str) -> str:
    if _rules(_UNSURE).search(letters):
        return "weak"
    if _rules(_SAID_BY_SPEAKER + _SAID_OF_SOURCE).search(letters):
        return "strong"
    # "was not published until 1999" states when.
    if "t" not in letters and _rules(_SAID_OF_ANSWER).search(letters.partition("x")[0]):
        return "strong"
    return "about" if _rules(_ABOUT).search(letters) else ""


@lru_cache(1 << 16)
def may_deny(word: str) -> bool:
    """Return whether a word is, in some language, part of statements that there is no answer, such as "unknown"."""
    return any(not _EVIDENT.isdisjoint(letters) for letters in _letters(word).values())


def is_known(word: str) -> bool:
    """Return whether `words.toml` has the word in some language."""
    return bool(_letters(word))


def spoken(words: Sequence[str]) -> frozenset[str]:
    """Return the languages that know the most of these words: one of them is probably the language of the text."""
    known = Counter(name for word in words for name in _letters(word))
    most = max(known.values(), default=0)
    return frozenset(name for name, times in known.items() if times == most)


@lru_cache(1 << 16)
def _letters(word: str) -> Mapping[str, str]:
    """Return the grammatical classes of a word in each language, as a text with one letter per class."""
    by_language = defaultdict[str, set[str]](set)
    for entry in (word, *(f"{word[:end]}*" for end in range(1, min(len(word), _LONGEST) + 1))):
        for name, letter in _entries().get(entry, ()):
            by_language[name].add(letter)
    for prefix, name in _prefixes().items():
        if word.startswith(prefix) and "n" not in by_language[name]:
            denied = {*_letters(word.removeprefix(prefix)).get(name, "")} & {*"mwkpb"}
            by_language[name] |= denied and denied | {"n"}
    return {name: "".join(sorted(letters, key=_ORDER.index)) for name, letters in by_language.items() if letters}


@cache
def _entries() -> Mapping[str, list[tuple[str, str]]]:
    """Return, for each word of `words.toml`, the pairs of its language and the letter of its class.

    A word with an asterisk, such as "determin*", means all words that begin so.
    """
    entries = defaultdict[str, list[tuple[str, str]]](list)
    for name, language in languages().items():
        for kind, words in language.get("words", {}).items():
            for word in words.split() if kind in CLASSES else ():
                entries[word].append((name, CLASSES[kind]))
    return entries


@cache
def _prefixes() -> Mapping[str, str]:
    """Return the prefixes that negate a verb, such as Czech "ne", each with its language."""
    return {
        language["words"]["prefix"]: name
        for name, language in languages().items()
        if "prefix" in language.get("words", {})
    }


@cache
def _rules(rules: tuple[str, ...]) -> re.Pattern[str]:
    text = "|".join(rules).replace("^", "^[al]*").replace("[Ki]", "[hikp]").replace("K", "[hkp]").replace("N", "[nz]")
    return re.compile(re.sub(r"(?<![{,])\d", r"(?:[^x]|x(?=[is])){0,\g<0>}?", text).replace("~", "[^hkx]"))
