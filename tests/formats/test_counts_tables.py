"""Counts tables: whole numbers, one row a run."""

from pathlib import Path
from typing import Any

import pytest

from nescio.data.evidence import Tally
from nescio.errors import MismatchError
from tests.rings import together
from tests.notes import in_words

from .encodings import assert_refused, encode, line_of, read, refusal

IN_PYTHON = True  # messages are quoted as Python has them

SOUND: list[dict[str, Any]] = [
    {"run": "a", "correct": 1, "incorrect": 2, "unanswered": 3},
    {"run": "b", "correct": 4, "incorrect": 5, "unanswered": 0},
]
WHOLE = "incorrect must be a whole number, 0 or more"
BROKEN: dict[str, tuple[Any, str]] = {
    "negative": (-1, f"{WHOLE} (found '-1')"),
    "a fraction": (1.5, f"{WHOLE} (found '1.5')"),
    "nan": ("nan", f"{WHOLE} (found 'nan')"),
    "infinite": ("inf", f"{WHOLE}, and less than 9007199254740992 (found 'inf')"),
    "too large": ("1e20", f"{WHOLE}, and less than 9007199254740992"),
    "in words": ("two", f"{WHOLE} (found 'two')"),
    "with a separator": ("1,000", f"{WHOLE} (found '1,000')"),
    "true": ("true", f"{WHOLE} (found 'true')"),
    "empty": (None, f"{WHOLE} (found '')"),
}


def changed(**cells: Any) -> list[dict[str, Any]]:
    """The sound table with other cells in its second row, as text where the cells are."""
    as_text = {name: str for name, cell in cells.items() if isinstance(cell, str)}
    rows = [SOUND[0], SOUND[1] | cells]
    return [{name: as_text[name](cell) if name in as_text else cell for name, cell in row.items()} for row in rows]


@together("encoding", ["jsonl", "parquet"])
@together("twin", BROKEN)
def test_a_count_is_a_whole_number(twin: str, encoding: str, tmp_path: Path) -> None:
    cell, rule = BROKEN[twin]
    assert_refused(encode(changed(incorrect=cell), encoding, tmp_path), line_of(2, encoding), rule)


@pytest.mark.parametrize("name", ["run", "correct", "incorrect", "unanswered"])
def test_a_column_is_missing(name: str, tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != name} for row in SOUND]
    rule = f"a counts table has the columns run, correct, incorrect, unanswered; there is no {name!r} (found ["
    assert_refused(encode(rows, "csv", tmp_path), "line 1", rule)
    assert_refused(encode(rows, "parquet", tmp_path), None, rule)


def test_a_table_of_one_count(tmp_path: Path) -> None:
    rule = "a counts table has the columns run, correct, incorrect, unanswered; there is no 'incorrect' and "
    rule += "no 'unanswered' (--column incorrect=NAME, --column unanswered=NAME names one)"
    assert_refused(encode([{"run": "a", "correct": 1}], "csv", tmp_path), "line 1", rule)


def test_what_a_table_of_counts_lacks_is_said_of_all_of_it(tmp_path: Path) -> None:
    rule = "there is no 'run' and no 'incorrect' (--column run=NAME, --column incorrect=NAME names one)"
    rows = [{"date": "2026-11-01", "correct": 14, "declined": 3}, {"date": "2026-11-02", "correct": 12, "declined": 4}]
    assert_refused(encode(rows, "csv", tmp_path), "line 1", rule)


def test_column_names_in_capitals(tmp_path: Path) -> None:
    rows = [{name.title(): cell for name, cell in row.items()} for row in SOUND]
    found = read(given := encode(rows, "csv", tmp_path))
    assert found.data.digest() == read(encode(SOUND, "csv", tmp_path, "sound")).data.digest()
    columns = (
        "run is the column 'Run', correct is the column 'Correct', incorrect is the column 'Incorrect', unanswered is"
    )
    assert in_words(found.notes) == (f"{given}: {columns} the column 'Unanswered'",)


@pytest.mark.parametrize("name", ["model", "System", "run_id", "modello"])
def test_what_names_the_run(name: str, tmp_path: Path) -> None:
    rows = [{name if part == "run" else part: cell for part, cell in row.items()} for row in SOUND]
    assert read(encode(rows, "csv", tmp_path)).data.runs == ("a", "b")
    rows = [{"engine no." if part == "run" else part: cell for part, cell in row.items()} for row in SOUND]
    assert read(encode(rows, "csv", tmp_path), column={"run": "engine no."}).data.runs == ("a", "b")


def test_a_run_is_empty(tmp_path: Path) -> None:
    assert_refused(encode(changed(run=""), "csv", tmp_path), "line 3", "the run is empty")


def test_a_run_stands_twice(tmp_path: Path) -> None:
    assert_refused(encode(changed(run="a"), "csv", tmp_path), "line 3", "run 'a' appears twice")


def test_a_run_stands_in_two_files(tmp_path: Path) -> None:
    paths = [encode(SOUND, "csv", tmp_path, "one"), encode(SOUND, "jsonl", tmp_path, "other")]
    assert str(refusal(paths, MismatchError)) == f"run 'a' is in both {paths[0]} and {paths[1]}"


def test_several_files_are_one_table(tmp_path: Path) -> None:
    more = [SOUND[0] | {"run": "c"}]
    found = read([encode(SOUND, "csv", tmp_path, "one"), encode(more, "parquet", tmp_path, "other")])
    assert found.data.runs == ("a", "b", "c")


def test_other_columns_are_not_used_and_named(tmp_path: Path) -> None:
    given = encode([row | {"c@1": 0.5, "": 1} for row in SOUND], "csv", tmp_path)
    assert in_words(read(given).notes) == (f"{given}: columns c@1, without a name not used",)


def test_whole_numbers_may_be_written_as_decimals(tmp_path: Path) -> None:
    given = encode([{"run": "a", "correct": "1.0", "incorrect": "1e3", "unanswered": "0"}], "csv", tmp_path)
    assert read(given).data.totals()["n"].tolist() == [1001]  # type: ignore[union-attr]


def test_a_run_may_have_answered_no_question_at_all(tmp_path: Path) -> None:
    given = encode([{"run": "a", "correct": 0, "incorrect": 0, "unanswered": 0}], "csv", tmp_path)
    assert read(given).data.totals()["n"].tolist() == [0]  # type: ignore[union-attr]


def test_counts_have_no_clusters(tmp_path: Path) -> None:
    message = str(refusal(encode(SOUND, "csv", tmp_path), MismatchError, cluster="story"))
    assert message == "a counts table has no questions to cluster"


@pytest.mark.parametrize("head", ["System;richtig;falsch;keine Antwort", "model;right;wrong;refused"])
def test_counts_go_by_the_names_that_people_give_verdicts(head: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{head}\na;1;2;3\nb;4;5;0\n")
    assert read(path).data.digest() == read(encode(SOUND, "csv", tmp_path, "sound")).data.digest()


def test_a_last_row_that_sums_up_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("system,right,wrong,refused\nA,12,3,5\nB,10,9,1\nTotal,22,12,6\n")
    assert_refused(path, "line 4", "(found 'Total')")


@pytest.mark.parametrize(
    "head",
    [
        "model,n_correct,n_incorrect,n_abstained",
        "model,num_right,num_wrong,num_unanswered",
        "system,CorrectCount,IncorrectCount,RefusedCount",
        "model,total_correct,total_incorrect,declined_count",
    ],
)
@pytest.mark.parametrize("share", ["accuracy", "correct_rate", "pct_wrong"])
def test_counts_go_by_names_that_are_made_of_a_verdict_and_a_number(head: str, share: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text(f"{head},{share}\na,50,30,20,.5\nb,40,40,20,.4\n")
    data = read(tmp_path / "counts.csv").data
    assert isinstance(data, Tally)
    assert tuple(data.runs) == ("a", "b")
    assert data.counts.sum(axis=0).tolist() == [90, 70, 40]


def test_a_run_that_appears_twice_is_told_what_tells_its_rows_apart(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("model,topic,correct,incorrect,unanswered\nx,geo,5,3,2\nx,bio,4,4,2\n")
    assert_refused(path, "line 3", "'topic' tells its rows apart: add up their counts, or keep the rows of one")
