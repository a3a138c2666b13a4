"""A reader of a named tool takes no table that only has a key, or two columns, of the tool's names in it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from nescio.formats import REGISTRY, matching_formats, open_source
from nescio.sources.elements import objects_in
from nescio.sources.source import Source

from ..daily import daily
from .excerpts import EXAMPLES, EXCERPTS
from .fuzz import evidence_and_notes, write_files

# What people write of an answer: no tool has the run and silence beside a verdict in one row.
ROW = {"question_id": 1, "model": "m", "is_correct": True, "abstained": False}
FILES = [path for place in (EXAMPLES, EXCERPTS) for path in sorted(place.rglob("*")) if path.is_file()]
FEW = 25  # columns of a file, of which all pairs are tried


def _opened(path: Path) -> Source | None:
    try:
        return open_source(path)
    except FormatError:
        return None


def records(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The first object of each list in a document."""
    yield from objects_in(value)[:1]
    if isinstance(value, dict) and depth < 4:
        for member in value.values():
            yield from records(member, depth + 1)


SOURCES = [source for path in FILES if (source := _opened(path))]
KEYS = sorted({key for s in SOURCES if isinstance(s.document, dict) for key in s.document})
COLUMNS = [
    one
    for source in SOURCES
    for one in (
        records(source.document)
        if source.document is not None
        else [source.first if isinstance(source.first, dict) else dict.fromkeys(source.columns, "1")]
    )
]


def tables(folder: Path, row: dict[str, Any]) -> Iterator[Source]:
    columns, rows = tuple(row), [row] * 3
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    yield Source("t.jsonl", path, columns=columns, first=row, kind="lines")
    yield Source("t.json", Path("t.json"), columns=columns, first=row, kind="document", document=rows)
    path = folder / "t.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([columns, *([json.dumps(cell) for cell in one.values()] for one in rows)])
    yield Source("t.csv", path, columns=columns, kind="delimited")


@pytest.mark.parametrize("many", [1, 2])
def test_no_tool_claims_rows_for_columns_that_bear_its_names(tmp_path: Path, many: int) -> None:
    tried = 0
    for record in COLUMNS:
        for names in combinations([name for name in record if name][:FEW], many):
            row = {name: record[name] for name in names} | {n: cell for n, cell in ROW.items() if n not in names}
            if "outcome" in names:  # an outcome table, whatever else is in it
                continue
            for source in tables(tmp_path, row):
                claimed = [format_.name for format_ in matching_formats(source) if format_.of_a_tool]
                assert not claimed, (names, source.kind, claimed)
                tried += 1
    assert tried > 1000 * many


@pytest.mark.parametrize("key", daily(KEYS, 10))
def test_no_tool_claims_a_document_for_a_key_of_its_name(tmp_path: Path, key: str) -> None:
    """The rows are read, or are asked about; and the paths of the columns lead to them."""
    rows = [ROW | {"question_id": i, "is_correct": i % 2 == 0, "abstained": i % 5 == 1} for i in range(10)]
    for i, held in enumerate(
        ({key: rows}, {"name": "mine", key: rows}, {key: {key: rows}}, {"accuracy": 0.5, key: rows})
    ):
        path = write_files(tmp_path / str(i), {"mine.json": json.dumps(held)})[0]
        data, _ = evidence_and_notes(path)
        assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [4, 4, 2]
        place = f"{key}.{key}[]" if i == 2 else f"{key}[]"
        column = {"outcome": f"{place}.is_correct", "question": f"{place}.question_id", "abstained": "-"}
        data, _ = evidence_and_notes(path, column=column)
        assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [5, 5, 0]


def test_each_tool_still_reads_its_own() -> None:
    """Else nothing would be claimed for want of readers."""
    own = {format_.name for source in SOURCES for format_ in matching_formats(source) if format_.of_a_tool}
    assert own == {format_.name for format_ in REGISTRY.values() if format_.of_a_tool}


# ---- paths in documents ----

ANSWERS = [
    {"question_id": i, "grading": {"grade_bool": i < 4}, "abstained": i == 9, "grade": "AB"[i % 2]} for i in range(10)
]


@pytest.mark.parametrize(
    "named", ["grading.grade_bool", "details[].grading.grade_bool", "!details[].grading.grade_bool"]
)
def test_nested_values_are_named_by_their_paths(tmp_path: Path, named: str) -> None:
    held = {"model": "m", "details": ANSWERS, "also": [{"a": 1, "b": 2}]}
    path = write_files(tmp_path, {"mine.json": json.dumps(held)})[0]
    data, _ = evidence_and_notes(path, column={"outcome": named})
    counts = [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")]
    assert counts == ([5, 4, 1] if named.startswith("!") else [4, 5, 1])


def test_one_of_two_lists_is_named_by_its_path(tmp_path: Path) -> None:
    held = {name: [{"q": i, "ok": i < right} for i in range(10)] for name, right in (("a", 3), ("b", 7))}
    path = write_files(tmp_path, {"mine.json": json.dumps(held)})[0]
    for name, right in (("a", 3), ("b", 7)):
        data, _ = evidence_and_notes(path, column={"outcome": f"{name}[].ok"})
        assert (data.runs, int(data.columns["correct"].sum())) == (("mine",), right)


def test_rows_within_rows_are_read_with_what_names_them(tmp_path: Path) -> None:
    runs = [
        {
            "model": name,
            "accuracy": right / 10,
            "results": [{"question_id": i, "is_correct": i < right} for i in range(10)],
        }
        for name, right in (("a", 3), ("b", 7))
    ]
    data, _ = evidence_and_notes(write_files(tmp_path, {"mine.json": json.dumps({"runs": runs})})[0])
    assert data.runs == ("a", "b")
    assert data.columns["correct"].sum(axis=1).tolist() == [3, 7]
    runs[1]["accuracy"] = 0.6
    path = write_files(tmp_path, {"edited.json": json.dumps({"runs": runs})})[0]
    with pytest.raises(FormatError, match=r"its own runs\[\].b.accuracy is 0.6, but .* give 0.7"):
        evidence_and_notes(path)
