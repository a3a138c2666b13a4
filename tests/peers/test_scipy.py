"""SciPy's intervals, tests and corrections against ours."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import nescio
from nescio.comparison.corrections import adjust
from nescio.data.columns import Array
from nescio.data.evidence import outcome_tally
from nescio.measures import parse
from nescio.scoring.confidence_intervals import IntervalMethod
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats import intervals
from nescio.stats.exchanges import p_value
from tests.laws.catalogue import MEASURES, varied
from tests.peers.sheets import Sheet, evidence, sheet
from tests.rings import together


def accuracy(outcome: Array, axis: int = -1) -> Any:
    return np.mean(outcome == 0, axis=axis)


def c_at_1(outcome: Array, axis: int = -1) -> Any:
    a = accuracy(outcome, axis)
    return a * (1 + np.mean(outcome == 2, axis=axis))


STATISTICS = {"accuracy": accuracy, "c@1": c_at_1}


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("measure", STATISTICS)
def test_bootstrap_intervals_agree_within_their_monte_carlo_error(
    measure: str, method: IntervalMethod, theirs: str
) -> None:
    one = sheet(300, seed=1)
    (row,) = nescio.score(evidence(one), measure, interval=method, resamples=20_000)
    found = stats.bootstrap(
        (one.outcome,),
        STATISTICS[measure],
        n_resamples=20_000,
        batch=500,
        method=theirs,
        rng=np.random.default_rng(2),
    )
    # A 2.5% quantile of 20,000 has a standard error of about 2% of the spread; a step of 1/300 is 12% of it.
    step = 1.5 / 300
    assert row.value == pytest.approx(STATISTICS[measure](one.outcome))
    assert (row.low, row.high) == pytest.approx(tuple(found.confidence_interval), abs=step)


def left_out(sample: MeasureInput) -> tuple[Array, Array]:
    """The value without one question of each kind, and how many questions there are of that kind."""
    counts = sample.patterns.counts
    return sample.measure.value(sample.patterns, counts - np.eye(len(counts), dtype=np.int64)), counts


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("measure", STATISTICS)
def test_BCa_reads_the_same_quantiles_of_the_same_resamples(measure: str, level: float) -> None:
    """Given one bootstrap distribution, bias, acceleration and quantiles are SciPy's, to rounding."""
    one = sheet(40, seed=5)
    ((sample,), _) = measure_inputs(evidence(one), [parse(measure)])
    rng = np.random.default_rng(6)
    resampled = STATISTICS[measure](rng.choice(one.outcome, size=(5000, 40)))
    ours = intervals.bca(resampled, sample.value, *left_out(sample), level)
    theirs = stats.bootstrap(
        (one.outcome,),
        STATISTICS[measure],
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=resampled),
        confidence_level=level,
        method="BCa",
    )
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)


@together("level", [0.5, 0.9, 0.95, 0.999])
@together("k, n", [(0, 1), (1, 1), (0, 20), (1, 20), (7, 20), (20, 20), (237, 500), (9999, 10_000)])
def test_wilson_is_wilson(k: int, n: int, level: float) -> None:
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert intervals.wilson(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


PROPORTIONS = [form for form in MEASURES if parse(form).declaration.proportion]


@together("name", PROPORTIONS)
def test_wilson_of_every_proportion_has_the_right_counts(name: str) -> None:
    """The value is k/m of the two sums that the measure names, and the interval is Wilson's of them."""
    (row,) = nescio.score(varied(60, runs=1), name, interval="wilson")
    fits = []
    for m in range(1, 61):
        k = round(row.value * m)
        theirs = stats.binomtest(k, m).proportion_ci(0.95, method="wilson")
        fits.append(
            k / m == pytest.approx(row.value) and (row.low, row.high) == pytest.approx((theirs.low, theirs.high))
        )
    assert sum(fits) == 1


@pytest.mark.parametrize("counts", [(237, 156, 107), (3, 1, 16), (0, 20, 0)])
def test_dirichlet_of_accuracy_is_the_beta_posterior(counts: tuple[int, int, int]) -> None:
    """With one half added to each of three outcomes, accuracy is Beta(C + ½, W + U + 1); where hardly any answer was
    right, or wrong, the ends are those of Clopper & Pearson: every prior of one unit counts."""
    correct, others = counts[0], counts[1] + counts[2]
    tally = outcome_tally(["run"], np.array([counts]))
    (row,) = nescio.score(tally, "accuracy", interval="dirichlet", resamples=20_000)
    beta = stats.beta(correct + 0.5, others + 1)
    low, high = beta.ppf(0.025), beta.ppf(0.975)
    if min(counts[:2]) <= 5:
        exact = stats.binomtest(correct, sum(counts)).proportion_ci(0.95, "exact")
        low, high = exact.low, exact.high
    assert (row.low, row.high) == pytest.approx((low, high), abs=0.05 * beta.std())


def test_pearson_is_pearson() -> None:
    one = sheet(50, seed=10, silence=0.0)
    (row,) = nescio.score(evidence(one), "pearson", ci=None)
    assert row.value == pytest.approx(stats.pearsonr(one.confidence, one.right).statistic, abs=1e-12)


def paired(one: Sheet, other: Sheet, statistic: Any, resamples: float) -> float:
    found = stats.permutation_test(
        (one.outcome, other.outcome),
        lambda x, y, axis: statistic(x, axis) - statistic(y, axis),
        permutation_type="samples",
        n_resamples=resamples,
        vectorized=True,
        rng=np.random.default_rng(11),
    )
    return float(found.pvalue)


@pytest.mark.parametrize("seeds", [(12, 15), (20, 21), (22, 23)])
@pytest.mark.parametrize("measure", STATISTICS)
def test_the_exact_test_goes_through_all_exchanges(measure: str, seeds: tuple[int, int]) -> None:
    one, other = (sheet(12, seed=seed) for seed in seeds)
    (row,) = nescio.compare(evidence(other, one), measure, test="exact", resamples=256)
    assert row.p == pytest.approx(paired(one, other, STATISTICS[measure], np.inf), abs=1e-12)


@pytest.mark.parametrize("measure", STATISTICS)
def test_the_permutation_test_agrees_within_both_monte_carlo_errors(measure: str) -> None:
    one, other = sheet(150, seed=13), sheet(150, seed=14, silence=0.4)
    theirs = paired(one, other, STATISTICS[measure], 9999)
    (row,) = nescio.compare(evidence(other, one), measure, test="permutation", resamples=9999)
    assert row.p == pytest.approx(theirs, abs=4 * (2 * theirs * (1 - theirs) / 9999) ** 0.5 + 1e-4)


def test_the_interval_of_a_difference_is_that_of_the_paired_t_test() -> None:
    x, y = sheet(40, seed=5), sheet(40, seed=6)
    (row,) = nescio.compare(evidence(x, y), "accuracy", baseline="run 1")
    theirs = stats.ttest_rel(x.right, y.right).confidence_interval()
    assert (row.low, row.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_p_value_is_never_zero() -> None:
    right = Sheet(np.zeros(60, dtype=int), np.ones(60), np.ones(60, dtype=int), np.ones(60))
    wrong = Sheet(np.ones(60, dtype=int), np.ones(60), np.ones(60, dtype=int), np.zeros(60))
    (row,) = nescio.compare(evidence(wrong, right), "accuracy", test="permutation", resamples=999)
    assert row.p == 1 / 1000
    assert p_value(0.5, np.full(99, 0.1)) == 1 / 100


def test_ties_within_rounding_are_hits() -> None:
    assert p_value(0.1 + 0.2, np.array([0.3, -0.3, 0.2])) == (1 + 2) / 4


def test_benjamini_and_hochberg_agree() -> None:
    p = np.random.default_rng(16).random(25) ** 2
    p[3] = p[7]
    assert adjust(list(p), "bh") == pytest.approx(list(stats.false_discovery_control(p, method="bh")), abs=1e-12)
