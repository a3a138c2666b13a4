"""Which runs differ significantly: rank intervals and the groups of a critical-difference diagram, from the p-values of
all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.results import Comparison


class Rank(Struct, frozen=True):
    """The place of a run under one measure.

    `low` to `high` are the ranks it may have: one worse for every run that is significantly better, and so from below
    (Al Mohamad, Goeman & van Zwet 2022: the ranks hold together where the p-values are adjusted for all pairs).
    `groups` numbers the bars of a critical-difference diagram that it lies under (Demšar, JMLR 2006): neighbours in
    rank that are all tied. `p_best` is the chance that the run has the highest true value if the runs are exchangeable
    (`nescio.stats.ranking.true_values`), and `expected_rank` its mean rank then; no test. None where the runs cannot be
    resampled together, and where one of them does not vary.
    """

    measure: str
    run: str
    value: float
    rank: int
    low: int
    high: int
    groups: str
    tied_with: str
    p_best: float | None = None
    expected_rank: float | None = None


def ranks(
    measure: str, values: Sequence[tuple[str, float]], rows: Sequence[Comparison], *, lower_is_better: bool
) -> list[Rank]:
    """Return the runs in order of their value, the best first; `values` are (run, value), `rows` the comparisons of all
    pairs."""
    better = [
        (row.run, row.baseline) if row.verdict == "better" else (row.baseline, row.run)
        for row in rows
        if row.significant
    ]
    return ranks_of(measure, values, better, lower_is_better=lower_is_better)


def ranks_of(
    measure: str,
    values: Sequence[tuple[str, float]],
    better_pairs: Iterable[tuple[str, str]],
    *,
    lower_is_better: bool,
) -> list[Rank]:
    """Return the same from the pairs (better, worse) that differ significantly."""
    sign = -1 if lower_is_better else 1
    ordered = by_value(values, lower_is_better=lower_is_better)
    place = {run: i for i, (run, _) in enumerate(ordered)}
    better = np.zeros((len(place), len(place)), dtype=bool)  # [i, j]: i is significantly better than j
    for one, other in better_pairs:
        better[place[one], place[other]] = True
    apart = better | better.T
    groups, number_of = bars(apart), np.array([value for _, value in ordered], dtype=np.float64)
    ranked = []
    for i, (run, value) in enumerate(ordered):
        close = 1e-12 * max(1.0, abs(value))
        with np.errstate(invalid="ignore"):  # of two that are infinite
            ahead = i if np.isnan(value) else int(np.count_nonzero(sign * (number_of - value) > close))
        alike = [ordered[j][0] for j in np.flatnonzero(~apart[i]).tolist() if j != i]
        low, high = 1 + int(better[:, i].sum()), len(ordered) - int(better[i].sum())
        ranked.append(Rank(measure, run, value, 1 + ahead, low, high, bars_over(i, groups), ", ".join(alike)))
    return ranked


def by_value(values: Sequence[tuple[str, float]], *, lower_is_better: bool) -> list[tuple[str, float]]:
    """Sort (run, value), the best first; what is undefined stands last."""
    sign = -1 if lower_is_better else 1
    return sorted(values, key=lambda pair: -np.inf if np.isnan(pair[1]) else sign * pair[1], reverse=True)


def bars(apart: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the longest stretches of neighbours that are all tied, as (first, last); a lone run is a bar of its
    own."""
    spans: list[tuple[int, int]] = []
    last = -1
    for first in range(len(apart)):
        last = max(first, last)  # what was tied without the first of them still is
        while last + 1 < len(apart) and not apart[first : last + 1, last + 1].any():
            last += 1
        if not spans or last > spans[-1][1]:
            spans.append((first, last))
    return spans


def bars_over(place: int, groups: Sequence[tuple[int, int]]) -> str:
    """Return the numbers of the bars that a place lies under."""
    return " ".join(str(number) for number, (first, last) in enumerate(groups, 1) if first <= place <= last)
