r"""Find a threshold whose risk on new questions of the same kind is guaranteed with a stated confidence.

The setting. Questions are drawn independently from one distribution (any), and m of them can be answered (an answer or
a judged candidate with a confidence). For a threshold, the risk is the chance that an answer which it accepts is wrong.
We look for the largest coverage at which the risk is at most r. A threshold that breaks this bound may be returned with
chance at most δ = 1 - confidence.

The grid. G thresholds are fixed before any label is looked at: "confidence above v". v is the (k_j + 1)th largest of
the m confidences, k_j = ⌈m·j/G⌉, j = 1 … G; the last threshold accepts everything. For fixed v and a fixed number N of
confidences strictly above v, the questions above v are independent draws from the distribution given confidence > v.
Their errors are Bin(N, R(v)) for the risk R(v), exactly, with ties or without. Thresholds that the user names
("confidence at least g") need no such argument: they were fixed before, and the errors among the N accepted are Bin(N,
R) as well.

The bound. Clopper & Pearson (1934): with E errors among N, the largest R with P(Bin(N, R) ≤ E) ≥ α. Each of the G
bounds uses α = δ/G, so that all hold together with chance 1 - δ (Bonferroni). One may then look at them and choose any.

Why we use nothing more powerful. Learn then Test (Angelopoulos et al. 2021) may test a fixed sequence of thresholds,
the strictest first, each at the full δ. This does not cover thresholds at ranks. Which of them is the first unsafe one
depends on the confidences, and given that, the errors are no longer binomial. It also stops at the first test that
fails, and the strictest thresholds accept too few answers for any to succeed. SGR (Geifman & El-Yaniv 2017) searches by
bisection, so it looks at labels to decide what to test next. A fixed grid avoids that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from nescio.selective.curve import Bools, Floats
from nescio.stats.intervals import clopper_pearson_upper

GRID = 20
_MOST_NEEDED = 1 << 40


class Guarantee(Struct, frozen=True):
    """A guarantee that the user requests: the risk is at most `max_risk`, with this `confidence`; both are shares.

    `grid` holds the thresholds to test. If it is None, `GRID` ranks of the confidences are tested. The guarantee holds
    for `runs` runs together, and so for whichever of them is chosen.
    """

    max_risk: float
    confidence: float
    grid: tuple[float, ...] | None = None
    runs: int = 1

    @property
    def tries(self) -> int:
        """Return the number of thresholds tested, which is fixed before any data is seen."""
        return len(self.grid) if self.grid is not None else GRID

    @property
    def level(self) -> float:
        """Return the error that each test is allowed: δ/(G·k) for G thresholds of k runs, with δ = 1 - confidence."""
        return (1 - self.confidence) / (self.tries * self.runs)


class GridPoint(Struct, frozen=True):
    """One tested threshold: it accepts an answer if the confidence is at least `threshold` (-inf accepts everything).

    `wrong` counts the errors among the `accepted` answers, and `upper` bounds the risk.
    """

    threshold: float
    accepted: int
    wrong: int
    upper: float


def bounds_on_grid(confidence: Floats, wrong: Bools, wanted: Guarantee) -> tuple[GridPoint, ...]:
    """Return the test of every threshold of the grid, on the questions that can be answered.

    `confidence` and `wrong` have an element for each of these questions.
    """
    order = np.argsort(-confidence, kind="stable")
    falling, errors = confidence[order], np.concatenate([[0], np.cumsum(wrong[order])])
    m = len(falling)
    if wanted.grid is not None:
        thresholds = np.sort(np.array(wanted.grid, dtype=np.float64))[::-1]
    else:
        ranks = [-(-m * j // GRID) for j in range(1, GRID + 1)]
        thresholds = np.array([np.nextafter(falling[k], np.inf) if k < m else -np.inf for k in ranks])
    accepted = np.searchsorted(-falling, -thresholds, side="right")
    failed = errors[accepted]
    upper = clopper_pearson_upper(failed, accepted, wanted.level)
    return tuple(
        GridPoint(float(t), int(n), int(e), float(u))
        for t, n, e, u in zip(thresholds, accepted, failed, upper, strict=True)
    )


def certify(tested: Sequence[GridPoint], wanted: Guarantee) -> GridPoint | None:
    """Return the tested threshold that accepts most answers while its bound is at most the allowed risk, or None."""
    safe = [point for point in tested if point.upper <= wanted.max_risk]
    return max(safe, key=lambda point: (point.accepted, -point.threshold), default=None)


def needed(wanted: Guarantee, rate: float = 0.0) -> int | None:
    r"""Return how many accepted answers certify the risk if a share `rate` of them is wrong; None if no number does.

    The number of wrong answers is rounded up. Without errors it is the smallest k with $1 - (δ/G)^{1/k} \le r$, where δ
    is 1 minus the confidence, G the number of thresholds, and r the allowed risk.
    """

    def enough(k: int) -> bool:
        if not rate:
            return bool(-math.expm1(math.log(wanted.level) / k) <= wanted.max_risk)
        return bool(clopper_pearson_upper([math.ceil(rate * k)], [k], wanted.level)[0] <= wanted.max_risk)

    if rate >= wanted.max_risk:
        return None
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST_NEEDED:
            return None
    low = high // 2  # `low` answers are not enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
