"""Correlate measures over runs, to see whether two measures agree on them, as in Deep Read's comparability study."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from nescio.data.results import Scores

LEAST_RUNS = 3


class Correlation(Struct, frozen=True):
    """Pearson's correlation of two measures over runs. NaN below three runs, or if one of the measures does not vary.

    `runs` is the number of runs on which both measures are defined.
    """

    measure: str
    other: str
    correlation: float
    runs: int
    stratum: str | None = None


def pearson(one: ArrayLike, other: ArrayLike) -> float:
    r"""Pearson's product-moment correlation, in [-1, 1]; NaN below three pairs, or if one side does not vary.

    $r = \frac{\sum (x - \bar x)(y - \bar y)}{\sqrt{\sum (x - \bar x)^2 \sum (y - \bar y)^2}}$
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (one, other))
    if len(x) < LEAST_RUNS:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt(np.einsum("i,i->", x, x) * np.einsum("i,i->", y, y)))
    return float(np.clip(np.einsum("i,i->", x, y) / scale, -1, 1)) if scale > 1e-12 else float("nan")


def comparability(scores: Scores) -> tuple[Correlation, ...]:
    """Return the correlation of every pair of the scored measures over the runs, within each stratum that was scored.

        nescio.meta.comparability(nescio.score("table3.csv", ["c@1", "accuracy"]))

    Hirschman et al. (ACL 1999, sec. 2) justify cheap metrics by their correlation with a costly one over the variants
    of a system. Such variants are not a sample of systems, so there is no interval, and a few variants prove little.
    """
    correlations = []
    for stratum in dict.fromkeys(row.stratum for row in scores):
        rows = [row for row in scores if row.stratum == stratum]
        by_measure = {
            name: {row.run: row.value for row in rows if row.measure == name and row.value == row.value}
            for name in dict.fromkeys(row.measure for row in rows)
        }
        for (measure, its), (other, others) in combinations(by_measure.items(), 2):
            both = [run for run in its if run in others]
            r = pearson([its[run] for run in both], [others[run] for run in both])
            correlations.append(Correlation(measure, other, r, len(both), stratum))
    return tuple(correlations)
