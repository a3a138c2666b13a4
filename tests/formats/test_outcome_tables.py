"""Outcome tables: one refusal for each rule that a table can break. What each column means is in test_headers.py."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

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


def broken(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The sound table with some cells of rows changed, and with more rows at its end."""
    change, more = (json.loads(case.get(name, "[]")) for name in ("change", "more"))
    rows = [dict(row) for row in SOUND]
    for number, cells in change:
        rows[number - 1] |= cells
    return rows + [SOUND[number - 1] | cells for number, cells in more]


def as_one_kind(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with text in each column that holds both numbers and text, as a table in memory must have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    mixed = {name for name in names if any(isinstance(row.get(name), str) for row in rows)}
    return [{n: str(c) if n in mixed and c is not None else c for n, c in row.items()} for row in rows]


@pytest.mark.parametrize("encoding", ["csv", "pandas"])
def test_a_broken_twin_is_refused_by_its_row(encoding: str, tmp_path: Path) -> None:
    for name, case in BROKEN.items():
        rule = case["rule"]
        for earlier in range(1, 6):
            rule = rule.replace(f"{{{earlier}}}", line_of(earlier, encoding))
        given = encode(as_one_kind(broken(case)), encoding, tmp_path, name.replace(" ", "_"))
        assert_refused(given, line_of(case["row"], encoding), rule)


def test_without_a_run_column_the_file_is_the_run(tmp_path: Path) -> None:
    rows = [{"question": "q1", "outcome": "correct"}, {"question": "q2", "outcome": "incorrect"}]
    assert evidence(encode(rows, "csv", tmp_path, "o'brien")).runs == ("o'brien",)
    assert evidence(encode(rows, "pandas", tmp_path)).runs == ("table",)


WORDS = {"1": "correct", "0": "incorrect", "1.0": "correct", "True": "correct", "FALSE": "incorrect"}
WORDS |= {"pass": "correct", "Fail": "incorrect", "UNANSWERED": "unanswered"}


@together("word", WORDS)
def test_other_words_for_outcomes_are_announced(word: str, tmp_path: Path) -> None:
    found = read(encode([SOUND[0] | {"outcome": word}, *SOUND[1:]], "csv", tmp_path))
    assert in_words(found.notes) == (f"1 row: outcome {word!r} read as {WORDS[word]}",)
    assert found.data.columns[WORDS[word]][0, 0] == 1


def test_a_column_that_is_no_stratum_cannot_be_asked_for(tmp_path: Path) -> None:
    given = encode([row | {"note": row["run"]} for row in SOUND], "csv", tmp_path)
    message = str(refusal(given, MismatchError, strata=("note",)))
    assert message == (
        f"'note' cannot divide the questions into strata: question 'q1' has two values, 'a' ({given}, line 2) and 'b' ({given}, line 4)"
    )


def test_a_graded_column_is_measured_by_its_mean(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("run,question,outcome,f1\na,1,correct,0.5\na,2,incorrect,\na,3,unanswered,0\n")
    scores = nescio.score(path, ["mean(f1)", "accuracy"], ci=None)
    assert [(row.value, row.n) for row in scores] == [(0.25, 2), (1 / 3, 3)]
    path.write_text("run,question,outcome,f1\na,1,correct,0.5\na,2,incorrect,high\n")
    with pytest.raises(nescio.FormatError, match=r"line 3: mean\(f1\) reads this column.*found 'high'"):
        nescio.score(path, "mean(f1)")
    assert nescio.score(path, "accuracy", ci=None).rows[0].value == 0.5  # nobody asked for f1
