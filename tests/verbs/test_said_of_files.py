"""Messages of decisions name the file, and say what it has and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import NescioError

EXAMPLES = Path(__file__).parents[2] / "examples"
COSTS, CASCADE, OUTCOMES = (EXAMPLES / name for name in ("costs.csv", "cascade.csv", "outcomes.csv"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: nescio.score(COSTS, "price_per_right(nope)"),
            r"price_per_right\(nope\): .*costs.csv: there is no column 'nope'; columns are .*, cost_usd, seconds",
        ),
        (lambda: nescio.score(COSTS, "price_per_right"), r"there is no column 'cost'; columns are .*, cost_usd"),
        (
            lambda: nescio.cascade(CASCADE, cost="nope", right=1),
            r"cost: .*cascade.csv: there is no column 'nope'; columns are .*cost_usd",
        ),
        (
            lambda: nescio.score(EXAMPLES / "new-sample.csv", pool=OUTCOMES),
            r"pool: .*outcomes.csv has 3 runs \(mine, old, other\), and one older run corrects",
        ),
        (
            lambda: nescio.score(
                EXAMPLES / "new-sample.csv", pool=[{"run": "o", "question": "x", "outcome": "correct"}]
            ),
            r"pool: the older run of the table has none of the questions of run 'new': .* 'x' there",
        ),
        (lambda: nescio.items(OUTCOMES), r"outcomes.csv: 3 runs say nothing about items"),
        (
            lambda: nescio.cascade(asked_twice(), systems=["a", "b"]),
            r"the table: a cascade asks each system once.*one answer of each system.*vote first",
        ),
    ],
)
def test_what_is_wrong_with_which_file(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(NescioError, match=said):
        call()


def asked_twice() -> list[dict[str, Any]]:
    return [
        {"run": run, "question": f"q{i}", "repeat": k, "outcome": "correct", "confidence": 0.5}
        for run in "ab"
        for i in range(3)
        for k in range(2)
    ]


def test_a_sheet_that_nobody_filled_in(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("run,question,verdict\nmine,lighthouse-what,\nmine,lighthouse-when,\n")
    with pytest.raises(NescioError, match=r"sheet.csv: none of 2 verdicts is filled in"):
        nescio.score(OUTCOMES, labels=sheet)


def test_columns_that_may_be_the_confidence_are_named() -> None:
    """Three columns of numbers speak of a confidence; one of words does too, and is none."""
    rows = [
        {"id": f"q{i}", "question": f"Who is {i}?", "gold": "a", "prediction": "b", "verbal_confidence": 0.1 * i}
        | {"logit_confidence": -0.2 * i, "confidence_in_words": "sure"}
        for i in range(4)
    ]
    said = {note.code: note.text for note in nescio.score(rows, "accuracy", ci=None, judge="exact").notes}
    assert "'verbal_confidence'; 'logit_confidence'" in said["table.confidences"]
    assert "in_words" not in said["table.confidences"]
    named = nescio.score(rows, "accuracy", ci=None, judge="exact", column={"confidence": "logit_confidence"})
    assert "table.confidences" not in {note.code for note in named.notes}


def test_labels_of_silence_are_counted_whatever_they_say() -> None:
    """Of 104 labels 14 are of questions without an answer, where the judge and people agree."""
    table = [EXAMPLES / "questions.jsonl", *sorted((EXAMPLES / "runs").glob("*.jsonl"))]
    found = nescio.score(table, "accuracy", labels=EXAMPLES / "people.csv")
    said = {note.code: dict(note.values) for note in found.notes}
    assert (said["labels.about"]["labels"], said["labels.of_silence"]["labels"]) == (90, 14)


def test_advice_says_why_a_measure_decides(tmp_path: Path) -> None:
    """Grades of SimpleQA are scored by its own F first; outcome tables need no word."""
    graded = tmp_path / "graded.csv"
    grades = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
    rows = (f"q{i},t,p,{grades[i % 3]}\n" for i in range(60))
    graded.write_text("problem,target,predicted_answer,grade\n" + "".join(rows))
    notes = {note.code: note.text for note in nescio.advise(graded, resamples=200).notes}
    assert "decides, as files of the format" in notes["advise.measure"]
    assert "advise.measure" not in {note.code for note in nescio.advise(OUTCOMES, resamples=200).notes}
    assert "advise.measure" not in {note.code for note in nescio.advise(graded, measures="c@1", resamples=200).notes}
