"""Files given together: one format, each file once, each run once; and what `load` does with what is no file."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nescio
from nescio.data.evidence import Evidence, Tally
from nescio.errors import MismatchError, RunInTwoFilesError, UsageError
from nescio.pipeline import Options, load
from tests.formats.encodings import FILES, assert_refused, encode, evidence, read, refusal
from tests.rings import together

ROWS: list[dict[str, Any]] = [
    {"run": "a", "question": "q1", "outcome": "correct"},
    {"run": "a", "question": "q2", "outcome": "unanswered"},
]
OTHERS: list[dict[str, Any]] = [row | {"run": "b"} for row in ROWS]
COUNTS: list[dict[str, Any]] = [{"run": "a", "correct": 1, "incorrect": 2, "unanswered": 3}]


def test_files_of_several_encodings_are_one_table(tmp_path: Path) -> None:
    given = [encode([row | {"run": f"run {e}"} for row in ROWS], e, tmp_path) for e in FILES]
    assert evidence(given).runs == tuple(f"run {e}" for e in FILES)
    assert evidence([*given, pd.DataFrame(OTHERS)]).runs[-1] == "b"


def test_many_files_are_one_table(tmp_path: Path) -> None:
    rows = [[row | {"run": f"run {i}", f"note {i}": "x"} for row in ROWS] for i in range(7)]
    given = [encode(own, "csv", tmp_path, f"{i}") for i, own in enumerate(rows)]
    expected = evidence(encode([row for own in rows for row in own], "csv", tmp_path, "whole")).digest()
    assert evidence(given).digest() == expected


def test_files_may_have_different_columns(tmp_path: Path) -> None:
    one = encode([row | {"confidence": 0.5, "topic": "t"} for row in ROWS], "csv", tmp_path, "one")
    other = encode([row | {"level": 1} for row in OTHERS], "jsonl", tmp_path, "other")
    found = evidence([one, other])
    assert found.columns["confidence"].shape == (2, 2)
    assert {name: list(values) for name, values in found.strata.items()} == {"topic": ["t"] * 2, "level": ["1"] * 2}


def test_the_same_file_twice(tmp_path: Path) -> None:
    path = encode(ROWS, "csv", tmp_path)
    (tmp_path / "sub").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    for again in (path, str(path), tmp_path / "sub" / ".." / path.name, link):
        assert str(refusal([path, again], MismatchError)) == f"{again} was given twice"


def test_the_same_run_in_two_files(tmp_path: Path) -> None:
    one, other = encode(OTHERS + ROWS, "csv", tmp_path, "one"), encode(ROWS, "parquet", tmp_path, "other")
    assert str(refusal([one, other], RunInTwoFilesError)).startswith(
        f"run 'a' is in both {one} and {other}; rename one run, or"
    )


def test_a_name_given_to_two_files(tmp_path: Path) -> None:
    unnamed = [{name: cell for name, cell in row.items() if name != "run"} for row in ROWS]
    folders = [tmp_path / "x" / "same", tmp_path / "y" / "same", tmp_path / "z"]
    for folder in folders:
        folder.mkdir(parents=True)
    one, other, third = (encode(unnamed, "csv", folder) for folder in folders)
    assert evidence([one, third]).runs == ("same", "z")
    message = str(refusal([one, other], MismatchError))
    assert message == f"{one} and {other} would both become run 'same'; rename one of the files or folders"


def test_files_of_several_formats(tmp_path: Path) -> None:
    outcomes, counts = encode(ROWS, "csv", tmp_path, "outcomes"), encode(COUNTS, "csv", tmp_path, "counts")
    assert str(refusal([outcomes, counts], MismatchError)) == (
        f"{counts} is a counts table: run, correct, incorrect, unanswered, and {outcomes} is a table of answers: "
        "outcomes, or predictions and gold answers; these cannot be read together"
    )


def test_the_format_asked_for_wins(tmp_path: Path) -> None:
    both = [{"run": "a", "correct": 1, "incorrect": 0, "unanswered": 0, "id": "q1", "answer": "x"}]
    path = encode(both, "jsonl", tmp_path)
    assert isinstance(read(path, format_in="counts").data, Tally)


def test_counts_beside_outcomes_are_no_counts_table(tmp_path: Path) -> None:
    """A table with a question in each row is one of answers, whatever else its columns are called."""
    both = [row | {"correct": 1, "incorrect": 0, "unanswered": 0} for row in ROWS]
    assert isinstance(read(encode(both, "csv", tmp_path)).data, Evidence)


def test_a_file_that_is_not_of_the_format_asked_for(tmp_path: Path) -> None:
    rule = "this is not a counts table: run, correct, incorrect, unanswered (found ['run', 'question', 'outcome'])"
    assert_refused(encode(ROWS, "csv", tmp_path), "line 1", rule, format_in="counts")


def test_json_of_no_known_format(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text('{"a": 1}')
    assert_refused(path, None, "this JSON document is not from a tool that nescio knows, and it holds no list of rows")


WRAPPED = [ROWS, {"name": "mine", "results": ROWS}, {c: [r[c] for r in ROWS] for c in ROWS[0]}]


@together("wrapped", WRAPPED)
def test_rows_in_one_document_are_the_table_that_they_are_by_lines(wrapped: Any, tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(wrapped))
    assert evidence(path).digest() == evidence(encode(ROWS, "csv", tmp_path)).digest()


SENSELESS: list[tuple[dict[str, Any], str]] = [
    ({"missing": "ignore"}, "--missing takes one of error, unanswered, common, own (found 'ignore')"),
    ({"ungraded": "keep"}, "--ungraded takes one of error, exclude, incorrect, bounds (found 'keep')"),
    ({"unanswerable": "error"}, "--unanswerable takes one of correct, exclude (found 'error')"),
    (
        {"outcome_map": {"C": "right"}},
        "--outcome-map C=right: an outcome must be one of correct, incorrect, unanswered",
    ),
]


@together("options, message", SENSELESS)
def test_options_that_make_no_sense(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert str(refusal(encode(ROWS, "csv", tmp_path), UsageError, **options)).startswith(message)


def test_a_judge_for_what_is_judged_already(tmp_path: Path) -> None:
    message = str(refusal(encode(ROWS, "csv", tmp_path), UsageError, judge="exact"))
    assert message.startswith(
        "--judge is for answers that are not judged yet, but this is a table of answers: outcomes"
    )


def test_no_files() -> None:
    assert str(refusal([], UsageError)) == "no files were given"


def test_what_is_loaded_or_evidence_already_is_taken_as_it_is(tmp_path: Path) -> None:
    found = read(encode(ROWS, "csv", tmp_path))
    assert read(found) is found
    assert read(found.data).data is found.data


READING: dict[str, Any] = {
    "format_in": "outcomes",
    "judge": "exact",
    "missing": "common",
    "ungraded": "exclude",
    "unanswerable": "exclude",
    "outcome_map": {"yes": "correct"},
    "duplicates": "first",
    "declined_right": "keep",
    "refusals": "incorrect",
    "total": 9,
    "rest": "correct",
    "sheet": "one",
    "reading": "mine.toml",
    "choose": {"filter": "strict"},
    "column": {"outcome": "grade"},
    "declined_pattern": ("no idea",),
    "empty": "unanswered",
    "unparsed": "unanswered",
    "max_unpacked": 1.0,
    "max_rows": 1_000,
    "max_columns": 10,
    "max_depth": 5,
    "max_text": 1_000,
    "max_files": 3,
    "memory_limit": "2GB",
    "repeats_of": {"mine": "mine-*"},
}
MEMORY: dict[str, Any] = {
    "cluster": "topic",
    "missing_confidence": "exclude",
    "same_unit": ["seconds"],
}  # what an Evidence in memory can still be asked


@together("name", [*READING, *MEMORY])
def test_options_that_cannot_apply_to_what_is_read_already_are_refused(name: str, tmp_path: Path) -> None:
    assert {*READING, *MEMORY} == {option for option, one in Options.options.items() if not (one.edge or one.runs)}
    path = encode([row | {"topic": "t"} for row in ROWS + OTHERS], "csv", tmp_path)
    loaded = load(path)
    tally = loaded.data.tally() if isinstance(loaded.data, Evidence) else None
    for given in (loaded, loaded.data, tally):
        may = isinstance(given, Evidence) and name in MEMORY
        for function in (nescio.score, nescio.compare):
            if given is tally and function is nescio.compare:
                continue
            if may:
                function(given, "accuracy", **{name: MEMORY[name]})
                continue
            with pytest.raises(
                (UsageError, MismatchError),
                match=f"{name} applies only when files are read|no questions to cluster|rest needs total",
            ):
                function(given, "accuracy", **{name: (READING | MEMORY)[name]})
