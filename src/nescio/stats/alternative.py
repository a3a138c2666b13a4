"""Test whether a judge may replace an assessor: the alternative annotator test (Calderon, Reichart & Dror, ACL 2025).
Knows nothing of questions.

`people` has shape (items, assessors): the number of the category that each put an item into, -1 if there is no verdict;
`judge` has the judge's.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from nescio.errors import UsageError

Floats = NDArray[np.float64]

FEWEST = 30  # units an assessor, below which the t test is not that of the study
ALPHA = 0.05


class Versus(Struct, frozen=True):
    """The judge in the place of one assessor, beside the others.

    `advantage` is how often the judge agrees with the others as much as the assessor or more, `own` how often the
    assessor does, `difference` is own - advantage; `p` is that of a difference of the margin or more, `adjusted` by
    Benjamini and Yekutieli over the assessors. Undefined (NaN) if fewer than two units are shared with others.
    """

    items: int
    units: int
    advantage: float
    own: float
    difference: float
    p: float
    adjusted: float

    @property
    def beaten(self) -> bool:
        """Return whether the judge may replace this assessor."""
        return self.adjusted <= ALPHA


class Alternative(Struct, frozen=True):
    """The test for every assessor."""

    people: tuple[Versus, ...]

    @property
    def winning(self) -> float:
        """Return the share of assessors whom the judge may replace; NaN if nobody was tested."""
        tested = [one.beaten for one in self.people if not math.isnan(one.p)]
        return sum(tested) / len(tested) if tested else math.nan

    @property
    def advantage(self) -> float:
        """Return the mean advantage of the judge; NaN if nobody shares an item."""
        known = [one.advantage for one in self.people if one.units]
        return sum(known) / len(known) if known else math.nan

    @property
    def passes(self) -> bool:
        """Return whether the judge may replace half of the assessors or more."""
        return self.winning >= 0.5


def alternative(people: ArrayLike, judge: ArrayLike, margin: float, units: ArrayLike | None = None) -> Alternative:
    r"""Return the test, for each assessor, whether the judge agrees as well with the others as the assessor does.

    For an item that another assessor judged too, $S_f$ and $S_h$ are the shares of the others who agree with the judge
    and with the assessor, $W^f = [S_f \ge S_h]$, $W^h = [S_h \ge S_f]$ and $d = W^h - W^f$; the hypothesis is that d is
    the margin or more on average, and a one-sided t test rejects it. If all d are equal there is no t, and p is $(1
    - \varepsilon)^n$ if they are 0 or less, else 1. `units` number what items are averaged over first, as items of one
    question are no independent sample. Raises UsageError for fewer than two assessors.
    """
    said, by_judge = np.asarray(people), np.asarray(judge)
    if said.ndim != 2 or said.shape[1] < 2 or by_judge.shape != said.shape[:1]:
        raise UsageError(
            "the alternative annotator test needs verdicts of two assessors or more on the same items (found shape"
            f" {said.shape})"
        )
    place = np.arange(len(said)) if units is None else np.asarray(units)
    rows = [_versus(said, by_judge, person, margin, place) for person in range(said.shape[1])]
    tested = [i for i, row in enumerate(rows) if not math.isnan(row[-1])]
    adjusted = dict(zip(tested, _by([rows[i][-1] for i in tested]), strict=True))
    return Alternative(tuple(Versus(*row, adjusted.get(i, math.nan)) for i, row in enumerate(rows)))


def _versus(
    said: NDArray[np.int64], judge: NDArray[np.int64], person: int, margin: float, place: NDArray[np.int64]
) -> tuple[int, int, float, float, float, float]:
    others = np.delete(said, person, axis=1)
    many = (others >= 0).sum(axis=1)
    use = (said[:, person] >= 0) & (many > 0) & (judge >= 0)
    if not use.any():
        return 0, 0, *(math.nan,) * 4
    like_judge = (others == judge[:, None]).sum(axis=1)[use]
    like_person = (others == said[:, [person]]).sum(axis=1)[use]
    _, unit = np.unique(place[use], return_inverse=True)
    sizes = np.bincount(unit)
    wins = np.bincount(unit, like_judge >= like_person) / sizes
    losses = np.bincount(unit, like_person >= like_judge) / sizes
    d, n = losses - wins, len(sizes)
    p = math.nan if n < 2 else p_of(d, margin)
    return int(use.sum()), n, float(wins.mean()), float(losses.mean()), float(d.mean()), p


def p_of(d: Floats, margin: float) -> float:
    """Return the one-sided p of a mean of the margin or more."""
    from scipy.special import stdtr

    n = len(d)
    spread = float(d.std(ddof=1))
    if spread < 1e-12:
        return float((1 - margin) ** n) if d[0] <= 0 else 1.0
    return float(stdtr(n - 1, (d.mean() - margin) / (spread / math.sqrt(n))))


def _by(p: list[float]) -> list[float]:
    """Adjust p-values by Benjamini and Yekutieli (2001), which holds whatever their dependence."""
    m = len(p)
    if not m:
        return []
    order = np.argsort(p)
    scale = m * np.sum(1 / np.arange(1, m + 1)) / np.arange(1, m + 1)
    stepped = np.minimum.accumulate((np.asarray(p)[order] * scale)[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(stepped, 1)
    return [float(one) for one in adjusted]
