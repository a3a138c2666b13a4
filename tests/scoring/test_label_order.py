"""The interval of a look rests on the order in which people judged the answers of the run, and on no other run."""

from __future__ import annotations

from typing import Any

import numpy as np

import nescio


def test_labels_of_another_run_do_not_change_the_order_of_labels() -> None:
    rng = np.random.default_rng(3)
    answers: list[dict[str, Any]] = []
    labels: dict[str, list[dict[str, Any]]] = {}
    for run in ("a", "b"):
        right, judged = (rng.random((2, 80)) < 0.7).tolist()
        outcome = [("incorrect", "correct")[one] for one in judged]
        answers += [{"run": run, "question": f"q{i}", "outcome": outcome[i]} for i in range(80)]
        labels[run] = [
            {"run": run, "question": f"q{i}", "verdict": ("incorrect", "correct")[right[i]]} for i in range(40)
        ]
    labels["a"].reverse()

    def interval(given: list[dict[str, Any]]) -> tuple[float, float]:
        found = nescio.labels.look(answers, "accuracy", labels=given, limit=0.5)
        return next((row.low, row.high) for row in found.rows if row.run == "b")

    # All labels of a come before those of b, or after them.
    assert interval(labels["a"] + labels["b"]) == interval(labels["b"] + labels["a"])


def test_looks_that_contradict_each_other_cannot_tell() -> None:
    """People first judge what is right: a look at these labels refutes the score that all labels show."""
    answers = [{"run": "a", "question": f"q{i}", "outcome": "correct"} for i in range(200)]
    right = [{"question": f"q{i}", "verdict": "correct"} for i in range(60)]
    wrong = [{"question": f"q{i}", "verdict": "incorrect"} for i in range(60, 120)]
    (row,) = nescio.labels.look(answers, "accuracy", labels=[*right, *wrong], limit=0.7).rows
    assert row.verdict.startswith("cannot tell, as the looks contradict each other")
    mixed = [one for pair in zip(right, wrong, strict=True) for one in pair]
    (row,) = nescio.labels.look(answers, "accuracy", labels=mixed, limit=0.7).rows
    assert row.verdict == "stop: below 0.7"


def test_a_corrected_score_beyond_what_the_labels_leave_possible_contradicts_no_look() -> None:
    rng = np.random.default_rng(8)
    right = rng.random(30) < 0.7
    judged = np.where(rng.random(30) < 0.9, right, ~right)
    words = ("incorrect", "correct")
    answers = [{"run": "a", "question": f"q{i}", "outcome": words[int(one)]} for i, one in enumerate(judged)]
    labels = [{"question": f"q{i}", "verdict": words[int(right[i])]} for i in rng.permutation(30)[:28]]
    (row,) = nescio.labels.look(answers, "accuracy", labels=labels, limit=0.2).rows
    assert row.value > row.high
    assert row.verdict == "stop: above 0.2"
