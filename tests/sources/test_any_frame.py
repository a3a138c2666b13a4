"""Tables of any make, by what they can do and not by who made them; and columns under their user's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nescio
from nescio.errors import MismatchError, MissingColumnError, UsageError
from tests.formats.encodings import evidence

TABLE: dict[str, list[Any]] = {
    "model": ["a", "a", "b", "b"],
    "id": ["q1", "q2", "q1", "q2"],
    "grade": ["correct", "unanswered", "incorrect", "correct"],
    "sure": [0.9, None, 0.25, 0.5],
    "question": ["Who?", "Where?", "Who?", "Where?"],
    "topic": ["x", "y", "x", "y"],
}
PARTS: Any = {"run": "model", "question": "id", "outcome": "grade", "confidence": "sure"}


class OnlyStream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class OnlyInterchange:
    """Something with the older protocol alone, as Modin once had."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self._table.__dataframe__(nan_as_null, allow_copy)


def relation(table: dict[str, list[Any]]) -> Any:
    """A relation of a connection of the user's own."""
    connection = duckdb.connect()
    connection.register("mine", pa.table(table))
    return connection.sql("SELECT * FROM mine")


MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "pyarrow": pa.table,
    "stream": lambda table: OnlyStream(pa.table(table)),
    "interchange": lambda table: OnlyInterchange(pa.table(table)),
    "duckdb": relation,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_columns_named_by_their_user(make: Callable[[Any], Any]) -> None:
    found = nescio.from_dataframe(make(TABLE), **PARTS)
    data = evidence(found, strata=("topic", "question (as given)"))
    assert data.runs == ("a", "b")
    assert data.questions == ("q1", "q2")
    np.testing.assert_array_equal(data.columns["confidence"], [[0.9, np.nan], [0.25, 0.5]])
    assert set(data.strata) == {"topic", "question (as given)"}
    # a: one right, one silent: (1 + 1/2)/2; b: one right of two
    scores = nescio.score(found, "c@1", ci=None)  # read a second time
    assert [row.value for row in scores] == [0.75, 0.5]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_columns_that_have_their_names_already(make: Callable[[Any], Any]) -> None:
    table = {"run": ["a"], "question": ["q"], "outcome": ["correct"]}
    assert nescio.score(make(table), "accuracy", ci=None).value("a", "accuracy") == 1
    assert nescio.score(nescio.from_dataframe(make(table)), "accuracy", ci=None).value("a", "accuracy") == 1


def test_one_column_can_play_two_parts_and_names_are_kept_to_the_letter() -> None:
    frame = pd.DataFrame({'the "Id"': ["q1", "q2"], "Outcome": ["correct", "incorrect"], "outcome": [1, 2]})
    given = nescio.from_dataframe(frame, question='the "Id"', cluster='the "Id"', outcome="Outcome")
    data = evidence(given)
    assert data.questions == ("q1", "q2")
    assert data.clusters is not None
    np.testing.assert_array_equal(data.columns["correct"], [[1, 0]])


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(
        MissingColumnError, match="no column 'modell' to use as the run; this table has the columns model, id"
    ):
        nescio.from_dataframe(pd.DataFrame(TABLE), run="modell")
    with pytest.raises(MismatchError, match="cannot be read; pass a path"):
        nescio.from_dataframe(5)


def test_an_index_with_names_and_columns_without() -> None:
    frame = pd.DataFrame(TABLE)
    expected = [row.value for row in nescio.score(nescio.from_dataframe(frame, **PARTS), "c@1", ci=None)]
    grouped = frame.set_index([PARTS["run"], PARTS["question"]])
    assert [row.value for row in nescio.score(nescio.from_dataframe(grouped, **PARTS), "c@1", ci=None)] == expected
    assert list(grouped.columns) == [name for name in frame.columns if name not in (PARTS["run"], PARTS["question"])]
    numbered = pd.DataFrame([["a", "q", "correct"]])
    found = nescio.from_dataframe(numbered, run=0, question=1, outcome=2)  # type: ignore[arg-type]
    assert nescio.score(found, "accuracy", ci=None).value("a", "accuracy") == 1


def test_words_and_repeats_of_a_frame_are_named() -> None:
    """Asked twice: q1 is right and wrong, q2 right and silent. A = (1/2 + 1/2)/2, U = (1/2)/2: c@1 is A(1 + U)."""
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "t": [1, 2, 1, 2], "ok": [True, False, True, "no answer"]})
    words = {True: "correct", False: "incorrect", "no answer": "unanswered"}
    table = nescio.from_dataframe(
        frame.assign(m="a"), run="m", question="q", outcome="ok", repeat="t", outcome_map=words
    )
    row = nescio.score(table, "c@1")["a", "c@1"]
    assert (row.value, row.n) == (1 / 2 * (1 + 1 / 4), 2)


def test_words_that_are_not_named_stay_and_ungraded_is_none_of_the_three() -> None:
    frame = pl.DataFrame({"run": ["a"] * 3, "question": [1, 2, 3], "outcome": ["correct", "it's odd", "n/a"]})
    table = nescio.from_dataframe(frame, outcome_map={"it's odd": "ungraded", "n/a": "unanswered"})
    row = nescio.score(table, "c@1", ungraded="exclude")["a", "c@1"]
    assert (row.value, row.n) == (1 / 2 * (1 + 1 / 2), 2)


def test_a_meaning_that_is_no_outcome_is_refused() -> None:
    frame = pd.DataFrame({"run": ["a"], "question": [1], "outcome": ["ok"]})
    with pytest.raises(UsageError, match="an outcome must be one of correct, incorrect, unanswered, ungraded"):
        nescio.from_dataframe(frame, outcome_map={"ok": "right"})
