"""The same table in any encoding is the same Evidence."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

from nescio.data.evidence import Evidence, Tally
from tests.notes import in_words
from tests.rings import together

from .encodings import ENCODINGS, encode, evidence, label_of, read

OUTCOMES: list[dict[str, Any]] = [
    {"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.1, "candidate": None, "topic": "t, u"},
    {"run": "a", "question": "q2", "outcome": "unanswered", "confidence": 1e-9, "candidate": "correct", "topic": "v"},
    {"run": "b", "question": "q1", "outcome": "incorrect", "confidence": 2 / 3, "candidate": None, "topic": "t, u"},
    {"run": "b", "question": "q2", "outcome": "unanswered", "confidence": None, "candidate": "incorrect", "topic": "v"},
]
COUNTS: list[dict[str, Any]] = [
    {"run": "a", "correct": 237, "incorrect": 156, "unanswered": 107},
    {"run": "b", "correct": 236, "incorrect": 264, "unanswered": 0},
]
SCORES: list[dict[str, Any]] = [{"question": "q1", "A": 0.1, "B": None}, {"question": "q2", "A": 2 / 3, "B": 1.0}]


@together("encoding", ENCODINGS)
def test_an_outcome_table(encoding: str, tmp_path: Path) -> None:
    found = evidence(encode(OUTCOMES, encoding, tmp_path))
    assert (found.runs, found.questions) == (("a", "b"), ("q1", "q2"))
    expected = {
        "correct": [[1, 0], [0, 0]],
        "incorrect": [[0, 0], [1, 0]],
        "unanswered": [[0, 1], [0, 1]],
        "answered": [[1, 0], [1, 0]],
        "candidate_correct": [[0, 1], [0, 0]],
        "candidate_incorrect": [[0, 0], [0, 1]],
        "confidence": [[0.1, 1e-9], [2 / 3, np.nan]],
    }
    assert set(found.columns) == set(expected)
    for name, values in expected.items():
        assert_array_equal(found.columns[name], values)
    assert found.present.all()
    assert {name: list(values) for name, values in found.strata.items()} == {"topic": ["t, u", "v"]}
    assert found.clusters is None


@together("encoding", ENCODINGS)
def test_a_counts_table(encoding: str, tmp_path: Path) -> None:
    found = read(encode(COUNTS, encoding, tmp_path))
    assert isinstance(found.data, Tally)
    assert found.data.runs == ("a", "b")
    totals = {name: values.tolist() for name, values in found.data.totals().items()}
    assert totals == {
        "correct": [237, 236],
        "incorrect": [156, 264],
        "unanswered": [107, 0],
        "answered": [393, 500],
        "n": [500, 500],
    }


@together("encoding", ENCODINGS)
def test_a_score_matrix(encoding: str, tmp_path: Path) -> None:
    given = encode(SCORES, encoding, tmp_path)
    loaded = read(given)
    found = loaded.data
    assert isinstance(found, Evidence)
    assert (found.runs, found.questions) == (("A", "B"), ("q1", "q2"))
    assert_array_equal(found.columns["user.table"], [[0.1, 2 / 3], [np.nan, 1.0]])
    assert_array_equal(found.present, [[True, True], [False, True]])
    assert loaded.measures == ("mean(table)",)
    assert in_words(loaded.notes)[1:] == (f"{label_of(given)}: 1 of 4 cells is empty and left out",)


@together("rows", [OUTCOMES, COUNTS, SCORES])
def test_the_digest_does_not_depend_on_the_encoding(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert len({read(encode(rows, encoding, tmp_path)).data.digest() for encoding in ("csv", "parquet", "polars")}) == 1


@together("encoding", ["csv", "jsonl", "parquet", "polars"])
def test_whole_numbers_are_ids_and_outcomes_too(encoding: str, tmp_path: Path) -> None:
    rows = [{"run": 1, "question": 7, "outcome": 1}, {"run": 1, "question": 8, "outcome": 0}]
    found = read(encode(rows, encoding, tmp_path))
    assert isinstance(found.data, Evidence)
    assert (found.data.runs, found.data.questions) == (("1",), ("7", "8"))
    assert in_words(found.notes) == ("1 row: outcome '0' read as incorrect", "1 row: outcome '1' read as correct")


@together("encoding", ["jsonl", "parquet", "pandas", "polars", "arrow"])
def test_booleans_are_outcomes_too(encoding: str, tmp_path: Path) -> None:
    rows = [{"run": "a", "question": "q1", "outcome": True}, {"run": "a", "question": "q2", "outcome": False}]
    assert_array_equal(evidence(encode(rows, encoding, tmp_path)).columns["correct"], [[1, 0]])


@together("encoding", ["csv", "jsonl", "parquet", "pandas"])
def test_ids_are_text_whatever_they_look_like(encoding: str, tmp_path: Path) -> None:
    names = ["001", "1", "1.0", "NULL", "null", "nan", "true", "2020-01-01", "#1", "-"]
    rows = [{"run": run, "question": q, "outcome": "correct"} for run in ("01", "1") for q in names]
    found = evidence(encode(rows, encoding, tmp_path))
    assert (found.runs, found.questions) == (("01", "1"), tuple(names))


@together("encoding", ENCODINGS)
def test_column_names_may_hold_anything(encoding: str, tmp_path: Path) -> None:
    names = ['with "quotes"', "it's", "two words", "row ", "c0", "größe", "a,b;c", "select", "_run", "Run", "漢"]
    sound = {"run": "a", "question": "q", "outcome": "correct"}
    found = evidence(encode([sound | {name: f"<{name}>" for name in names}], encoding, tmp_path))
    kept = {name.strip() if encoding in ("csv", "tsv") else name: [f"<{name}>"] for name in names}
    assert {name: list(values) for name, values in found.strata.items()} == kept
