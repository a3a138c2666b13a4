"""Parquet files: what is one, what is none, and what its columns may hold."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.formats.encodings import assert_refused, evidence
from tests.rings import together

SOUND = {"run": ["a", "a"], "question": ["q1", "q2"], "outcome": ["correct", "incorrect"], "confidence": [0.5, 0.25]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file of a test is written."""
    return tmp_path / "table.parquet"


def write(path: Path, **columns: object) -> Path:
    """The sound table with other columns."""
    pq.write_table(pa.table(SOUND | columns), path)
    return path


@together("kept", [1, 4, 8, 11, 12, 40, 300, -9, -8, -5, -4, -1])
def test_a_truncated_file(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(write(path).read_bytes()[:kept])
    assert_refused(path, None, "not a readable Parquet file: ")


@pytest.mark.parametrize(
    "content", [b"run,question,outcome\na,q,correct\n", b"PAR1PAR1", b"PAR1" + bytes(40) + b"PAR1"]
)
def test_a_file_that_is_something_else(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert_refused(path, None, "not a readable Parquet file: ")


EMPTY = {
    "no byte": (None, "the file is empty"),
    "no row": (pa.table(SOUND).slice(0, 0), "there are no rows"),
    "no column": (pa.table({}), "not a readable Parquet file: "),
    "a column twice": (
        pa.table(SOUND).rename_columns(["run", "question", "outcome", "outcome"]),
        "a column name appears twice (found 'outcome')",
    ),
}


@together("name", EMPTY)
def test_a_table_that_is_none(name: str, tmp_path: Path) -> None:
    table, rule = EMPTY[name]
    path = tmp_path / "table.parquet"
    path.touch()
    if table is not None:
        pq.write_table(table, path)
    assert_refused(path, None, rule)


def test_a_file_with_damaged_pages(path: Path) -> None:
    sound = write(path).read_bytes()
    path.write_bytes(sound[:12] + b"\xff" * 60 + sound[72:])
    assert_refused(path, None, "a damaged Parquet file: ")


def test_nested_columns_may_stand_beside(path: Path) -> None:
    found = evidence(write(path, spans=[[1, 2], []], more=[{"a": 1, "b": [2]}, None], last=["x", "y"]))
    assert found.strata["last"].tolist() == ["x", "y"]
    assert found.strata["spans"].tolist() == ["[1, 2]", "[]"]


CONFIDENCE = "confidence must be a finite number such as 0.75, or empty"
BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "nan": ({"confidence": [0.5, float("nan")]}, "row 2", f"{CONFIDENCE} (found 'nan')"),
    "inf": ({"confidence": [0.5, float("inf")]}, "row 2", f"{CONFIDENCE} (found 'inf')"),
    "a list for a confidence": ({"confidence": [[0.5], [0.25, 1.0]]}, "row 1", f"{CONFIDENCE} (found '[0.5]')"),
    "bytes for an outcome": ({"outcome": [b"correct", b"\xff"]}, "row 2", "in 'outcome' mean?"),
    "an empty question": ({"question": ["q1", ""]}, "row 2", "the question is empty"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_cells_that_break_a_rule(twin: str, path: Path) -> None:
    columns, where, rule = BROKEN[twin]
    assert_refused(write(path, **columns), where, rule)


def test_rows_are_counted_across_row_groups(path: Path) -> None:
    count = 30_000
    columns = {"run": ["a"] * count, "question": [f"q{i}" for i in range(count)], "outcome": ["correct"] * count}
    columns["outcome"][-7] = "wat"
    pq.write_table(pa.table(columns), path, row_group_size=10_000)
    assert_refused(path, f"row {count - 6}", "what does 'wat' in 'outcome' mean?")


@pytest.mark.parametrize("name", ["a[1]?*.parquet", "~home.parquet", "it's.parquet"])
def test_a_file_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    write(tmp_path / "a1xx.parquet", question=["of", "another"])
    assert evidence(write(tmp_path / name)).questions == ("q1", "q2")
