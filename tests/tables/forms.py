"""Choose how verdicts and silence are written, how often, and with which cells."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from tests.tables import words
from tests.tables.table import RIGHT, SILENT, WRONG

VERDICTS: dict[str, int] = words.FORMS["verdicts"]
SILENCES: dict[str, dict[str, int]] = words.FORMS["silences"]
WIDE: dict[str, int] = words.FORMS["wide"]  # forms in which a cell of a wide table is a verdict and nothing else
WIDE_SILENCES: dict[str, dict[str, int]] = words.FORMS["wide_silences"]
WIDE_GROUPS: dict[str, int] = words.FORMS["wide_groups"]
WIDE_GROUP_SILENCES: dict[str, int] = words.FORMS["wide_group_silences"]


@dataclass(frozen=True)
class Verdict:
    """The cells of a verdict; `silent` is the cell of an unanswered question if another column marks silence."""

    right: object
    wrong: object
    silent: object
    word: object = None  # the cell for silence in the verdict itself
    clear: bool = True
    as_name: bool = False  # its words are yes and no, so its name must say what they mean

    def cell(self, state: str) -> object:
        """Return the cell of a given answer, or of silence in the verdict itself."""
        return {RIGHT: self.right, WRONG: self.wrong, SILENT: self.word}.get(state)


def pick(chance: random.Random, weights: Mapping[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


def verdict(chance: random.Random, form: str, silence: str, language: str) -> Verdict:
    """Return the cells of a verdict in one form."""
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
        right, wrong, word = chance.choice(words.THREES["not_attempted"] + words.THREES["legend"])
        return Verdict(right, wrong, word, word, clear=(right, wrong, word) in words.THREES["not_attempted"])
    elif form == "inverted_words":
        right, wrong = chance.choice(words.INVERTED_WORDS)
        return Verdict(right, wrong, chance.choice((right, None)), chance.choice(("abstained", "refused")))
    else:
        return Verdict(None, None, None)
    missing = chance.random() < 0.35 and silence != "empty_verdict"
    silent = None if missing else right if form == "inverted" and chance.random() < 0.7 else wrong
    minus = None if silence != "minus_one" else -1.0 if form == "score" else -1
    return Verdict(right, wrong, silent, minus)
