"""Evaluate questions asked at several stated stakes: the worth of answers, and whether abstention follows the stakes.

A stake is the price λ of an error; a right answer earns 1 and an abstention 0. Equivalently it is the target t = λ/(1 +
λ): answer only if you are more than t sure (RiskEval, arXiv 2601.07767). Knows nothing of files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats import intervals
from nescio.stats.few_units import unit_error
from nescio.stats.lattices import MOST_SUMS, convolved, lattice_step, power

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
MOST_ORDERS = 20_000  # the most orders of the abstentions of one question
MOST_CELLS = 1_000_000  # the most sums off a lattice that are enumerated
DIGITS = 9  # of the logarithm of a stake, so that sums that should be equal are equal in floating point
MOST_VALUES = 1 << 20  # the widest range in which whole numbers are counted by position
MOST_POINTS = 1 << 19  # the most points at which a characteristic function is evaluated
VANISHED = -60.0  # the logarithm below which a term is left out
REACH = 9.0  # A sum of signs lies beyond so many standard deviations with a probability below 1e-17.


def counted(values: Whole) -> tuple[Whole, Whole]:
    """Return the distinct whole numbers, and the count of each."""
    if not len(values):
        return values, values
    least, most = int(values.min()), int(values.max())
    if most - least >= MOST_VALUES:
        numbers, often = np.unique(values, return_counts=True)
        return numbers, often.astype(np.int64)
    times = np.bincount(values - least)
    here = np.flatnonzero(times)
    return here + least, times[here]


def _by_unit(moved: Floats, clusters: Whole | None) -> tuple[Floats, Floats, Whole]:
    """Return the influence of each unit on a value, the unit's size, and a count of 1 for each unit.

    Units are questions, or clusters of them.
    """
    if clusters is None:
        return moved, np.ones(len(moved)), np.ones(len(moved), dtype=np.int64)
    unit = np.unique(clusters, return_inverse=True)[1]
    size = np.bincount(unit).astype(np.float64)
    return np.bincount(unit, moved).astype(np.float64), size, np.ones(len(size), dtype=np.int64)


def gain(right: Floats, wrong: Floats, penalty: float) -> Floats:
    r"""Return the earnings of each answer at a stake: $c - \lambda w$, in $[-\lambda, 1]$, for an error price λ."""
    return right - penalty * wrong


def rule_figures(
    confidence: Floats, answered: NDArray[np.bool_], target: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], float]:
    r"""Return a mask of the questions that a rule answers, one of those where the system agrees, and the mean loss.

    The rule is *answer if more than t sure*, for the `target` t.

    The loss is the mean of $|f - t| \cdot 1[\text{action} \ne \text{rule}]$ (normalised stated regret; RiskEval, App.
    A); times $1 + \lambda$ it is in units of utility. At f = t both actions agree with the rule.
    """
    answers = confidence > target
    level = np.isclose(confidence, target, rtol=0, atol=1e-12)
    agrees = (answers == answered) | level
    return answers, agrees, float(np.mean(np.abs(confidence - target) * ~agrees)) if len(agrees) else math.nan


def area_weights(targets: Sequence[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    r"""Return the contributions $\alpha_k$ and $\beta_k$ of a right and a wrong answer at each target to the area.

    The area is the trapezoid rule of $((1 - t)C - tW)/n$ over the declared targets, divided by that of $1 - t$.
    $\omega_k$ is half the sum of the neighbouring steps: $\alpha_k = \omega_k(1 - t_k)/D$, $\beta_k = \omega_k t_k/D$,
    $D = \sum \omega_k(1 - t_k)$. With one target, the area is the utility at that target.
    """
    if len(targets) == 1:
        return [Fraction(1)], [targets[0] / (1 - targets[0])]
    ends = [targets[0], *targets, targets[-1]]
    share = [(after - before) / 2 for before, after in zip(ends, ends[2:], strict=False)]
    whole = sum(w * (1 - t) for w, t in zip(share, targets, strict=True))
    return (
        [w * (1 - t) / whole for w, t in zip(share, targets, strict=True)],
        [w * t / whole for w, t in zip(share, targets, strict=True)],
    )


class Adaptation(Struct, frozen=True):
    """The change in a question's share of abstentions if its stake is multiplied by e, with an interval.

    `p` is the one-sided p-value of the hypothesis that the system ignores its stakes. `how` names the method.
    """

    slope: float
    low: float
    high: float
    error: float
    p: float
    how: str
    z: float
    n: int


def adaptation(
    x: Floats, silent: Floats, level: float, rng: np.random.Generator, clusters: Whole | None = None
) -> Adaptation:
    r"""Return the slope of abstention in x within questions, its interval, and a test that x has no effect.

    $b = \sum\sum(x - \bar x_i)s / \sum\sum(x - \bar x_i)^2$. The influence of a question is $e_i = \sum_k(x - \bar
    x_i)(s - \bar s_i - b(x - \bar x_i))$. Under the null hypothesis, a question's abstentions fall on any of its stakes
    with equal probability. So $\sum x s$ is a sum of independent subset sums: exact if these lie on a lattice, else by
    random orders. Few questions may adapt, so Student's degrees of freedom are those of the kurtosis of $e_i$. `z` is
    Mantel's (1963). `x` has shape (stakes,), `silent` (questions, stakes), NaN if a question was not asked at a stake;
    `clusters` (questions,).
    """
    asked = ~np.isnan(silent)
    several = asked.sum(axis=1) > 1
    asked, silent = asked[several], np.nan_to_num(silent[several])
    times = asked.sum(axis=1)
    away = np.where(asked, x - (asked @ x / np.maximum(times, 1))[:, None], 0.0)
    each = (away**2).sum(axis=1)
    if not len(each) or each.sum() <= 1e-12:
        nan = math.nan
        return Adaptation(nan, nan, nan, nan, nan, "undefined", nan, 0)
    many = silent.sum(axis=1)
    slope = float((away * silent).sum() / each.sum())
    moved = ((away * silent).sum(axis=1) - slope * each) / each.sum()
    error, freedom = unit_error(*_by_unit(moved, None if clusters is None else clusters[several]))
    low, high = intervals.logit(slope, error, intervals.EVERYWHERE, freedom, level)
    spread = float(np.sum(many * (times - many) / (times * (times - 1)) * each))
    z = float((away * silent).sum()) / math.sqrt(spread) if spread > 0 else math.nan
    # above the least stake of each question, where the order of its abstentions can matter
    decides = (many > 0) & (many < times)
    above = np.where(asked, x - np.min(np.where(asked, x, math.inf), axis=1, keepdims=True), 0.0).round(DIGITS)
    patterns, pattern = _rows(asked[decides])
    codes, counts = np.unique(pattern * (asked.shape[1] + 1) + many[decides].astype(np.int64), return_counts=True)
    kinds = np.column_stack([patterns[codes // (asked.shape[1] + 1)], codes % (asked.shape[1] + 1)])
    groups: Groups = {}
    for kind, often in zip(kinds, counts.tolist(), strict=True):
        asked_stakes = x[kind[:-1].astype(bool)]
        key = (tuple(np.round(asked_stakes - asked_stakes.min(), DIGITS).tolist()), int(kind[-1]))
        groups[key] = groups.get(key, 0) + often
    p, how = _order_p(groups, float((above * silent)[decides].sum()), rng)
    return Adaptation(slope, low, high, error, p, how, z, len(each))


def _rows(asked: NDArray[np.bool_]) -> tuple[Whole, Whole]:
    """Return the distinct rows of `asked`, and for each of its rows the index of the distinct row that equals it."""
    if not len(asked) or asked.all():
        return np.ones((1, asked.shape[1]), dtype=np.int64), np.zeros(len(asked), dtype=np.int64)
    rows, row = np.unique(asked, axis=0, return_inverse=True)
    return rows.astype(np.int64), row.ravel().astype(np.int64)


Groups = dict[tuple[tuple[float, ...], int], int]


def _order_p(groups: Groups, observed: float, rng: np.random.Generator, draws: int = 9_999) -> tuple[float, str]:
    """Return the probability that abstentions in random order fall on stakes at least as high, and the method.

    The method is "exact", or "permutation" for random orders.
    """
    if not groups:
        return 1.0, "exact"
    sums = {key: _subset_sums(*key) for key in groups}
    # Some questions have too many orders to enumerate.
    drawn = any(comb(len(x), many) > MOST_ORDERS for x, many in groups)
    step = 0.0 if drawn else lattice_step(np.concatenate([values for values, _ in sums.values()]))
    if step and sum(times * float(sums[key][0].max()) for key, times in groups.items()) / step < MOST_SUMS:
        law = np.ones(1)
        for key, times in groups.items():
            values, chances = sums[key]
            distribution = np.zeros(round(float(values.max()) / step) + 1)
            np.add.at(distribution, np.round(values / step).astype(np.int64), chances)
            law = convolved(law, power(distribution, times))
        return min(1.0, float(law[max(0, round(observed / step)) :].sum())), "exact"
    each = [sums[key] for key, times in groups.items() for _ in range(times)]
    written = None if drawn else _written_out(each)
    if written:
        values, chances = written
        return min(1.0, float(chances[values >= observed - 1e-8].sum())), "exact"
    total = np.zeros(draws)
    for key, times in groups.items():
        values, chances = sums[key]
        total += rng.multinomial(times, chances, size=draws) @ values
    return (1 + int(np.sum(total >= observed - 1e-8))) / (1 + draws), "permutation"


def _written_out(sums: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats] | None:
    """Return all values of a sum of independent parts and their probabilities, or None if the work is too much."""
    values: Floats = np.zeros(1)
    chances: Floats = np.ones(1)
    cells = 0
    for part_values, of_own in sums:
        cells += len(values) * len(part_values)
        if cells > MOST_CELLS:
            return None
        values, place = np.unique(np.add.outer(values, part_values).ravel().round(DIGITS), return_inverse=True)
        chances = np.bincount(place.ravel(), np.multiply.outer(chances, of_own).ravel()).astype(np.float64)
    return values, chances


def _subset_sums(x: tuple[float, ...], many: int) -> tuple[Floats, Floats]:
    """Return the sums of all subsets of `many` elements of x, and the probability of each sum.

    If there are too many subsets, random ones replace them.
    """
    if comb(len(x), many) > MOST_ORDERS:
        rng = np.random.default_rng(len(x) * 1_000 + many)
        subsets = [rng.permutation(len(x))[:many].tolist() for _ in range(MOST_ORDERS)]
        values = np.array([sum(x[i] for i in subset) for subset in subsets])
    else:
        values = np.array([sum(subset) for subset in combinations(x, many)])
    distinct, times = np.unique(np.round(values, DIGITS), return_counts=True)
    return distinct, times / times.sum()


def exchange_p(differences: Whole, rng: np.random.Generator, draws: int = 9_999) -> tuple[float, str]:
    """Return the two-sided p-value of a sum of whole numbers under exchanges of two labels, and the method.

    The p-value is exact if the characteristic function of the sum has few terms that matter. Otherwise it is
    (1 + hits)/(1 + draws).
    """
    size, times = counted(np.abs(differences))
    size, times = size[size > 0], times[size > 0]
    if not len(size):
        return 1.0, "exact"
    scale = int(np.gcd.reduce(size))
    size, observed = size // scale, abs(int(differences.sum())) // scale
    p = _beyond(size, times, observed)
    if p is not None:
        return p, "exact"
    total = sum(
        number * (2 * rng.binomial(many, 0.5, size=draws) - many)
        for number, many in zip(size.tolist(), times.tolist(), strict=True)
    )
    return (1 + int(np.sum(np.abs(total) >= observed))) / (1 + draws), "permutation"


def _beyond(size: Whole, times: Whole, observed: int) -> float | None:
    r"""Return the probability that a sum of numbers with random signs is at least as far from 0 as `observed`.

    Returns None if the computation would take too long. `times` is how often each `size` occurs among the numbers.

    Such a sum S has the parity of the observed one. Among numbers of that parity within $\pm L$, $P(S = s) = \frac1L (1
    + 2\sum_{k < L/2} \varphi_k \cos(\pi k s/L))$ for odd L, with $\varphi_k = \prod_i \cos(\pi k s_i/L)^{m_i}$. For
    most k, $\varphi_k$ is 0 up to rounding, so few terms remain.
    """
    spread = math.sqrt(float(size.astype(np.float64) ** 2 @ times))
    if observed == 0:
        return 1.0
    if size.max() > MOST_VALUES:
        return None
    least = math.ldexp(2.0, -min(int(times.sum()), 1_000))  # the probability that all have one sign
    if observed > REACH * spread:
        return max(least, 2 * math.exp(-((observed / spread) ** 2) / 2))  # Hoeffding's (1963) bound
    length = 1 + min(int(size @ times), math.ceil(REACH * spread))
    length += 1 - length % 2
    at, log, negative = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=bool)
    for i, place in enumerate(np.argsort(-times, kind="stable").tolist()):
        number, many = int(size[place]), int(times[place])
        if i == 0:
            at = _near_one(number, many, length)
            if len(at) > MOST_POINTS:
                return None
            log, negative = np.zeros(len(at)), np.zeros(len(at), dtype=bool)
        cosine = np.cos(np.pi / length * (number * at % (2 * length)))
        log += many * np.log(np.maximum(np.abs(cosine), 1e-300))
        negative ^= (cosine < 0) & (many % 2 == 1)
        left = log > VANISHED
        if not left.all():
            at, log, negative = at[left], log[left], negative[left]
    angle = np.pi / length * at
    within = np.where(negative, -1, 1) * np.exp(log) * np.sin((observed - 1) * angle) / np.sin(angle)
    p = 1 - (observed - 1 + 2 * float(within.sum())) / length
    return min(1.0, max(p, least))


def _near_one(size: int, times: int, length: int) -> Whole:
    r"""Return the k from 1 to L/2 at which $|\cos(\pi k s/L)|^m$ is not negligible: those near a multiple of L/s.

    s is the `size`, m is `times`, and L is `length`, as in `_beyond`.
    """
    half = length // 2
    reach = math.acos(math.exp(VANISHED / times)) / math.pi * length / size
    if 2 * reach >= length / size:
        return np.arange(1, half + 1)
    centre = np.arange(size // 2 + 2) * (length / size)
    low = np.maximum(np.ceil(centre - reach).astype(np.int64), 1)
    many = np.maximum(np.minimum(np.floor(centre + reach).astype(np.int64), half) - low + 1, 0)
    return np.repeat(low - np.cumsum(many) + many, many) + np.arange(int(many.sum()))
