"""Provide the names of columns and words of cells that people use in result files, from words.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

_DATA = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
Three = tuple[str, str, str]


def _split(text: str, by: str) -> list[str]:
    return [one.strip() for one in text.split(by)]


def _threes(text: str) -> list[Three]:
    """Return words in threes: a/b/c; d/e/f."""
    return [(one, two, three) for one, two, three in (_split(words, "/") for words in text.split(";"))]


def _pair(text: str) -> tuple[str, str]:
    one, two = _split(text, "/")
    return one, two


OF: dict[str, list[str]] = {part: text.split() for part, text in _DATA["names"].items()}  # names of columns, by part
# In threes: right, wrong and silent; or the name of a column with its words for silence and for an answer.
THREES = {kind: _threes(text) for kind, text in _DATA["threes"].items()}
INVERTED_WORDS = [_pair(words) for words in _DATA["pairs"]["inverted"].split(";")]
# By language: words for right, wrong and silent; yes and no; sentences that decline; names of columns, by part.
_LANGUAGES: dict[str, dict[str, str]] = _DATA["languages"]
WORDS: dict[str, list[Three]] = {code: _threes(own["words"]) for code, own in _LANGUAGES.items()}
TRUTHS = {code: _pair(own["yes_no"]) for code, own in _LANGUAGES.items()}
SENTENCES = {code: _split(own["sentences"], "|") for code, own in _LANGUAGES.items()}
NAMES = {code: {part: _split(text, "|") for part, text in own.items()} for code, own in _LANGUAGES.items()}
FORMS = _DATA["forms"]
