"""Test whether a system loses more than others on reworded questions. Knows nothing of files.

Every question has an original and a paraphrase, and every system has answered both. `units` are questions or clusters
of them, which are exchanged whole. They hold the sums of their columns, shape (units, systems, 2, columns); the suspect
and the original wording come first.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats.exact_p_values import exact_p
from nescio.stats.exchanges import exchanges
from nescio.stats.lattices import MOST_SUMS, convolved, lattice_step, power

Floats = NDArray[np.float64]
Value = Callable[[Floats], Floats]  # a measure, as a function of the means of its columns (the last axis)
DRAWS = 9_999
AT_ONCE = 256
TIED = 1e-9
# the largest distance of suspect and references, as a share of the measure's range (docs/contamination.md)
MOST_APART = 0.1
FEW = 100  # With fewer questions, the effect of unlike strength is not known well.


class Exchanged(Struct, frozen=True):
    """The p-values of an excess under the hypothesis that the suspect is like the others, and the method (`how`).

    `p` is one-sided, and `both` two-sided (NaN for more than two systems).
    """

    p: float
    both: float
    how: str


def excess(value: Value, means: Floats) -> Floats:
    r"""Return how much more the suspect loses from original to paraphrase than the others lose on average.

    $(v^x_o - v^x_p) - \overline{(v^y_o - v^y_p)}$; `means` has shape (…, systems, 2, columns), the suspect first.
    """
    lost = value(means[..., 0, :]) - value(means[..., 1, :])
    return np.asarray(lost[..., 0] - lost[..., 1:].mean(axis=-1))


def of_strength(scores: Floats, bounds: tuple[float, float], n: int) -> float:
    r"""Return the excess that unlike strength alone explains.

    The model is that a paraphrase is harder by the same shift $\delta$ of log odds for all systems. The loss of the
    references gives $\delta$. Let $l$ be the mean of the suspect's log odds on both wordings. The
    suspect would then lose $\sigma(l + \delta/2) - \sigma(l - \delta/2)$. The mean of both wordings depends least on
    the suspect's own chance loss. `scores` has shape (systems, 2), the suspect first, between `bounds`.
    """
    low, high = bounds
    if not math.isfinite(high - low):
        return 0.0
    share = np.clip((scores - low) / (high - low), 0.5 / n, 1 - 0.5 / n)
    odds = np.log(share / (1 - share))
    lost = float((share[1:, 0] - share[1:, 1]).mean())
    half, suspect = float((odds[1:, 0] - odds[1:, 1]).mean()) / 2, float(odds[0].mean())
    would = 1 / (1 + math.exp(-suspect - half)) - 1 / (1 + math.exp(-suspect + half))
    return (high - low) * (would - lost)


def alike(scores: Floats, bounds: tuple[float, float], explained: float, n: int) -> bool:
    """Return whether the references are similar enough to the suspect for a test.

    They are if their mean over both wordings is about that of the suspect, or if unlike strength favours the suspect.
    With few questions, their scores on the paraphrases, which nobody has seen, must be close to the suspect's.
    """
    low, high = bounds
    if not math.isfinite(high - low):
        return True
    of_each = scores[:, 1] if n < FEW else scores.mean(axis=1)
    apart = abs(float(of_each[0] - of_each[1:].mean()))
    return (explained <= 0 and n >= FEW) or apart <= MOST_APART * (high - low)


def exchange(
    value: Value, units: Floats, n: int, rng: np.random.Generator, explained: float = 0.0, *, draws: int | None = None
) -> Exchanged:
    """Return the result of the test whether the suspect is like any of the systems.

    Under the hypothesis, any of the systems may take the suspect's place on each unit, with both wordings together. The
    part of the excess that is `explained` does not count.

    With two systems the p-value is exact if there are few kinds of units or the excess is a sum. With more systems it
    is exact if the excess is a sum on a lattice. Otherwise, and always with `draws`, it is (1 + hits)/(1 + draws) of
    random exchanges.
    """
    observed = float(excess(value, units.sum(axis=0) / n)) - explained
    if math.isnan(observed):
        return Exchanged(math.nan, math.nan, "undefined")
    test = _two if units.shape[1] == 2 else _several
    return test(value, units, n, observed, rng, draws=draws)


def _two(
    value: Value, units: Floats, n: int, observed: float, rng: np.random.Generator, *, draws: int | None
) -> Exchanged:
    shape = units.shape[1:]
    kept, exchanged = (side.reshape(len(units), -1) for side in (units, units[:, ::-1]))

    def total(sums: Floats) -> Floats:
        return excess(value, sums.reshape(*sums.shape[:-1], *shape) / n)

    difference, times = exchanges(total, kept, exchanged, np.ones(len(units), dtype=np.int64))
    if not len(times):
        return Exchanged(1.0, 1.0, "exact")
    both = exact_p(difference, times, observed) if draws is None else None
    if both is not None:
        if observed > TIED:
            return Exchanged(both / 2, both, "exact")
        # This is the tail strictly beyond, because the distribution is symmetric.
        further = exact_p(difference, times, abs(observed) + TIED)
        if further is not None:
            return Exchanged(1 - further / 2, both, "exact")
    drawn = difference(rng.binomial(times, 0.5, size=(draws or DRAWS, len(times))).astype(np.float64))
    return Exchanged(_hits(drawn, observed), _hits(np.abs(drawn), abs(observed)), "permutation")


def _hits(drawn: Floats, observed: float) -> float:
    return (1 + int(np.sum(drawn >= observed - TIED))) / (1 + len(drawn))


def _several(
    value: Value, units: Floats, n: int, observed: float, rng: np.random.Generator, *, draws: int | None
) -> Exchanged:
    systems = units.shape[1]
    orders = np.array([np.roll(np.arange(systems), -k) for k in range(systems)])
    # The contribution of a unit with each of its systems as the suspect, for a measure that is a sum.
    added = np.stack([excess(value, units[:, order] / n) for order in orders], axis=1)
    # Only a measure that is a sum agrees with the sum on these exchanges.
    probes = [np.zeros(len(units), dtype=np.int64), *rng.integers(systems, size=(4, len(units)))]
    excesses = [excess(value, units[np.arange(len(units))[:, None], orders[probe]].sum(axis=0) / n) for probe in probes]
    sums = [added[np.arange(len(units)), probe].sum() for probe in probes]
    if np.allclose(excesses, sums, rtol=0, atol=1e-10):
        steps = (added - added.min(axis=1, keepdims=True)) * n * (systems - 1)
        step = lattice_step(np.unique(np.round(steps, 8)))
        if draws is None and step and steps.max(axis=1).sum() / step < MOST_SUMS:
            law = np.ones(1)
            places, times = np.unique(np.sort(np.round(steps / step).astype(np.int64)), axis=0, return_counts=True)
            for place, often in zip(places, times.tolist(), strict=True):
                law = convolved(law, power(np.bincount(place) / systems, often))
            least = float((added.min(axis=1) * n * (systems - 1)).sum())
            at = math.ceil((observed * n * (systems - 1) - least) / step - 1e-6)
            return Exchanged(min(1.0, float(law[max(0, at) :].sum())), math.nan, "exact")
        suspects = rng.integers(systems, size=(draws or DRAWS, len(units)))
        drawn = np.array([added[np.arange(len(units)), probe].sum() for probe in suspects])
        return Exchanged(_hits(drawn, observed), math.nan, "permutation")
    parts = []
    for start in range(0, draws or DRAWS, AT_ONCE):
        order = np.argsort(rng.random((min(AT_ONCE, (draws or DRAWS) - start), len(units), systems)), axis=-1)
        taken = [
            sum(
                np.einsum("bu,uwc->bwc", (order[:, :, place] == k).astype(np.float64), units[:, k])
                for k in range(systems)
            )
            for place in range(systems)
        ]
        parts.append(excess(value, np.stack(taken, axis=1) / n))
    return Exchanged(_hits(np.concatenate(parts), observed), math.nan, "permutation")
