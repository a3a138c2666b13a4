"""Compute the probability of each run to be the best, and its rank, from draws of the true values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Axes = tuple[Floats, Floats]  # the eigenvalues, and the eigenvectors as columns


def rank_probabilities(values: Floats, *, lower_is_better: bool = False) -> tuple[Floats, Floats]:
    r"""Return each run's share of draws in which it is best, and its mean rank (1 is the best), both of shape (runs,).

    `values` has shape (runs, resamples), all runs on the same resamples. m runs that are best together have $1/m$ each,
    so that the probabilities sum to 1. Tied runs share their ranks. Values within $10^{-12}$ of each other are tied. An
    undefined value ranks behind all others. A run without any value has NaN; if no run has a value, all have NaN.
    """
    ahead, equal = np.empty((2, *values.shape), dtype=np.int32)
    for drawn, above, level in zip(values.T, ahead.T, equal.T, strict=True):  # one resample at a time
        of_one = np.where(np.isnan(drawn), -np.inf, -drawn if lower_is_better else drawn)
        reach = 1e-12 * np.maximum(1.0, np.abs(np.where(np.isfinite(of_one), of_one, 0.0)))
        ordered = np.sort(of_one)
        upto = np.searchsorted(ordered, of_one + reach, side="right")
        above[:] = len(ordered) - upto
        level[:] = upto - np.searchsorted(ordered, of_one - reach, side="left")
    first = ahead == 0
    best = np.where(first, 1 / np.maximum(1, equal), 0.0).mean(axis=1)
    ranks = (1 + ahead + (equal - 1) / 2).mean(axis=1)
    unknown = np.isnan(values).all(axis=1)
    return np.where(unknown, np.nan, best), np.where(unknown, np.nan, ranks)


NOTHING = 1e-12  # relative to the largest eigenvalue: smaller ones count as 0
DEVIATIONS = (np.arange(200) + 0.5) / 400  # standard deviations of the true values, as shares of the measure's range


def axes_of(resampled: Floats, units: int) -> tuple[Floats, Axes]:
    """Return the variance of each run, and the eigenvalues and eigenvectors of the covariance of the runs.

    `resampled` has shape (runs, resamples). With more runs than resamples, only the nonzero eigenvalues are returned.
    They are found without the covariance matrix, whose cost grows with the cube of the runs.

    With few `units` (questions or clusters), many correlations are known badly, and the leader looks too certain.
    Therefore we add as many imagined units as there are runs; every pair of runs has the average correlation on them.
    """
    runs, resamples = resampled.shape
    if runs <= resamples:
        covariance = np.cov(resampled, ddof=0).reshape(runs, runs)
        deviation = np.sqrt(np.diag(covariance))
        both = np.outer(deviation, deviation)
        if runs > 2 and deviation.all():
            mean = ((covariance / both).sum() - runs) / (runs * (runs - 1))
            even = both * np.where(np.eye(runs, dtype=bool), 1.0, mean)
            covariance = (units * covariance + runs * even) / (units + runs)
        eigenvalues, along = np.linalg.eigh(covariance)
        return np.diag(covariance), (np.maximum(eigenvalues, 0.0), along)
    away = (resampled - resampled.mean(axis=1, keepdims=True)) / np.sqrt(resamples)
    eigenvalues, within = np.linalg.eigh(away.T @ away)
    some = eigenvalues > NOTHING * eigenvalues[-1]
    return np.einsum("rd,rd->r", away, away), (eigenvalues[some], away @ (within[:, some] / np.sqrt(eigenvalues[some])))


def true_values(values: Floats, axes: Axes, width: float, draws: int, rng: np.random.Generator) -> Floats:
    r"""Draw the true values of k exchangeable runs, given their measured `values`; shape (runs, draws).

    $\hat\theta \mid \theta \sim N(\theta, \Sigma)$ and $\theta_j \sim N(\mu, \tau^2)$ with a flat prior of $\mu$.
    $\tau$ is at most half the `width` of the measure's range. Its density is half-Cauchy (Gelman 2006). The scale s is
    the noise of the runs about their mean, so the prior expects differences as large as the noise. For $M = \Sigma +
    \tau^2 I$, $v = 1/(1'M^{-1}1)$, $\hat\mu = v\,1'M^{-1}\hat\theta$ the weight of $\tau$ is $(1 + \tau^2/s^2)^{-1}
    \sqrt{v} |M|^{-1/2} e^{-(\hat\theta - \hat\mu)'M^{-1}(\hat\theta - \hat\mu)/2}$, on a grid of 200. The share of
    resamples in which a run is best would count the noise twice, and make the leader look too certain. `values` has
    shape (runs,). `axes` are those of $\Sigma$ (`axes_of`); nothing varies orthogonally to them.
    """
    eigenvalues, along = axes
    seen, ones = along.T @ values, along.T @ np.ones(len(values))
    tau = DEVIATIONS * width
    spread = eigenvalues + tau[:, None] ** 2  # the eigenvalues of M, one row per deviation
    # Orthogonally to the axes, M is tau² I. These are the remaining sums of squares and products of the values and the
    # ones.
    across = len(values) - len(eigenvalues)
    seen_left, ones_left = (values - along @ seen, 1 - along @ ones) if across else (np.zeros(1), np.zeros(1))
    v = 1 / ((ones**2 / spread).sum(axis=1) + (ones_left @ ones_left) / tau**2)
    centre = v * ((ones * seen / spread).sum(axis=1) + (ones_left @ seen_left) / tau**2)
    away = seen - centre[:, None] * ones
    away_left = ((seen_left - centre[:, None] * ones_left) ** 2).sum(axis=1) / tau**2
    size = np.log(spread).sum(axis=1) + across * np.log(tau**2)
    noise = max((eigenvalues.sum() - (ones**2 * eigenvalues).sum() / len(values)) / max(1, len(values) - 1), 1e-24)
    weight = -np.log1p(tau**2 / noise) + (np.log(v) - size - ((away**2 / spread).sum(axis=1) + away_left)) / 2
    weight = np.exp(weight - weight.max())
    drawn = rng.choice(len(tau), draws, p=weight / weight.sum())
    mean = centre[drawn] + np.sqrt(v[drawn]) * rng.standard_normal(draws)
    shrunk, left = (tau**2)[:, None] / spread, np.sqrt((tau**2)[:, None] * eigenvalues / spread)
    around = shrunk[drawn] * (seen - mean[:, None] * ones) + left[drawn] * rng.standard_normal(
        (draws, len(eigenvalues))
    )
    posterior: Floats = mean + along @ around.T
    if across:  # Where nothing varies, the measured values are the true ones.
        posterior += seen_left[:, None] - np.multiply.outer(ones_left, mean)
    return posterior
