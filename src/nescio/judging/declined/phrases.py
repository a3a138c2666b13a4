"""Compile the phrases of `words.toml` when they are first needed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

# the scripts whose languages have phrases in place of classes of words
_LETTERS = {"arabic": "[\u0600-\u06ff]", "han": "[\u3040-\u9fff]", "hangul": "[\uac00-\ud7a3]"}
_CHOICE = re.compile(r"\(([^()]*)\)(\??)|\[([^]]*)\]")


@cache
def languages() -> Mapping[str, Mapping[str, Any]]:
    """Return the lists of words and phrases in `words.toml`, keyed by language."""
    import tomllib

    return tomllib.loads(_raw().decode())


@cache
def digest() -> str:
    """Return a short hash of the lists of words and phrases, which identifies their version."""
    return hashlib.sha256(_raw()).hexdigest()[:8]


def _raw() -> bytes:
    return (files(__package__) / "words.toml").read_bytes()


def without_classes(text: str) -> frozenset[str]:
    """Return the languages whose script occurs in a text, if `words.toml` has only phrases for them."""
    scripts = [] if text.isascii() else [name for name, letters in _LETTERS.items() if re.search(letters, text)]
    return frozenset(name for name, language in languages().items() if language.get("script") in scripts)


@cache
def whole() -> frozenset[str]:
    """Return the texts that, as a whole answer, mean an abstention ("no idea"), in all languages."""
    return frozenset(
        text for language in languages().values() for phrase in language["whole"] for text in _spelled_out(phrase)
    )


def _spelled_out(phrase: str) -> Iterator[str]:
    """Yield the texts that a phrase in `words.toml` means, which may have alternatives and optional parts."""
    fixed, *rest = _CHOICE.split(phrase)
    choices = [[fixed]]
    for either, maybe, optional, after in zip(rest[::4], rest[1::4], rest[2::4], rest[3::4], strict=True):
        missing = [""] if maybe or optional is not None else []
        choices += [[*(optional if either is None else either).split("|"), *missing], [after]]
    yield from (" ".join("".join(parts).split()) for parts in product(*choices))


def matches(kind: str, names: Iterable[str], text: str) -> bool:
    """Return whether a text has a phrase of this kind in one of the languages `names`.

    Kinds are "ask" (asks back), "aside" and others, which `words.toml` explains.
    """
    return any(pattern(kind, name).search(text) for name in names if kind in languages()[name])


@cache
def pattern(kind: str, name: str) -> re.Pattern[str]:
    """Return the compiled phrases of a kind in a language."""
    either = "|".join(_regex(phrase, languages()[name]) for phrase in languages()[name][kind])
    # An aside comes at the start of its clause: "sorry" is one, but "he was sorry" is a statement.
    return re.compile(rf"^\W*(?:{either})" if kind == "aside" else either)


def _regex(phrase: str, language: Mapping[str, Any]) -> str:
    """Return the regular expression for a phrase; `words.toml` explains the notation of phrases."""
    if language.get("script") == "han":
        return f"(?:{phrase})"
    text = re.sub(r"\s*…\s*$", "", re.sub(r"^\s*…\s*", "", phrase.replace(".", r"\.")))
    text = re.sub(r"\[([^]]*)\] ", r"(?:(?:\1) )?", text)
    text = re.sub(r" \[([^]]*)\]", r"(?: (?:\1))?", text)
    text = text.replace("… ", r"(?:\S+ ){0,7}?").replace(" ", r"[\s,]+")
    return rf"(?<![\w'])(?:{text})(?![\w])"
