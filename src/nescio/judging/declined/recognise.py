"""Whether a text answers or declines to: by how people and models say so (`words.toml`), sentence by sentence."""

from __future__ import annotations

import hashlib
import html
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from msgspec import Struct

from nescio.sources.tables import NOTHING

KINDS = ("strong", "weak", "aside", "ask", "commit", "states")
SHORT = 5  # words that an answer may have which stands alone before its speaker doubts it
# Where a sentence ends: not after "30." or an initial.
_ENDS = re.compile(r"(?<=[.!?…؟])(?<!\b\d\.)(?<!\b\d\d\.)(?<!\b[^\W\d]\.)[)\]*]*\s+|(?<=[。！？])|[\n;؛]+")
_QUOTED = re.compile(
    r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]|「[^」]*」|『[^』]*』|‘[^’]*’(?!\w)|(?<!\w)'[^']{3,}'(?!\w)"
)
_WRAPPED = re.compile(
    r"""\s*(?:<think>.*?</think>)?[\s"'“”«»„`*_~#<>()[\]-]*(.*?)[\s"'“”«»„`*_~.!。！…,<>()[\]]*""", re.DOTALL
)
_WORD = re.compile(r"[^\W_]+")
_MARKS = dict.fromkeys((*range(0x064B, 0x0653), 0x0640, 0x200B, 0x200C, 0x200D, 0xFEFF))  # Arabic vowels, joiners
_QUOTE = "◻"
# The letters of each script: words are looked for only in a text that has some of them.
_LETTERS = {
    "latin": "[a-z?/-]",
    "cyrillic": "[\u0400-\u04ff]",
    "arabic": "[\u0600-\u06ff]",
    "han": "[\u3040-\u9fff]",
    "hangul": "[\uac00-\ud7a3]",
}
# Texts that are an answer to one question, and say nothing of another: those that stand where there is none, and words.
_BLANKS = frozenset(("", "none", "null", "nil", "na", "nan", "-", "?", "pass", "skip"))
_AMBIGUOUS = _BLANKS | frozenset(("nothing", "x", "nobody", "no one"))


class Verdict(StrEnum):
    """Whether a text answers."""

    ANSWERED = "answered"
    DECLINED = "declined"
    UNDETERMINED = "undetermined"


class _Words(Struct, frozen=True):
    """The words of the languages of one script, as patterns."""

    letters: re.Pattern[str]
    whole: re.Pattern[str]
    kinds: tuple[tuple[str, re.Pattern[str]], ...]
    turns: re.Pattern[str]


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
    words = [one for one in _words()[0] if one.letters.search(plain)]
    if any(one.whole.fullmatch(bare) for one in words):
        return Verdict.DECLINED
    if bare in _AMBIGUOUS:
        return Verdict.UNDETERMINED
    unquoted = _QUOTED.sub(_QUOTE, plain if _QUOTED.fullmatch(plain.strip()) is None else bare)
    return _verdict([_clause(part, turned, words) for part, turned in _parts(unquoted, words)])


def stands_for_nothing(text: str) -> bool:
    """Say whether a text is what people and programs put where there is no answer: N/A, nan, None, a question mark."""
    return _bare(_folded(text)) in _BLANKS or re.fullmatch(NOTHING, text.strip(), re.IGNORECASE) is not None


@cache
def vocabulary() -> frozenset[str]:
    """Return the words of all phrases in the Latin script: a text without any of them does not decline."""
    phrases = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8")).values()
    texts = (phrase for language in phrases for kind in ("whole", "strong", "weak", "ask") for phrase in language[kind])
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def digest() -> str:
    """Return a short hash of the words, which says by which of their versions an answer was judged."""
    return _words()[1]


class _Clause(Struct, frozen=True):
    """What a clause does (`KINDS`; none: it says something), in how many words, and whether it follows a turn."""

    kinds: frozenset[str]
    words: int
    turned: bool

    @property
    def declines(self) -> bool:
        return bool(self.kinds & {"strong", "weak", "ask"})

    @property
    def says(self) -> bool:
        return not self.kinds & {"strong", "weak", "aside", "ask"}

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


def _parts(text: str, words: Sequence[_Words]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text: sentences, cut where they turn ("but", "however"), and whether one follows a turn."""
    for sentence in filter(None, _ENDS.split(text)):
        parts = [sentence]
        for one in words:
            parts = [piece for part in parts for piece in one.turns.split(part)]
        yield from ((part, i > 0) for i, part in enumerate(parts) if _WORD.search(part))


def _clause(part: str, turned: bool, words: Sequence[_Words]) -> _Clause:
    kinds = {kind for one in words for kind, pattern in one.kinds if pattern.search(part)}
    if "weak" in kinds:  # "I don't know for sure" holds "I don't know"
        kinds.discard("strong")
    return _Clause(frozenset(kinds), len(_WORD.findall(part)), turned)


@cache
def _words() -> tuple[tuple[_Words, ...], str]:
    """Compile the words by script, and hash them: at the first text, because most commands never need them."""
    raw = (files(__package__) / "words.toml").read_bytes()
    languages = tomllib.loads(raw.decode())
    return tuple(
        _compiled(letters, script == "han", [one for one in languages.values() if one.get("script", "latin") == script])
        for script, letters in _LETTERS.items()
    ), hashlib.sha256(raw).hexdigest()[:8]


def _compiled(letters: str, unspaced: bool, languages: Sequence[Mapping[str, Any]]) -> _Words:
    def one(kind: str) -> str:
        phrases = (phrase for language in languages for phrase in language[kind])
        return "|".join(f"(?:{phrase})" if unspaced else _pattern(phrase) for phrase in phrases)

    # An aside stands at the beginning of its clause: "sorry" does, "he was sorry" says something.
    patterns = {kind: re.compile(rf"^\W*(?:{one(kind)})" if kind == "aside" else one(kind)) for kind in KINDS}
    turns = re.compile(f"(?:[,，、;]\\s*)?(?:{one('contrast')})")
    return _Words(re.compile(letters), re.compile(one("whole")), tuple(patterns.items()), turns)


def _pattern(phrase: str) -> str:
    """Turn a phrase into a regular expression; `words.toml` says how phrases are written."""
    text = re.sub(r"\s*…\s*$", "", re.sub(r"^\s*…\s*", "", phrase.replace(".", r"\.")))
    text = re.sub(r"\[([^]]*)\] ", r"(?:(?:\1) )?", text)
    text = re.sub(r" \[([^]]*)\]", r"(?: (?:\1))?", text)
    text = text.replace("… ", r"(?:\S+ ){0,7}?").replace(" ", r"[\s,]+")
    return rf"(?<![\w'])(?:{text})(?![\w])"
