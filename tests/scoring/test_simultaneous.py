"""Intervals that hold for all runs together, and so for the one that is picked as the best: those of a level that is
shared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import beta, multinomial

import nescio
from nescio.data.evidence import outcome_tally
from nescio.measures import parse
from nescio.scoring.confidence_intervals import ResamplingPlan, bounds, method_for
from nescio.scoring.samples import measure_inputs
from nescio.stats import resampling
from nescio.verbs._gates import Limit, score_gates
from tests.comparison.runs import evidence, matrix

THREE = {"a": "C" * 40 + "W" * 12 + "U" * 8, "b": "C" * 38 + "W" * 20 + "U" * 2, "c": "C" * 30 + "W" * 10 + "U" * 20}
COUNTED, ORDERED = ("c@1", "coverage", "UF", "precision"), ("AUROC", "ECE", "AURC")


def ordered(**runs: str) -> Any:
    data = evidence(**runs)
    shape = data.columns["correct"].shape
    sure = (np.random.default_rng(3).random(shape) + 0.3 * data.columns["correct"]) / 1.3
    return replace(data, columns={**data.columns, "confidence": sure})


@pytest.mark.parametrize(
    ("measure", "part", "whole"), [("coverage", 52, 60), ("accuracy", 40, 60), ("precision", 40, 52)]
)
def test_a_share_has_the_exact_interval(measure: str, part: int, whole: int) -> None:
    """One of three runs: Clopper & Pearson, each side at .05/6; by statsmodels too, where that is installed."""
    row = next(row for row in nescio.score(evidence(**THREE), measure, simultaneous=True) if row.run == "a")
    tail = 0.05 / 6
    ends = beta.ppf(tail, part, whole - part + 1), beta.ppf(1 - tail, part + 1, whole - part)
    assert (row.low, row.high) == pytest.approx(ends, abs=1e-12)
    assert row.interval == "clopper-pearson"
    exact = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    assert (row.low, row.high) == pytest.approx(exact(part, whole, alpha=0.05 / 3, method="beta"), abs=1e-9)


def test_the_hull_of_three_posteriors_is_the_exact_interval_of_a_proportion() -> None:
    """To the noise of 200,000 draws; and beyond a proportion it holds the posterior of Jeffreys."""
    samples, _ = measure_inputs(evidence(**THREE), [parse("accuracy"), parse("c@1")])
    plan = ResamplingPlan(0.95, resampling.blocks(200_000, 1))
    of_hull, of_dirichlet = (
        bounds(samples, dict.fromkeys(("accuracy", "c@1"), method), plan) for method in ("imprecise", "dirichlet")
    )
    for sample, (low, high, _), (least, most, _) in zip(samples, of_hull, of_dirichlet, strict=True):
        assert low < least < most < high
        if sample.measure.label == "accuracy":
            right = round(60 * sample.value)
            ends = beta.ppf(0.025, right, 61 - right), beta.ppf(0.975, right + 1, 60 - right)
            assert (low, high) == pytest.approx(ends, abs=6e-4)


@pytest.mark.parametrize("right", [0.5, 0.8, 0.97, 0.99])
@pytest.mark.parametrize("name", ["accuracy", "c@1", "UF"])
def test_all_of_thirty_runs_hold_together(name: str, right: float) -> None:
    """20 questions, 40% of what is not right silent, by enumeration: .95 of 30 runs that have nothing in common; the
    plain intervals at this level hold .66 (accuracy at .99)."""
    measure, level, shares = parse(name), 1 - 0.05 / 30, np.array([right, 0.6 * (1 - right), 0.4 * (1 - right)])
    outcomes = [(20 - w - u, w, u) for w in range(21) for u in range(21 - w)]
    chances = multinomial.pmf(outcomes, 20, shares)
    likely = [i for i, chance in enumerate(chances) if chance > 1e-7]
    tally = outcome_tally(tuple(map(str, likely)), np.array([outcomes[i] for i in likely]))
    samples, _ = measure_inputs(tally, [measure])
    true = float(measure(*(round(10_000 * share) for share in shares)))
    plan = ResamplingPlan(level, resampling.blocks(6_000, 1), shared=True)
    found = bounds(samples, {name: method_for(measure, "auto", clustered=False, shared=True)}, plan)
    missed = sum(chances[i] for i, (low, high, _) in zip(likely, found, strict=True) if not low <= true <= high)
    assert (1 - missed) ** 30 >= 0.95


@pytest.mark.parametrize(
    ("measure", "clustered"),
    [*((name, True) for name in (*COUNTED, *ORDERED)), *((name, False) for name in ORDERED)],
)
def test_they_are_those_of_a_third_of_the_error(measure: str, clustered: bool) -> None:
    """Where intervals are not of counts; also where another sample is predicted, which none of an order is."""
    data = ordered(**THREE)
    data = replace(data, clusters=np.arange(60) // 4) if clustered else data
    how: dict[str, Any] = {"resamples": 700, "next": 60}
    together = nescio.score(data, measure, simultaneous=True, **how)
    apart = nescio.score(data, measure, ci=100 * (1 - 0.05 / 3), **how)
    alone = nescio.score(data, measure, **how)
    for one, same, less in zip(together, apart, alone, strict=True):
        assert (one.run, one.value, one.low, one.high) == (same.run, same.value, same.low, same.high)
        assert one.low is not None
        assert one.high is not None
        if not math.isnan(one.low):
            assert one.low <= (less.low or 0)
            assert one.high >= (less.high or 0)
    predicted = [(row.low, row.high) for row in together.tables["next_sample"]]
    np.testing.assert_array_equal(predicted, [(row.low, row.high) for row in apart.tables["next_sample"]])
    codes = {note.code for note in together.notes}
    assert "interval.simultaneous" in codes
    assert ("next.together" in codes, "next.about" in codes) == (True, False)
    assert (together.signature["ci"], together.signature["simultaneous"]) == ("95", "3")


@pytest.mark.parametrize("measure", ["c@1", "UF", "precision", "accuracy"])
def test_intervals_of_counts_hold_those_of_their_run_alone(measure: str) -> None:
    together, apart = (
        nescio.score(evidence(**THREE), measure, ci=ci, simultaneous=ci == 95, next=60)
        for ci in (95, 100 * (1 - 0.05 / 3))
    )
    for one, less in zip(together, apart, strict=True):
        assert one.low is not None
        assert one.high is not None
        assert one.low <= (less.low or 0) <= (less.high or 0) <= one.high
    for row, less in zip(together.tables["next_sample"], apart.tables["next_sample"], strict=True):
        assert row.low <= less.low <= less.high <= row.high


def test_one_run_alone_is_as_ever() -> None:
    alone = evidence(a=THREE["a"])
    one, same = nescio.score(alone, "c@1", simultaneous=True), nescio.score(alone, "c@1")
    assert one.rows == same.rows
    assert "interval.simultaneous" not in {note.code for note in one.notes}


def test_it_is_that_of_the_report_of_the_best() -> None:
    """Which shares the level as well; of percentiles, too, whose ends are a quantile of draws that are far out."""
    from nescio.reporting.page.report_data import gather

    rows = [
        {"run": run, "question": f"q{i}", "outcome": {"C": "correct", "W": "incorrect", "U": "unanswered"}[letter]}
        for run, letters in THREE.items()
        for i, letter in enumerate(letters)
    ]
    chosen = gather(rows, ["c@1"]).chosen
    assert chosen is not None
    best = next(row for row in nescio.score(rows, "c@1", simultaneous=True) if row.run == chosen.run)
    assert (best.low, best.high) == (chosen.low, chosen.high)


def test_ends_far_out_are_drawn_often_enough() -> None:
    """30 runs, each at 1 - .05/30: five draws beyond an end take 6,000 of them, however few were asked for."""
    rng = np.random.default_rng(1)
    data = matrix(*rng.random((40, 30)).tolist())
    assert {row.interval for row in nescio.score(data, "mean(score)", simultaneous=True)} == {"t"}
    found = nescio.score(data, "mean(score)", resamples=100, simultaneous=True, interval="percentile")
    assert found.signature["resamples"] == "6000"
    same = nescio.score(data, "mean(score)", resamples=6_000, ci=100 * (1 - 0.05 / 30), interval="percentile")
    assert [(row.low, row.high) for row in found] == [(row.low, row.high) for row in same]
    with pytest.raises(nescio.UsageError, match=r"takes 300,000 resamples for mean\(score\), and nescio draws 200,000"):
        nescio.score(data, "mean(score)", ci=99.9, simultaneous=True, interval="percentile", resamples=100)


def test_gates_rest_on_them() -> None:
    """Of run a: at least .6 alone, which is not to be told where it may have been picked out of three."""
    data = evidence(**THREE)
    (alone,) = (row for row in nescio.score(data, "c@1") if row.run == "a")
    assert alone.low is not None
    limit = Limit("c@1", alone.low - 1e-6)
    statuses = {}
    for simultaneous in (False, True):
        gate = next(one for one in score_gates(nescio.score(data, "c@1", simultaneous=simultaneous), [limit]))
        statuses[simultaneous] = gate.status
        assert ("for all 3 runs together" in gate.said) == simultaneous
    assert statuses == {False: 0, True: 3}


def test_a_threshold_of_one_run_of_several() -> None:
    """Held-out scores at a shared level; and the bound of 20 thresholds of 3 runs, by Clopper & Pearson."""
    rows = [
        {
            "run": run,
            "question": f"q{i}",
            "outcome": "correct" if i % 9 else "incorrect",
            "confidence": (i * 7 % 90) / 90,
        }
        for run in "xyz"
        for i in range(90)
    ]
    shared, same = (nescio.tune(rows, "c@1", run="x", next=50, simultaneous=shares) for shares in (True, False))
    (one,), (alone,) = shared.rows, same.rows
    assert one.value == alone.value
    assert (one.low or 1) < (alone.low or 0) < (alone.high or 1) < (one.high or 0)
    assert {note.code for note in shared.notes} >= {"interval.simultaneous", "next.together"}
    (row,) = nescio.tune(rows, "c@1", run="x", max_risk=0.4, simultaneous=True).rows
    accepted = round(row.coverage * 90)
    wrong = round(row.risk * accepted)
    assert row.risk_upper == pytest.approx(beta.ppf(1 - 0.05 / 60, wrong + 1, accepted - wrong), abs=1e-12)


@pytest.mark.parametrize(
    ("verb", "how"),
    [(nescio.score, {"ci": None}), (nescio.tune, {"ci": None, "run": "a"}), (nescio.score, {"suite_by": "topic"})],
)
def test_what_it_cannot_go_with(verb: Any, how: dict[str, Any]) -> None:
    rows = [{"run": run, "question": "q", "topic": "x", "outcome": "correct", "confidence": 0.5} for run in "ab"]
    with pytest.raises(nescio.UsageError, match="simultaneous"):
        verb(rows, simultaneous=True, **how)
