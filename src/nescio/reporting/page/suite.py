"""The page of a suite: who is best over the benchmarks, the leaderboard, and a heat map of benchmarks and runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from nescio.measures import parse
from nescio.reporting.numbers import with_interval
from nescio.reporting.page.heat import Cell, shaded
from nescio.reporting.page.rendering import Shared, assembled
from nescio.reporting.page.report_data import MOST_BROKEN_DOWN
from nescio.reporting.page.sentence import Answer
from nescio.reporting.page.shown_text import names
from nescio.reporting.suites import ordered
from nescio.suites.rows import BenchmarkScore, SuiteScore, SuiteScores
from nescio.text import enumerated, plural, sanitize


class Board(Struct, frozen=True):
    """The leaderboard of one measure, each run with its name as shown, and its heat map: the runs, and of each
    benchmark its name and its cells."""

    measure: str
    lines: Sequence[tuple[str, SuiteScore]]
    runs: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    has_wins: bool
    has_sure: bool


def suite_page(scores: SuiteScores, *, title: str, command: str = "") -> str:
    """Return the page of a suite as one text; `command` is the command line that gives its figures again."""
    measures = list(dict.fromkeys(row.measure for row in scores))
    boards = [_board(scores, measure) for measure in measures]
    shared = Shared(title, answer(scores), [str(scores.signature)], scores.notes)
    level = scores.signature.get("ci")
    return assembled(
        "suite.html.jinja",
        ("page.js",),
        shared,
        (),
        None,
        boards=boards,
        level=float(level) if level else None,
        over=scores.signature["over"],
        command=sanitize(command, target="page"),
    )


def answer(scores: SuiteScores) -> Answer:
    """Say whose mean is best by the first measure, how surely, and whom it is tied with."""
    first = scores.rows[0].measure
    rows = ordered([row for row in scores if row.measure == first])
    best, others = rows[0], rows[1:]
    shown = dict(zip([row.run for row in rows], names([row.run for row in rows]), strict=True))
    if math.isnan(best.value):
        return Answer(f"The mean of {first} is undefined for ", "every run", ".")
    value = with_interval(best.value, best.low, best.high)
    of = plural(best.benchmarks, "benchmark")
    after = f" has the best mean {first} over {of}, {value}"
    if not others:
        return Answer("", shown[best.run], f" has a mean {first} of {value} over {of}.")
    if best.best is None:
        return Answer("", shown[best.run], f"{after}; no tests were made.")
    tied = [shown[row.run] for row in others if row.tied_with_best or row.best]
    if not tied:
        return Answer("", shown[best.run], f"{after}, significantly better than every other run.")
    return Answer("", shown[best.run], f"{after}, not significantly different from {enumerated(tied, 3)}.")


def _board(scores: SuiteScores, measure: str) -> Board:
    rows: list[SuiteScore] = ordered([row for row in scores if row.measure == measure])
    shown = dict(zip([row.run for row in rows], names([row.run for row in rows]), strict=True))
    own = [row for row in scores.tables["benchmarks"] if row.measure == measure]
    runs = [row.run for row in rows[:MOST_BROKEN_DOWN]]
    return Board(
        sanitize(measure, target="page"),
        [(shown[row.run], row) for row in rows],
        [shown[run] for run in runs],
        _heat(own, runs, lower=parse(measure).declaration.lower_is_better),
        any(row.win_rate is not None for row in rows),
        any(row.sure_low is not None for row in rows),
    )


def _heat(rows: Sequence[BenchmarkScore], runs: Sequence[str], *, lower: bool) -> list[tuple[str, Sequence[Cell]]]:
    """Return a row of cells for each benchmark, shaded from its own worst value to its best: benchmarks have scales of
    their own."""
    benchmarks = list(dict.fromkeys(row.benchmark for row in rows))
    scored = {(row.benchmark, row.run): row for row in rows}
    lines: list[tuple[str, Sequence[Cell]]] = []
    for benchmark, shown in zip(benchmarks, names(benchmarks), strict=True):
        own = [scored.get((benchmark, run)) for run in runs]
        lines.append((shown, shaded(own, lower=lower, missing="–")))
    return lines
