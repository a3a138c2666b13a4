"""Outcome tables as nescio writes them are read back to the same thing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.formats.writing import write_outcomes
from nescio.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes

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
