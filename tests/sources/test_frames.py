"""Tables in memory: pandas, Polars and Arrow, and what is none."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import MismatchError
from tests.formats.encodings import assert_refused, evidence, refusal

SOUND: dict[str, Any] = {"run": ["a", "a"], "question": ["q1", "q2"], "outcome": ["correct", "unanswered"]}


def pandas(**columns: Any) -> pd.DataFrame:
    """The sound table with other columns."""
    return pd.DataFrame(SOUND | columns)


@cache
def sound_digest() -> str:
    """The digest of the sound table."""
    return evidence(pandas()).digest()


@pytest.mark.parametrize(
    "given",
    [
        pandas(),
        pandas().astype("category"),
        pandas().astype("string"),
        pandas().astype(object),
        pandas().set_index(pd.Index([7, 7])),
        pl.DataFrame(SOUND),
        pl.DataFrame(SOUND).lazy(),
        pl.DataFrame(SOUND).cast(pl.Categorical),
        pa.table(SOUND),
        pa.record_batch(SOUND),
        pa.table(SOUND).to_reader(),
        pa.table({name: pa.array(cells).dictionary_encode() for name, cells in SOUND.items()}),
    ],
    ids=lambda given: f"{type(given).__module__.split('.')[0]}-{type(given).__name__}",
)
def test_the_same_table(given: object) -> None:
    assert evidence(given).digest() == sound_digest()


def test_a_stream_of_scores_is_read_as_its_table_is() -> None:
    """It can be read once, and is looked at more often."""
    scores = pa.table({"question": ["a", "b", "c", "d"], "r1": [1, 0, 1, 1], "r2": [0, 1, 1, 0]})
    found, expected = ([(row.run, row.value) for row in nescio.score(given)] for given in (scores.to_reader(), scores))
    assert found == expected


@pytest.mark.parametrize(
    "confidence",
    [
        [0.5, np.nan],
        [0.5, None],
        np.array([0.5, np.nan], dtype=np.float32),
        pd.Series([0.5, np.nan], dtype=object),
        pd.Series([0.5, None], dtype="Float64"),
        pd.Series(["0.5", None], dtype="string"),
    ],
    ids=["NaN", "None", "float32", "object", "Float64", "text"],
)
def test_nan_in_pandas_is_absent(confidence: Any) -> None:
    assert_array_equal(evidence(pandas(confidence=confidence)).columns["confidence"], [[0.5, np.nan]])


def test_null_in_polars_and_arrow_is_absent_and_nan_is_no_number() -> None:
    rule = "confidence must be a finite number such as 0.75, or empty (found 'nan')"
    for make in (pl.DataFrame, pa.table):
        found = evidence(make(SOUND | {"confidence": [0.5, None]}))
        assert_array_equal(found.columns["confidence"], [[0.5, np.nan]])
        assert_refused(make(SOUND | {"confidence": [0.5, float("nan")]}), "row 2", rule)


def test_nan_in_an_outcome_column_is_ungraded() -> None:
    found = evidence(pandas(outcome=[1.0, np.nan]), ungraded="exclude")
    assert_array_equal(found.present, [[True, False]])


def test_nan_in_a_pandas_matrix_is_an_empty_cell() -> None:
    found = evidence(pd.DataFrame({"A": [np.nan, 1.0], "B": [0.5, 0.25]}))
    assert_array_equal(found.columns["user.table"], [[np.nan, 1.0], [0.5, 0.25]])


def test_the_names_of_the_columns_are_taken_as_text() -> None:
    found = evidence(pd.DataFrame([[0.5, 1], [1, 0]]))
    assert found.runs == ("0", "1")


BROKEN = {
    "no rows": (pandas().iloc[:0], None, "there are no rows"),
    "no columns": (pd.DataFrame(), None, "cannot be read: "),
    "no columns in polars": (pl.DataFrame(), None, "cannot be read: "),
    "rows twice": (pd.concat([pandas()] * 2), "row 3", "question 'q1' of run 'a' appears twice; first on row 1"),
    "column twice": (pd.concat([pandas(), pandas()], axis=1), None, "a column name appears twice (found 'run')"),
    "column twice in arrow": (
        pa.table(SOUND).append_column("run", pa.array(["b", "b"])),
        None,
        "a column name appears twice (found 'run')",
    ),
    "complex numbers": (pandas(x=[1j, 2j]), None, "cannot be read: "),
    "half of a pair": (pandas(question=pd.Series(["\ud800", "x"], dtype=object)), None, "cannot be read: "),
    "infinite confidence": (pandas(confidence=[np.inf, 1.0]), "row 1", "confidence must be a finite number"),
    "mixed confidence": (pandas(confidence=pd.Series([0.5, "high"], dtype=object)), "row 2", "(found 'high')"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_twin(twin: str) -> None:
    given, where, rule = BROKEN[twin]
    assert_refused(given, where, rule)


@pytest.mark.parametrize("given", [5, None, object(), {"a"}], ids=lambda given: type(given).__name__)
def test_what_is_no_table(given: object) -> None:
    message = str(refusal(given, MismatchError))
    name = type(given).__name__
    assert message.startswith(f"{name} cannot be read; pass a path, a pandas, Polars or Arrow table")


def test_several_tables_are_told_apart_by_number() -> None:
    again = pl.DataFrame(SOUND)
    assert str(refusal([pandas(), again], MismatchError)).startswith("run 'a' is in both table1 and table2; rename")
    found = evidence([pandas(), again.with_columns(run=pl.lit("b"))])
    assert found.runs == ("a", "b")
    unnamed = [pandas().drop(columns="run"), again.drop("run")]
    assert evidence(unnamed).runs == ("table1", "table2")


def test_reading_changes_nothing_in_a_table() -> None:
    given = pandas(confidence=[0.5, np.nan])
    before = given.copy(deep=True)
    evidence(given)
    pd.testing.assert_frame_equal(given, before)
