"""Tables in memory: of any make, by what they can do and not by who made them; what is none; and columns under their
user's names."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import MismatchError, MissingColumnError, RunInTwoFilesError, UsageError
from tests.formats.encodings import assert_refused, evidence, refusal
from tests.rings import together

SOUND: dict[str, Any] = {"run": ["a", "a"], "question": ["q1", "q2"], "outcome": ["correct", "unanswered"]}


def pandas(**columns: Any) -> pd.DataFrame:
    """The sound table with other columns."""
    return pd.DataFrame(SOUND | columns)


@cache
def sound_digest() -> str:
    return evidence(pandas()).digest()


class OnlyStream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def relation(table: dict[str, list[Any]]) -> Any:
    """A relation of a connection of the user's own."""
    connection = duckdb.connect()
    connection.register("mine", pa.table(table))
    return connection.sql("SELECT * FROM mine")


MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, categories": lambda table: pd.DataFrame(table).astype("category"),
    "pandas, objects": lambda table: pd.DataFrame(table).astype(object),
    "pandas, an index": lambda table: pd.DataFrame(table).set_index(pd.Index([7] * len(table["run"]))),
    "polars": pl.DataFrame,
    "polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "polars, categories": lambda table: pl.DataFrame(table).cast(pl.Categorical),
    "pyarrow": pa.table,
    "pyarrow, a batch": pa.record_batch,
    "pyarrow, a stream": lambda table: pa.table(table).to_reader(),
    "stream": lambda table: OnlyStream(pa.table(table)),
    "duckdb": relation,
}


@together("name", MAKERS)
def test_a_table_of_any_make_is_the_same_table(name: str) -> None:
    assert evidence(MAKERS[name](SOUND)).digest() == sound_digest()


ABSENT = [
    *([0.5, np.nan], [0.5, None], np.array([0.5, np.nan], dtype=np.float32), pd.Series([0.5, np.nan], dtype=object)),
    *(pd.Series([0.5, None], dtype="Float64"), pd.Series(["0.5", None], dtype="string")),
]


@together("confidence", ABSENT)
def test_nan_in_pandas_is_absent(confidence: Any) -> None:
    assert_array_equal(evidence(pandas(confidence=confidence)).columns["confidence"], [[0.5, np.nan]])


def test_what_is_absent_elsewhere_is_absent_here() -> None:
    for make in (pl.DataFrame, pa.table):
        given = make(SOUND | {"confidence": [0.5, None]})
        assert_array_equal(evidence(given).columns["confidence"], [[0.5, np.nan]])
    assert_array_equal(evidence(pandas(outcome=[1.0, np.nan]), ungraded="exclude").present, [[True, False]])
    matrix = evidence(pd.DataFrame([[np.nan, 1], [1, 0.5]]))
    assert matrix.runs == ("0", "1")
    assert_array_equal(matrix.columns["user.table"], [[np.nan, 1], [1, 0.5]])


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
    "NaN in polars": (pl.DataFrame(SOUND | {"confidence": [0.5, float("nan")]}), "row 2", "(found 'nan')"),
    "mixed confidence": (pandas(confidence=pd.Series([0.5, "high"], dtype=object)), "row 2", "(found 'high')"),
}


@together("twin", BROKEN)
def test_a_broken_twin_is_refused(twin: str) -> None:
    given, where, rule = BROKEN[twin]
    assert_refused(given, where, rule)


@together("given", [5, None, object(), {"a"}])
def test_what_is_no_table_is_refused(given: object) -> None:
    message = str(refusal(given, MismatchError))
    assert message.startswith(f"{type(given).__name__} cannot be read; pass a path, a pandas, Polars or Arrow table")


def test_several_tables_are_told_apart_by_number() -> None:
    again = pl.DataFrame(SOUND)
    assert str(refusal([pandas(), again], RunInTwoFilesError)).startswith(
        "run 'a' is in both table1 and table2; rename"
    )
    assert evidence([pandas(), again.with_columns(run=pl.lit("b"))]).runs == ("a", "b")
    assert evidence([pandas().drop(columns="run"), again.drop("run")]).runs == ("table1", "table2")


# ---- from_dataframe ----

TABLE: dict[str, list[Any]] = {
    "model": ["a", "a", "b", "b"],
    "id": ["q1", "q2", "q1", "q2"],
    "grade": ["correct", "unanswered", "incorrect", "correct"],
    "sure": [0.9, None, 0.25, 0.5],
    "question": ["Who?", "Where?", "Who?", "Where?"],
    "topic": ["x", "y", "x", "y"],
}
PARTS: Any = {"run": "model", "question": "id", "outcome": "grade", "confidence": "sure"}


@together("make", [pd.DataFrame, pl.DataFrame, pa.table, relation])
def test_columns_are_named_by_their_user(make: Callable[[Any], Any]) -> None:
    given = make(TABLE)
    data = evidence(nescio.from_dataframe(given, **PARTS), strata=("topic",))
    assert (data.runs, data.questions) == (("a", "b"), ("q1", "q2"))
    assert_array_equal(data.columns["confidence"], [[0.9, np.nan], [0.25, 0.5]])
    assert set(data.strata) == {"topic"}
    # a: one right, one silent: (1 + 1/2)/2; b: one right of two
    scores = nescio.score(nescio.from_dataframe(given, **PARTS), "c@1", ci=None)  # read a second time
    assert [row.value for row in scores] == [0.75, 0.5]


def test_one_column_can_play_two_parts_and_names_are_kept_to_the_letter() -> None:
    frame = pd.DataFrame({'the "Id"': ["q1", "q2"], "Outcome": ["correct", "incorrect"], "outcome": [1, 2]})
    data = evidence(nescio.from_dataframe(frame, question='the "Id"', cluster='the "Id"', outcome="Outcome"))
    assert data.questions == ("q1", "q2")
    assert data.clusters is not None
    assert_array_equal(data.columns["correct"], [[1, 0]])


def test_an_index_with_names_and_columns_without() -> None:
    grouped = pd.DataFrame(TABLE).set_index([PARTS["run"], PARTS["question"]])
    scores = nescio.score(nescio.from_dataframe(grouped, **PARTS), "c@1", ci=None)
    assert [row.value for row in scores] == [0.75, 0.5]
    assert list(grouped.columns) == [name for name in TABLE if name not in (PARTS["run"], PARTS["question"])]
    numbered = nescio.from_dataframe(pd.DataFrame([["a", "q", "correct"]]), run=0, question=1, outcome=2)  # type: ignore[arg-type]
    assert nescio.score(numbered, "accuracy", ci=None).value("a", "accuracy") == 1


def test_words_and_repeats_of_a_frame_are_named() -> None:
    """Asked twice: q1 is right and wrong, q2 right and silent. A = (1/2 + 1/2)/2, U = (1/2)/2: c@1 is A(1 + U)."""
    frame = pd.DataFrame({"m": "a", "q": [1, 1, 2, 2], "t": [1, 2, 1, 2], "ok": [True, False, True, "no answer"]})
    words = {True: "correct", False: "incorrect", "no answer": "unanswered"}
    table = nescio.from_dataframe(frame, run="m", question="q", outcome="ok", repeat="t", outcome_map=words)
    row = nescio.score(table, "c@1")["a", "c@1"]
    assert (row.value, row.n) == (1 / 2 * (1 + 1 / 4), 2)
    frame = pd.DataFrame({"run": ["a"] * 3, "question": [1, 2, 3], "outcome": ["correct", "it's odd", "n/a"]})
    table = nescio.from_dataframe(frame, outcome_map={"it's odd": "ungraded", "n/a": "unanswered"})
    row = nescio.score(table, "c@1", ungraded="exclude")["a", "c@1"]
    assert (row.value, row.n) == (1 / 2 * (1 + 1 / 2), 2)


def test_what_cannot_be_named_is_refused() -> None:
    rule = "no column 'modell' to use as the run; this table has the columns model, id"
    with pytest.raises(MissingColumnError, match=rule):
        nescio.from_dataframe(pd.DataFrame(TABLE), run="modell")
    with pytest.raises(UsageError, match="an outcome must be one of correct, incorrect, unanswered, ungraded"):
        nescio.from_dataframe(pd.DataFrame(TABLE), **PARTS, outcome_map={"ok": "right"})


@pytest.mark.parametrize("words", [{1: "incorrect", 0: "correct"}, {True: "incorrect", False: "correct"}])
@pytest.mark.parametrize("cells", [[1, 1, 0], [1.0, 1.0, 0.0], [True, True, False]])
def test_1_and_true_are_one_word_of_a_map_whatever_the_type_of_the_column(
    words: dict[Any, str], cells: list[Any]
) -> None:
    frame = pd.DataFrame({"run": "a", "question": [1, 2, 3], "ok": cells})
    table = nescio.from_dataframe(frame, run="run", question="question", outcome="ok", outcome_map=words)
    assert nescio.score(table, "accuracy", ci=None)["a", "accuracy"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize("cells", [[1, 1, 0], [1.0, 1.0, 0.0], ["yes", "yes", "no"]])
def test_a_named_column_takes_the_place_of_one_called_outcome(cells: list[Any]) -> None:
    frame = pd.DataFrame({"run": "a", "question": [1, 2, 3], "outcome": "incorrect", "human": cells})
    table = nescio.from_dataframe(frame, run="run", question="question", outcome="human")
    assert nescio.score(table, "accuracy", ci=None)["a", "accuracy"].value == pytest.approx(2 / 3)


def test_the_texts_of_questions_stay_beside_their_ids() -> None:
    """A gate refuses other questions under the same ids, whether the frame is read as it is or by the names given."""
    asked = {"old": "Hard {}?", "new": "Easy {}?"}
    rows = [
        {"run": run, "qid": q, "question": text.format(q), "correct": int(run == "new")}
        for run, text in asked.items()
        for q in range(40)
    ]
    frame = pd.DataFrame(rows)
    for table in (frame, nescio.from_dataframe(frame, run="run", question="qid", outcome="correct")):
        with pytest.raises(UsageError, match="40 of 40 questions have a different text in another run"):
            nescio.compare(table, "c@1", baseline="old", fail_on_regression=True)


def test_a_column_of_questions_beside_the_ids_that_the_user_names_pairs_nothing() -> None:
    """In each run, the column numbers the questions in the run's own order."""
    rows = [
        {"model": model, "id": q, "question": str(q if model == "a" else 39 - q), "grade": "correct"}
        for model in "ab"
        for q in range(40)
    ]
    table = nescio.from_dataframe(pd.DataFrame(rows), run="model", question="id", outcome="grade")
    assert nescio.score(table, "accuracy", ci=None)["b", "accuracy"].value == 1
