"""Simulate how often the permutation test detects a difference, and how many questions it needs.

Collections are drawn from a joint table, and each is tested as `compare` would test it. The exact p-value is computed
only if the normal approximation does not show on which side of alpha it is. The approximation is off by at most about
one step of the distribution's lattice.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.meta_evaluation.planning._joint import Floats, Joint, exchanges, furthest, tilt
from nescio.stats import resampling
from nescio.stats.exact_p_values import TIE, sums_p
from nescio.stats.streams import Stream

LARGEST = 10_000_000  # the most questions of a plan
TABLES = 10_000  # collections simulated for a reported power
TRIED = 2_500  # collections simulated during the search
TRIES, MORE = 4, 4
CLOSE = 1.25  # the allowed deviation from the wanted power, in Monte Carlo errors
FEW = 100  # Up to so many questions, the smallest number is searched one by one.
LATTICE = 1.5  # Within so many steps of the lattice, the approximation does not decide.
FINE = 0.01  # in standard deviations: a smaller step of the lattice has no effect
ENUMERABLE = 10_000
# Tables are summed together if their classes have at most `SMALL` questions, and all but the largest class at most
# `CELLS` combinations.
SMALL, CELLS = 1_000, 2_000
AT_ONCE = 256

Simulate = Callable[[float, int, int], tuple[float, float]]


class Aim(Struct, frozen=True):
    """The aim of a plan: the `power` of a two-sided test at level `alpha`. `seed` is the seed of the simulations."""

    power: float
    alpha: float
    seed: int

    @property
    def critical(self) -> float:
        """Return the standard score beyond which the test rejects."""
        from scipy.special import ndtri

        return float(-ndtri(self.alpha / 2))

    @property
    def distance(self) -> float:
        """Return the true difference, in standard errors, at which the test has this power if one tail is ignored."""
        from scipy.special import ndtri

        return self.critical + float(ndtri(self.power))

    @property
    def close(self) -> float:
        """Return the largest accepted distance between a simulated power and the wanted power."""
        return float(CLOSE * (self.power * (1 - self.power) / TABLES) ** 0.5)


class SimulatedPlan(Struct, frozen=True):
    """A collection size, with the simulated power of the test on it.

    `questions` are drawn from `joint`; the test rejects with a probability of `power`, give or take `error`.
    """

    joint: Joint
    questions: int
    power: float

    @property
    def error(self) -> float:
        """Return the Monte Carlo standard error of the power."""
        return float(np.sqrt(max(self.power * (1 - self.power), 1 / TABLES) / TABLES))


def needed(joint: Joint, aim: Aim) -> SimulatedPlan | float:
    """Return the smallest number of questions with which the test has the wanted power for the difference of `joint`.

    If this is more than `LARGEST`, returns roughly that number, as a float.
    """
    difference = abs(joint.difference)
    exchanged, sampled = joint.spreads()
    quantile = aim.distance - aim.critical
    start = (aim.critical * exchanged + quantile * sampled) / difference
    if start**2 > LARGEST:
        return float(start**2)

    def simulate(root: float, size: int, turn: int) -> tuple[float, float]:
        questions = max(1, round(root**2))
        return questions**0.5, power_of(joint, questions, aim, size, turn)

    root, share = _meet(simulate, start, difference / sampled, aim, (1.0, (2 * LARGEST) ** 0.5))
    questions = round(root**2)
    if questions > FEW:
        return SimulatedPlan(joint, questions, share)
    return _one_by_one(joint, questions, share, aim)


def _one_by_one(joint: Joint, questions: int, share: float, aim: Aim) -> SimulatedPlan:
    """Return the smallest number of questions with the wanted power, searched in steps of one from `questions`.

    `share` is the simulated power with `questions` questions.
    """
    known = {questions: share}

    def power(size: int) -> float:
        if size not in known:
            known[size] = power_of(joint, size, aim, TABLES, TRIES + MORE + size)
        return known[size]

    while power(questions) < aim.power and questions < 2 * FEW:
        questions += 1
    while questions > 1 and power(questions - 1) >= aim.power:
        questions -= 1
    return SimulatedPlan(joint, questions, power(questions))


def resolvable(joint: Joint, questions: int, aim: Aim, sign: float) -> SimulatedPlan | None:
    """Return the smallest difference with this `sign` that `questions` questions detect with the wanted power.

    Returns None if they detect no difference.
    """
    end = sign * furthest(joint, sign) * (1 - 1e-6)
    size = 0.0
    spreads = joint.spreads()
    for _ in range(3):
        quantile = aim.distance - aim.critical
        size = (aim.critical * spreads[0] + quantile * spreads[1]) / questions**0.5
        size = min(size, 0.95 * end)
        spreads = tilt(joint, sign * size).spreads()
    if not size > 0:
        return None

    def simulate(size: float, tables: int, turn: int) -> tuple[float, float]:
        return size, power_of(tilt(joint, sign * size), questions, aim, tables, turn)

    size, share = _meet(simulate, size, questions**0.5 / spreads[1], aim, (size / 100, end))
    if share < aim.power and size >= end * (1 - 1e-9) and abs(share - aim.power) > aim.close:
        return None
    return SimulatedPlan(tilt(joint, sign * size), questions, share)


def _meet(simulate: Simulate, start: float, slope: float, aim: Aim, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the value at which the simulated power equals the wanted power, and that power.

    The value is a number of questions or a difference, whichever the plan searches. `simulate` takes a value, a number
    of tables and the number of the turn, and returns the value used and its power. The probit of the power is nearly
    linear in the value. A line is therefore fitted to all simulations, and the next value is where it meets the wanted
    power. The returned power comes from `TABLES` fresh collections.
    """
    points: list[tuple[float, float, int]] = []
    place = min(max(start, limits[0]), limits[1])
    for turn in range(TRIES + MORE):
        tables = TRIED if turn < TRIES else TABLES
        place, share = simulate(place, tables, turn)
        points.append((place, share, tables))
        if tables == TABLES and abs(share - aim.power) <= aim.close:
            break
        place = min(max(_crossing(points, slope, aim), limits[0]), limits[1])
    final = min((p for p in points if p[2] == TABLES), key=lambda p: abs(p[1] - aim.power))
    return final[0], final[1]


def _crossing(points: list[tuple[float, float, int]], slope: float, aim: Aim) -> float:
    """Return the value at which a line through the probits of the simulated powers meets the wanted power.

    Each of `points` has a value, such as a number of questions, with its simulated power and the number of tables.
    """
    from scipy.special import ndtri

    place, share, tables = np.array(points).T
    share = np.clip(share, 0.5 / tables, 1 - 0.5 / tables)
    probit = ndtri(share)
    weight = tables * np.exp(-(probit**2)) / (share * (1 - share))
    weight /= weight.sum()
    x, y = place - np.einsum("i,i->", weight, place), probit - np.einsum("i,i->", weight, probit)
    spread = np.einsum("i,i->", weight, x**2)
    fitted = np.einsum("i,i->", weight, x * y) / spread if spread > 0 else slope
    fitted = min(max(fitted, slope / 2), slope * 2)
    crossing = np.einsum("i,i->", weight, place) + (ndtri(aim.power) - np.einsum("i,i->", weight, probit)) / fitted
    return float(crossing)


def power_of(joint: Joint, questions: int, aim: Aim, tables: int, turn: int) -> float:
    """Return the power: the share of `tables` simulated collections of `questions` questions on which the test rejects.

    Each `turn` draws other collections.
    """
    rng = resampling.Block(turn * resampling.BLOCK, tables, aim.seed).generator(Stream.PLANNING)
    drawn, times = np.unique(joint.tables(questions, tables, rng), axis=0, return_counts=True)
    return float(times[rejected(joint, drawn, aim)].sum() / tables)


def rejected(joint: Joint, tables: NDArray[np.int64], aim: Aim) -> NDArray[np.bool_]:
    """Return, for each table of counts, whether the test rejects (p ≤ alpha); `tables` has shape (tables, kinds).

    The test does not reject if the difference is undefined. If the difference is not linear in the exchanges of labels,
    p is that of its leading term (see `exchanges`), which has the same limit.
    """
    sizes, weights, balances = exchanges(joint, tables)
    weights = np.where(sizes > 0, weights, 0)
    largest = np.abs(weights).max(axis=1, initial=0)
    observed = np.abs(np.einsum("tj,tj->t", weights, balances))
    deviation = np.sqrt(np.einsum("tj,tj->t", sizes, weights**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        score, step = observed / deviation, largest / deviation
        # 0/0, where nothing can be exchanged, is NaN, which is neither rejected nor undecided.
        rejects = (score >= aim.critical) & ~np.isnan(joint.pair.resampled(tables))
        doubtful = (np.abs(score - aim.critical) < LATTICE * step) & (step > FINE)
    cases, case = np.unique(np.column_stack([sizes, weights, observed])[doubtful], axis=0, return_inverse=True)
    exact = np.full(len(rejects), np.nan)
    exact[doubtful] = p_values(
        cases[:, : sizes.shape[1]].astype(np.int64), cases[:, sizes.shape[1] : -1], cases[:, -1]
    )[case.ravel()]
    return np.where(np.isnan(exact), rejects, exact <= aim.alpha)


def p_values(sizes: NDArray[np.int64], weights: Floats, observed: Floats) -> Floats:
    """Return P(|Σ w (2B - size)| ≥ observed) for each table.

    The sum is over the classes, each with an independent B of Bin(size, ½). `sizes` and `weights` w have shape (tables,
    classes). The p-value is NaN if a table has too many different sums.
    """
    sizes = np.where(weights == 0, 0, sizes)
    order = np.argsort(-sizes, axis=1, kind="stable")
    sizes, weights = np.take_along_axis(sizes, order, axis=1), np.abs(np.take_along_axis(weights, order, axis=1))
    small = (sizes.max(axis=1, initial=0) <= SMALL) & (np.prod(sizes[:, 1:] + 1.0, axis=1) <= CELLS)
    p = np.full(len(sizes), np.nan)
    together = np.flatnonzero(small)
    if len(together):
        probabilities, tails = _binomials(int(sizes[together].max(initial=0)))
        for start in range(0, len(together), AT_ONCE):
            part = together[start : start + AT_ONCE]
            p[part] = _summed(sizes[part], weights[part], observed[part], probabilities, tails)
    rest = [i for i in np.flatnonzero(~small) if _can_be_summed(sizes[i], weights[i])]
    p[rest] = sums_p(sizes[rest], weights[rest], observed[rest])
    return p


def _binomials(largest: int) -> tuple[Floats, Floats]:
    """Return P(B = k) and P(B ≥ k) for B of Bin(n, ½), for n up to `largest` and k up to `largest` + 1.

    Both arrays have a row for each n and a column for each k, from 0 on.
    """
    probabilities = np.zeros((largest + 1, largest + 2))
    probabilities[0, 0] = 1.0
    for n in range(1, largest + 1):
        probabilities[n] = probabilities[n - 1] / 2
        probabilities[n, 1:] += probabilities[n - 1, :-1] / 2
    return probabilities, np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1]


def _summed(
    sizes: NDArray[np.int64], weights: Floats, observed: Floats, probabilities: Floats, tails: Floats
) -> Floats:
    """Return the exact two-sided p-value of each table.

    It is a sum over all combinations of the smaller classes. Each term is the chance of a combination times the tail of
    the largest class. `probabilities` and `tails` are those of `_binomials`.
    """
    rest, chance = np.zeros((len(sizes), 1)), np.ones((len(sizes), 1))
    for j in range(1, sizes.shape[1]):
        size, count = sizes[:, j, None], np.arange(sizes[:, j].max() + 1)
        values = weights[:, j, None] * (2 * count - size)
        rest = (rest[:, :, None] + values[:, None]).reshape(len(sizes), -1)
        chance = (chance[:, :, None] * probabilities[size[:, 0], None, : len(count)]).reshape(len(sizes), -1)
    size = sizes[:, :1]
    beyond = (observed[:, None] * (1 - TIE) - rest) / weights[:, :1]
    needed = np.clip(np.ceil((beyond + size) / 2 - 1e-9), 0, size + 1).astype(np.int64)
    p = 2 * np.einsum("tc,tc->t", chance, tails[size, needed])
    return np.minimum(1.0, p)


def _can_be_summed(sizes: NDArray[np.int64], weights: Floats) -> bool:
    unlike = len(np.unique(np.round(weights[weights > 0] / weights.max(), 12)))
    return unlike <= 3 or float(np.prod(sizes + 1.0)) <= ENUMERABLE
