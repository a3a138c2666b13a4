"""Which of several runs is best, and where each ranks, in draws of their true values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rank_probabilities(values: Floats, *, lower_is_better: bool = False) -> tuple[Floats, Floats]:
    r"""Return how often each run is best, and its mean rank, 1 being the best; each of shape (runs,).

    `values` has shape (runs, resamples), all runs on the same resamples. m runs that are best together have $1/m$ each,
    so that the probabilities sum to 1, and tied runs share their ranks. Values within $10^{-12}$ of each other are
    tied. An undefined value is behind all others; a run without any value has NaN, and so have all where no run has
    one.
    """
    signed = np.where(np.isnan(values), -np.inf, -values if lower_is_better else values)
    close = 1e-12 * np.maximum(1.0, np.abs(np.where(np.isfinite(signed), signed, 0.0)))
    ahead, equal = np.empty(signed.shape), np.empty(signed.shape)
    for of_one, reach, above, level in zip(signed.T, close.T, ahead.T, equal.T, strict=True):  # resample by resample
        ordered = np.sort(of_one)
        upto = np.searchsorted(ordered, of_one + reach, side="right")
        above[:] = len(ordered) - upto
        level[:] = upto - np.searchsorted(ordered, of_one - reach, side="left")
    first = ahead == 0
    best = np.where(first, 1 / np.maximum(1, equal), 0.0).mean(axis=1)
    ranks = (1 + ahead + (equal - 1) / 2).mean(axis=1)
    unknown = np.isnan(values).all(axis=1)
    return np.where(unknown, np.nan, best), np.where(unknown, np.nan, ranks)


DEVIATIONS = (np.arange(200) + 0.5) / 400  # of the true values among themselves, as shares of the range


def true_values(values: Floats, covariance: Floats, width: float, draws: int, rng: np.random.Generator) -> Floats:
    r"""Draw the true values of k runs that are exchangeable, given what was measured; shape (runs, draws).

    $\hat\theta \mid \theta \sim N(\theta, \Sigma)$ and $\theta_j \sim N(\mu, \tau^2)$ with $\mu$ flat and $\tau$ at
    most half the `width` of the measure's range, of a density proportional to $\tau$, which keeps off 0 (Rubin 1981;
    Chung et al. 2013). For $M = \Sigma + \tau^2 I$, $v = 1/(1'M^{-1}1)$, $\hat\mu = v\,1'M^{-1}\hat\theta$ the weight
    of $\tau$ is $\tau \sqrt{v} |M|^{-1/2} e^{-(\hat\theta - \hat\mu)'M^{-1}(\hat\theta - \hat\mu)/2}$, on a grid of
    200. The share of resamples in which a run is best counts the noise twice, and makes the leader too sure. `values`
    has shape (runs,), `covariance` (runs, runs).
    """
    own, along = np.linalg.eigh(covariance)
    own = np.maximum(own, 0.0)
    seen, ones = along.T @ values, along.T @ np.ones(len(values))
    tau = DEVIATIONS * width
    spread = own + tau[:, None] ** 2  # the eigenvalues of M, one row for each deviation
    v = 1 / (ones**2 / spread).sum(axis=1)
    centre = v * (ones * seen / spread).sum(axis=1)
    away = seen - centre[:, None] * ones
    weight = np.log(tau) + (np.log(v) - np.log(spread).sum(axis=1) - (away**2 / spread).sum(axis=1)) / 2
    weight = np.exp(weight - weight.max())
    drawn = rng.choice(len(tau), draws, p=weight / weight.sum())
    mean = centre[drawn] + np.sqrt(v[drawn]) * rng.standard_normal(draws)
    shrunk, left = (tau**2)[:, None] / spread, np.sqrt((tau**2)[:, None] * own / spread)
    around = shrunk[drawn] * (seen - mean[:, None] * ones) + left[drawn] * rng.standard_normal((draws, len(values)))
    posterior: Floats = mean + along @ around.T
    return posterior
