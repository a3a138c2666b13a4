"""Several responses to each document in logs of lm-evaluation-harness (`repeats`): what are repeats, and what are not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError

IN_PYTHON = True  # messages are quoted as Python has them

SAID = [["4", "5", "4"], ["5", "5", "5"], ["4", "", "4"], ["4", "4", "4"]]
# By hand: of three responses 2, 0, 2 and 3 are right, one is silent: A = (2/3 + 0 + 2/3 + 1)/4 = 7/12, U = 1/12;
# pass@2 = (1 + 0 + 1 + 1)/4, pass^2 = (1/3 + 0 + 1/3 + 1)/4.
VALUES = {"accuracy": 7 / 12, "c@1": 7 / 12 * 13 / 12, "pass@k(k=2)": 3 / 4, "pass^k(k=2)": 5 / 12}


def samples(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path = folder / "samples_sums_2026-01-01T00-00-00.jsonl"
    held = {"doc": {"question": "2+2?"}, "target": "4", "filter": "none", "metrics": ["exact_match"]}
    path.write_text("".join(json.dumps({**held, **row}) + "\n" for row in rows))
    return path


def listed(said: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """A row for each document, with a grade for each response."""
    return [
        {
            "doc_id": doc,
            "resps": [responses],
            "filtered_resps": [responses],
            "exact_match": [float(text == "4") for text in responses],
        }
        for doc, responses in enumerate(said)
    ]


def one_by_one(said: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """A row for each response, and its document's number again."""
    return [
        {"doc_id": doc, "resps": [[text]], "filtered_resps": [text], "exact_match": float(text == "4")}
        for doc, responses in enumerate(said)
        for text in responses
    ]


@pytest.mark.parametrize("rows", [listed, one_by_one])
def test_graded_responses_are_repeats(tmp_path: Path, rows: Any) -> None:
    scores = nescio.score(samples(tmp_path, rows(SAID)), list(VALUES), ci=None)
    assert {row.measure: row.value for row in scores} == pytest.approx(VALUES)
    assert {row.n for row in scores} == {4}
    assert "lm_eval.repeats" in {note.code for note in scores.notes}


def test_a_file_that_holds_its_rows_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="appears twice"):
        nescio.score(samples(tmp_path, one_by_one([["4", "4"], ["5", "5"]])), ci=None)


def test_documents_with_differently_many_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="appears twice"):
        nescio.score(samples(tmp_path, one_by_one([["4", "5"], ["5"]])), ci=None)


def test_one_grade_of_several_responses_is_said_to_be_one(tmp_path: Path) -> None:
    """The default filter takes the first response, and the harness grades that."""
    rows = [{**row, "filtered_resps": [row["resps"][0][0]], "exact_match": 1.0} for row in listed(SAID)]
    scores = nescio.score(samples(tmp_path, rows), "accuracy", ci=None)
    assert scores.rows[0].value == 1.0
    assert "lm_eval.one_graded" in {note.code for note in scores.notes}
    assert "lm_eval.repeats" not in {note.code for note in scores.notes}


def test_lists_that_a_figure_of_the_task_is_made_from_are_no_grades(tmp_path: Path) -> None:
    """BLEU and F1 keep pairs of texts or numbers, of one response."""
    rows = [{**row, "exact_match": 1.0, "f1": [1, 0], "metrics": ["exact_match", "f1"]} for row in one_by_one([["4"]])]
    scores = nescio.score(samples(tmp_path, rows), "accuracy", ci=None)
    assert scores.rows[0].n == 1
    assert "lm_eval.repeats" not in {note.code for note in scores.notes}
