"""Counts tables: whole numbers, one row a run."""

from pathlib import Path
from typing import Any

import pytest

from nescio.data.evidence import Tally
from nescio.errors import MismatchError
from tests.notes import in_words
from tests.rings import together

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


MISSING = [
    ({name: cell for name, cell in SOUND[0].items() if name != missing}, f"there is no {missing!r} (found [")
    for missing in SOUND[0]
]
MISSING += [
    ({"run": "a", "correct": 1}, "there is no 'incorrect' and no 'unanswered' (--column incorrect=NAME, --column "),
    ({"date": "1 May", "correct": 14, "declined": 3}, "no 'run' and no 'incorrect' (--column run=NAME, --column inc"),
]


@together("row, rule", MISSING)
def test_a_column_that_is_missing_is_named(row: dict[str, Any], rule: str, tmp_path: Path) -> None:
    assert_refused(encode([row, row | {"run": "b"}] if "run" in row else [row, row], "csv", tmp_path), "line 1", rule)


def test_column_names_in_capitals(tmp_path: Path) -> None:
    rows = [{name.title(): cell for name, cell in row.items()} for row in SOUND]
    found = read(given := encode(rows, "csv", tmp_path))
    assert found.data.digest() == read(encode(SOUND, "csv", tmp_path, "sound")).data.digest()
    columns = (
        "run is the column 'Run', correct is the column 'Correct', incorrect is the column 'Incorrect', unanswered is"
    )
    assert in_words(found.notes) == (f"{given}: {columns} the column 'Unanswered'",)


@pytest.mark.parametrize("name", ["System", "modello"])
def test_what_names_the_run(name: str, tmp_path: Path) -> None:
    rows = [{name if part == "run" else part: cell for part, cell in row.items()} for row in SOUND]
    assert read(encode(rows, "csv", tmp_path)).data.runs == ("a", "b")
    rows = [{"engine no." if part == "run" else part: cell for part, cell in row.items()} for row in SOUND]
    assert read(encode(rows, "csv", tmp_path), column={"run": "engine no."}).data.runs == ("a", "b")


def test_a_run_has_a_name_and_stands_once(tmp_path: Path) -> None:
    assert_refused(encode(changed(run=""), "csv", tmp_path), "line 3", "the run is empty")
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


@together("counts, n", [(("1.0", "1e3", "0"), 1001), ((0, 0, 0), 0)])
def test_whole_numbers_may_be_decimals_or_all_zero(counts: tuple[Any, ...], n: int, tmp_path: Path) -> None:
    row = {"run": "a", **dict(zip(("correct", "incorrect", "unanswered"), counts, strict=True))}
    assert read(encode([row], "csv", tmp_path)).data.totals()["n"].tolist() == [n]  # type: ignore[union-attr]


def test_counts_have_no_clusters(tmp_path: Path) -> None:
    message = str(refusal(encode(SOUND, "csv", tmp_path), MismatchError, cluster="story"))
    assert message == "a counts table has no questions to cluster"


@pytest.mark.parametrize("head", ["System;richtig;falsch;keine Antwort", "model;right;wrong;refused"])
def test_counts_go_by_the_names_that_people_give_verdicts(head: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{head}\na;1;2;3\nb;4;5;0\n")
    assert read(path).data.digest() == read(encode(SOUND, "csv", tmp_path, "sound")).data.digest()


HEADS = [
    "model,n_correct,n_incorrect,n_abstained",
    "model,num_right,num_wrong,num_unanswered",
    "system,CorrectCount,IncorrectCount,RefusedCount",
    "model,total_correct,total_incorrect,declined_count",
]


@together("head", HEADS)
def test_counts_go_by_names_that_are_made_of_a_verdict_and_a_number(head: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text(f"{head},accuracy\na,50,30,20,.5\nb,40,40,20,.4\n")
    data = read(tmp_path / "counts.csv").data
    assert isinstance(data, Tally)
    assert tuple(data.runs) == ("a", "b")
    assert data.counts.sum(axis=0).tolist() == [90, 70, 40]
