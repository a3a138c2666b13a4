"""What people call the columns of their result files, and what they write in them, as words.toml has it."""

from __future__ import annotations

import tomllib
from pathlib import Path

_DATA = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
Three = tuple[str, str, str]


def _split(text: str, by: str) -> list[str]:
    return [one.strip() for one in text.split(by)]


def _threes(text: str) -> list[Three]:
    """Read words in threes: a/b/c; d/e/f."""
    return [(one, two, three) for one, two, three in (_split(words, "/") for words in text.split(";"))]


def _pair(text: str) -> tuple[str, str]:
    one, two = _split(text, "/")
    return one, two


_NAMES: dict[str, list[str]] = {part: text.split() for part, text in _DATA["names"].items()}
VERDICTS = _NAMES["verdicts"]
BEFORE = _NAMES["before"]
AFTER = _NAMES["after"]
VAGUE_VERDICTS = _NAMES["vague_verdicts"]
WORDED_VERDICTS = _NAMES["worded_verdicts"]
WORDED_AFTER = _NAMES["worded_after"]
INVERTED = _NAMES["inverted"]
VAGUE_INVERTED = _NAMES["vague_inverted"]
INVERTED_WORDED = _NAMES["inverted_worded"]
SCORES = _NAMES["scores"]
PERCENTS = _NAMES["percents"]
SILENT = _NAMES["silent"]
GIVEN = _NAMES["given"]
VAGUE_SILENT = _NAMES["vague_silent"]
RUNS = _NAMES["runs"]
RUN_NAMES = _NAMES["run_names"]
IDS = _NAMES["ids"]
TEXTS = _NAMES["texts"]
ANSWERS = _NAMES["answers"]
GOLD = _NAMES["gold"]
ANSWERABLE = _NAMES["answerable"]
UNANSWERABLE = _NAMES["unanswerable"]
REPEATS = _NAMES["repeats"]
ROWS = _NAMES["rows"]
BESIDE = _NAMES["beside"]
SUMMARIES = _NAMES["summaries"]
GROUPS = _NAMES["groups"]
OF_ANSWERS = _NAMES["of_answers"]
OTHERS = _NAMES["others"]
# In threes: right, wrong and silent; or the name of a column, and its words for silence and for an answer.
ACTIONS = _threes(_DATA["threes"]["actions"])
VAGUE_ACTIONS = _threes(_DATA["threes"]["vague_actions"])
THREE = _threes(_DATA["threes"]["not_attempted"])
LEGEND = _threes(_DATA["threes"]["legend"])
INVERTED_WORDS = [_pair(words) for words in _DATA["pairs"]["inverted"].split(";")]
# By language: words for right, wrong and silent; yes and no; sentences that decline; names of columns, by part.
_LANGUAGES: dict[str, dict[str, str]] = _DATA["languages"]
WORDS: dict[str, list[Three]] = {code: _threes(own["words"]) for code, own in _LANGUAGES.items()}
TRUTHS = {code: _pair(own["yes_no"]) for code, own in _LANGUAGES.items()}
SENTENCES = {code: _split(own["sentences"], "|") for code, own in _LANGUAGES.items()}
NAMES = {code: {part: _split(text, "|") for part, text in own.items()} for code, own in _LANGUAGES.items()}
