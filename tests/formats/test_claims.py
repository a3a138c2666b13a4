"""A reader is asked about its own files, and a reader of a named tool takes no table that only bears some of its names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import nescio.formats
import nescio.tables
import nescio.tasks
from nescio.errors import FormatError
from nescio.formats import REGISTRY, WRITERS, candidate_formats, matching_formats, open_source
from nescio.formats.known import READERS
from nescio.formats.known import WRITERS as KNOWN_WRITERS
from nescio.registry import import_all
from nescio.sources.elements import objects_in
from nescio.sources.source import Source
from tests.rings import sample, together

from .cases import states_of
from .excerpts import EXAMPLES, EXCERPTS, LOGS
from .fuzz import evidence_and_notes, write_files

# What people write of an answer: no tool has the run and silence beside a verdict in one row.
ROW = {"question_id": 1, "model": "m", "is_correct": True, "abstained": False}
FEW = 25  # columns of a file, of which all pairs are tried


def opened() -> Iterator[Source]:
    """Every file of the excerpts that can be opened."""
    for path in sorted(path for place in (EXAMPLES, EXCERPTS) for path in place.rglob("*") if path.is_file()):
        try:
            yield open_source(path)
        except FormatError:
            continue


def records(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The first object of each list in a document."""
    yield from objects_in(value)[:1]
    if isinstance(value, dict) and depth < 4:
        for member in value.values():
            yield from records(member, depth + 1)


SOURCES = list(opened())
KEYS = sorted({key for source in SOURCES if isinstance(source.document, dict) for key in source.document})
RECORDS = [
    record
    for source in SOURCES
    for record in (
        records(source.document)
        if source.document is not None
        else [source.first if isinstance(source.first, dict) else dict.fromkeys(source.columns, "1")]
    )
]
ROWS = [
    {name: record[name] for name in names} | {name: cell for name, cell in ROW.items() if name not in names}
    for record in RECORDS
    for many in (1, 2)
    for names in combinations([name for name in record if name][:FEW], many)
    if "outcome" not in names  # an outcome table, whatever else is in it
    and not any("/" in name or name == "num_generated_tokens" for name in names)  # as MLflow and NeMo alone call them
]


def test_each_format_recognises_its_own_files_and_is_asked_about_no_others() -> None:
    """The table of formats leaves out none of its files and spares it some: without it, it would be imported for every file."""
    asked = {source.label: candidate_formats(source) for source in SOURCES}
    for format_ in REGISTRY.values():
        own = [source.label for source in SOURCES if format_.recognise(source)]
        assert own, f"there is no excerpt of {format_.name}"
        assert all(format_ in asked[label] for label in own), format_.name
        assert format_.fallback or not all(format_ in formats for formats in asked.values()), format_.name
    claimed = {format_.name for source in SOURCES for format_ in matching_formats(source)}
    assert claimed >= LOGS


def test_every_module_of_formats_registers_what_the_table_says() -> None:
    for package in (nescio.formats, nescio.tables, nescio.tasks):
        import_all(package.__name__, package.__path__, nested=True)
    places = {name: REGISTRY[name].read.__module__ for name in READERS}
    assert places == {name: f"nescio.{known.module}" for name, known in READERS.items()}
    assert [name for name in REGISTRY if name not in READERS] == []
    assert {name: WRITERS[name].write.__module__ for name in WRITERS} == {
        name: f"nescio.{module}" for name, module in KNOWN_WRITERS.items()
    }


@pytest.mark.parametrize(
    ("document", "formats"),
    [
        (
            {"56ddde6b9a695914005b9628": "France"},
            ["squad2", "outcomes"],
        ),  # predictions of SQuAD have no keys of their own
        ({"django__django-1": {"resolved": True, "patch_exists": True}}, ["squad2", "swe_bench", "outcomes"]),
        (None, ["counts", "matrix", "outcomes"]),
    ],
)
def test_a_file_is_asked_of_few_formats(document: dict[str, object] | None, formats: list[str]) -> None:
    source = (
        Source("t.csv", Path("t.csv"), columns=("run", "question", "outcome"), kind="delimited")
        if document is None
        else Source("p.json", Path("p.json"), kind="document", columns=tuple(document), document=document)
    )
    assert [format_.name for format_ in candidate_formats(source)] == formats


@pytest.mark.sampled
def test_no_tool_claims_rows_for_columns_that_bear_its_names(tmp_path: Path) -> None:
    assert len(ROWS) > 1000
    for row in sample(ROWS, 150):
        lines = write_files(tmp_path, {"t.jsonl": "".join(json.dumps(row) + "\n" for _ in range(3))})[0]
        with (tmp_path / "t.csv").open("w", newline="") as file:
            csv.writer(file).writerows([[*row], *([json.dumps(cell) for cell in row.values()] for _ in range(3))])
        for source in (
            Source("t.jsonl", lines, columns=tuple(row), first=row, kind="lines"),
            Source("t.json", Path("t.json"), columns=tuple(row), first=row, kind="document", document=[row] * 3),
            Source("t.csv", tmp_path / "t.csv", columns=tuple(row), kind="delimited"),
        ):
            claimed = [format_.name for format_ in matching_formats(source) if format_.name in LOGS]
            assert not claimed, (row, source.kind, claimed)


@pytest.mark.sampled
@together("key", sample(KEYS, 4))
def test_no_tool_claims_a_document_for_a_key_of_its_name(tmp_path: Path, key: str) -> None:
    """The rows are read, or are asked about; and the paths of the columns lead to them."""
    rows = [ROW | {"question_id": i, "is_correct": i % 2 == 0, "abstained": i in (1, 7)} for i in range(10)]
    for i, held in enumerate(
        ({key: rows}, {"name": "mine", key: rows}, {key: {key: rows}}, {"accuracy": 0.5, key: rows})
    ):
        path = write_files(tmp_path / str(i), {"mine.json": json.dumps(held)})[0]
        assert states_of(evidence_and_notes(path)[0]) == {"m": "CUCICICUCI"}
        place = f"{key}.{key}[]" if i == 2 else f"{key}[]"
        column = {"outcome": f"{place}.is_correct", "question": f"{place}.question_id", "abstained": "-"}
        assert states_of(evidence_and_notes(path, column=column)[0]) == {"m": "CICICICICI"}


# ---- paths in documents ----

ANSWERS = [
    {"question_id": i, "grading": {"grade_bool": i < 4}, "abstained": i == 9, "grade": "AB"[i % 2]} for i in range(10)
]


@pytest.mark.parametrize(
    ("named", "states"),
    [
        ("grading.grade_bool", "CCCCIIIIIU"),
        ("details[].grading.grade_bool", "CCCCIIIIIU"),
    ],
)
def test_nested_values_are_named_by_their_paths(named: str, states: str, tmp_path: Path) -> None:
    held = {"model": "m", "details": ANSWERS, "also": [{"a": 1, "b": 2}]}
    path = write_files(tmp_path, {"mine.json": json.dumps(held)})[0]
    assert list(states_of(evidence_and_notes(path, column={"outcome": named})[0]).values()) == [states]


def test_one_of_two_lists_is_named_by_its_path(tmp_path: Path) -> None:
    held = {name: [{"q": i, "ok": i < right} for i in range(5)] for name, right in (("a", 1), ("b", 4))}
    path = write_files(tmp_path, {"mine.json": json.dumps(held)})[0]
    for name, states in (("a", "CIIII"), ("b", "CCCCI")):
        assert states_of(evidence_and_notes(path, column={"outcome": f"{name}[].ok"})[0]) == {"mine": states}


def test_rows_within_rows_are_read_with_what_names_them(tmp_path: Path) -> None:
    runs: list[dict[str, Any]] = [
        {
            "model": name,
            "accuracy": right / 10,
            "results": [{"question_id": i, "is_correct": i < right} for i in range(10)],
        }
        for name, right in (("a", 3), ("b", 7))
    ]
    data, _ = evidence_and_notes(write_files(tmp_path, {"mine.json": json.dumps({"runs": runs})})[0])
    assert states_of(data) == {"a": "CCCIIIIIII", "b": "CCCCCCCIII"}
    runs[1]["accuracy"] = 0.6
    path = write_files(tmp_path, {"edited.json": json.dumps({"runs": runs})})[0]
    with pytest.raises(FormatError, match=r"the file states runs\[\].b.accuracy 0.6, but its answers give 0.7"):
        evidence_and_notes(path)
