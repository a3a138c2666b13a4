"""In which ways verdicts and silence are written, how often, and what their cells say."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from tests.tables import words
from tests.tables.table import RIGHT, SILENT, WRONG

VERDICTS = {
    "bool": 18,
    "binary": 12,
    "yesno": 6,
    "words": 16,
    "three": 10,
    "inverted": 14,
    "inverted_words": 4,
    "score": 6,
    "percent": 3,
    "fraction": 3,
    "none": 9,
}
_BESIDE = {"bool_column": 24, "word_column": 18, "sentence": 13, "empty_answer": 11, "no_silence": 14}
_PLAIN = {**_BESIDE, "grade_beside": 12, "empty_verdict": 4}
SILENCES: dict[str, dict[str, int]] = {
    "bool": _PLAIN,
    "binary": {**_PLAIN, "minus_one": 8},
    "yesno": _BESIDE,
    "inverted": {**_BESIDE, "grade_beside": 8},
    "words": {**_BESIDE, "word": 60},
    "three": {"word": 1},
    "score": {**_BESIDE, "minus_one": 12},
    "inverted_words": {**_BESIDE, "word": 40},
    "percent": _BESIDE,
    "none": _BESIDE,
    "fraction": {"bool_column": 1, "no_silence": 1},
}
# Where a cell of a wide table is a verdict and nothing else.
WIDE = {"bool": 3, "binary": 5, "words": 4, "three": 3, "score": 2, "yesno": 1}
WIDE_SILENCES = {
    "words": {"word": 3, "no_silence": 1},
    "three": {"word": 1},
    "bool": {"empty_verdict": 1, "no_silence": 2},
    "binary": {"empty_verdict": 1, "minus_one": 1, "no_silence": 2},
    "score": {"minus_one": 1, "no_silence": 1},
    "yesno": {"no_silence": 1},
}
WIDE_GROUPS = {"bool": 3, "binary": 3, "words": 2, "inverted": 1}
WIDE_GROUP_SILENCES = {"bool_column": 3, "sentence": 2, "empty_answer": 2, "no_silence": 2, "word_column": 1}


@dataclass(frozen=True)
class Verdict:
    """The cells of a verdict; `silent` is what stands there where nothing was answered and another column says so."""

    right: object
    wrong: object
    silent: object
    word: object = None  # for silence, in the verdict itself
    clear: bool = True
    as_name: bool = False  # its words are yes and no, so that its name must say what is

    def cell(self, state: str) -> object:
        """Return the cell of an answer that was given, or of silence that stands in the verdict itself."""
        return {RIGHT: self.right, WRONG: self.wrong, SILENT: self.word}.get(state)


def pick(chance: random.Random, weights: Mapping[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


def verdict(chance: random.Random, form: str, silence: str, language: str) -> Verdict:
    """Say what the cells of a verdict in one form are."""
    right: object
    wrong: object
    if form == "bool":
        right, wrong = True, False
    elif form == "binary":
        right, wrong = 1, 0
    elif form == "score":
        right, wrong = 1.0, 0.0
    elif form == "percent":
        right, wrong = chance.choice(((100, 0), ("100%", "0%"), (100.0, 0.0)))
    elif form == "yesno":
        right, wrong = words.TRUTHS[language]
        if language == "en" and chance.random() < 0.5:
            right, wrong = chance.choice((("Y", "N"), ("Yes", "No"), ("YES", "NO")))
    elif form == "inverted":
        right, wrong = chance.choice(((False, True), (0, 1), (False, True), ("no", "yes")))
    elif form == "words":
        right, wrong, word = chance.choice(words.WORDS[language])
        as_name = right.casefold() in ("ja", "tak", "да", "是", "true", "sí", "sì", "vrai", "对")
        return Verdict(right, wrong, chance.choice((wrong, None)), word, as_name=as_name)
    elif form == "three":
        right, wrong, word = chance.choice(words.THREE + words.LEGEND)
        return Verdict(right, wrong, word, word, clear=(right, wrong, word) in words.THREE)
    elif form == "inverted_words":
        right, wrong = chance.choice(words.INVERTED_WORDS)
        return Verdict(right, wrong, chance.choice((right, None)), chance.choice(("abstained", "refused")))
    else:
        return Verdict(None, None, None)
    missing = chance.random() < 0.35 and silence != "empty_verdict"
    silent = None if missing else right if form == "inverted" and chance.random() < 0.7 else wrong
    minus = None if silence != "minus_one" else -1.0 if form == "score" else -1
    return Verdict(right, wrong, silent, minus)
