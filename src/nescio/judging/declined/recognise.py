"""Decide whether a text answers or declines, sentence by sentence, from words that people and models use
(`words.toml`)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from nescio.judging.declined.grammar import denies, is_known, may_deny, spoken
from nescio.judging.declined.phrases import matches, pattern, whole, without_classes
from nescio.text import is_nothing, normal_form

_ASIDE_SHARE = 5  # An answer that begins otherwise has at least so many times as many words as its declining part.
SHORT = 5  # the most words of an answer that its speaker doubts afterwards
# The end of a sentence, but not after "30." or an initial.
_ENDS = re.compile(r"(?<=[.!?…؟])(?<!\b\d\.)(?<!\b\d\d\.)(?<!\b[^\W\d]\.)[)\]*]*\s+|(?<=[。！？])|[\n;؛]+")
# A quoted text does not contain its opening mark; otherwise each of many opening marks would be searched to the end.
_QUOTED = re.compile(
    r"“[^“”]*”|\"[^\"]*\"|«[^«»]*»|„[^„“”]*[“”]|「[^「」]*」|『[^『』]*』|‘[^‘’]*’(?!\w)|(?<!\w)'[^']{3,}'(?!\w)"
)
_WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))
_BEFORE = _WHITE + "\"'“”«»„`*_~#<>()[]-"  # marks around an answer
_AFTER = _WHITE + "\"'“”«»„`*_~.!。！…,<>()[]"
_MARKS = dict.fromkeys((*range(0x064B, 0x0653), 0x0640, 0x200B, 0x200C, 0x200D, 0xFEFF))  # Arabic vowels, joiners
_QUOTE = "◻"
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# Words that answer one question, and say nothing about another; the passes say mostly nothing.
_PASSES = frozenset(("pass", "skip"))
_AMBIGUOUS = _PASSES | frozenset(("nothing", "x", "nobody", "no one"))

_SAYS = ("strong", "weak", "aside", "ask", "commit", "states")  # the kinds of phrases
_DECLINING = frozenset(("strong", "weak", "ask"))
_SILENT = frozenset(("strong", "weak", "ask", "aside"))  # A text in which no clause is of these kinds answers.


class Verdict(StrEnum):
    """Whether a text answers a question (ANSWERED), declines (DECLINED), or may do either (UNDETERMINED)."""

    ANSWERED = "answered"
    DECLINED = "declined"
    UNDETERMINED = "undetermined"


def declines(text: str) -> Verdict:
    """Return whether a text answers a question, declines, or leaves this open.

    A text without any declining words answers. It declines if it is one of the words for that (`n/a`, "no idea"). It
    also declines if each of its sentences says that there is no answer, apologises, asks back or refers elsewhere. It
    answers nevertheless in three cases: it commits itself ("I'm not sure, but it was Paris"); it doubts only afterwards
    ("Paris. I'm not sure."); or declining is a small part of a long text. A text that says that there is no answer and
    also other things, such as a guess, is undetermined. So are words such as "none". Words in quotation marks are not
    the speaker's.

    Example:
        >>> [str(declines(text)) for text in ("I don't know.", "I don't know why he left, but it was Paris")]
        ['declined', 'answered']
    """
    plain = _folded(text)
    bare = _bare(plain)
    if re.sub(r"[\s,]+", " ", bare) in whole():
        return Verdict.DECLINED
    if not bare or is_nothing(bare) or bare in _AMBIGUOUS:
        return Verdict.UNDETERMINED
    if not _may_decline(plain):
        return Verdict.ANSWERED
    return _verdict([*_clauses(_QUOTED.sub(_QUOTE, plain if _QUOTED.fullmatch(plain.strip()) is None else bare))])


def may_decline(text: str) -> bool:
    """Return whether a text has declining words; without them, it answers."""
    plain = _folded(text)
    return _bare(plain) in whole() or _may_decline(plain)


def _may_decline(text: str) -> bool:
    words = _words(text)
    if any(map(may_deny, words)) or without_classes(text):
        return True
    return any(matches(kind, spoken(words), text) for kind in ("ask", "aside"))


def is_foreign(text: str) -> bool | None:
    """Return whether a text is in a language that nescio does not know; None if it has too few words to tell."""
    plain = _folded(text)
    words = [word for word in _words(plain) if not word.isdigit()]
    return None if len(words) <= SHORT else not any(map(is_known, words)) and not without_classes(plain)


def passes(text: str) -> bool:
    """Return whether a text is "pass" or "skip"."""
    return _bare(_folded(text)) in _PASSES


class _Clause(Struct, frozen=True):
    """A clause of a text: the kinds of declining that it shows, its number of words, and whether it follows a "but".

    A clause without a kind makes a statement.
    """

    kinds: frozenset[str]
    words: int
    turned: bool

    @property
    def declines(self) -> bool:
        return bool(self.kinds & _DECLINING)

    @property
    def says(self) -> bool:
        return not self.kinds & _SILENT

    @property
    def commits(self) -> bool:
        return "commit" in self.kinds and not self.kinds & {"strong", "ask"}


def _verdict(clauses: list[_Clause]) -> Verdict:
    strong = any("strong" in clause.kinds for clause in clauses)
    if not any(clause.declines for clause in clauses):
        aside = bool(clauses) and all("aside" in clause.kinds for clause in clauses)
        return Verdict.UNDETERMINED if aside else Verdict.ANSWERED
    if strong:  # what is needed to know, and what the text is about instead, is not an answer
        clauses = [clause for clause in clauses if not clause.says or "about" not in clause.kinds]
    if not any(clause.says or clause.commits for clause in clauses):
        return Verdict.DECLINED
    spoken = [clause for clause in clauses if clause.kinds != {"aside"}]
    commits = any(clause.commits and (clause.words > 1 or not strong) for clause in clauses)
    if "strong" in spoken[0].kinds and spoken[-1].declines and not commits:
        return Verdict.DECLINED
    if commits:
        return Verdict.UNDETERMINED if strong else Verdict.ANSWERED
    silent = sum(clause.words for clause in clauses if clause.declines)
    if clauses[0].says and _ASIDE_SHARE * silent < sum(clause.words for clause in clauses):
        return Verdict.ANSWERED
    # "…, but it was Paris", "…, but Paris"; "Paris. I'm not sure."
    turns = any(
        before.declines and clause.turned and clause.says and ("states" in clause.kinds or clause.words <= SHORT)
        for before, clause in pairwise(clauses)
    )
    first = not strong and spoken[0].says and spoken[0].words <= SHORT
    return Verdict.ANSWERED if turns or first else Verdict.UNDETERMINED


@lru_cache(1)  # The same text is examined twice.
def _folded(text: str) -> str:
    folded = normal_form("NFKC", html.unescape(text)).lower().translate(_MARKS)
    return re.sub("[‘’ʼ`´]", "'", folded).replace("‑", "-")


def _bare(text: str) -> str:
    """Return a text without the reasoning that a model put before its answer, and without the marks around the text."""
    answer = text.lstrip()
    if answer.startswith("<think>"):
        answer = answer.partition("</think>")[2] or answer
    return answer.lstrip(_BEFORE).rstrip(_AFTER)


def _clauses(text: str) -> Iterator[_Clause]:
    """Yield the clauses of a text: its sentences, split at turns ("but", "however")."""
    throughout, sentences = spoken(_words(text)), _ENDS.split(text)
    several = len(sentences) > 1
    for sentence in filter(None, sentences):
        names = throughout | without_classes(sentence) | (spoken(_words(sentence)) if several else {*()})
        pieces = [sentence]
        for name in names:
            pieces = [part for piece in pieces for part in pattern("contrast", name).split(piece)]
        for i, piece in enumerate(pieces):
            if words := _words(piece):
                yield _clause(piece, words, names, turned=i > 0)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("n't", " not"))


def _clause(text: str, words: list[str], names: frozenset[str], *, turned: bool) -> _Clause:
    kinds = {kind for kind in _SAYS if matches(kind, names, text)} | denies(words, names)
    if "weak" in kinds:  # "I don't know for sure" contains "I don't know".
        kinds.discard("strong")
    return _Clause(frozenset(kinds), len(words), turned)
