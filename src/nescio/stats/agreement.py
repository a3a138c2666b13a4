"""Measure the agreement of two rankings, or of two judges, of the same items. Knows nothing of questions.

A ranking is given by one score per item; higher scores are better, and equal scores are ties. The agreement is
undefined (NaN) below two items, and if a ranking ties all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nescio.errors import UsageError

Floats = NDArray[np.float64]
Scores = Sequence[float] | Floats


def kendall_tau_b(one: Scores, other: Scores) -> float:
    r"""Compute Kendall's rank correlation, corrected for ties; in [-1, 1], symmetric.

    $\tau_b = \frac{C - D}{\sqrt{(n_0 - t_1)(n_0 - t_2)}}$, with C and D the pairs of items ordered alike and
    oppositely, $n_0 = n(n-1)/2$ and $t_i$ the pairs that ranking i ties (Kendall 1945). NaN if a ranking ties all.
    """
    first, second = _rankings(one, other)
    if _orders_nothing(first, second):
        return float("nan")
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).statistic)


def tau_ap(truth: Scores, estimate: Scores) -> float:
    r"""Compute the AP rank correlation (Yilmaz, Aslam & Robertson 2008), in [-1, 1].

    Errors near the top of `estimate` weigh more.

    $\tau_{AP} = \frac{2}{n-1}\sum_{i=2}^{n}\frac{C(i)}{i-1} - 1$. C(i) is the number of items above rank i of the
    estimate that the truth also places above that item. Not symmetric. With ties it is the half of $\tau_{AP,b}$
    (Urbano & Marrero 2017) that goes down the estimate. Only items in strictly higher groups are above an item. The
    items of the first group have none above them, and the average leaves them out. A pair that the truth ties is not
    ordered alike. The result is $2P - 1$. P is the probability that an item below the first group and a random item
    above it are ordered alike. NaN if a ranking ties all.
    """
    true, estimated = _rankings(truth, estimate)
    if _orders_nothing(true, estimated):
        return float("nan")
    above = estimated[None, :] > estimated[:, None]
    alike = (above & (true[None, :] > true[:, None])).sum(axis=1)
    rank = above.sum(axis=1)  # the number of items above each item
    lower = rank > 0
    return float(2 * np.mean(alike[lower] / rank[lower]) - 1)


def tau_ap_b(one: Scores, other: Scores) -> float:
    r"""Compute the AP rank correlation of two rankings if neither is the truth; in [-1, 1], symmetric.

    $\tau_{AP,b} = \frac{1}{2}\left(\tau_{AP}(1, 2) + \tau_{AP}(2, 1)\right)$ (Urbano & Marrero 2017). Two equal
    rankings have 1, ties or none. NaN if a ranking ties all.
    """
    return (tau_ap(one, other) + tau_ap(other, one)) / 2


def rbo(one: Scores, other: Scores, p: float = 0.9) -> float:
    r"""Compute the rank-biased overlap of two whole rankings of the same items, in [0, 1].

    $\frac{1-p}{p}\sum_{d=1}^{n} A_d\,p^d + A_n\,p^n$, with the agreement at depth d $A_d = \frac{2\,|S_d \cap
    T_d|}{|S_d| + |T_d|}$ and $A_n = 1$ (Webber, Moffat & Zobel 2010). Items that a ranking ties share the first of
    their ranks (sec. 4.5; RBO^w of Corsi & Urbano 2024): $S_d$ are the items of rank d or better. The smaller p,
    between 0 and 1, the more the top weighs: depth d counts $p^{d-1}$. Two equal rankings have 1. Opposite rankings
    have more than 0, because they have the same items. NaN if a ranking ties all. Raises UsageError for any other p.
    """
    if not 0 < p < 1:
        raise UsageError(f"the p of rank-biased overlap must lie between 0 and 1 (found {p!r})")
    first, second = _rankings(one, other)
    if _orders_nothing(first, second):
        return float("nan")
    depth = np.arange(1, len(first) + 1)
    inside = [_ranks(scores) <= depth[:, None] for scores in (first, second)]
    agreement = 2 * (inside[0] & inside[1]).sum(axis=1) / (inside[0].sum(axis=1) + inside[1].sum(axis=1))
    return float((1 - p) / p * np.sum(agreement * p**depth) + agreement[-1] * p ** len(first))


def observed_agreement(table: ArrayLike) -> Floats:
    r"""Compute the share of items that two judges put into the same category; in [0, 1], NaN without items.

    `table` has shape (…, k, k): the number of items that the first judge put into category i and the second into j.
    """
    counts = _squares(table)
    with np.errstate(invalid="ignore"):
        shares: Floats = np.einsum("...ii->...", counts) / np.einsum("...ij->...", counts)
    return shares


def cohen_kappa(table: ArrayLike) -> Floats:
    r"""Compute Cohen's (1960) kappa: the agreement beyond chance.

    Chance is the agreement of two judges who draw categories independently, each with their own shares.

    $\kappa = \frac{p_o - p_e}{1 - p_e}$ with $p_o$ the observed agreement and $p_e = \sum_i p_{i\cdot}\,p_{\cdot i}$;
    in [-1, 1]. It is 1 if the judges agree on every item and use more than one category. NaN if $p_e = 1$: both judges
    put all items into one category. `table` as in `observed_agreement`.
    """
    counts = _squares(table)
    total = np.einsum("...ij->...", counts)
    by_chance = np.einsum("...ij,...ki->...", counts, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The counts are whole numbers, so the test for p_e = 1 is exact.
        kappa = (np.einsum("...ii->...", counts) * total - by_chance) / (total**2 - by_chance)
    return np.where(total**2 == by_chance, np.nan, kappa)


def _squares(table: ArrayLike) -> Floats:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2] or (counts < 0).any():
        raise UsageError(f"two judges with one set of categories need a square table of counts (found {counts.shape})")
    return counts


def _rankings(scores: Scores, other: Scores) -> tuple[Floats, Floats]:
    first, second = np.asarray(scores, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise UsageError(f"two rankings must score the same items (found shapes {first.shape} and {second.shape})")
    if np.isnan(first).any() or np.isnan(second).any():
        raise UsageError("an item without a score has no rank; leave the item out of both rankings")
    return first, second


def _orders_nothing(*rankings: Floats) -> bool:
    return any(len(scores) < 2 or bool((scores == scores[0]).all()) for scores in rankings)


def _ranks(scores: Floats) -> NDArray[np.int64]:
    """Return the rank of each item: 1 is the best, and tied items share the first of their ranks."""
    ranks: NDArray[np.int64] = len(scores) + 1 - np.searchsorted(np.sort(scores), scores, side="right")
    return ranks
