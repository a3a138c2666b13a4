"""Tables of which nothing fits: whatever stands under whatever name is read, or refused with one message."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import NescioError
from nescio.pipeline import Options, load
from tests.rings import many, sample

_HEADS = """id question run model outcome correct is_correct answer prediction gold expected abstained refused score grade
label status repeat seed confidence judge notes zxqv has_answer topic cluster n_correct total hallucinated attempted name
A B m1 m2 judge_a judge_b pred_x pred_y Total"""
_WORDS = (
    """True False 1 0 -1 0.5 correct wrong unanswered yes no A B C x y None nan 100% 0% - ✓ ✗ [1] ok error refused"""
)
HEADS = _HEADS.split()
CELLS = [
    *_WORDS.split(),
    *("N/A", "", "I don't know.", "lorem ipsum", "{'a': 1}", "NOT_ATTEMPTED", "2", "17", "Total", "mean"),
]
TYPED = {"True": True, "False": False, "": None, "1": 1, "0": 0, "-1": -1}


def column(chance: random.Random, head: str, rows: int) -> list[str]:
    """Draw cells: names of questions, texts, numbers of rows, a few words with gaps, or whatever there is."""
    kind = chance.random()
    if head in ("id", "question", "name") and kind < 0.7:
        return [f"q{i}" for i in range(rows)]
    if kind < 0.25:
        return [f"text {i}" if kind < 0.15 else str(i) for i in range(rows)]
    if kind < 0.4:
        return [chance.choice([f"w{chance.randint(0, 5)}", ""]) for _ in range(rows)]
    few = chance.sample(CELLS, chance.randint(1, 4))
    return [chance.choice(few) for _ in range(rows)]


def write(chance: random.Random, folder: Path) -> Path:
    """Write a table as CSV, JSON Lines or a document."""
    heads, size = chance.sample(HEADS, chance.randint(2, 6)), chance.choice([1, 2, 3, 4, 6, 8, 12, 20, 30])
    cells = [*zip(*(column(chance, head, size) for head in heads), strict=True)]
    path = folder / f"table.{chance.choice(['csv', 'jsonl', 'json'])}"
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([heads, *cells])
        return path
    rows: list[dict[str, Any]] = [
        {head: TYPED.get(cell, cell) if chance.random() < 0.8 else cell for head, cell in zip(heads, row, strict=True)}
        for row in cells
    ]
    documents: list[Any] = [
        rows,
        {"data": rows},
        {"summary": {"accuracy": 0.5}, "rows": rows},
        {str(i): row for i, row in enumerate(rows)},
        {"runs": [{"name": name, "cases": rows} for name in "ab"]},
    ]
    lines = path.suffix == ".jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(chance.choice(documents)))
    return path


@pytest.mark.sampled
@pytest.mark.parametrize("part", range(many(2, 20)))
def test_any_table_is_read_or_refused(tmp_path: Path, part: int) -> None:
    for seed in sample(range(200 * part, 200 * part + 200), 40):
        chance = random.Random(seed)
        path = write(chance, tmp_path)
        options: list[dict[str, Any]] = [{}, {}, {"judge": "exact"}, {"ungraded": "exclude"}]
        options += [{"column": {"outcome": chance.choice(HEADS)}}]
        try:
            said = str(load(path, Options(**chance.choice(options))).notes)
        except NescioError as error:
            said = str(error)
        assert said, seed
