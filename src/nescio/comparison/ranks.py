"""Rank runs by which of them differ significantly: rank intervals and the groups of a critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.results import Comparison
from nescio.data.shown import Shown
from nescio.text import enumerated

FEW_TIED = 2  # tied runs that a rank names; JSON names all
MOST_NAMED = 1_000  # most tied runs that are listed beside each run


class Rank(Struct, frozen=True):
    """The place of a run among all runs by one measure.

    `low` to `high` are the ranks it may have: one more than the number of significantly better runs, and the number of
    runs less the significantly worse ones (Al Mohamad, Goeman & van Zwet 2022). The ranks of all runs hold together if
    the p-values are adjusted for all pairs. `groups` numbers the bars of a critical-difference diagram that cover the
    run (Demšar, JMLR 2006); a bar covers neighbours in rank that are all tied. `tied_with` names the runs tied with
    this one, or counts them above a thousand. `p_best` is the chance that the run has the highest true value if the
    runs are exchangeable (`nescio.stats.ranking.true_values`), and `expected_rank` its mean rank under the same
    assumption. Neither is a test, and both are None if the runs cannot be resampled together, or if one of them does
    not vary.
    """

    measure: Annotated[str, Shown()]
    run: Annotated[str, Shown()]
    value: Annotated[float, Shown()]
    rank: int
    low: int
    high: int
    groups: Annotated[str, Shown(always=True, after="expected_rank")]
    tied_with: str
    p_best: Annotated[float | None, Shown("P(best)", digits=2, always=True)] = None
    expected_rank: Annotated[float | None, Shown(digits=1, always=True, spare=2)] = None

    @property
    def places(self) -> Annotated[str, Shown("rank", numeric=True, after="value")]:
        """Return the ranks that the run may have, such as "3" or "1–2"."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"

    @property
    def tied(self) -> Annotated[str, Shown("tied with", absent="", always=True, after="groups", spare=1)]:
        """Return the names of the first few runs with which this run is tied."""
        return enumerated(self.tied_with.split(", ") if self.tied_with else [], FEW_TIED)


def ranks(
    measure: str, values: Sequence[tuple[str, float]], rows: Sequence[Comparison], *, lower_is_better: bool
) -> list[Rank]:
    """Return the runs in order of their value, the best first.

    `values` holds (run, value), and `rows` the comparisons of all pairs.
    """
    better = np.zeros((len(values), len(values)), dtype=bool)
    place = {run: i for i, (run, _) in enumerate(values)}
    for row in rows:
        if row.significant:
            run, other = place[row.run], place[row.baseline]
            better[(run, other) if row.verdict == "better" else (other, run)] = True
    return ranks_of(measure, values, better, lower_is_better=lower_is_better)


def ranks_of(
    measure: str, values: Sequence[tuple[str, float]], better: NDArray[np.bool_], *, lower_is_better: bool
) -> list[Rank]:
    """Return the ranks of runs, given a matrix whose entry [i, j] says whether run i is significantly better than j."""
    sign = -1 if lower_is_better else 1
    places = by_value(values, lower_is_better=lower_is_better)
    ordered, better = [values[i] for i in places], better[np.ix_(places, places)]
    apart = better | better.T
    groups, number_of = bars(apart), np.array([value for _, value in ordered], dtype=np.float64)
    worse, ahead_of = better.sum(axis=1), better.sum(axis=0)
    ranked = []
    for i, (run, value) in enumerate(ordered):
        close = 1e-12 * max(1.0, abs(value))
        with np.errstate(invalid="ignore"):  # a difference of two infinite values
            ahead = i if np.isnan(value) else int(np.count_nonzero(sign * (number_of - value) > close))
        low, high = 1 + int(ahead_of[i]), len(ordered) - int(worse[i])
        alike = np.flatnonzero(~apart[i])
        tied = f"{len(alike) - 1:,} runs"
        if len(alike) <= MOST_NAMED:
            tied = ", ".join(ordered[j][0] for j in alike.tolist() if j != i)
        ranked.append(Rank(measure, run, value, 1 + ahead, low, high, bars_over(i, groups), tied))
    return ranked


def by_value(values: Sequence[tuple[str, float]], *, lower_is_better: bool) -> list[int]:
    """Return the indices of (run, value) from best to worst, undefined values last."""
    sign = -1 if lower_is_better else 1
    keys = [-np.inf if np.isnan(value) else sign * value for _, value in values]
    return sorted(range(len(values)), key=keys.__getitem__, reverse=True)


def bars(apart: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the longest stretches of neighbours in rank that are all tied, each as its (first, last) place.

    A run that is tied with neither neighbour is a stretch of its own.
    """
    spans: list[tuple[int, int]] = []
    last = -1
    for first in range(len(apart)):
        last = max(first, last)  # runs tied without the first of them stay tied
        while last + 1 < len(apart) and not apart[first : last + 1, last + 1].any():
            last += 1
        if not spans or last > spans[-1][1]:
            spans.append((first, last))
    return spans


def bars_over(place: int, groups: Sequence[tuple[int, int]]) -> str:
    """Return the numbers of the bars that cover the run at `place`, separated by spaces."""
    return " ".join(str(number) for number, (first, last) in enumerate(groups, 1) if first <= place <= last)
