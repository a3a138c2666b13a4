"""Outcome tables: what each column means, and one refusal for each rule that a table can break."""

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import MismatchError
from tests.notes import in_words
from tests.rings import together

from .encodings import assert_refused, encode, evidence, line_of, read, refusal

SOUND: list[dict[str, Any]] = [
    {"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.5},
    {"run": "a", "question": "q2", "outcome": "unanswered", "confidence": None},
    {"run": "b", "question": "q1", "outcome": "incorrect", "confidence": 0.25},
    {"run": "b", "question": "q2", "outcome": "unanswered", "confidence": None},
]
BROKEN = tomllib.loads(Path(__file__).with_name("outcomes.toml").read_text(encoding="utf-8"))["broken"]


@cache
def sound_digest() -> str:
    """The digest of the sound table."""
    return evidence(pd.DataFrame(SOUND)).digest()


def changed(row: int, **cells: Any) -> list[dict[str, Any]]:
    """The sound table with other cells in one row, counted from 1."""
    return [old | cells if i == row else old for i, old in enumerate(SOUND, 1)]


def broken(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The sound table with some cells of rows changed, and with more rows at its end."""
    change, more = (json.loads(case.get(name, "[]")) for name in ("change", "more"))
    rows = [dict(row) for row in SOUND]
    for number, cells in change:
        rows[number - 1] |= cells
    return rows + [SOUND[number - 1] | cells for number, cells in more]


@together("encoding", ["csv", "pandas"])
@together("twin", BROKEN)
def test_a_broken_twin(twin: str, encoding: str, tmp_path: Path) -> None:
    case = BROKEN[twin]
    rule = case["rule"]
    for earlier in range(1, 6):
        rule = rule.replace(f"{{{earlier}}}", line_of(earlier, encoding))
    assert_refused(encode(as_one_kind(broken(case)), encoding, tmp_path), line_of(case["row"], encoding), rule)


def as_one_kind(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with text in each column that holds both numbers and text, as a table in memory must have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    mixed = {name for name in names if any(isinstance(row.get(name), str) for row in rows)}
    return [{n: str(c) if n in mixed and c is not None else c for n, c in row.items()} for row in rows]


@together("encoding", ["csv", "jsonl", "parquet", "polars"])
@together("name", ["question", "outcome"])
def test_a_column_that_is_missing_is_named(name: str, encoding: str, tmp_path: Path) -> None:
    given = encode([{k: v for k, v in row.items() if k != name} for row in SOUND], encoding, tmp_path)
    rule = f"an outcome table has the columns run, question, outcome; there is no {name!r} (found ["
    assert_refused(given, "line 1" if encoding in ("csv", "jsonl") else None, rule)


def test_without_a_run_column_the_file_is_the_run(tmp_path: Path) -> None:
    rows = [{"question": "q1", "outcome": "correct"}, {"question": "q2", "outcome": "incorrect"}]
    assert evidence(encode(rows, "csv", tmp_path, "o'brien")).runs == ("o'brien",)
    assert evidence(encode(rows, "pandas", tmp_path)).runs == ("table",)


def test_an_ungraded_answer_is_not_an_unanswered_one(tmp_path: Path) -> None:
    given = encode(changed(3, outcome=None), "csv", tmp_path)
    message = str(refusal(given, MismatchError))
    assert message == (
        f"{given}: run 'b', question 'q1': the answer is not graded (1 such answer in all); use --ungraded exclude to "
        "leave them out, or --ungraded bounds to report both extremes"
    )


OTHER_WORDS = {"1": "correct", "0": "incorrect", "1.0": "correct", "True": "correct", "FALSE": "incorrect"}
OTHER_WORDS |= {"pass": "correct", "Fail": "incorrect", "UNANSWERED": "unanswered"}


@together("word", OTHER_WORDS)
def test_other_words_for_outcomes_are_announced(word: str, tmp_path: Path) -> None:
    found, outcome = read(encode(changed(1, outcome=word), "csv", tmp_path)), OTHER_WORDS[word]
    assert in_words(found.notes) == (f"1 row: outcome {word!r} read as {outcome}",)
    assert found.data.columns[outcome][0, 0] == 1


def test_the_outcome_map_adds_words_and_announces_them(tmp_path: Path) -> None:
    rows = [row | {"outcome": {"correct": "C", "incorrect": "I"}.get(str(row["outcome"]), "N")} for row in SOUND]
    words = {"C": "correct", "I": "incorrect", "N": "unanswered"}
    found = read(encode(rows, "csv", tmp_path), outcome_map=words)
    assert in_words(found.notes) == (
        "1 row: outcome 'C' read as correct",
        "1 row: outcome 'I' read as incorrect",
        "2 rows: outcome 'N' read as unanswered",
    )
    assert found.data.digest() == sound_digest()


def test_the_outcome_map_wins_over_the_words_built_in_and_says_so(tmp_path: Path) -> None:
    found = read(
        encode(changed(1, outcome="0"), "csv", tmp_path), outcome_map={"0": "unanswered", "correct": "correct"}
    )
    assert in_words(found.notes) == (
        "--outcome-map: 'correct' occurs in no row",
        "1 row: outcome '0' read as unanswered",
    )
    found = read(encode(SOUND, "csv", tmp_path), outcome_map={"correct": "incorrect"})
    assert in_words(found.notes) == ("1 row: outcome 'correct' read as incorrect",)


def test_white_space_around_cells_does_not_count(tmp_path: Path) -> None:
    padded = [{f" {n} ": f"\t{c} " if isinstance(c, str) else c for n, c in row.items()} for row in SOUND]
    assert evidence(encode(padded, "csv", tmp_path)).digest() == sound_digest()


def test_runs_and_questions_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [{"run": r, "question": q, "outcome": "correct"} for r in ("z", "a") for q in ("q10", "q9")]
    found = evidence(encode(rows, "csv", tmp_path))
    assert (found.runs, found.questions) == (("z", "a"), ("q10", "q9"))


def test_answerable_may_be_written_in_several_ways(tmp_path: Path) -> None:
    rows = [row | {"answerable": word} for row, word in zip(SOUND, ("1", "FALSE", "true", "0.0"), strict=True)]
    found = evidence(encode(rows, "csv", tmp_path))
    assert_array_equal(found.columns["answerable"], [[1, 0], [1, 0]])
    assert_array_equal(found.columns["correct"], [[1, 1], [0, 1]])


def test_where_answerable_is_not_said_it_is_absent(tmp_path: Path) -> None:
    rows = [row | {"answerable": "true" if row["question"] == "q1" else None} for row in SOUND]
    assert_array_equal(evidence(encode(rows, "csv", tmp_path)).columns["answerable"], [[1, np.nan], [1, np.nan]])


def test_lower_ranks_give_the_rank_of_the_first_right_answer(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"run": "a", "question": "q1", "outcome": "incorrect", "rank": 1},
        {"run": "a", "question": "q1", "outcome": "correct", "rank": 3},
        {"run": "a", "question": "q1", "outcome": None, "rank": 2},
        {"run": "a", "question": "q2", "outcome": "correct", "rank": None},
    ]
    found = read(encode(rows, "csv", tmp_path))
    assert in_words(found.notes) == (
        "2 rows have a rank below the first: MRR and K read them, outcomes are those of rank 1",
        "1 of these is not graded: MRR and K take it for no answer",
    )
    assert_array_equal(found.data.columns["first_right"], [[3, 1]])
    assert_array_equal(found.data.columns["correct"], [[0, 1]])


def test_cluster_is_a_reserved_column(tmp_path: Path) -> None:
    rows = [row | {"cluster": "story"} for row in SOUND]
    found = evidence(encode(rows, "csv", tmp_path))
    assert found.clusters is not None
    assert_array_equal(found.clusters, [0, 0])
    assert not found.strata


def test_a_stratum_is_constant_within_each_question(tmp_path: Path) -> None:
    rows = [row | {"topic": f"t{row['question']}", "note": f"{row['run']}"} for row in SOUND]
    found = evidence(encode(rows, "csv", tmp_path))
    assert {name: list(values) for name, values in found.strata.items()} == {"topic": ["tq1", "tq2"]}


def test_a_column_that_is_no_stratum_cannot_be_asked_for(tmp_path: Path) -> None:
    given = encode([row | {"note": row["run"]} for row in SOUND], "csv", tmp_path)
    message = str(refusal(given, MismatchError, strata=("note",)))
    assert message == (
        f"'note' is no stratum: question 'q1' has two values of it, 'a' ({given}, line 2) and 'b' ({given}, line 4)"
    )


@pytest.mark.parametrize("encoding", ["csv", "tsv"])
def test_a_column_without_a_name_is_not_read(encoding: str, tmp_path: Path) -> None:
    numbered = [{"": i} | row for i, row in enumerate(SOUND)]
    found = evidence(encode(numbered, encoding, tmp_path))
    assert found.digest() == sound_digest()
    assert not found.strata


def test_a_graded_column_is_measured_by_its_mean(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("run,question,outcome,f1\na,1,correct,0.5\na,2,incorrect,\na,3,unanswered,0\n")
    scores = nescio.score(path, ["mean(f1)", "accuracy"], ci=None)
    assert [(row.value, row.n) for row in scores] == [(0.25, 2), (1 / 3, 3)]
    path.write_text("run,question,outcome,f1\na,1,correct,0.5\na,2,incorrect,high\n")
    with pytest.raises(nescio.FormatError, match=r"line 3: mean\(f1\) reads this column.*found 'high'"):
        nescio.score(path, "mean(f1)")
    assert nescio.score(path, "accuracy", ci=None).rows[0].value == 0.5  # nobody asked for f1


def test_a_table_that_nothing_takes_is_told_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("engine no.,id,mine\nx,x,x\n")
    rule = "an outcome table has the columns run, question and outcome; rename yours, name them with --column, or name the "
    assert_refused(path, "line 1", f"{rule}format with --format-in (found ['engine no.', 'id', 'mine'])")
    assert "lm_eval" not in str(refusal(path))  # no list of formats
    path.write_text("question,outcome\nquestion,outcome\n")
    assert_refused(path, "line 2", "an outcome is correct, incorrect or unanswered")
