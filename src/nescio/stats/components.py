"""Split the variance of a mean over crossed random factors (questions, prompts, judges …) into components.

Gives the standard error for other levels of some factors, and the best factor to extend next. Pure NumPy; knows nothing
of questions.

Cornfield & Tukey 1956, Brennan 2001 (balanced); Cameron, Gelbach & Miller 2011 (unbalanced).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Factors = tuple[int, ...]  # a set of factors, given by their positions; () is the single answer within its cell
WITHIN: Factors = ()
# The levels of a factor, and Satterthwaite's degrees of freedom, with which intervals hold (the study is
# docs/evidence/components.md).
FEWEST, FEW = 3, 4


class Spread(Struct, frozen=True):
    """The variance of a mean if the factors `over` had other levels, and its Student's degrees of freedom.

    Both are NaN if undefined.
    """

    over: Factors
    variance: float
    freedom: float

    @property
    def error(self) -> float:
        """Return the standard error: the root of the variance."""
        return math.sqrt(self.variance)


class Components(Struct, frozen=True):
    """The variance components of a balanced design, in which every cell has equally many answers.

    A cell is a combination of levels of the factors. `levels` has the number of levels of each factor, and `repeats`
    the number of answers per cell. `squares` and `components` hold a mean square and a variance component for each set
    of factors. With one answer per cell, the component of all factors together includes that of single answers.
    """

    levels: tuple[int, ...]
    repeats: int
    squares: Mapping[Factors, float]
    components: Mapping[Factors, float]

    @property
    def answers(self) -> int:
        """Return the number of answers."""
        return math.prod(self.levels) * self.repeats

    def variance(self, levels: Sequence[int], repeats: int, over: Factors | None = None) -> float:
        """Return the variance of the mean in a design with these `levels` of the factors and `repeats` per cell.

        It is the variance over new levels of the factors `over`, or of all factors without `over`. Negative components
        count as 0.
        """
        chosen = set(range(len(self.levels)) if over is None else over)
        total = 0.0
        for factors, component in self.components.items():
            if factors == WITHIN or chosen & {*factors}:
                size = math.prod(levels) * repeats if factors == WITHIN else math.prod(levels[f] for f in factors)
                total += max(0.0, component) / size
        return total

    def spread(self, over: Factors) -> Spread:
        """Return the standard error of the mean if the factors `over` had other levels, and other factors the same.

        If `over` is empty, only the answers within the cells differ. The variance is a sum of mean squares, and at
        least that for any single factor in `over`. The degrees of freedom are Satterthwaite's. They are at least those
        of the factor with the fewest levels, and equal to them if that factor has fewer than four levels.
        """
        weights = dict.fromkeys(self.squares, 0.0)
        for factors in self.components:
            if factors != WITHIN and not {*factors} & {*over}:
                continue
            for other, sign in _alternating(factors, self.squares):
                weights[other] += sign
        n = self.answers
        parts = {factors: weight * self.squares[factors] / n for factors, weight in weights.items()}
        variance = sum(parts.values())
        if not over:
            return Spread(over, variance, self.freedom(WITHIN)) if WITHIN in self.squares else Spread(over, math.nan, 0)
        if any(self.levels[f] < 2 for f in over):
            return Spread(over, math.nan, math.nan)
        alone = {f: self.squares[f,] / n for f in over}
        largest = max(alone, key=lambda f: alone[f])
        fewest = min(self.levels[f] for f in over)
        if variance <= alone[largest]:
            return Spread(over, alone[largest], float(self.levels[largest] - 1))
        freedom = variance**2 / sum(part**2 / self.freedom(factors) for factors, part in parts.items() if part)
        return Spread(over, variance, _limited(fewest, min(freedom, float(n))))

    def freedom(self, factors: Factors) -> int:
        """Return the degrees of freedom of the mean square of these factors."""
        if factors == WITHIN:
            return math.prod(self.levels) * (self.repeats - 1)
        return math.prod(self.levels[f] - 1 for f in factors)


def _subsets(count: int) -> Iterator[Factors]:
    for size in range(1, count + 1):
        yield from combinations(range(count), size)


def _limited(fewest: int, freedom: float) -> float:
    return float(fewest - 1) if fewest < FEW else max(float(fewest - 1), freedom)


def _alternating(factors: Factors, squares: Mapping[Factors, float]) -> Iterator[tuple[Factors, int]]:
    """Yield the mean squares whose signed sum gives the variance component of `factors`, each with its sign.

    The sum is the component times the number of answers per level.
    """
    above = [other for other in squares if {*factors} <= {*other}]
    for other in above if factors else [WITHIN]:
        yield other, (-1) ** (len(other) - len(factors))
    if factors and len(above) == 1 and WITHIN in squares:
        yield WITHIN, -1


def balanced(values: Floats, codes: Sequence[Whole]) -> Components | None:
    r"""Return the variance components of a balanced design from its mean squares; None if cells differ in size.

    The component of the factors s is $\sigma^2_s = \sum_{t \supseteq s} (-1)^{|t| - |s|} MS_t$, divided by the number
    of answers per level of s. `codes` has one array per factor: the level of each value, numbered from 0 without gaps.
    A factor with one level has no component.
    """
    levels = tuple(int(code.max()) + 1 for code in codes)
    cell = np.ravel_multi_index(tuple(codes), levels)
    often = np.bincount(cell, minlength=math.prod(levels))
    repeats = int(often[0])
    if not repeats or (often != repeats).any():
        return None
    table = values[np.argsort(cell, kind="stable")].reshape(*levels, repeats)
    means = table.mean(axis=-1)
    axes = range(len(levels))
    squares: dict[Factors, float] = {}
    effects: dict[Factors, Floats] = {(): np.array(means.mean()).reshape((1,) * len(levels))}
    for factors in _subsets(len(levels)):
        level_means = means.mean(axis=tuple(axis for axis in axes if axis not in factors), keepdims=True)
        effects[factors] = level_means - sum(effect for other, effect in effects.items() if {*other} < {*factors})
        degrees = math.prod(levels[f] - 1 for f in factors)
        if degrees:
            size = math.prod(levels) * repeats // math.prod(levels[f] for f in factors)
            squares[factors] = size * float((effects[factors] ** 2).sum()) / degrees
    if repeats > 1:
        within = float(((table - means[..., None]) ** 2).sum())
        squares[WITHIN] = within / (math.prod(levels) * (repeats - 1))
    components = {}
    for factors in squares:
        size = len(values) // math.prod(levels[f] for f in factors) if factors else 1
        components[factors] = sum(sign * squares[other] for other, sign in _alternating(factors, squares)) / size
    return Components(levels, repeats, squares, components)


def clustered(moved: Floats, codes: Sequence[Whole], over: Factors) -> Spread:
    r"""Return the standard error of a mean in any design, for other levels of the factors `over`.

    The clusters are the levels of these factors: $V = \sum_s (-1)^{|s| + 1} V_s$, with $V_s = \frac{G}{G - 1} \sum_g
    (\sum_{a \in g} e_a)^2$ for each set s of them.

    `moved` is the influence $e_a$ of each answer on the mean. V is at least the variance for any single factor.
    The degrees of freedom are Satterthwaite's over the single factors, with the same limits as in a balanced design.
    """
    levels = [len(np.unique(code)) for code in codes]
    if not over or any(levels[f] < 2 for f in over):
        return Spread(over, math.nan, math.nan)
    variance, alone = 0.0, {}
    for factors in (subset for size in range(1, len(over) + 1) for subset in combinations(over, size)):
        key = np.unique(_joined([codes[f] for f in factors]), return_inverse=True)[1]
        sums = np.bincount(key, moved)
        part = len(sums) / (len(sums) - 1) * float((sums**2).sum())
        variance += (-1) ** (len(factors) + 1) * part
        if len(factors) == 1:
            alone[factors[0]] = part
    largest = max(alone, key=lambda f: alone[f])
    fewest = min(levels[f] for f in over)
    if variance <= alone[largest]:
        return Spread(over, alone[largest], float(levels[largest] - 1))
    freedom = variance**2 / sum(part**2 / (levels[f] - 1) for f, part in alone.items() if part)
    return Spread(over, variance, _limited(fewest, freedom))


def _joined(codes: Sequence[Whole]) -> Whole:
    return np.ravel_multi_index(tuple(codes), tuple(int(code.max()) + 1 for code in codes))


class Addition(Struct, frozen=True):
    """An addition of one level to the factor with index `factor`, or of one answer per cell if `factor` is None.

    It has a cost, the resulting `variance` of the mean, and a `gain`: the drop of the variance per cost.
    """

    factor: int | None
    cost: float
    variance: float
    gain: float


def additions(
    found: Components, costs: Sequence[float], per_answer: float, over: Factors | None = None
) -> list[Addition]:
    """Return the possible additions to a design, the one that lowers the variance most for its cost first.

    An addition is one more level of a factor, or one more answer per cell. A level costs its entry in `costs` plus the
    price of its answers.
    """
    levels, repeats = list(found.levels), found.repeats
    now = found.variance(levels, repeats, over)
    made = []
    for factor in [*range(len(levels)), None]:
        more = [size + (place == factor) for place, size in enumerate(levels)]
        again = repeats + (factor is None)
        answers = math.prod(more) * again - found.answers
        cost = (0.0 if factor is None else costs[factor]) + per_answer * answers
        # With one answer per cell, the data do not show how much of the last component more answers would remove.
        if factor is None and WITHIN not in found.components:
            continue
        then = found.variance(more, again, over)
        made.append(Addition(factor, cost, then, (now - then) / cost if cost else math.inf))
    return sorted(made, key=lambda addition: -addition.gain)


def floor(found: Components, factor: int | None, over: Factors | None = None) -> float:
    """Return the limit of the variance for infinitely many levels of a factor.

    If `factor` is None, it is the limit for infinitely many answers per cell.
    """
    many = 10**15
    levels = [many if place == factor else size for place, size in enumerate(found.levels)]
    return found.variance(levels, many if factor is None else found.repeats, over)


def within_budget(
    found: Components, costs: Sequence[float], per_answer: float, budget: float, over: Factors | None = None
) -> tuple[tuple[int, ...], float] | None:
    """Return the numbers of levels that give the least variance within a budget, and that variance.

    Returns None if the budget does not pay for two levels of each factor that varies. All factors but the first are
    scanned, and the first factor takes the rest of the budget.
    """
    most = 200 if len(costs) < 3 else 40
    best: tuple[tuple[int, ...], float] | None = None
    scanned = [range(1, 2) if size < 2 else range(2, most + 1) for size in found.levels[1:]]
    for rest in product(*scanned):
        cells = math.prod(rest) * found.repeats
        paid = sum(cost * size for cost, size in zip(costs[1:], rest, strict=True))
        each = costs[0] + per_answer * cells
        first = math.floor((budget - paid) / each * (1 + 1e-12)) if each else 0
        if first < 2:
            continue
        levels = (first, *rest)
        variance = found.variance(levels, found.repeats, over)
        if best is None or variance < best[1]:
            best = levels, variance
    return best
