"""Intervals that hold for all runs together, and so for the one that is picked as the best: those of a level that is
shared."""

from __future__ import annotations

from itertools import product
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
from tests.comparison.runs import evidence
from tests.rings import sample

THREE = {"a": "C" * 40 + "W" * 12 + "U" * 8, "b": "C" * 38 + "W" * 20 + "U" * 2, "c": "C" * 30 + "W" * 10 + "U" * 20}


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


@pytest.mark.parametrize(
    ("counts", "runs", "ends"),
    [
        ((25, 12, 13), 2, (0.4413, 0.7890)),
        ((21, 22, 7), 5, (0.2847, 0.6751)),
        ((30, 10, 10), 40, (0.4625, 0.8979)),
    ],
)
def test_the_hull_of_c_at_1(counts: tuple[int, int, int], runs: int, ends: tuple[float, float]) -> None:
    """By quadrature, in a script of somebody who had not seen this one; it holds the posterior of Jeffreys."""
    right, wrong, silent = counts
    data = evidence(**{f"r{i}": "C" * right + "W" * wrong + "U" * silent for i in range(runs)})
    row = nescio.score(data, "c@1", simultaneous=True, mark=False).rows[0]
    assert (row.low, row.high) == pytest.approx(ends, abs=2e-4)
    alone = nescio.score(data, "c@1", ci=100 * (1 - 0.05 / runs), mark=False).rows[0]
    assert ends[0] < (alone.low or 0) < (alone.high or 0) < ends[1]


@pytest.mark.proof
@pytest.mark.parametrize(("name", "right"), sample(product(("accuracy", "c@1", "UF"), (0.5, 0.8, 0.97, 0.99)), 2))
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
    plan = ResamplingPlan(level, resampling.blocks(6_000, 1))
    found = bounds(samples, {name: method_for(measure, "auto", clustered=False, shared=True)}, plan)
    missed = sum(chances[i] for i, (low, high, _) in zip(likely, found, strict=True) if not low <= true <= high)
    assert (1 - missed) ** 30 >= 0.95


@pytest.mark.parametrize(
    ("measure", "clustered"),
    [*((name, True) for name in ("c@1", "coverage", "AUROC")), *((name, False) for name in ("AUROC", "ECE", "AURC"))],
)
def test_they_are_those_of_a_third_of_the_error(measure: str, clustered: bool) -> None:
    data = ordered(**THREE)
    data = replace(data, clusters=np.arange(60) // 4) if clustered else data
    how: dict[str, Any] = {"resamples": 700, "next": 60}
    together = nescio.score(data, measure, simultaneous=True, **how)
    apart = nescio.score(data, measure, ci=100 * (1 - 0.05 / 3), **how)
    assert [repr(row) for row in together] == [repr(row) for row in apart]
    predicted, others = ([(r.low, r.high) for r in found.tables["next_sample"]] for found in (together, apart))
    np.testing.assert_array_equal(predicted, others)
    codes = {note.code for note in together.notes}
    assert "interval.simultaneous" in codes
    assert ("next.together" in codes, "next.about" in codes) == (True, False)
    assert (together.signature["ci"], together.signature["simultaneous"]) == ("95", "3")


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
    [
        (nescio.score, {"ci": None}),
        (nescio.tune, {"ci": None, "run": "a"}),
        (nescio.score, {"suite_by": "topic"}),
        (nescio.score, {"interval": "dirichlet"}),
    ],
)
def test_what_it_cannot_go_with(verb: Any, how: dict[str, Any]) -> None:
    rows = [{"run": run, "question": "q", "topic": "x", "outcome": "correct", "confidence": 0.5} for run in "ab"]
    with pytest.raises(nescio.UsageError, match="simultaneous"):
        verb(rows, simultaneous=True, **how)
