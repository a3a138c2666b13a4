"""Infer the category of each item and the errors of the assessors from several assessors' verdicts (Dawid & Skene
1979). Pure NumPy; knows nothing of questions.

`said` has shape (items, assessors): the number of the category that an assessor chose for an item, or -1 without a
verdict.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from nescio.errors import UsageError

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

SMOOTHING = 0.1  # is added to every count, because few verdicts would otherwise give probabilities of 0 and 1
CYCLES = 2_000
CLOSE = 1e-13  # the largest change between two cycles at which the estimation stops


class Consensus(Struct, frozen=True, eq=False):
    """The estimates of a model of assessors from their verdicts.

    `chances` has shape (items, categories): the probability of each category, NaN for an item without a verdict.
    `prior` is the share of each category. `confusion[a, j, l]` is the probability that assessor a says l if the truth
    is j (NaN if no item is of category j). `log_likelihood` is that of `prior` and `confusion`.
    """

    chances: Floats
    prior: Floats
    confusion: Floats
    log_likelihood: float

    @property
    def accuracy(self) -> Floats:
        r"""Return the probability that each assessor is right: $\sum_j p_j \pi_{jj}$."""
        right: Floats = np.nan_to_num(np.einsum("ajj->aj", self.confusion)) @ self.prior
        return right

    @property
    def above_commonest(self) -> Floats:
        """Return each assessor's gain in accuracy over always guessing the commonest category, scaled to at most 1.

        NaN if only one category occurs.
        """
        most = self.prior.max()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(most < 1, (self.accuracy - most) / (1 - most), np.nan)

    @property
    def label(self) -> Whole:
        """Return the most probable category of each item; -1 for a tie or without a verdict."""
        filled = np.where(np.isnan(self.chances), 0.0, self.chances)
        ordered = np.sort(filled, axis=1)
        sure = ordered[:, -1] - (ordered[:, -2] if ordered.shape[1] > 1 else 0) > 1e-9
        labels: Whole = np.where(sure, filled.argmax(axis=1), -1)
        return labels


def dawid_skene(said: ArrayLike, categories: int, *, smoothing: float = SMOOTHING, cycles: int = CYCLES) -> Consensus:
    r"""Estimate the category of each item, and the confusion of each assessor, by expectation and maximisation.

    The first chances are the shares of votes. Then two steps alternate. The M step computes $p_j \propto \sum_i T_{ij}
    + s$ and $\pi^k_{jl} \propto \sum_i T_{ij}[k\ \text{said}\ l] + s$. The E step computes $T_{ij} \propto p_j \prod_k
    \pi^k_{j,l(k,i)}$. With s = 0 they give the maximum likelihood estimates. Raises UsageError for a verdict that is
    not a category.
    """
    votes = _checked(said, categories)[:, :, None] == np.arange(categories)
    return consensus(votes, smoothing=smoothing, cycles=cycles)


def consensus(votes: ArrayLike, *, smoothing: float = SMOOTHING, cycles: int = CYCLES) -> Consensus:
    """Return the estimates of `dawid_skene` from assessors who may have judged an item several times.

    `votes` has shape (items, assessors, categories): how often an assessor gave each verdict.
    """
    counts = np.asarray(votes, dtype=np.float64)
    kinds, kind, times = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
    start = kinds.sum(axis=1)
    judged = start.sum(axis=1) > 0
    shares = start / np.maximum(start.sum(axis=1, keepdims=True), 1)
    made = _cycled(kinds, shares, times * judged, smoothing, cycles)
    return replace(made, chances=np.where(judged[:, None], made.chances, np.nan)[kind.ravel()])


def _cycled(votes: Floats, chances: Floats, times: Floats, smoothing: float, cycles: int) -> Consensus:
    """Return the estimates after the E step and the M step have converged.

    `times` is the number of items with each pattern of votes.
    """
    kinds, assessors, categories = votes.shape
    flat = votes.reshape(kinds, assessors * categories)
    for _ in range(cycles):
        weighted = chances * times[:, None]
        prior = weighted.sum(axis=0) + smoothing
        counts = (weighted.T @ flat).reshape(categories, assessors, categories) + smoothing
        with np.errstate(divide="ignore", invalid="ignore"):
            prior = prior / prior.sum()
            confusion = counts / counts.sum(axis=2, keepdims=True)
            # A missing verdict multiplies by 1, and an impossible one by 0, whose logarithm is -1e9 here.
            logs = np.nan_to_num(np.log(confusion).reshape(categories, -1), nan=0.0, neginf=-1e9)
            joint = np.log(prior) + flat @ logs.T
        top = joint.max(axis=1, keepdims=True)
        odds = np.exp(joint - top)
        total = odds.sum(axis=1, keepdims=True)
        moved = np.abs(odds / total - chances)[times > 0].max(initial=0)
        chances = odds / total
        if moved < CLOSE:
            break
    likelihood = float((np.log(total) + top)[:, 0] @ times)
    return Consensus(chances, prior, confusion.transpose(1, 0, 2), likelihood)


def _checked(verdicts: ArrayLike, categories: int) -> Whole:
    table = np.asarray(verdicts)
    sound = table.ndim == 2 and table.size and categories >= 1
    if not sound or not np.issubdtype(table.dtype, np.integer) or table.min() < -1 or table.max() >= categories:
        raise UsageError(
            f"verdicts of assessors must have shape (items, assessors), each -1 or below {categories} (found "
            f"{table.shape})"
        )
    return table.astype(np.int64)
