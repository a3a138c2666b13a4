"""Test whether a judge may replace an assessor: the alternative annotator test (Calderon, Reichart & Dror, ACL 2025).
Knows nothing of questions.

`people` has shape (items, assessors). It holds the number of the category that each assessor chose for each item, or -1
without a verdict. `judge` holds the categories that the judge chose.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from nescio.errors import UsageError

Floats = NDArray[np.float64]

FEWEST = 30  # With fewer units per assessor, the t test is not the one of the study.
ALPHA = 0.05


class Versus(Struct, frozen=True):
    """The comparison of the judge with one assessor, by how well each agrees with the other assessors.

    `advantage` is the share of items on which the judge agrees with the others at least as well as the assessor does.
    `own` is the share on which the assessor agrees at least as well as the judge does. `difference` is own - advantage.
    `p` is the p-value of the hypothesis that the difference is the margin or more. `adjusted` is that p-value,
    corrected for the number of assessors (Benjamini and Yekutieli). All are NaN if the assessor shares fewer than two
    units with others.
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
    """The result of the test for every assessor."""

    people: tuple[Versus, ...]

    @property
    def winning(self) -> float:
        """Return the share of tested assessors whom the judge may replace, in [0, 1]; NaN if no assessor was tested."""
        tested = [person.beaten for person in self.people if not math.isnan(person.p)]
        return sum(tested) / len(tested) if tested else math.nan

    @property
    def advantage(self) -> float:
        """Return the mean of the judge's advantages over the assessors, in [0, 1]; NaN if nobody shares an item."""
        known = [person.advantage for person in self.people if person.units]
        return sum(known) / len(known) if known else math.nan

    @property
    def passes(self) -> bool:
        """Return whether the judge may replace at least half of the assessors."""
        return self.winning >= 0.5


def alternative(people: ArrayLike, judge: ArrayLike, margin: float, units: ArrayLike | None = None) -> Alternative:
    r"""Return one test per assessor: does the judge agree with the other assessors as well as this assessor does?

    Take an item that another assessor judged too. $S_f$ and $S_h$ are the shares of the others who agree with the judge
    and with the assessor. $W^f = [S_f \ge S_h]$, $W^h = [S_h \ge S_f]$ and $d = W^h - W^f$. The hypothesis is that the
    mean of d is at least the margin ε; a one-sided t test may reject it. If all d are equal, t is undefined, and p is
    $(1 - \varepsilon)^n$ for n equal d of 0 or less, else 1. `units` holds the number of each item's unit, such as a
    question; the items of a unit count once, with their mean. Raises UsageError for fewer than two assessors.
    """
    from scipy.stats import false_discovery_control

    verdicts, by_judge = np.asarray(people), np.asarray(judge)
    if verdicts.ndim != 2 or verdicts.shape[1] < 2 or by_judge.shape != verdicts.shape[:1]:
        raise UsageError(
            "the alternative annotator test needs verdicts of two assessors or more on the same items (found shape"
            f" {verdicts.shape})"
        )
    place = np.arange(len(verdicts)) if units is None else np.asarray(units)
    rows = [_versus(verdicts, by_judge, person, margin, place) for person in range(verdicts.shape[1])]
    tested = [i for i, row in enumerate(rows) if not math.isnan(row[-1])]
    # Benjamini and Yekutieli (2001), valid under any dependence
    corrected = false_discovery_control([rows[i][-1] for i in tested], method="by")
    adjusted = dict(zip(tested, corrected.tolist(), strict=True))
    return Alternative(tuple(Versus(*row, adjusted.get(i, math.nan)) for i, row in enumerate(rows)))


def _versus(
    verdicts: NDArray[np.int64], judge: NDArray[np.int64], person: int, margin: float, place: NDArray[np.int64]
) -> tuple[int, int, float, float, float, float]:
    others = np.delete(verdicts, person, axis=1)
    many = (others >= 0).sum(axis=1)
    use = (verdicts[:, person] >= 0) & (many > 0) & (judge >= 0)
    if not use.any():
        return 0, 0, *(math.nan,) * 4
    like_judge = (others == judge[:, None]).sum(axis=1)[use]
    like_person = (others == verdicts[:, [person]]).sum(axis=1)[use]
    _, unit = np.unique(place[use], return_inverse=True)
    sizes = np.bincount(unit)
    wins = np.bincount(unit, like_judge >= like_person) / sizes
    losses = np.bincount(unit, like_person >= like_judge) / sizes
    d, n = losses - wins, len(sizes)
    p = math.nan if n < 2 else p_of(d, margin)
    return int(use.sum()), n, float(wins.mean()), float(losses.mean()), float(d.mean()), p


def p_of(d: Floats, margin: float) -> float:
    """Return the one-sided p-value of the hypothesis that the mean of d is at least the margin (see `alternative`)."""
    from scipy.special import stdtr

    n = len(d)
    spread = float(d.std(ddof=1))
    if spread < 1e-12:
        return float((1 - margin) ** n) if d[0] <= 0 else 1.0
    return float(stdtr(n - 1, (d.mean() - margin) / (spread / math.sqrt(n))))
