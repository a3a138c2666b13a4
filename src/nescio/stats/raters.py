"""Measure the agreement of any number of raters on items that not all of them rated. Pure NumPy; knows nothing of
questions.

`counts` has shape (items, categories): the number of raters who chose a category for an item. `weights` has shape (…,
items): how often each item counts, as in resamples; None counts each once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from nescio.errors import UsageError
from nescio.stats import resampling
from nescio.stats.agreement import cohen_kappa
from nescio.stats.streams import Stream

Floats = NDArray[np.float64]
ONCE_IN = 0.001  # A random choice of items looks like a choice of disputed ones with at most this probability.


def called_to_disputes(said: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return the raters who rated mainly items on which others disagree.

    Each entry has the index of the rater, the number of their items that others rated too, and the number of these on
    which others disagree.

    `said` has shape (items, raters), -1 for no rating. Others disagree on more than half of such a rater's items. A
    random choice among the items that two others rated would have as many disputed ones with a probability of at most
    0.001 divided by the number of raters (hypergeometric).
    """
    from scipy.stats import hypergeom

    rated = said >= 0
    raters = []
    for rater in range(said.shape[1]):
        others = np.delete(said, rater, axis=1)
        most = others.max(axis=1, initial=-1)
        least = np.where(others >= 0, others, most[:, None]).min(axis=1, initial=said.max(initial=0))
        several, disputed = (others >= 0).sum(axis=1) > 1, most > least
        shared = rated[:, rater] & (others >= 0).any(axis=1)
        chosen = int((shared & disputed).sum())
        if 2 * chosen <= shared.sum():
            continue
        drawn = hypergeom.sf(chosen - 1, several.sum(), (several & disputed).sum(), (shared & several).sum())
        if drawn * said.shape[1] <= ONCE_IN:
            raters.append((rater, int(shared.sum()), chosen))
    return raters


def pair_agreement(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    r"""Compute the share of agreeing pairs of raters on an item, averaged over items with two or more; in [0, 1].

    $p_a = \frac{1}{n}\sum_i \sum_k \frac{r_{ik}(r_{ik}-1)}{r_i(r_i-1)}$. NaN if no item has two raters.
    """
    table, times = _table(counts, weights)
    raters = table.sum(axis=1)
    paired = raters >= 2
    of_pairs = np.where(paired, raters * (raters - 1), 1.0)
    alike = np.where(paired, (table * (table - 1)).sum(axis=1) / of_pairs, 0.0)
    return _over(times @ alike, times @ paired.astype(float))


def krippendorff_alpha(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    r"""Compute Krippendorff's alpha for categories without an order; 1 is perfect agreement, 0 that of chance.

    $\alpha = 1 - (M-1)\frac{\sum_i \sum_{a \ne b} r_{ia} r_{ib} / (r_i - 1)}{\sum_{a \ne b} n_a n_b}$ over items with
    two or more raters. M is the number of their ratings, $n_a$ that of their ratings of category a (Krippendorff 2004,
    11.3). NaN if all ratings are of one category.
    """
    table, times = _table(counts, weights)
    raters = table.sum(axis=1)
    used = np.where(raters >= 2, 1.0, 0.0)
    unlike = used * (raters**2 - (table**2).sum(axis=1)) / np.maximum(raters - 1, 1)
    ratings = times @ (used * raters)
    totals = times @ (used[:, None] * table)
    expected = ratings**2 - (totals**2).sum(axis=-1)
    return 1 - _over((ratings - 1) * (times @ unlike), expected)


def gwet_ac1(counts: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    r"""Compute Gwet's AC1, which stays meaningful if one category has nearly all ratings; 1 is perfect agreement.

    $\mathrm{AC1} = \frac{p_a - p_\gamma}{1 - p_\gamma}$ with $p_\gamma = \frac{1}{q-1}\sum_k \pi_k (1 - \pi_k)$.
    $\pi_k$ is the mean over rated items of the share of raters who chose category k, and q is the number of categories
    (Gwet 2008). NaN if no item has two raters.
    """
    table, times = _table(counts, weights)
    raters = table.sum(axis=1)
    rated = (raters >= 1).astype(float)
    shares = table / np.maximum(raters, 1)[:, None]
    means = _over(times @ shares, (times @ rated)[..., None])
    by_chance = (means * (1 - means)).sum(axis=-1) / (table.shape[1] - 1)
    return _over(pair_agreement(table, weights) - by_chance, 1 - by_chance)


def of_two(coefficient: Callable[[ArrayLike, ArrayLike], Floats], table: ArrayLike) -> Floats:
    """Return a coefficient of many raters, such as `gwet_ac1`, for two judges of the same items.

    `table` has shape (…, k, k): the number of items that the first judge put into category i and the second into j. The
    result has shape (…,).
    """
    counts = np.asarray(table, dtype=np.float64)
    first, second = np.indices(counts.shape[-2:]).reshape(2, -1)
    categories = np.eye(counts.shape[-1])
    return coefficient(categories[first] + categories[second], counts.reshape(*counts.shape[:-2], -1))


class Interval(Struct, frozen=True):
    """A coefficient with its bootstrap interval over items; `undefined` is the number of resamples without a value."""

    name: str
    value: float
    low: float | None
    high: float | None
    undefined: int


MEASURES = {"p_o": pair_agreement, "alpha": krippendorff_alpha, "AC1": gwet_ac1}


def agreement_intervals(
    counts: ArrayLike,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    units: Sequence[int] | None = None,
) -> list[Interval]:
    """Compute each coefficient with the percentile interval over resampled items; the ratings of an item stay together.

    `units` holds the number (from 0) of each item's unit. With `units`, whole units are resampled instead of items.
    """
    table, _ = _table(counts, None)
    kinds, kind, times = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    unit_kinds = None
    if units is not None:
        unit_kinds = np.zeros((max(units, default=-1) + 1, len(kinds)), dtype=np.int64)
        np.add.at(unit_kinds, (np.asarray(units), kind.ravel()), 1)
        times = np.ones(len(unit_kinds), dtype=np.int64)
    draws = [
        resampling.bootstrap(times.astype(np.int64), block.size, block.generator(Stream.ASSESSORS))
        for block in resampling.blocks(resamples, seed)
    ]
    drawn = np.concatenate([draw if unit_kinds is None else draw @ unit_kinds for draw in draws])
    return [_interval(name, float(measure(table)), measure(kinds, drawn), level) for name, measure in MEASURES.items()]


def kappa_interval(
    pairs: ArrayLike,
    categories: int,
    units: Sequence[int],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Compute Cohen's kappa of two raters with the percentile interval of resampled units.

    `pairs` holds the categories (from 0) that the first and the second rater chose, one row per decision. `units` holds
    the number (from 0) of each decision's unit; decisions of one unit stay together.
    """
    categories_said = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    cells = np.zeros((max(units, default=-1) + 1, categories**2), dtype=np.int64)
    np.add.at(cells, (np.asarray(units), categories_said[:, 0] * categories + categories_said[:, 1]), 1)
    kinds, times = np.unique(cells[cells.any(axis=1)], axis=0, return_counts=True)
    drawn = np.concatenate(
        [
            resampling.bootstrap(times, block.size, block.generator(Stream.ASSESSORS)) @ kinds
            for block in resampling.blocks(resamples, seed)
        ]
    )
    square = (categories, categories)
    value = float(cohen_kappa((times @ kinds).reshape(square)))
    return _interval("kappa", value, cohen_kappa(drawn.reshape(-1, *square)), level)


def _interval(name: str, value: float, values: Floats, level: float) -> Interval:
    sound = values[~np.isnan(values)]
    tail = (1 - level) / 2
    low, high = (float(q) for q in np.quantile(sound, [tail, 1 - tail])) if sound.size else (None, None)
    return Interval(name, value, low, high, int(np.isnan(values).sum()))


def _table(counts: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or (table < 0).any():
        raise UsageError(f"raters' counts must have shape (items, 2 categories or more) (found {table.shape})")
    return table, np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)


def _over(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(below) < 1e-12, np.nan, above / below)
