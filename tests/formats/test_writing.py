"""Outcome tables as nescio writes them are read back to the same thing."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.errors import UsageError
from nescio.tables.judgements import read_judgements
from nescio.tables.outcomes_writer import write, write_outcomes
from tests.notes import in_words

from .encodings import FILES, evidence


def outcomes(**columns: Any) -> Outcomes:
    """Two runs on two questions, the first answer not graded, with awkward names."""
    return Outcomes(
        ('one, "two"', "carriage\rreturn"),
        ("q1", "line\nend"),
        np.array([[NOT_GRADED, CORRECT], [SILENT, INCORRECT]], dtype=np.int8),
        **columns,
    )


WHOLE: dict[str, Any] = {
    "confidence": np.array([[0.1, 2 / 3], [np.nan, 1.0]]),
    "candidate": np.array([[-1, -1], [1, -1]], dtype=np.int8),
    "answerable": np.array([1, -1], dtype=np.int8),
    "strata": {'a "b"': np.array(["x", ""]), "confidence": np.array(["not", "ours"])},
    "clusters": np.array(["s", "t"]),
}


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("columns", [{}, WHOLE], ids=["outcomes alone", "every column"])
def test_what_is_written_is_read_back(columns: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    found, path = outcomes(**columns), tmp_path / f"table.{suffix}"
    assert write_outcomes(found, path) == 4
    read = evidence(path, ungraded="exclude")
    assert (read.runs, read.questions) == (found.runs, found.questions)
    assert read.columns["correct"].tolist() == [[0, 1], [0, 0]]
    assert read.columns["incorrect"].tolist() == [[0, 0], [0, 1]]
    assert read.absence.tolist() == [[2, 0], [0, 0]]
    if columns:
        np.testing.assert_array_equal(read.columns["confidence"], columns["confidence"])
        np.testing.assert_array_equal(read.columns["answerable"], [[1, np.nan]] * 2)
        assert read.columns["candidate_correct"].tolist() == [[0, 0], [1, 0]]
        assert {name: list(values) for name, values in read.strata.items()} == {'a "b"': ["x", ""]}
        assert read.clusters is not None
        assert read.clusters.tolist() == [0, 1]


def test_another_suffix_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"an outcome table is written to \.csv, \.tsv, \.jsonl, \.parquet"):
        write_outcomes(outcomes(), tmp_path / "table.txt")
    assert not list(tmp_path.iterdir())


FORMULAS = ("=1+1", "+1", "-1", "@cmd", "'=1+1", "''-x", "'tis", "a=b", "'")


@pytest.mark.parametrize("suffix", FILES)
def test_texts_like_formulas_are_inert_in_a_spreadsheet_and_read_back(suffix: str, tmp_path: Path) -> None:
    """OWASP's list: a cell must not begin with =, +, - or @ (a tab or a carriage return there is no part of a cell
    here)."""
    n = len(FORMULAS)
    strata = {"topic": np.array(FORMULAS[::-1], dtype=object)}
    states = np.array([[CORRECT] * n, [INCORRECT] * n], dtype=np.int8)
    clusters = np.array(FORMULAS, dtype=object)
    found = Outcomes(("=run", "mine"), FORMULAS, states, strata=strata, clusters=clusters)
    path = tmp_path / f"table.{suffix}"
    notes = in_words(write(found, path).notes)
    read = evidence(path)
    assert (read.runs, read.questions) == (found.runs, found.questions)
    assert list(read.strata["topic"]) == list(FORMULAS[::-1])
    assert read.clusters is not None
    assert len(set(read.clusters)) == n
    if suffix not in ("csv", "tsv"):
        assert not notes
        return
    assert notes == ("7 texts look like a spreadsheet formula and are written with an apostrophe in front",)
    with path.open(newline="") as file:
        cells = {cell for row in csv.reader(file, delimiter="," if suffix == "csv" else "\t") for cell in row}
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@")]
    labels, _ = read_judgements(path)
    assert [label.question for label in labels[:n]] == list(FORMULAS)
    assert [label.run for label in labels[::n]] == ["=run", "mine"]


def test_what_an_outcome_table_has_no_column_for_is_counted(tmp_path: Path) -> None:
    found = outcomes(
        first_right=np.ones((2, 2), dtype=np.int64),
        extra_columns={"k_credit": np.zeros((2, 2)), "token_f1.f1": np.ones((2, 2))},
    )
    assert in_words(write(found, tmp_path / "table.csv").notes) == (
        "left out, because an outcome table has no column for them: the ranks of right answers, k_credit",
    )
    assert (tmp_path / "table.csv").read_text().startswith('"run","question","outcome","f1"\n')


def test_numbers_that_differ_between_runs_are_kept(tmp_path: Path) -> None:
    """A gate on the new table reads the costs that a gate on the old one reads; a text is left out."""
    old, new = Path(__file__).parents[2] / "examples" / "costs.csv", tmp_path / "new.csv"
    nescio.convert(old, new)
    before, after = (
        nescio.compare(path, "mean(cost_usd)", baseline="small", resamples=200).rows[0] for path in (old, new)
    )
    assert (after.difference, after.p) == (before.difference, before.p)
    table = tmp_path / "t.csv"
    table.write_text(
        "run,question,outcome,tokens,remark\na,1,correct,3,x\nb,1,correct,,y\na,2,correct,5,z\nb,2,correct,4,\n"
    )
    nescio.convert(table, new)
    assert new.read_text().splitlines()[:2] == ["run,question,outcome,tokens", "a,1,correct,3.0"]
