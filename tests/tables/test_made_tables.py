"""All kinds of tables are made, and each the same every time; what nescio makes of them is never wrong in silence.

What nescio makes of them is printed by `python -m tests.tables SEEDS`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.rings import many, together
from tests.tables import forms, words
from tests.tables.maker import LAYOUTS, made
from tests.tables.reading import Outcome, outcome_of
from tests.tables.table import Counts, Made, Row
from tests.tables.writing import write

ALL = range(5_000)
ODD = {
    *("a header again", "a row of totals", "a second judge", "an index", "an index alone names the questions"),
    *("another array", "nested objects", "totals beside"),
}


def test_every_kind_of_table_is_made_and_a_reader_decides_most() -> None:
    tables = [made(seed) for seed in range(1_200)]
    assert {table.layout for table in tables} == LAYOUTS.keys()
    assert {table.medium for table in tables} == {"csv", "semicolons", "tsv", "jsonl", "json", "parquet"}
    assert {table.verdict for table in tables} == forms.VERDICTS.keys()
    assert {table.silence for table in tables} == {name for names in forms.SILENCES.values() for name in names}
    assert {table.language for table in tables} == words.WORDS.keys()
    assert {oddity for table in tables for oddity in table.oddities} == ODD
    assert 0.7 < sum(table.sensible for table in tables) / len(tables) < 0.9
    assert all(table.doubts for table in tables if table.verdict == "fraction" or table.silence == "minus_one")
    assert all(len({*table.rows[0]}) == len(table.rows[0]) for table in tables)
    truths = [counts for table in tables for counts in table.truth.values()]
    assert all(counts.right and counts.wrong for counts in truths)
    assert all(any(getattr(counts, name) for counts in truths) for name in ("silent", "ungraded", "withheld"))


def test_a_table_is_the_same_every_time(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    for seed in range(20):
        assert made(seed) == made(seed)
        assert write(made(seed), tmp_path).read_bytes() == write(made(seed), tmp_path / "again").read_bytes()


# ---- what nescio makes of them ----


@pytest.mark.sampled
def test_no_table_is_misread_in_silence_or_by_a_proposal(tmp_path: Path) -> None:
    """Of those that a sensible reader decides without asking, most are read at once, and nearly all at once, by the
    first proposal of a message, or by the option that a note names."""
    every: Counter[Outcome] = Counter()
    sensible: Counter[Outcome] = Counter()
    for seed in range(many(24, len(ALL))):
        table = made(seed)
        reading = outcome_of(table, write(table, tmp_path))
        outcome = reading.outcome
        at_once = outcome in (Outcome.RIGHT, Outcome.SAID, Outcome.SILENTLY)
        assert outcome is Outcome.BY_NOTE or bool(reading.messages) != at_once, reading
        assert reading.counts is None or reading.format
        every[outcome] += 1
        sensible[outcome] += table.sensible
    assert not every[Outcome.SILENTLY] + every[Outcome.WRONG_PROPOSAL] + every[Outcome.CRASHED]
    assert sensible[Outcome.RIGHT] >= 0.7 * sensible.total()
    led = sensible[Outcome.RIGHT] + sensible[Outcome.BY_PROPOSAL] + sensible[Outcome.BY_NOTE]
    assert led >= 0.95 * sensible.total()


def by_hand(rows: list[Row], **truth: Counts) -> Made:
    """Make a table of these rows, and of this truth, whether that is so or not."""
    columns = {"run": "run", "question": "question", "verdict": "outcome", "silence": "quiet"}
    return Made(0, "long", "csv", "words", "word", "en", columns, tuple(rows), rows, (), {}, truth, len(rows))


ROWS: list[Row] = [
    {"run": "mine", "question": "q1", "outcome": "correct"},
    {"run": "mine", "question": "q2", "outcome": "incorrect"},
    {"run": "mine", "question": "q3", "outcome": "unanswered"},
]


@together(
    "table, outcome",
    [
        (by_hand(ROWS, mine=Counts(1, 1, 1)), Outcome.RIGHT),
        (by_hand(ROWS, mine=Counts(1, 1, 0, 0, 1)), Outcome.RIGHT),  # silent on a question without an answer
        (by_hand(ROWS, mine=Counts(2, 1, 0)), Outcome.SILENTLY),
        (by_hand(ROWS, mine=Counts(1, 1, 1), other=Counts(1, 1, 1)), Outcome.SILENTLY),
        (by_hand([row | {"outcome": "?"} for row in ROWS], mine=Counts(1, 1, 1)), Outcome.NOWHERE),
        (by_hand([row | {"outcome": None} for row in ROWS[:2]] + ROWS, mine=Counts(1, 1, 1)), Outcome.NOWHERE),
        (by_hand([*ROWS[:2], ROWS[2] | {"outcome": None}], mine=Counts(1, 1, 0, 1)), Outcome.BY_PROPOSAL),
        (by_hand([*ROWS[:2], ROWS[2] | {"outcome": None}], mine=Counts(1, 1, 1)), Outcome.WRONG_PROPOSAL),
    ],
)
def test_a_reading_is_held_against_the_truth(table: Made, outcome: Outcome, tmp_path: Path) -> None:
    assert outcome_of(table, write(table, tmp_path)).outcome is outcome
