"""Scores by single questions, of every task: the whole stands first, and single questions have no intervals."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio

EXAMPLES = Path(__file__).parents[2] / "examples"


def table(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(rows) + "\n")
    return path


def test_outcomes(tmp_path: Path) -> None:
    path = table(tmp_path / "o.csv", "run,question,outcome", "a,q2,correct", "a,q1,unanswered", "b,q2,incorrect")
    scores = nescio.score(path, "c@1", by="question", missing="unanswered")
    rows = [(row.run, row.stratum, row.value, row.low) for row in scores if row.stratum]
    assert sorted(rows) == [("a", "q1", 0, None), ("a", "q2", 1, None), ("b", "q1", 0, None), ("b", "q2", 0, None)]
    whole = [row for row in scores if row.stratum is None]
    assert {row.run: row.value for row in whole} == {"a": 0.75, "b": 0}  # (1 + 1/2) / 2
    assert all(row.low is not None for row in whole)


def test_repeats_of_a_question_are_one_question(tmp_path: Path) -> None:
    rows = [f"a,q,{n},{outcome}" for n, outcome in enumerate(["correct", "correct", "incorrect", "unanswered"])]
    scores = nescio.score(table(tmp_path / "o.csv", "run,question,repeat,outcome", *rows), "accuracy", by="question")
    assert [(row.stratum, row.value) for row in scores] == [(None, 0.5), ("q", 0.5)]


def test_answers_of_a_question_stand_with_it(tmp_path: Path) -> None:
    answers = [
        f'<q id="{q}" lang="EN"><q_str>?</q_str>'
        + "".join(
            f'<a id="{q}_{a}" value="{"VALIDATED" if a == 1 else "REJECTED"}"><a_str>{q} {a}</a_str><t_str>t</t_str></a>'
            for a in (1, 2)
        )
        + "</q>"
        for q in (1, 2)
    ]
    gold = table(tmp_path / "gold.xml", f"<ave>{''.join(answers)}</ave>")
    run = table(tmp_path / "run.txt", "1 1_1 SELECTED 1", "1 1_2 REJECTED 0", "2 2_1 VALIDATED 0", "2 2_2 SELECTED 1")
    scores = nescio.score([gold, run], ["ave.precision", "ave.qa_accuracy"], by="question")
    values = {(row.measure, row.stratum): row.value for row in scores}
    assert values == {
        ("ave.precision", None): pytest.approx(2 / 3),
        ("ave.precision", "1"): 1,
        ("ave.precision", "2"): 0.5,
        ("ave.qa_accuracy", None): 0.5,
        ("ave.qa_accuracy", "1"): 1,
        ("ave.qa_accuracy", "2"): 0,
    }


def test_what_has_no_use_for_single_questions_says_so(tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match="the page already lists every question"):
        nescio.report(EXAMPLES / "outcomes.csv", "c@1", by="question", output=tmp_path / "r.html")
    with pytest.raises(nescio.UsageError, match='leave by="question" out'):
        nescio.score(EXAMPLES / "outcomes.csv", "c@1", by="question", labels=EXAMPLES / "people.csv")
    with pytest.raises(nescio.MismatchError, match="has no questions"):
        nescio.score(EXAMPLES / "table3.csv", "c@1", by="question")
