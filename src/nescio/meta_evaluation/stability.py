"""Measure stability and discrimination (Buckley & Voorhees 2000): Fig. 1 and eq. 7, 8 of Peñas & Rodrigo 2011."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Data
from nescio.data.results import Results
from nescio.measures import Measure, Measures
from nescio.meta_evaluation._call import by_name, each_measure, prepare_pairs, undefined
from nescio.meta_evaluation._scorers import Floats
from nescio.meta_evaluation._trials import Drawing, drawing_signature, drawings_for, of_sizes, pair_scores
from nescio.options.edge import Progress

FUZZINESS = tuple(i / 100 for i in range(1, 11))


class Stability(Struct, frozen=True):
    """One point of a measure's curve (Buckley & Voorhees 2000): its error rate (eq. 7) and share of ties (eq. 8).

    Both depend on `fuzziness`, the share of a score by which two runs must differ not to be tied.
    """

    measure: str
    fuzziness: float
    error_rate: float
    ties: float
    comparisons: int
    undefined: int = 0
    size: int = 0  # the size of the sub-collections


class Counters(Struct, frozen=True):
    """How often two runs x and y are tied (EQ), and how often either is better (GT), by one measure at one fuzziness.

    These are the counts of Figure 1 in Buckley & Voorhees 2000.
    """

    measure: str
    fuzziness: float
    x: str
    y: str
    eq_xy: int
    gt_xy: int
    gt_yx: int
    size: int


class AtTies(Struct, frozen=True):
    """The error rate of a measure at a given share of ties, read off its curve (Figure 2 of Buckley & Voorhees 2000).

    It is interpolated linearly between the two nearest points of the curve, and NaN outside the curve.
    """

    measure: str
    ties: float
    error_rate: float
    size: int


def stability(
    source: Any,
    measures: Measures = None,
    *,
    size: int | Sequence[int] | None = None,
    trials: int | None = 100,
    fuzziness: Sequence[float] = FUZZINESS,
    fresh: bool = False,
    literal: bool = False,
    counters: bool = False,
    at_ties: Sequence[float] = (),
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Results[Stability]:
    """Return the error rate and the proportion of ties of each measure at each fuzziness (Buckley & Voorhees 2000).

        [(row.fuzziness, row.error_rate) for row in nescio.meta.stability("outcomes.csv", "c@1")]

    `size` is the size of the sub-collections, or several sizes, each treated separately. By default it is 250, or half
    the questions if that is less. `trials` is the number of sub-collections; None means every possible one. `fresh`
    draws anew for each pair of runs, as the published figure says. By default all pairs share a trial's sub-collection;
    the expectation is the same. `literal` counts exact ties of score 0 as the figure does. `counters` adds the table
    `counters`, with EQ and GT of each pair. `at_ties` adds the table `at_ties`, with the error rate of each measure at
    these shares of ties.
    """
    values = [float(f) for f in ([fuzziness] if isinstance(fuzziness, (int, float)) else fuzziness)]
    data, loaded, wanted = prepare_pairs(source, measures, options)
    data = by_name(data)
    drawings = drawings_for(data, size, trials, seed, fresh=fresh, jobs=jobs if len(wanted) == 1 else 1)

    def of_each(rows_of: Callable[..., list[Any]]) -> list[Any]:
        parts = each_measure(partial(of_sizes, rows_of, drawings), wanted, jobs, progress)
        return [row for of_measure in parts for of_size in of_measure for row in of_size]

    rows = of_each(partial(curve, data, fuzziness=tuple(values), literal=literal))
    tables: dict[str, tuple[Any, ...]] = {}
    if at_ties:
        tables["at_ties"] = tuple(read_at(rows, at_ties))
    if counters:
        tables["counters"] = tuple(of_each(partial(count, data, fuzziness=tuple(values), literal=literal)))
    line = drawing_signature(loaded, wanted, drawings, ties="literal" if literal else "equal scores")
    return Results(tuple(rows), line, (*loaded.notes, *undefined(rows)), "stability", tables)


def curve(
    data: Data,
    measure: Measure,
    drawing: Drawing,
    fuzziness: Sequence[float] = FUZZINESS,
    *,
    literal: bool = False,
) -> list[Stability]:
    r"""Return the error rate and the proportion of ties at each fuzziness f.

    For two runs on one sub-collection, the margin is $f\cdot\max(M_x, M_y)$. A difference below the margin is a tie,
    and so are equal scores. If the margin is 0, `literal` counts equal scores for the second run, as the published
    figure does. The error rate is $\sum_{x,y}\min(GT(x,y), GT(y,x))$ divided by all comparisons. The proportion of ties
    is the share of the comparisons that are ties. Undefined scores are left out and counted.
    """
    grid = np.asarray(sorted(fuzziness), dtype=np.float64)
    wins = np.zeros(len(grid), dtype=np.int64)
    ties = np.zeros(len(grid), dtype=np.int64)
    comparisons = without = 0
    for scores, other in pair_scores(data, measure, drawing, parts=1):
        ahead, behind, equal, lost = book(scores[0], other[0], grid, literal=literal)
        wins += np.minimum(ahead, behind).sum(axis=0)
        ties += equal.sum(axis=0)
        comparisons += scores[0].size - lost
        without += lost
    total = comparisons or np.nan
    return [
        Stability(measure.label, float(f), float(w / total), float(t / total), comparisons, without, drawing.size)
        for f, w, t in zip(grid, wins, ties, strict=True)
    ]


def count(
    data: Data,
    measure: Measure,
    drawing: Drawing,
    fuzziness: Sequence[float] = FUZZINESS,
    *,
    literal: bool = False,
) -> list[Counters]:
    """Return the counts of ties, and of wins of either run, for each pair of runs at each fuzziness (`Counters`)."""
    grid = np.asarray(sorted(fuzziness), dtype=np.float64)
    pairs = combinations(data.runs, 2)
    rows = []
    for scores, other in pair_scores(data, measure, drawing, parts=1):
        ahead, behind, equal, _ = book(scores[0], other[0], grid, literal=literal)
        for eq, gt_xy, gt_yx in zip(equal.tolist(), ahead.tolist(), behind.tolist(), strict=True):
            x, y = next(pairs)
            for i, f in enumerate(grid.tolist()):
                rows.append(Counters(measure.label, f, x, y, eq[i], gt_xy[i], gt_yx[i], drawing.size))
    return rows


def read_at(rows: Sequence[Stability], shares: Sequence[float]) -> list[AtTies]:
    """Return the error rate of each measure at each of these `shares` of ties; `rows` are the points of the curves."""
    curves: dict[tuple[str, int], list[Stability]] = {}
    for row in rows:
        curves.setdefault((row.measure, row.size), []).append(row)
    read = []
    for (measure, size), points in curves.items():
        ties, errors = [point.ties for point in points], [point.error_rate for point in points]
        for share in shares:
            error = float(np.interp(share, ties, errors, left=np.nan, right=np.nan))
            read.append(AtTies(measure, share, error, size))
    return read


def book(
    one: Floats, other: Floats, grid: Floats, *, literal: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Return GT(x, y), GT(y, x) and EQ(x, y) of each pair of runs at each fuzziness; shape (pairs, fuzziness).

    They count the trials in which x is better, y is better, and both are tied. `one` and `other` have the scores of x
    and y, shape (pairs, trials), and `grid` the values of fuzziness. The last result is the number of undefined
    comparisons.
    """
    difference = one - other
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(difference) / np.abs(np.maximum(one, other))
    known = ~np.isnan(difference)
    # The number of fuzziness values at which a difference is not a tie; equal ratios may differ in their last bits.
    clear = np.searchsorted(grid, np.where(np.isnan(ratio), -1.0, ratio) * (1 + 1e-9), side="right")
    same = known & (difference == 0)
    if literal:
        clear[same & (np.maximum(one, other) == 0)] = len(grid)
    else:
        clear[same] = 0
    pairs, levels = len(one), len(grid) + 1
    row = np.arange(pairs)[:, None] * levels

    def above(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts = np.bincount((row + clear)[which], minlength=pairs * levels).reshape(pairs, levels)
        return counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]

    ahead = above(known & (difference > 0))
    behind = above(known & ~(difference > 0))
    equal = known.sum(axis=1)[:, None] - ahead - behind
    return ahead, behind, equal, int((~known).sum())
