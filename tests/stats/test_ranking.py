"""Few clusters, paired differences and P(best), derived by hand and worked by an independent script."""

from __future__ import annotations

from math import nan
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.special import ndtri

import nescio
from nescio.data.patterns import Patterns, compress
from nescio.estimating.measured import moved_by
from nescio.measures import parse
from nescio.stats.few_units import unit_error
from nescio.stats.ranking import axes_of, rank_probabilities, true_values
from tests.comparison.runs import evidence


def test_ties_share_the_first_place_and_their_ranks() -> None:
    values = np.array([[0.9, 0.5, 0.2], [0.9, 0.4, 0.3], [0.1, 0.5, nan]])
    best, ranks = rank_probabilities(values)
    assert best == pytest.approx([(1 / 2 + 1 / 2) / 3, (1 / 2 + 0 + 1) / 3, (0 + 1 / 2 + 0) / 3])
    assert ranks == pytest.approx([(1.5 + 1.5 + 2) / 3, (1.5 + 3 + 1) / 3, (3 + 1.5 + 3) / 3])
    lowest, _ = rank_probabilities(values, lower_is_better=True)
    assert lowest == pytest.approx([(0 + 0 + 1) / 3, (0 + 1 + 0) / 3, (1 + 0 + 0) / 3])


def test_a_run_without_a_value_has_no_chance() -> None:
    best, ranks = rank_probabilities(np.array([[0.5, 0.6], [nan, nan]]))
    assert best[0] == 1.0
    assert ranks[0] == 1.0
    assert np.isnan([best[1], ranks[1]]).all()


X, Y = "CCWUCCWWUCCCCCCUWCWCCCUUCWCCUW", "WWWUWCWWUWCCCUWWWCWUCUUWWWCWUW"
CLUSTERS = np.repeat(np.arange(6), 5)


def patterns(outcomes: str, clusters: Any = CLUSTERS) -> Patterns:
    names = {"correct": "C", "incorrect": "W", "unanswered": "U"}
    return compress({n: np.array([o == c for o in outcomes], dtype=float) for n, c in names.items()}, clusters)


@pytest.mark.parametrize(
    ("measure", "sums", "error", "alone", "ends"),
    [
        (
            "accuracy",
            [4 / 3, -2 / 3, 1 / 3, -2 / 3, 1 / 3, -2 / 3],
            0.0666666667,
            0.0875376219,
            (0.1619612110, 0.5047054557),
        ),
        (
            "c@1",
            [1.6777777778, -0.7555555556, -0.1888888889, -0.7555555556, 0.7777777778, -0.7555555556],
            0.0830112293,
            0.0951269010,
            (0.1788350639, 0.6056093805),
        ),
    ],
)
def test_six_clusters(measure: str, sums: list[float], error: float, alone: float, ends: tuple[float, float]) -> None:
    for units, expected in ((CLUSTERS, error), (np.arange(30), alone)):
        x, y = patterns(X, units), patterns(Y, units)
        moved = moved_by(parse(measure), x) - moved_by(parse(measure), y)
        found = unit_error(moved, x.columns["n"], x.counts)
        assert found[0] == pytest.approx(expected, abs=1e-9)
        if units is CLUSTERS:
            assert 30 * moved == pytest.approx(sums, abs=1e-9)
            assert found[1] == pytest.approx(5)
    data = msgspec.structs.replace(evidence(x=X, y=Y), clusters=CLUSTERS)
    compared = nescio.compare(data, measure, baseline="y")
    assert (compared.rows[0].low, compared.rows[0].high, compared.rows[0].p) == pytest.approx((*ends, 1 / 32), abs=1e-9)
    assert compared.signature["interval"] == "t (paired)"


@pytest.mark.parametrize(
    ("sizes", "freedom"), [([2, 3, 5, 5, 5, 10], 3.8840937115), ([1, 1, 1, 1, 1, 25], 1.3370429253), ([4] * 8, 7)]
)
def test_degrees_of_freedom_of_unequal_clusters(sizes: list[int], freedom: float) -> None:
    even = np.tile([1.0, -1.0], len(sizes))[: len(sizes)]
    _, found = unit_error(even, np.array(sizes, dtype=float), np.ones(len(sizes), dtype=np.int64))
    assert found == pytest.approx(freedom, abs=1e-9)


@pytest.mark.parametrize("runs", [{"x": "CWUC", "y": "CWUC"}, {"x": "CCCC", "y": "WWWW"}])
def test_no_spread_no_interval(runs: dict[str, str]) -> None:
    found = nescio.compare(evidence(**runs), "accuracy", baseline="y")
    assert [str(found.rows[0].low), str(found.rows[0].high)] == ["nan", "nan"]
    assert "interval.no_spread" in {remark.code for remark in found.notes}


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(10), 5)])
def test_what_was_not_seen_may_decide(clusters: Any) -> None:
    """One silent answer in fifty right ones moves c@1 by .0004, and an error would by .02; accuracy has moved by .02."""
    data = evidence(x="C" * 50, y="C" * 49 + "U")
    data = msgspec.structs.replace(data, clusters=clusters)
    found = nescio.compare(data, ["c@1", "accuracy"], baseline="y", fail_on_regression=clusters is None)
    little, much = found.rows
    assert little.difference == pytest.approx(0.0004, abs=1e-12)
    assert [str(little.low), str(little.high), little.spread] == ["nan", "nan", 0]
    assert "very few decide it" in " ".join(str(one) for one in found.notes)
    assert little.verdict == "too few questions to tell"
    assert [gate.status for gate in found.gates[:1]] == [3] * (clusters is None)  # no gate rests on unnamed clusters
    assert (much.low or 0) < 0 < 0.02 < (much.high or 0)


@pytest.mark.parametrize("measure", ["accuracy", "c@1", "penalty(t=0.75)"])
def test_two_questions_that_allow_any_difference_have_no_interval(measure: str) -> None:
    """Student's is 0 ± 12.706 standard errors: beyond all that a measure can differ by."""
    found = nescio.compare(evidence(x="CW", y="WC"), measure, baseline="y", fail_on_regression=True)
    (row,) = found.rows
    assert [row.difference, str(row.low), str(row.high)] == [0, "nan", "nan"]
    assert row.verdict == "too few questions to tell"
    assert "the 2 questions or clusters allow any difference at all" in " ".join(str(one) for one in found.notes)
    assert found.gates[0].status == 3


@pytest.mark.parametrize("test", ["exact", "permutation"])  # pairs counted together, and one by one
def test_an_interval_is_cut_off_where_no_difference_can_lie(test: Any) -> None:
    """Of 1, 1, 0 the mean is 2/3, its standard error 1/3, and Student's factor with two degrees of freedom 4.30."""
    ahead, behind = ("y", "x"), ("x", "y")
    for run, baseline in (ahead, behind):
        (row,) = nescio.compare(evidence(x="WWC", y="CCC"), "accuracy", run=run, baseline=baseline, test=test)
        ends = (row.low, row.high) if run == "y" else (-(row.high or 0), -(row.low or 0))
        assert ends == pytest.approx((2 / 3 - 4.302652729911275 / 3, 1), abs=1e-9)


def test_the_chance_of_being_best() -> None:
    """Four values with these standard errors. Only their distances d from their mean decide: their noise is independent,
    of variance v = .045²/2. By 400,000 draws of τ on a grid of 20,000 from (1 + τ²/v)⁻¹ (τ² + v)^(-3/2) exp(-Σd²/2(τ² + v)),
    and of normal values about d·τ²/(τ² + v): .617 .235 .110 .038, each ± .001."""
    covariance = 0.045**2 * (np.eye(4) + 1) / 2
    axes = np.linalg.eigh(covariance)
    drawn = true_values(np.array([0.62, 0.58, 0.55, 0.50]), axes, 1.0, 40_000, np.random.default_rng(7))
    assert rank_probabilities(drawn)[0] == pytest.approx([0.617, 0.235, 0.110, 0.038], abs=0.008)
    equal = true_values(np.array([0.6, 0.6]), np.linalg.eigh(covariance[:2, :2]), 1.0, 40_000, np.random.default_rng(7))
    assert rank_probabilities(equal)[0] == pytest.approx([0.5, 0.5], abs=0.01)


def calibration(runs: int, ratio: float, times: int, questions: int = 70) -> tuple[float, float]:
    """How sure P(best) is of the leader of runs that are right with a chance of .6, give or take `ratio` times the noise
    (.049) of a difference between runs whose luck is shared by .4; and how often the leader is truly best."""
    rng = np.random.default_rng((23, runs, round(100 * ratio)))
    found = []
    for _ in range(times):
        chance = np.clip(0.6 + ratio * 0.049 * rng.standard_normal(runs), 0.05, 0.95)
        shared, own = rng.standard_normal((questions, 1)), rng.standard_normal((questions, runs))
        right = (np.sqrt(0.4) * shared + np.sqrt(0.6) * own < ndtri(chance)).astype(float)
        seen = right.mean(axis=0)
        picks = rng.multinomial(questions, np.full(questions, 1 / questions), 1_000) / questions
        _, axes = axes_of((picks @ right).T, questions)
        best, _ = rank_probabilities(true_values(seen, axes, 1.0, 400, rng))
        leader = rng.choice(np.flatnonzero(seen == seen.max()))
        found.append((best[leader], chance.argmax() == leader))
    said, true = np.mean(found, axis=0).tolist()
    return said, true


@pytest.mark.proof
@pytest.mark.parametrize("runs", [4, 10, 30])
def test_the_leader_is_best_about_as_often_as_is_said(runs: int) -> None:
    """docs/explanation/intervals-and-tests.md has these figures; on average over how far runs differ, the two agree."""
    pairs = [calibration(runs, ratio, 600) for ratio in (0.25, 0.5, 1, 2)]
    said, true = np.mean(pairs, axis=0)
    assert abs(said - true) <= 0.05
    assert all(one <= truth + 0.13 for one, truth in pairs)
