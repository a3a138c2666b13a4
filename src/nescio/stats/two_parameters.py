"""Fit two-parameter logistic items: a slope and a difficulty per item.

P(right | θ) = 1/(1 + exp(−a(θ − b))), where the abilities θ of runs are standard normal (Birnbaum 1968). The fit
maximises the marginal likelihood (Bock & Aitkin 1981). The integral over θ is a sum over 41 Gauss-Hermite nodes. More
than twenty items determine an ability too closely for these nodes, so the integral is then a sum over equal steps.
`right` has shape (runs, items). Where `asked` is false, an item is left out of a run's likelihood. Knows nothing of
questions.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
NODES = 41
FEW = 20  # items for which Gauss-Hermite nodes are always enough
FARTHEST = 6.0  # standard deviations that equal steps cover on either side
LOG_SLOPE_SD = 0.5  # of the normal prior of log a in a penalised fit
DIFFICULTY_SD = 2.0  # of the normal prior of b in a penalised fit


class Abilities(Struct, frozen=True, eq=False):
    """The posterior of each run's ability (its mean and standard deviation), and the run's log-likelihood."""

    mean: Floats
    sd: Floats
    log_likelihood: Floats


class Fit(Struct, frozen=True, eq=False):
    """The slope `a` and the difficulty `b` of each item; NaN if all runs asked were right, or none was."""

    a: Floats
    b: Floats
    abilities: Abilities


def abilities(
    right: Bools, asked: Bools, a: Floats, b: Floats, nodes: int | tuple[Floats, Floats] | None = None
) -> Abilities:
    """Return the abilities of runs from items with known slopes `a` and difficulties `b`.

    `right` and `asked` have shape (runs, items). `nodes` is the number of Gauss-Hermite nodes, or the nodes with the
    logarithms of their weights.
    """
    theta, log_weights = nodes if isinstance(nodes, tuple) else _nodes(nodes, len(a))
    joint = _joint(right, asked, (a, -a * b), theta) + log_weights
    total = np.logaddexp.reduce(joint, axis=1)
    posterior = np.exp(joint - total[:, None])
    mean = posterior @ theta
    return Abilities(mean, np.sqrt(np.maximum(posterior @ theta**2 - mean**2, 0.0)), total)


def fit(right: Bools, asked: Bools, *, penalised: bool) -> Fit:
    """Return the slope and the difficulty of each item. `penalised` adds priors of log a and b.

    Without the priors, few runs can give infinite estimates, and slopes may be negative; their sum is positive.
    """
    from scipy.optimize import minimize

    theta, log_weights = _nodes(None, right.shape[1])
    count, hits = asked.sum(axis=0), (right & asked).sum(axis=0)
    use = (hits > 0) & (hits < count)
    a, b = np.full(len(use), np.nan), np.full(len(use), np.nan)
    if not use.any():
        return Fit(a, b, abilities(right[:, use], asked[:, use], a[use], b[use]))
    y, m = (right & asked)[:, use].astype(float), asked[:, use].astype(float)
    k = int(use.sum())

    def loss(parameters: Floats) -> tuple[float, Floats]:
        first, second = parameters[:k], parameters[k:]
        slope = np.exp(first) if penalised else first
        shift = -slope * second if penalised else second
        joint = _joint(y > 0, m > 0, (slope, shift), theta) + log_weights
        total = np.logaddexp.reduce(joint, axis=1)
        posterior = np.exp(joint - total[:, None])
        residual = y.T @ posterior - (m.T @ posterior) * _logistic(slope[:, None] * theta + shift[:, None])
        by_slope, by_shift = residual @ theta, residual.sum(axis=1)
        if not penalised:
            return -float(total.sum()), -np.concatenate([by_slope, by_shift])
        prior = -0.5 * float(((first / LOG_SLOPE_SD) ** 2 + (second / DIFFICULTY_SD) ** 2).sum())
        of_log = slope * (by_slope - second * by_shift) - first / LOG_SLOPE_SD**2
        of_difficulty = -slope * by_shift - second / DIFFICULTY_SD**2
        return -float(total.sum()) - prior, -np.concatenate([of_log, of_difficulty])

    share = (hits[use] + 0.5) / (count[use] + 1.0)
    logit = np.log(share / (1 - share))
    start = np.concatenate([np.zeros(k), -logit] if penalised else [np.ones(k), logit])
    options = {"maxiter": 2_000, "maxfun": 5_000, "ftol": 1e-13}
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
    slope = np.exp(solution[:k]) if penalised else solution[:k] * (1.0 if solution[:k].sum() >= 0 else -1.0)
    a[use] = slope
    b[use] = solution[k:] if penalised else -solution[k:] / slope
    return Fit(a, b, abilities(y > 0, m > 0, a[use], b[use]))


def _nodes(many: int | None, items: int) -> tuple[Floats, Floats]:
    """Return nodes and the logarithms of their weights.

    A posterior standard deviation is 1/√(items·a²/4) or more. Equal steps of 1/√items, which is that deviation at a
    slope of 2, integrate nearly normal curves almost exactly.
    """
    if many or items <= FEW:
        theta, weights = np.polynomial.hermite_e.hermegauss(many or NODES)
        return theta, np.log(weights / np.sqrt(2 * np.pi))
    theta = np.linspace(-FARTHEST, FARTHEST, 2 * int(FARTHEST * np.sqrt(items)) + 1)
    return theta, np.log(theta[1] - theta[0]) - (theta**2 + np.log(2 * np.pi)) / 2


def _logistic(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -x))


def _joint(right: Bools, asked: Bools, lines: tuple[Floats, Floats], theta: Floats) -> Floats:
    """Return the log-likelihood of each run at each ability in `theta`.

    `lines` has the slopes and the intercepts of the items.
    """
    a, d = lines
    x = a[:, None] * theta + d[:, None]
    yes, no = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
    hit = right & asked
    return hit.astype(float) @ yes + (asked & ~right).astype(float) @ no
