"""Score matrices and counts tables in several files, and under names that nescio has itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import MismatchError, UsageError
from tests.rings import together

from .encodings import encode, evidence, read, refusal

SOUND: list[dict[str, Any]] = [{"topic": "t1", "A": 0.5, "B": 0.25}, {"topic": "t2", "A": 1.0, "B": 0.0}]
COUNTS: list[dict[str, Any]] = [
    {"run": "a", "correct": 1, "incorrect": 2, "unanswered": 3},
    {"run": "b", "correct": 4, "incorrect": 5, "unanswered": 0},
]


def test_counts_in_several_files_are_one_table(tmp_path: Path) -> None:
    paths = [encode(COUNTS, "csv", tmp_path, "one"), encode([COUNTS[0] | {"run": "c"}], "parquet", tmp_path, "other")]
    assert read(paths).data.runs == ("a", "b", "c")
    twice = [paths[0], encode(COUNTS, "jsonl", tmp_path, "twice")]
    assert str(refusal(twice, MismatchError)) == f"run 'a' is in both {twice[0]} and {twice[1]}"
    message = str(refusal(paths[0], MismatchError, cluster="story"))
    assert message == "a counts table has no questions to cluster"


def test_several_matrices_are_several_measures(tmp_path: Path) -> None:
    other = [row | {"A": 0.0} for row in SOUND]
    found = read([encode(SOUND, "csv", tmp_path, "ap"), encode(other, "parquet", tmp_path, "rr")])
    assert found.measures == ("mean(ap)", "mean(rr)")
    assert_array_equal(found.data.columns["user.rr"], [[0, 0], [0.25, 0]])


UNLIKE = [
    ([{"C" if n == "B" else n: c for n, c in row.items()} for row in SOUND], "runs"),
    ([{n: row[n] for n in ("topic", "B", "A")} for row in SOUND], "runs"),
    (SOUND[:1], "questions"),
    (SOUND[::-1], "questions"),
]


@together("rows, what", UNLIKE)
def test_matrices_together_have_the_same_runs_and_questions(
    rows: list[dict[str, Any]], what: str, tmp_path: Path
) -> None:
    paths = [encode(SOUND, "csv", tmp_path, "one"), encode(rows, "csv", tmp_path, "other")]
    message = str(refusal(paths, MismatchError))
    assert message == f"{paths[1]}: its {what}, or their order, differ from {paths[0]}; score the matrices separately"


def test_two_matrices_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    paths = [encode(SOUND, "csv", tmp_path), encode(SOUND, "csv", tmp_path / "more")]
    rule = f"{paths[1]}: two score matrices are named 'table'; rename one of the files"
    assert str(refusal(paths, MismatchError)) == rule


def test_a_pandas_index_in_parquet_names_the_questions(tmp_path: Path) -> None:
    pd.DataFrame({"A": [0.5, 1.0], "B": [1.0, 0.0]}, index=["x", "y"]).to_parquet(tmp_path / "table.parquet")
    found = evidence(tmp_path / "table.parquet")
    assert (found.runs, found.questions) == (("A", "B"), ("x", "y"))


@pytest.mark.parametrize("name", ["confidence", "n"])
def test_a_matrix_may_bear_the_name_of_a_column_of_nescio(name: str, tmp_path: Path) -> None:
    """A has 0.5 and 1, B 0.25 and 0."""
    scores = nescio.score(encode(SOUND, "csv", tmp_path, name), [f"mean({name})"], ci=None)
    assert [row.value for row in scores] == [0.75, 0.125]


def test_no_bar_rests_on_a_run_with_empty_cells(tmp_path: Path) -> None:
    """B has a score for each second topic, and is the better run there."""
    rows = [{"topic": f"t{i}", "A": 0.5 + i / 1000, "B": None if i % 2 else 0.9 + i / 1000} for i in range(40)]
    path = encode(rows, "csv", tmp_path, "ap")
    why = "20 of 40 questions left out because they lack ap"
    with pytest.raises(UsageError, match=why):
        nescio.score(path, "mean(ap)", fail_under={"mean(ap)": 0.6})
    assert [row.n for row in nescio.score(path, "mean(ap)")] == [40, 20]
    nescio.report(path, output=(page := tmp_path / "page.html"))
    assert f"Ship nothing yet: no decision can rest on mean(ap): {why}" in page.read_text()
