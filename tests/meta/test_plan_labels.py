"""How many labels: the worked figures, and plans that come true."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import MismatchError, UsageError
from tests.rings import together

STATED: dict[str, Any] = {"spread": math.sqrt(0.4), "correlation": 0.7, "questions": 1000, "target": "collection"}


def test_the_worked_figures() -> None:
    """242 labels for a half width of .05 (people alone 383), 202 for .08 with power .8 (331): tests/stats/figures.toml."""
    (row,) = nescio.plan_labels(**STATED, half_width=0.05)
    assert (row.labels, row.people_alone, row.answers) == (242, 383, 1000)
    (row,) = nescio.plan_labels(**STATED, difference=0.08, power=0.8)
    assert (row.labels, row.people_alone) == (202, 331)
    (other,) = nescio.plan_labels(**STATED, difference=-0.08)
    assert other.labels == row.labels


def test_what_no_number_of_labels_reaches() -> None:
    """Of 1,000 questions of a spread of √.4 the half width is t·√(.4/1000) = .0392 when all are labelled."""
    stated = {**STATED, "target": "population"}
    plan = nescio.plan_labels(**stated, half_width=0.039)
    assert plan.rows[0].labels is None
    assert plan.rows[0].narrowest == pytest.approx(1.9623438 * 0.02, abs=1e-8)
    assert any("labels on all 1000 answers would not be enough" in str(note) for note in plan.notes)
    (row,) = nescio.plan_labels(**stated, half_width=0.06)
    assert row.labels is not None
    assert row.labels < 1000


def test_a_difference_needs_a_spread() -> None:
    """Verdicts that differ by .15 on average have a variance of .15 · .85 or more, whatever spread is stated."""
    stated: dict[str, Any] = {"correlation": 0.522, "questions": 800, "difference": 0.15}
    (small,), (least,) = (nescio.plan_labels(spread=spread, **stated) for spread in (0.325, math.sqrt(0.1275)))
    assert small.labels == least.labels


def test_fewer_than_three_answers_cannot_be_planned_for() -> None:
    with pytest.raises(MismatchError, match="only 2 answers could be labelled"):
        nescio.plan_labels(**{**STATED, "questions": 2}, half_width=0.1)


def first(people: list[dict[str, str]], questions: int) -> list[dict[str, str]]:
    return [row for row in people if int(row["question"][1:]) < questions]


@cache
def made(n: int = 1500, seed: int = 1) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Outcomes of two runs by a judge that goes with people nine times in ten, and people's verdicts on all."""
    rng = np.random.default_rng(seed)
    outcomes, people = [], []
    for i in range(n):
        for run, right in (("new", 0.7), ("old", 0.6)):
            silent = rng.random() < 0.15
            y = bool(rng.random() < right)
            f = y if rng.random() < 0.9 else not y
            word = "unanswered" if silent else "correct" if f else "incorrect"
            outcomes.append({"run": run, "question": f"q{i}", "outcome": word})
            if not silent:
                people.append({"run": run, "question": f"q{i}", "verdict": "correct" if y else "incorrect"})
    return outcomes, people


@pytest.mark.parametrize("target", ["collection", "population"])
@pytest.mark.parametrize(("baseline", "half_width"), [(None, 0.035), ("old", 0.055)])
def test_a_plan_comes_true(target: str, baseline: str | None, half_width: float) -> None:
    """A pilot of 300 questions says how many it takes, and with so many the half width is as planned, within 10%."""
    outcomes, people = made()
    options: dict[str, Any] = {"target": target, "measures": "c@1"}
    (row,) = nescio.plan_labels(
        outcomes, labels=first(people, 300), run="new", baseline=baseline, half_width=half_width, **options
    )
    assert row.labels is not None
    labels = first(people, round(row.labels * 1500 / row.answers))
    if baseline:
        (pair,) = nescio.compare(outcomes, labels=labels, baseline=baseline, **options).rows
        low, high = pair.low, pair.high
    else:
        score = nescio.score(outcomes, labels=labels, **options)["new", "c@1"]
        low, high = score.low, score.high
    assert low is not None
    assert high is not None
    assert (high - low) / 2 == pytest.approx(half_width, rel=0.1)
    assert row.people_alone is None or row.people_alone > row.labels


def test_before_there_are_labels_the_judge_stands_for_people() -> None:
    outcomes, people = made()
    stated = nescio.plan_labels(outcomes, "accuracy", run="new", correlation=0.78, half_width=0.05)
    known = nescio.plan_labels(outcomes, "accuracy", labels=people[:300], run="new", half_width=0.05)
    assert stated.rows[0].spread == pytest.approx(known.rows[0].spread, abs=0.03)
    assert stated.rows[0].labels == pytest.approx(known.rows[0].labels, rel=0.25)
    assert any("no labels are given" in str(note) for note in stated.notes)


@pytest.mark.parametrize("half_width", [0.03, 0.08, 5])
@pytest.mark.parametrize("baseline", [None, "old"])
def test_labels_are_shared_by_answers_times_spread(half_width: float, baseline: str | None) -> None:
    outcomes, people = made()
    how: dict[str, Any] = {"run": "new", "baseline": baseline, "half_width": half_width, "target": "collection"}
    plan = nescio.plan_labels(outcomes, "accuracy", labels=people, **how)
    shares, total = plan.tables["shares"], plan.rows[0].labels
    assert sum(row.labels for row in shares) == total
    assert any("is for a simple random sample" in str(note) for note in plan.notes)
    assert all(0 <= row.labels <= row.answers for row in shares)
    if half_width == 0.03 and baseline is None:
        weights = [row.answers * row.spread for row in shares]
        for row, weight in zip(shares, weights, strict=True):
            assert abs(row.labels - total * weight / sum(weights)) < 1


@together(
    "options, message",
    [
        ({"half_width": 0.1}, "starts from judged answers"),
        ({**STATED}, "a plan needs a goal: give either half_width or difference"),
        ({**STATED, "half_width": 0.1, "difference": 0.1}, "half.width cannot be used with -*difference"),
        ({**STATED, "half_width": 0}, "half.width takes a number, above 0"),
        ({**STATED, "half_width": 0.1, "correlation": 1.0}, "correlation=1 would mean"),
        ({**STATED, "difference": 0.1, "power": 0.01}, "power=0.01 must be above alpha=0.05"),
        ({**STATED, "half_width": 0.1, "target": "all"}, "target takes one of collection, population"),
    ],
)
def test_what_makes_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nescio.plan_labels(**options)


@together(
    "options, message",
    [
        ({"run": "new"}, "without labels, it is unknown"),
        ({"labels": 100}, "there are 2 runs; name the run to plan for"),
        ({"labels": 100, "run": "new", "spread": 0.5}, "spread cannot be used with a pilot"),
        ({"labels": 2, "run": "new"}, "too few to plan with"),
    ],
)
def test_what_makes_no_sense_with_files(options: dict[str, Any], message: str) -> None:
    outcomes, people = made(20)
    given = {"labels": people[: options["labels"]]} if "labels" in options else {}
    with pytest.raises((UsageError, MismatchError), match=message):
        nescio.plan_labels(outcomes, half_width=0.1, **{**options, **given})


def test_a_plan_by_labels_with_probabilities_says_that_it_does_not_weigh_them() -> None:
    outcomes, people = made()
    for odds, told in (({}, False), ({"inclusion": 0.5}, True)):
        labels = [row | odds for row in first(people, 100)]
        plan = nescio.plan_labels(outcomes, "accuracy", labels=labels, run="new", half_width=0.05)
        assert ("plan.inclusion" in {note.code for note in plan.notes}) == told
