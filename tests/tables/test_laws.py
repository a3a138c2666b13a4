"""A reading depends on names and words alone: not on the order, the number or the repetition of rows, nor on columns
whose names nobody knows."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from nescio.errors import NescioError
from nescio.pipeline import Options
from nescio.pipeline.judging import judge
from nescio.pipeline.reading import read
from nescio.tables.asking import AskedError
from nescio.tables.trying import counts_of

Row = dict[str, Any]
RUNS = ["model", "system_name", "Modell", "condition"]
IDS = ["question_id", "qid", "id", "item_idx"]
VERDICTS: dict[str, list[Any]] = {
    "is_correct": [True, False],
    "outcome": ["correct", "incorrect", "unanswered"],
    "richtig": ["ja", "nein"],
    "score": [0, 1],
    "incorrect": [1, 0],
}
SILENCES: dict[str, list[Any]] = {
    "abstained": [True, False],
    "answered": ["yes", "no"],
    "model_action": ["answer", "refuse"],
}


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """Make the rows of a table of one or two runs, under names of the lexicon."""
    chance = random.Random(draw(st.integers(0, 1 << 20)))
    run, identity = chance.choice([*RUNS, ""]), chance.choice(IDS)
    verdict, silence = chance.choice([*VERDICTS]), chance.choice([*SILENCES, "", ""])
    gold, runs, size = chance.random() < 0.5, ["a", "b"] if run else [""], draw(st.integers(3, 12))
    rows = []
    for name in runs:
        for q in range(size):
            row: Row = {run: name} if run else {}
            row |= {identity: f"q{q}", verdict: VERDICTS[verdict][q % len(VERDICTS[verdict])]}
            row |= {silence: chance.choice(SILENCES[silence])} if silence else {}
            row |= {"gold": chance.choice("AB"), "prediction": chance.choice("AB")} if gold else {}
            rows.append(row | {"latency_ms": chance.randint(1, 999)})
    return rows


def mapping(rows: list[Row]) -> tuple[str, Any]:
    """Return how a table is read: the mapping, or the options of all answers to the question."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        try:
            result = read([path], Options())
        except AskedError as asked:
            return "asked", sorted(str(way.options) for way in asked.executed)
        except NescioError as error:
            return "refused", str(error)
        counts, _ = counts_of(judge(result).data)  # type: ignore[arg-type]
        return "read", ([note.values for note in result.notes if note.code == "tables.mapping"], len(counts))


def shuffled(rows: list[Row]) -> list[Row]:
    return random.Random(1).sample(rows, len(rows))


def turned(rows: list[Row]) -> list[Row]:
    return [dict(reversed(row.items())) for row in rows]


def doubled(rows: list[Row]) -> list[Row]:
    identity = next(name for name in IDS if name in rows[0])
    return [*rows, *(row | {identity: f"{row[identity]}-again"} for row in rows)]


def with_a_column(rows: list[Row]) -> list[Row]:
    return [row | {"zxqv": i % 3} for i, row in enumerate(rows)]


@pytest.mark.sampled
@given(rows=tables(), change=st.sampled_from([shuffled, turned, doubled, with_a_column]))
def test_a_reading_stays_when_a_table_is_changed_so(rows: list[Row], change: Callable[[list[Row]], list[Row]]) -> None:
    assert mapping(change(rows)) == mapping(rows)
