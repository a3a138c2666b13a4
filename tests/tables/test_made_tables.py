"""All kinds of tables are made, and each the same every time; nescio reads none of them wrongly in silence.

What nescio makes of them is printed by `python -m tests.tables SEEDS`.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from tests.rings import many
from tests.tables import forms, words
from tests.tables.maker import LAYOUTS, made
from tests.tables.reading import Outcome, outcome_of
from tests.tables.writing import write

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
    truths = [counts for table in tables for counts in table.truth.values()]
    assert all(counts.right and counts.wrong for counts in truths)


def test_a_table_is_the_same_every_time(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    for seed in range(20):
        assert made(seed) == made(seed)
        assert write(made(seed), tmp_path).read_bytes() == write(made(seed), tmp_path / "again").read_bytes()


@pytest.mark.sampled
def test_no_table_is_misread_in_silence_and_every_printed_answer_gives_its_counts(tmp_path: Path) -> None:
    outcomes: Counter[Outcome] = Counter()
    for seed in range(many(10, 5_000)):
        table = made(seed)
        reading = outcome_of(write(table, tmp_path), table.key)
        assert reading.outcome not in (Outcome.WRONG, Outcome.FAILED), (seed, reading, table.key)
        outcomes[reading.outcome] += 1
    led = outcomes[Outcome.RIGHT] + outcomes[Outcome.FIRST]
    assert 2 * led >= outcomes.total()


@pytest.mark.proof
def test_no_table_of_the_other_generator_is_misread_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a generator that was written from the rules alone, without a look at the code."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "studies" / "made_tables"))
    made_tables = import_module("made_tables")
    outcomes: Counter[Outcome] = Counter()
    for seed in range(many(20, 5_000)):
        (folder := tmp_path / str(seed)).mkdir()
        table = made_tables.make(seed, folder)
        truth = tuple(sorted((*counts, table.ungraded.get(run, 0)) for run, counts in table.truth.items()))
        outcome = outcome_of(table.path, truth).outcome
        assert outcome is not Outcome.FAILED, seed
        assert outcome is not Outcome.WRONG or table.ambiguous, seed
        outcomes[outcome] += not table.ambiguous
    led = outcomes[Outcome.RIGHT] + outcomes[Outcome.FIRST]
    assert 10 * led >= 9 * outcomes.total()
