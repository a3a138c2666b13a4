"""Packages of other people against ours, each where it is installed: crowd-kit, evalstats, MAPIE, ppi-python, relplot."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import nescio
from nescio.stats.dawid_skene import dawid_skene
from nescio.stats.intervals import clopper_pearson_upper, wilson
from nescio.stats.prediction_powered import Sample, simple
from nescio.stats.variance_split import split


@pytest.mark.filterwarnings("ignore")  # of its calls to pandas
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cycles", [1, 3, 10])
def test_crowd_kit_has_the_same_chances_after_so_many_cycles(seed: int, cycles: int) -> None:
    """Four assessors of unlike skill and 80 answers, one verdict in five missing. Both start from the shares of votes."""
    pandas, crowd = pytest.importorskip("pandas"), pytest.importorskip("crowdkit.aggregation")
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 80)
    said = np.where(rng.random((80, 4)) < [0.9, 0.8, 0.7, 0.6], truth[:, None], rng.integers(0, 3, (80, 4)))
    said = np.where(rng.random((80, 4)) < 0.2, -1, said)
    said = said[(said >= 0).any(axis=1)]
    rows = [(i, a, int(said[i, a])) for i, a in np.argwhere(said >= 0)]
    theirs = crowd.DawidSkene(n_iter=cycles, tol=0).fit(pandas.DataFrame(rows, columns=["task", "worker", "label"]))
    ours = dawid_skene(said, 3, smoothing=0, cycles=cycles)
    assert ours.chances == pytest.approx(theirs.probas_[[0, 1, 2]].to_numpy(), abs=1e-6)


def test_evalstats_splits_the_variance_and_has_the_interval_of_an_accuracy() -> None:
    """40 questions asked five times: the spread of the questions' means, and the mean variance of one answer."""
    evalstats = pytest.importorskip("evalstats")
    rng = np.random.default_rng(5)
    right = (rng.random((40, 5)) < rng.random((40, 1))).astype(float)
    theirs = evalstats.seed_variance_decomposition(right[None], ["mine"])
    ours = split(right.ravel(), np.repeat(np.arange(40), 5))
    assert ours.total == pytest.approx(float(theirs.input_var[0]), abs=1e-12)
    assert ours.single == pytest.approx(float(theirs.seed_var[0]), abs=1e-12)
    for hits in (3, 31, 58):
        mean = evalstats.mean_ci(np.repeat([1.0, 0.0], [hits, 60 - hits]))
        assert (mean.ci_low, mean.ci_high) == pytest.approx(wilson(hits, 60, 0.95), abs=1e-9)


@pytest.mark.parametrize("risk", [0.1, 0.2])
def test_what_MAPIE_certifies_we_certify(risk: float) -> None:
    """It takes the lesser of the binomial p-value and Hoeffding's, which is never much less."""
    methods = pytest.importorskip("mapie.risk_control.methods")
    wrong, answers = np.meshgrid(np.arange(0, 30), np.array([12, 25, 40, 110, 180]))
    kept = wrong <= answers
    wrong, answers = wrong[kept].astype(float), answers[kept].astype(float)
    theirs = methods.compute_hoeffding_bentkus_p_value(wrong / answers, answers, risk, binary=True)[:, 0]
    exact = binom.cdf(wrong, answers, risk)
    bounds = np.array([float(clopper_pearson_upper(w, n, 0.05)) for w, n in zip(wrong, answers, strict=True)])
    assert ((exact <= 0.05) == (bounds <= risk)).all()
    assert (theirs <= np.minimum(exact, 1) + 1e-9).mean() > 0.95  # but where n times the risk is rounded up
    assert ((theirs <= 0.05) == (bounds <= risk)).mean() > 0.97


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (1.0, 1.0), (2.0, 2.0), (1.25, 1.1), (4.0, 4.0)])
@pytest.mark.parametrize(("labels", "units"), [(40, 100), (100, 1000), (300, 400)])
def test_ppi_python_has_the_same_means_and_paired_differences(a: float, b: float, labels: int, units: int) -> None:
    """It takes λ/(1 + m/(N-m)) times the mean of the unlabelled alone, which is our λ times the mean of all. Its interval
    has z and divisors m and N - m, where ours has t and m - 2."""
    ppi_py = pytest.importorskip("ppi_py")
    rng = np.random.default_rng([labels, units])
    truth, other = (rng.random(units) < 0.6).astype(float), (rng.random(units) < 0.5).astype(float)
    by_judge = [np.where(rng.random(units) < 0.8, y, 1 - y) for y in (truth, other)]
    d, g = a * truth - b * other, a * by_judge[0] - b * by_judge[1]
    ours = simple(Sample(d[:labels], g[:labels], g))
    theirs = ppi_py.ppi_mean_pointestimate(d[:labels], g[:labels], g[labels:])
    assert ours.value == pytest.approx(float(np.squeeze(theirs)), abs=1e-9)
    low, high = (float(np.squeeze(x)) for x in ppi_py.ppi_mean_ci(d[:labels], g[:labels], g[labels:], alpha=0.05))
    wide = ours.superpopulation(float(d[:labels].var(ddof=1)))
    half = 1.959963984540054 * math.sqrt(wide.variance)
    assert half == pytest.approx((high - low) / 2, rel=0.04 if labels < 100 else 0.015)


@pytest.mark.parametrize(("n", "seed", "bend"), [(5, 0, 0.0), (200, 1, 1.0), (1_000, 2, 1.0), (5_000, 4, 0.5)])
def test_relplot_has_the_smooth_calibration_error_but_for_its_grid(n: int, seed: int, bend: float) -> None:
    """Błasiok & Nakkiran, ICLR 2024: a grid of bins whose width is halved ten times; zeros and fixed point are exact here."""
    rng = np.random.default_rng(seed)
    sure = rng.random(n)
    right = rng.random(n) < sure**bend
    if n == 5:  # of which relplot gives .14478, and the exact fixed point is .1454061193
        sure, right = np.array([0.95, 0.9, 0.7, 0.6, 0.55]), np.array([1, 1, 0, 1, 0], dtype=bool)
    outcome = np.where(right, "correct", "incorrect")
    table = pa.table({"question": [str(i) for i in range(n)], "outcome": outcome, "confidence": sure})
    ours = nescio.score(table, "smECE", ci=None).rows[0].value
    assert n > 5 or ours == pytest.approx(0.1454061193, abs=1e-9)
    relplot = pytest.importorskip("relplot")
    assert ours == pytest.approx(float(relplot.smECE(f=sure, y=right.astype(float))), abs=2e-3)
