"""Score matrices: one column a run, one row a question, each cell a number or empty."""

from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import MismatchError
from tests.notes import in_words
from tests.rings import together

from .encodings import assert_refused, encode, evidence, line_of, read, refusal

SOUND: list[dict[str, Any]] = [{"topic": "t1", "A": 0.5, "B": 0.25}, {"topic": "t2", "A": 1.0, "B": 0.0}]


@together("label", ["", "question", "topic", "qid", "Topic", "query_id", "q"])
def test_the_column_that_names_the_questions(label: str, tmp_path: Path) -> None:
    rows = [{label if name == "topic" else name: cell for name, cell in row.items()} for row in SOUND]
    found = evidence(encode(rows, "csv", tmp_path))
    assert (found.runs, found.questions) == (("A", "B"), ("t1", "t2"))


@together("encoding", ["csv", "jsonl", "parquet", "polars"])
def test_without_it_questions_are_numbered(encoding: str, tmp_path: Path) -> None:
    rows = [{name: cell for name, cell in row.items() if name != "topic"} for row in SOUND]
    assert evidence(encode(rows, encoding, tmp_path)).questions == ("1", "2")


def test_of_two_such_columns_the_first_counts_and_the_other_is_named(tmp_path: Path) -> None:
    given = encode([row | {"id": i} for i, row in enumerate(SOUND)], "csv", tmp_path)
    assert in_words(read(given).notes)[0] == f"{given}: 'topic' names the questions; 'id' not used"
    assert evidence(given).runs == ("A", "B")


@together("nothing", ["", "NA", "null"])
def test_an_empty_cell_is_absent_and_counted(nothing: str, tmp_path: Path) -> None:
    given = encode([SOUND[0], SOUND[1] | {"B": nothing}], "csv", tmp_path)
    assert_array_equal(evidence(given).present, [[True, True], [True, False]])
    assert in_words(read(given).notes)[1:] == (f"{given}: 1 of 4 cells is empty and left out",)


BROKEN: dict[str, tuple[list[dict[str, Any]], int, str]] = {
    "in words": ([SOUND[0], SOUND[1] | {"B": "high"}], 2, "the score of run 'B' must be a finite number or empty"),
    "nan": ([SOUND[0], SOUND[1] | {"B": "nan"}], 2, "the score of run 'B' must be a finite number or empty"),
    "infinite": ([SOUND[0], SOUND[1] | {"B": "-inf"}], 2, "the score of run 'B' must be a finite number or empty"),
    "question twice": ([*SOUND, SOUND[0]], 3, "the question appears twice (found 't1')"),
    "question empty": ([SOUND[0], SOUND[1] | {"topic": None}], 2, "the question is empty"),
}


@together("encoding", ["tsv", "parquet"])
@together("twin", BROKEN)
def test_a_broken_twin(twin: str, encoding: str, tmp_path: Path) -> None:
    rows, row, rule = BROKEN[twin]
    as_text = [{n: str(c) if n == "B" and encoding == "parquet" else c for n, c in r.items()} for r in rows]
    assert_refused(encode(as_text, encoding, tmp_path), line_of(row, encoding), rule)


def test_a_first_row_that_is_no_number_makes_no_matrix(tmp_path: Path) -> None:
    rows = [SOUND[0] | {"A": "low", "B": "high"}]
    rule = "(and in a score matrix each cell is a number or empty)"
    assert_refused(encode(rows, "csv", tmp_path), "line 1", rule)
    questions = [{"question" if n == "topic" else n: c for n, c in row.items()} for row in rows]
    rule = "there is no 'outcome' (and in a score matrix each cell is a number or empty)"
    assert_refused(encode(questions, "csv", tmp_path), "line 1", rule)


def test_one_column_alone_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("A\n0.5\n\n  \n0.25\n")
    assert_array_equal(evidence(path).columns["user.table"], [[0.5, 0.25]])
    path.write_text("A\n0.5\n\nhigh\n")
    assert_refused(path, "line 4", "the score of run 'A' must be a finite number or empty (found 'high')")


def test_a_pandas_index_in_parquet_names_the_questions(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"A": [0.5, 1.0]}, index=["x", "y"]).to_parquet(tmp_path / "table.parquet")
    found = evidence(tmp_path / "table.parquet")
    assert (found.runs, found.questions) == (("A",), ("x", "y"))


def test_several_matrices_are_several_measures(tmp_path: Path) -> None:
    other = [row | {"A": 0.0} for row in SOUND]
    found = read([encode(SOUND, "csv", tmp_path, "ap"), encode(other, "parquet", tmp_path, "rr")])
    assert found.measures == ("mean(ap)", "mean(rr)")
    assert_array_equal(found.data.columns["user.rr"], [[0, 0], [0.25, 0]])


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([{"C" if n == "B" else n: c for n, c in row.items()} for row in SOUND], "runs"),
        ([{n: row[n] for n in ("topic", "B", "A")} for row in SOUND], "runs"),
        (SOUND[:1], "questions"),
        (SOUND[::-1], "questions"),
    ],
)
def test_matrices_together_have_the_same_runs_and_questions(
    rows: list[dict[str, Any]], what: str, tmp_path: Path
) -> None:
    paths = [encode(SOUND, "csv", tmp_path, "one"), encode(rows, "csv", tmp_path, "other")]
    message = str(refusal(paths, MismatchError))
    assert message == f"{paths[1]}: its {what}, or their order, are not those of {paths[0]}; score the matrices apart"


def test_two_matrices_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    paths = [encode(SOUND, "csv", tmp_path), encode(SOUND, "csv", tmp_path / "more")]
    rule = f"{paths[1]}: another matrix is named 'table' too; rename one of the files"
    assert str(refusal(paths, MismatchError)) == rule


@pytest.mark.parametrize("name", ["confidence", "n"])
def test_a_matrix_may_bear_the_name_of_a_column_of_nescio(name: str, tmp_path: Path) -> None:
    scores = nescio.score(encode(SOUND, "csv", tmp_path, name), [f"mean({name})"], ci=None)
    expected = nescio.score(encode(SOUND, "csv", tmp_path, "ap"), ["mean(ap)"], ci=None)
    assert [row.value for row in scores] == [row.value for row in expected]
