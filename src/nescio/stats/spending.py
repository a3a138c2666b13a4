"""Plan looks at labels that are still coming in: how much of the error rate each look may spend. Knows nothing of
questions.

Lan & DeMets (1983) with the function of O'Brien and Fleming's kind that gsDesign (`sfLDOF`) and ldbounds print.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nescio.errors import UsageError

Array = NDArray[np.float64]

NODES = 100  # nodes of a Gauss–Legendre rule, which give ten digits
HIGHEST = 38.0  # Beyond it, normal probabilities are 0 in double precision.


def spent(fraction: float, alpha: float = 0.05) -> float:
    r"""Return the part of a two-sided error rate alpha that looks may spend up to a `fraction` of the information.

    $\alpha^*(\tau) = 2[2 - 2\Phi(z_{1-\alpha/4}/\sqrt\tau)]$ in [0, alpha]: half of alpha on each side.
    """
    from scipy.special import ndtr, ndtri

    if fraction <= 0:
        return 0.0
    if fraction >= 1:
        return alpha
    return float(4 * ndtr(-ndtri(1 - alpha / 4) / np.sqrt(fraction)))


def fractions(looks: Sequence[int], planned: int, units: int) -> tuple[float, ...]:
    r"""Return the share of the planned information at each number of labels, for a mean over `units` units.

    $\tau_m = \frac{1/M - 1/N}{1/m - 1/N}$. Raises UsageError if the looks do not increase towards the plan.
    """
    if not looks or [*looks] != sorted({*looks}) or looks[0] < 1 or looks[-1] > planned or planned > units:
        raise UsageError(
            f"looks must increase from 1 label or more to at most the planned {planned:,}, of {units:,} possible labels"
        )
    if planned == units:  # All units will be labelled, so the last look is the score itself.
        return tuple(1.0 if m == planned else m / planned for m in looks)
    return tuple((1 / planned - 1 / units) / (1 / m - 1 / units) for m in looks)


@lru_cache(maxsize=64)
def boundaries(taus: tuple[float, ...], alpha: float = 0.05) -> tuple[float, ...]:
    r"""Return the bound $c_k$ of $|z|$ at each look; the probability to cross any of them is at most alpha.

    $S_k = \sqrt{\tau_k} z_k$ has independent normal increments. The density of the paths that crossed no bound is
    integrated from look to look (Armitage, McPherson & Rowe 1969). $c_k$ spends what is free by then.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    at, weight = _rule()
    bounds: list[float] = []
    before, places, density = 0.0, np.zeros(1), np.ones(1)  # density times weight, of paths that crossed no bound
    for tau in taus:
        free = spent(tau, alpha) - spent(before, alpha)
        step = np.sqrt(tau - before)

        known = (np.sqrt(tau) / step, places / step, density, free)
        c = float(brentq(_too_often, 0.0, HIGHEST, known, xtol=1e-13)) if _too_often(HIGHEST, *known) < 0 else HIGHEST
        if not bounds:  # A closed form, so that tiny error rates keep their digits.
            c = min(float(-ndtri(free / 2)), HIGHEST)
        bounds.append(c)
        edge = c * np.sqrt(tau)
        new = edge * at
        kernel = np.exp(-0.5 * ((new[:, None] - places[None, :]) / step) ** 2) / (step * np.sqrt(2 * np.pi))
        density = (kernel @ density) * weight * edge
        places, before = new, tau
    return tuple(bounds)


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array]:
    """Return the nodes and weights of the rule that integrates over one increment between looks."""
    at, weight = np.polynomial.legendre.leggauss(NODES)
    return at, weight


def _too_often(c: float, root: float, places: Array, density: Array, free: float) -> float:
    """Return the probability to cross the bound `c` at this look, minus the probability that may still be spent."""
    from scipy.special import ndtr

    edge = c * root
    return float(density @ (ndtr(places - edge) + ndtr(-edge - places))) - free


def level_of_look(looks: Sequence[int], planned: int, units: int, level: float = 0.95) -> float:
    """Return the level of an interval at the last of these looks, so that the intervals of all looks hold together."""
    from scipy.special import ndtr

    bound = boundaries(fractions(looks, planned, units), 1 - level)[-1]
    return float(1 - 2 * ndtr(-bound))


def p_of_look(p: float, looks: Sequence[int], planned: int, units: int) -> float:
    """Return the p-value at the last of these looks that is valid at all of them.

    `p` is the p-value of a single look. The result is the least error rate whose bounds it crosses (a repeated p-value,
    Jennison & Turnbull 2000, 9.3).
    """
    from scipy.optimize import brentq

    if not 0 < p < 1:
        return p
    taus = fractions(looks, planned, units)

    def beyond(alpha: float) -> float:
        from scipy.special import ndtr

        return float(np.log(2 * ndtr(-boundaries(taus, alpha)[-1])) - np.log(p))

    most = 1 - 1e-9
    if p > most or beyond(most) <= 0:
        return 1.0
    return float(brentq(beyond, p, most, rtol=1e-7)) if beyond(p) < 0 else p
