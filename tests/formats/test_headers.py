"""What people call the columns of a table: which is taken for what, what is asked, and what `--column` says.

The tables are in tables.toml, with what is read or said of each.
"""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio import errors
from nescio.data.evidence import Evidence, Tally
from nescio.errors import UsageError
from nescio.formats.native import headers, roles
from nescio.pipeline import Options, load
from tests.notes import in_words
from tests.rings import together

from .encodings import assert_refused, evidence, read, refusal

IN_PYTHON = True  # messages are quoted as Python has them

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
READ = {case["name"]: case for case in TABLES["read"]}
REFUSED = {case["name"]: case for case in TABLES["refused"]}


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def counts_in(data: Evidence | Tally) -> dict[str, list[int]]:
    """How many answers of each run are correct, incorrect and unanswered; of a matrix, how many are 1 and 0."""
    names = ("correct", "incorrect", "unanswered")
    if isinstance(data, Tally):
        columns: list[Any] = [data.totals()[name] for name in names]
    elif "correct" in data.columns:
        columns = [(data.columns[name] * data.present).sum(axis=1) for name in names]
    else:
        (cells,) = data.columns.values()
        columns = [(cells == 1).sum(axis=1), (cells == 0).sum(axis=1), np.zeros(len(cells))]
    return {run: [int(column[i]) for column in columns] for i, run in enumerate(map(str, data.runs))}


@pytest.mark.parametrize("name", READ)
def test_a_table_is_read_at_once(tmp_path: Path, name: str) -> None:
    case = READ[name]
    path, options = table(tmp_path, case["text"], f"t.{case.get('suffix', 'csv')}"), case.get("options", {})
    loaded = read(path, **options)
    data = loaded.data
    assert counts_in(data) == case["counts"]
    notes = in_words(loaded.notes)
    assert [note for note in case.get("notes", []) if not any(note in said for said in notes)] == [], notes
    for column, values in case.get("columns", {}).items():
        assert_array_equal(data.columns[column], values)
    if "questions" in case:
        assert list(data.questions) == case["questions"]
    if "strata" in case:
        assert {stratum: list(values) for stratum, values in data.strata.items()} == case["strata"]
    if "clusters" in case:
        assert data.clusters is not None
        assert list(data.clusters) == case["clusters"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_table_that_could_mean_two_things_is_refused_and_read_as_its_user_says(tmp_path: Path, name: str) -> None:
    case = REFUSED[name]
    path = table(tmp_path, case["text"], f"t.{case.get('suffix', 'csv')}")
    kind, options = getattr(errors, case.get("error", "FormatError")), case.get("options", {})
    error = refusal(path, kind, strata=(), **options)
    rules = case["rule"] if isinstance(case["rule"], list) else [case["rule"]]
    assert [rule for rule in rules if rule not in str(error)] == [], error
    assert "where" not in case or error.where == case["where"]
    for way in case.get("ways", []):
        assert counts_in(read(path, **way["options"]).data) == way["counts"]


def test_each_name_and_word_stands_once_and_in_its_plain_form() -> None:
    names = [roles.squash(name) for text in headers.COLUMNS.values() for name in text.split()]
    assert sorted(names) == sorted({*names})
    assert [word for word in headers.WORDS if roles.fold(word) != word] == []
    assert all(name == name.lower() and name.isascii() for text in headers.COLUMNS.values() for name in text.split())


def test_columns_that_are_named_stand_in_the_signature(tmp_path: Path) -> None:
    path = table(tmp_path, "engine no.;case;verdict of Ann;sure\nA;1;right;0.5\nA;2;wrong;0.25\n")
    column = {"run": "engine no.", "question": "case", "outcome": "verdict of Ann", "confidence": "sure"}
    assert_array_equal(evidence(path, column=column).columns["confidence"], [[0.5, 0.25]])
    scores = nescio.score(path, "accuracy", ci=None, column=column)
    assert scores.value("A", "accuracy") == 0.5
    assert "columns:confidence=sure+outcome=verdict of Ann+question=case+run=engine no." in str(scores.signature)


def test_columns_that_cannot_be_named_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct\n1,1\n")
    with pytest.raises(UsageError, match=r'"mark"\}: there is no such column in .*; columns are question, correct'):
        load(path, Options(column={"outcome": "mark"}))
    with pytest.raises(UsageError, match=r'column=\{"colour": "x"\}: a column can be named run, question, question_te'):
        Options(column={"colour": "x"})
    matrix = table(tmp_path, "q,A,B\n1,0.5,0.25\n")
    with pytest.raises(UsageError, match=r'"A"\}: this is a score matrix.*can be named are question'):
        load(matrix, Options(column={"confidence": "A"}))
    pan = [
        table(tmp_path, '{"id": "1", "same": true}\n', "truth.jsonl"),
        table(tmp_path, '{"id": "1", "value": 0.9}\n', "answers.jsonl"),
    ]
    with pytest.raises(UsageError, match=r'column=\{"run": "same"\}: this is PAN.*its columns have fixed names'):
        load(pan, Options(column={"run": "same"}))
    for name, form in (("column", "NAME=COLUMN"), ("outcome_map", "WORD=OUTCOME"), ("choose", "NAME=VALUE")):
        with pytest.raises(UsageError, match=f"{name} takes {form}"):
            read(path, **{name: ["richtig"]})


def test_a_spreadsheets_tabs_are_read_as_pythons_csv_reads_them(tmp_path: Path) -> None:
    text = 'run\tquestion\toutcome\ttopic\na\t"q" 1\tcorrect\t"the ""old""" one\na\tq2\tincorrect\t5" disk\n'
    path = table(tmp_path, text, "t.tsv")
    expected = list(csv.reader(text.splitlines(keepends=True), delimiter="\t"))[1:]
    found = evidence(path)
    assert found.questions == tuple(row[1] for row in expected) == ("q 1", "q2")
    assert list(found.strata["topic"]) == [row[3] for row in expected]
    unclosed = 'run\tquestion\toutcome\na\t"q\tcorrect\na\tq2\tcorrect\n'
    assert_refused(table(tmp_path, unclosed, "t.tsv"), "line 2", "is never closed")


def test_plain_rows_and_columns_are_tables() -> None:
    rows = [
        {"model": "a", "question": 1, "correct": True},
        {"model": "a", "question": 2, "correct": np.bool_(False), "conf": 0.5},
    ]
    columns = {"model": ["a", "a"], "question": np.array([1, 2]), "correct": [1, np.float64(0)]}
    for given in (rows, tuple(rows), columns | {"conf": [float("nan"), 0.5]}):
        assert counts_in(evidence(given)) == {"a": [1, 1, 0]}
        assert_array_equal(evidence(given).columns["confidence"], [[np.nan, 0.5]])
    assert_refused({"question": [1, 2], "correct": [1]}, None, "the columns differ in length")
    half = pa.array(np.array([0.5, 0.25], dtype=np.float16))
    given = pa.table({"question": ["1", "2"], "outcome": ["correct", "incorrect"], "confidence": half})
    assert_array_equal(evidence(given).columns["confidence"], [[0.5, 0.25]])


def test_errors_in_python_name_its_arguments(tmp_path: Path) -> None:
    for text, rule in (
        ("question,Wertung,Urteil 2\n1,ja,nein\n2,nein,ja\n", r'by one of these:\n  column=\{"outcome": "Wertung"\}'),
        ("foo\nx\n", "or name the format with format_in"),
        ("run,question,outcome\na,1,correct\nb,2,correct\n", r'use missing="unanswered" to count .* missing="common"'),
        ("run,question,outcome\na,1,\nb,1,correct\n", r'use ungraded="exclude" to leave .* or ungraded="bounds"'),
    ):
        with pytest.raises(nescio.NescioError, match=rule):
            nescio.score(table(tmp_path, text))


def test_points_between_thousands_are_asked_about_unless_commas_are_decimal(tmp_path: Path) -> None:
    """1.234, 987 and 2.001 milliseconds: 1407.33 on average, and not 329.745."""
    rows = "m;a;ja;1.234;0,12\nm;b;ja;987;0,5\nm;c;nein;2.001;1\n"
    alone = table(tmp_path, "Modell;Frage;Ergebnis;Latenz\nm;a;ja;1.234\nm;b;ja;987\nm;c;nein;2.001\n")
    rule = "'Latenz': 1.234 could be 1234 or 1.234: write it without a point between thousands"
    assert rule in str(refusal(alone, graded=("Latenz",), strata=()))
    both = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz;Kosten\n{rows}"), graded=("Latenz",), strata=())
    assert both.columns["user.Latenz"].mean() == pytest.approx((1234 + 987 + 2001) / 3)
    rows = "m;a;ja;1.234;1\nm;b;ja;0.987;1\n"
    decimals = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz;Kosten\n{rows}"), graded=("Latenz",), strata=())
    assert_array_equal(decimals.columns["user.Latenz"], [[1.234, 0.987]])


# What stands where people mean "none", or write a share as they say it; and the note on it.
CONFIDENCES = [
    (",", "0.9,n/a,0.4", (0.9, np.nan, 0.4), "1 cell of 'confidence' says that there is none"),
    (",", "0.9,k. A.,–", (0.9, np.nan, np.nan), "2 cells of 'confidence' say that there is none"),
    (",", "90%,45 %,7.5%", (0.9, 0.45, 0.075), "'confidence' holds percentages: 75% is read as 0.75"),
    (",", "90%,n/a,40%", (0.9, np.nan, 0.4), "'confidence' holds percentages"),
    (";", "45,5%;7%;1%", (0.455, 0.07, 0.01), "'confidence' holds percentages"),
]


@together("mark, cells, expected, said", CONFIDENCES)
def test_a_confidence_is_read_as_people_write_it(
    mark: str, cells: str, expected: tuple[float, ...], said: str, tmp_path: Path
) -> None:
    rows = "".join(f"{i}{mark}correct{mark}{cell}\n" for i, cell in enumerate(cells.split(mark)))
    loaded = read(table(tmp_path, f"question{mark}outcome{mark}confidence\n{rows}"))
    np.testing.assert_allclose(loaded.data.columns["confidence"][0], expected)
    assert any(said in note for note in in_words(loaded.notes))


def test_a_share_beside_percentages_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "question,outcome,confidence\n1,correct,0.9\n2,correct,45%\n")
    assert_refused(path, "line 3", "confidence must be a finite number such as 0.75, or empty (found '45%')")
