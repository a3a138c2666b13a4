"""The score bound of an empirical likelihood, against Wilson's bound and against a maximisation by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from nescio.stats.intervals import wilson
from nescio.stats.unseen import Seen, unseen_drop

Z = 1.959963984540054
STEP = 2 / 3 - Z**2 / 6  # what a Poisson count's steps add, in units of the furthest loss over m


@pytest.mark.parametrize(("lost", "units"), [(0, 30), (1, 50), (7, 100), (40, 100)])
def test_where_each_change_is_a_loss_it_is_wilsons_bound(lost: int, units: int) -> None:
    share = lost / units
    away, times = np.array([share - 1, share]), np.array([lost, units - lost])
    found = unseen_drop([Seen(away, times, 1 - share)], 0.95)
    expected = wilson(lost, units, 0.95)[1] - share
    assert found == pytest.approx(expected + (1 - share) * STEP / units, abs=1e-9)


@pytest.mark.parametrize(
    ("away", "times", "furthest"),
    [((-1, 0, 1), (8, 84, 8), 1.0), ((-1.2, 0.3, 0.8), (5, 40, 3), 1.7), ((0.7, -0.2), (10, 35), 9.0)],
)
def test_it_is_where_the_likeliest_law_lies_z_errors_off(
    away: tuple[float, ...], times: tuple[int, ...], furthest: float
) -> None:
    """The weights maximise the likelihood of the units seen among all laws whose mean lies the gap lower."""
    values, counts = np.array(away), np.array(times)
    values = values - counts @ values / counts.sum()
    units = counts.sum()
    gap = unseen_drop([Seen(values, counts, furthest)], 0.95) - furthest * STEP / units
    support = np.append(values, -furthest)

    def mean(weights: np.ndarray) -> float:
        return float(weights @ support + gap)

    start = np.append(counts / units * 0.9, 0.1)
    found = optimize.minimize(
        lambda w: -float(counts @ np.log(np.maximum(w[:-1], 1e-300))),
        start,
        bounds=[(1e-9, 1.0)] * len(values) + [(0.0, 1.0)],
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1}, {"type": "eq", "fun": mean}],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    error = np.sqrt(found.x @ (support + gap) ** 2 / units)
    assert found.success
    assert gap / error == pytest.approx(Z, abs=2e-3)
