"""Whether a text answers or declines to: by how people and models say so (`words.toml`), sentence by sentence."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from nescio.judging.declined.phrases import SAYS, TOKEN, pattern, possible, scripts_of, turns
from nescio.sources.tables import NOTHING

SHORT = 5  # words that an answer may have which stands alone before its speaker doubts it
# Where a sentence ends: not after "30." or an initial.
_ENDS = re.compile(r"(?<=[.!?…؟])(?<!\b\d\.)(?<!\b\d\d\.)(?<!\b[^\W\d]\.)[)\]*]*\s+|(?<=[。！？])|[\n;؛]+")
_QUOTED = re.compile(
    r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]|「[^」]*」|『[^』]*』|‘[^’]*’(?!\w)|(?<!\w)'[^']{3,}'(?!\w)"
)
_WRAPPED = re.compile(
    r"""\s*(?:<think>.*?</think>)?[\s"'“”«»„`*_~#<>()[\]-]*(.*?)[\s"'“”«»„`*_~.!。！…,<>()[\]]*""", re.DOTALL
)
_MARKS = dict.fromkeys((*range(0x064B, 0x0653), 0x0640, 0x200B, 0x200C, 0x200D, 0xFEFF))  # Arabic vowels, joiners
_QUOTE = "◻"
# Texts that are an answer to one question, and say nothing of another: those that stand where there is none, and words.
_BLANKS = frozenset(("", "none", "null", "nil", "na", "nan", "-", "?", "pass", "skip"))
_AMBIGUOUS = _BLANKS | frozenset(("nothing", "x", "nobody", "no one"))

_DECLINING = frozenset(("whole", "strong", "weak", "ask"))
_SILENT = frozenset(("strong", "weak", "ask", "aside"))  # a text in which no clause does any of this answers


class Verdict(StrEnum):
    """Whether a text answers."""

    ANSWERED = "answered"
    DECLINED = "declined"
    UNDETERMINED = "undetermined"


def declines(text: str) -> Verdict:
    """Say whether a text answers a question, declines to, or cannot be told by its words.

    A text without any word of declining answers. It declines if it is one of the words that stand for that (`n/a`, "no
    idea"), or if each of its sentences says that there is no answer, apologises, asks back or leads elsewhere. It
    answers nevertheless where it commits itself ("I'm not sure, but it was Paris"), or doubts only afterwards
    ("Paris. I'm not sure."). What says that there is no answer and also other things is undetermined, and so are words
    such as "none". What stands in quotation marks is not the speaker's.

    Example:
        >>> [str(declines(text)) for text in ("I don't know.", "I don't know why he left, but it was Paris")]
        ['declined', 'answered']
    """
    plain = _folded(text)
    bare = _bare(plain)
    found = possible(plain)
    if any(kind == "whole" and pattern(kind, language).fullmatch(bare) for kind, language in found):
        return Verdict.DECLINED
    if bare in _AMBIGUOUS:
        return Verdict.UNDETERMINED
    if _SILENT.isdisjoint(kind for kind, _ in found):
        return Verdict.ANSWERED
    unquoted = _QUOTED.sub(_QUOTE, plain if _QUOTED.fullmatch(plain.strip()) is None else bare)
    return _verdict([_clause(part, turned) for part, turned in _parts(unquoted)])


def may_decline(text: str) -> bool:
    """Say whether a text has the words of some phrase that declines: without them, it does not."""
    return not _DECLINING.isdisjoint(kind for kind, _ in possible(_folded(text)))


def stands_for_nothing(text: str) -> bool:
    """Say whether a text is what people and programs put where there is no answer: N/A, nan, None, a question mark."""
    return _bare(_folded(text)) in _BLANKS or re.fullmatch(NOTHING, text.strip(), re.IGNORECASE) is not None


class _Clause(Struct, frozen=True):
    """What a clause does (`SAYS`; none: it says something), in how many words, and whether it follows a turn."""

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
    if not any(clause.says or clause.commits for clause in clauses):
        return Verdict.DECLINED
    spoken = [clause for clause in clauses if clause.kinds != {"aside"}]
    if "strong" in spoken[0].kinds and spoken[-1].declines:
        return Verdict.DECLINED
    if any(clause.commits and (clause.words > 1 or not strong) for clause in clauses):
        return Verdict.ANSWERED
    # "…, but it was Paris", "…, but Paris"; "Paris. I'm not sure."
    turns = any(
        before.declines and clause.turned and clause.says and ("states" in clause.kinds or clause.words <= SHORT)
        for before, clause in pairwise(clauses)
    )
    first = not strong and spoken[0].says and spoken[0].words <= SHORT
    return Verdict.ANSWERED if turns or first else Verdict.UNDETERMINED


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", html.unescape(text)).lower().translate(_MARKS)
    return re.sub("[‘’ʼ`´]", "'", folded).replace("‑", "-")


def _bare(text: str) -> str:
    match = _WRAPPED.fullmatch(text)
    return match[1] if match else text.strip()


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text: sentences, cut where they turn ("but", "however"), and whether one follows a turn."""
    scripts = scripts_of(text)
    for sentence in filter(None, _ENDS.split(text)):
        parts = [sentence]
        for script in scripts:
            parts = [piece for part in parts for piece in turns(script).split(part)]
        yield from ((part, i > 0) for i, part in enumerate(parts) if TOKEN.search(part))


def _clause(part: str, turned: bool) -> _Clause:
    kinds = {kind for kind, language in possible(part) if kind in SAYS and pattern(kind, language).search(part)}
    if "weak" in kinds:  # "I don't know for sure" holds "I don't know"
        kinds.discard("strong")
    return _Clause(frozenset(kinds), len(TOKEN.findall(part)), turned)
