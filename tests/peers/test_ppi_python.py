"""The authors' own package (ppi-python) against ours: the same estimates, and intervals that differ as they must."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.stats.prediction_powered import Sample, simple

ppi_py = pytest.importorskip("ppi_py", reason="ppi-python is not installed: its estimates are not compared with ours")


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (1.0, 1.0), (2.0, 2.0), (1.25, 1.1), (4.0, 4.0)])
@pytest.mark.parametrize(("labels", "units"), [(40, 100), (100, 1000), (300, 400)])
def test_means_and_paired_differences(a: float, b: float, labels: int, units: int) -> None:
    """ppi-python takes λ/(1 + m/(N-m)) times the mean of the unlabelled alone, which is our λ times the mean of all.

    Its interval is about all units of this kind, with z and divisors m and N - m: ours has t and m - 2. About what is
    left the two agree to 4% at 40 labels and 1.5% at 100.
    """
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
