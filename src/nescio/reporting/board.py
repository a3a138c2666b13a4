"""The leaderboard as a grid of cells: a row a run, a column a measure, and in each cell how the run stands in that
column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from nescio.data.results import Score, Scores
from nescio.measures import parse

BEST, TIED = "*", "†"
HUGE = 1e12  # from here on figures are no longer written out


class Cell(Struct, frozen=True):
    """A value as it is shown, its interval ("" where there is none), and its marks.

    `marked` says whether the cell's column has marks in this stratum, `over` the runs that this one is significantly
    better than as better.
    """

    value: str
    interval: str = ""
    best: bool = False
    tied: bool = False
    marked: bool = False
    better_than: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The cell without any style: `*` for the best, `†` for what is tied with it, and else room for the
        sign."""
        sign = BEST if self.best else TIED if self.tied else " " if self.marked else ""
        return f"{self.value}{sign}{self.interval and ' '}{self.interval}"


class Board(Struct, frozen=True):
    """Head and rows, and which columns are text; the legend says in words what the marks mean and rest on, empty where
    there are none."""

    head: list[str]
    rows: list[list[Cell]]
    texts: list[bool]
    legend: str = ""

    @property
    def runs(self) -> list[str]:
        """The runs in the order in which they stand."""
        return list(dict.fromkeys(row[0].value for row in self.rows))


def number(value: float | None) -> str:
    """Return a value as a table shows it: three decimals, or "undefined"; a number without bounds may need an exponent.
    Zero has no sign."""
    if value is None or math.isnan(value):
        return "undefined"
    shown = f"{value:.3f}" if abs(value) < HUGE else f"{value:.6g}"
    return shown.removeprefix("-") if shown == "-0.000" else shown


def board(scores: Scores) -> Board:
    """Scores as a reader wants them: the best by the first measure first; one run with many measures is turned
    round."""
    measures = list(dict.fromkeys(row.measure for row in scores))
    strata = list(dict.fromkeys(row.stratum for row in scores))
    runs = list(dict.fromkeys(row.run for row in scores))
    cell = {(row.run, row.stratum, row.measure): row for row in scores}
    broken_down = strata != [None]
    if len(runs) == 1 and len(measures) > 3 and not broken_down:
        own = [cell[runs[0], None, measure] for measure in measures]
        rows = [[Cell(row.measure), _cell(row), Cell(f"{row.n:,}")] for row in own]
        return Board(["measure", runs[0], "n"], rows, [True, False, False])
    ordered = ranked(runs, {run: cell[run, None, measures[0]].value for run in runs}, measures[0]) if runs else []
    rows = []
    for run in ordered:
        for stratum in strata:
            part = [Cell(stratum if stratum is not None else "all")] if broken_down else []
            sizes = sorted({cell[run, stratum, measure].n for measure in measures})
            n = "–".join(f"{size:,}" for size in (sizes[0], sizes[-1])[: len(sizes)])
            rows.append([Cell(run), *part, *(_cell(cell[run, stratum, measure]) for measure in measures), Cell(n)])
    names = ["run", *(["stratum"] if broken_down else [])]
    texts = [True] * len(names) + [False] * (len(measures) + 1)
    return Board([*names, *measures, "n"], rows, texts, legend(scores))


def ranked(runs: Iterable[str], value_of: Mapping[str, float], measure: str) -> list[str]:
    """Return runs with the best by a measure first, and those without a value last."""
    named = list(runs)
    values = np.array([value_of[run] for run in named], dtype=np.float64)
    order = np.argsort(values if parse(measure).declaration.lower_is_better else -values, kind="stable")  # NaN last
    return [named[place] for place in order.tolist()]


def legend(scores: Scores) -> str:
    """Return what the marks rest on, and what has none."""
    marked = [row for row in scores if row.best is not None]
    if not marked:
        return ""
    words = "not significantly different from the best (paired tests of all pairs of runs, Holm)"
    if all(row.stratum is None for row in marked) and any(row.stratum is not None for row in scores):
        single = scores.signature.get("by") == "question"  # which no test compares one by one
        words += "; tested on all questions" + ("" if single else " only, use --mark to test the strata too")
    unmarked = dict.fromkeys(row.measure for row in scores if row.stratum is None and row.best is None)
    without = [name for name in unmarked if not parse(name).declaration.descriptive]
    return words + (f"; not tested without --mark: {', '.join(without)}" if without else "")


def _cell(row: Score) -> Cell:
    known = row.low is not None and row.high is not None and not math.isnan(row.value)
    return Cell(
        number(row.value),
        f"[{number(row.low)}, {number(row.high)}]" if known else "",
        bool(row.best),
        bool(row.tied_with_best),
        row.best is not None,
        row.better_than or (),
    )


def letters(count: int) -> Sequence[str]:
    """Names for runs in superscripts: a … z, then aa, ab, …"""
    letters_used = []
    for i in range(count):
        name, rest = "", i + 1
        while rest:
            rest, digit = divmod(rest - 1, 26)
            name = chr(ord("a") + digit) + name
        letters_used.append(name)
    return letters_used
