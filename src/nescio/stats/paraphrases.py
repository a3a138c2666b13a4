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

Floats = NDArray[np.float64]
Value = Callable[[Floats], Floats]  # a measure, as a function of the means of its columns (the last axis)
DRAWS = 9_999
AT_ONCE = 256
TIED = 1e-9
# the largest distance of suspect and references, as a share of the measure's range (docs/evidence/contamination.md)
MOST_APART = 0.1
FEW = 100  # With fewer questions, the effect of unlike strength is not known well.


class Exchanged(Struct, frozen=True):
    """The p-values of an excess under the hypothesis that the suspect is like the others, and the method (`how`).

    `p` is one-sided, and `both` two-sided.
    """

    p: float
    both: float
    how: str


def excess(value: Value, means: Floats) -> Floats:
    r"""Return the suspect's loss from original to paraphrase minus the mean loss of the others; shape (…,).

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
    """Test whether the suspect loses like the references, and return the p-values.

    For each unit, the test swaps the suspect with all references with probability ½. A swap covers both wordings. For a
    measure that is a sum, it flips the sign of the unit's excess. The resemblance of the references to one another does
    therefore not matter: a second copy of a reference changes nothing. The `explained` part of the excess is subtracted
    first.

    The p-value is exact if there are few kinds of units or the excess is a sum of few different terms. Otherwise, and
    always with `draws`, it is (1 + hits)/(1 + draws) of random exchanges.
    """
    observed = float(excess(value, units.sum(axis=0) / n)) - explained
    if math.isnan(observed):
        return Exchanged(math.nan, math.nan, "undefined")
    # the suspect beside each of the references, shape (units, references, 2 systems, 2 wordings, columns)
    beside = np.stack([units[:, [0, reference]] for reference in range(1, units.shape[1])], axis=1)
    kept, exchanged = (side.reshape(len(units), -1) for side in (beside, beside[:, :, ::-1]))

    def total(sums: Floats) -> Floats:
        return excess(value, sums.reshape(*sums.shape[:-1], *beside.shape[1:]) / n).mean(axis=-1)

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
    many = draws or DRAWS
    sizes = [min(AT_ONCE, many - start) for start in range(0, many, AT_ONCE)]
    drawn = np.concatenate(
        [difference(rng.binomial(times, 0.5, size=(size, len(times))).astype(np.float64)) for size in sizes]
    )
    return Exchanged(_hits(drawn, observed), _hits(np.abs(drawn), abs(observed)), "permutation")


def _hits(drawn: Floats, observed: float) -> float:
    return (1 + int(np.sum(drawn >= observed - TIED))) / (1 + len(drawn))
