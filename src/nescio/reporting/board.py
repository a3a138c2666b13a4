"""Lay out the leaderboard: a row for each run, a column for each measure, and marks in each cell."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.plain_tables import count_range
from nescio.data.results import MOST_MEASURES, Score, Scores
from nescio.errors import opt, spelled
from nescio.measures import parse
from nescio.reporting.grid import Cell, Grid
from nescio.reporting.numbers import number


def board(scores: Scores) -> Grid:
    """Return the scores with the best run first; a single run with many measures has a row for each measure."""
    keys, measures, places = scores.places()
    if not scores.columns and len(places) == len(keys) == 1 and len(measures) > MOST_MEASURES:
        (((run, _), row_of),) = places.items()
        return _grid(
            ("measure", run, "n"),
            [(Cell(name), _cell(row), Cell(f"{row.n:,}")) for name, row in row_of.items()],
            (True, False, False),
            about=about(scores),
        )
    counted = scores.counted()
    rows = [
        {
            **{key: Cell("all" if name is None else name) for key, name in zip(keys, place, strict=False)},
            **{measure: _cell(row_of[measure]) for measure in measures},
            "n": Cell(count_range([row.n for row in row_of.values()])),
            **{name: Cell(count) for name, count in counted.get(place, {}).items()},
        }
        for place, row_of in places.items()
    ]
    columns = scores.columns or (*keys, *measures, "n")
    texts = [name in keys for name in columns]
    return _grid(columns, [tuple(row[name] for name in columns) for row in rows], texts, legend(scores), about(scores))


def about(scores: Scores) -> str:
    """Return the line above the leaderboard, such as "95% confidence intervals in brackets, 200 questions".

    The line is empty if the scores have no intervals.
    """
    level = scores.signature.get("ci")
    if level is None or all(row.low is None for row in scores.rows):
        return ""
    together = " of all runs together" if "simultaneous" in scores.signature else ""
    questions = count_range([row.n for row in scores.rows])
    return f"{level}% confidence intervals{together} in brackets, {questions} question{'' if questions == '1' else 's'}"


def legend(scores: Scores) -> str:
    """Return the meaning of the signs for "best" and "tied with the best", and the measures that were not tested."""
    marked = [row for row in scores.rows if row.best is not None]
    if not any(row.best for row in marked):
        return ""
    words = "not significantly different from the best (paired tests of all pairs of runs, Holm)"
    if all(row.stratum is None for row in marked) and any(row.stratum is not None for row in scores.rows):
        single = scores.signature.get("by") == "question"  # no test compares single questions
        words += "; tested on all questions" + (
            "" if single else f" only, use {opt('mark', True)} to test the strata too"
        )
    unmarked = dict.fromkeys(row.measure for row in scores.rows if row.stratum is None and row.best is None)
    without = [name for name in unmarked if not parse(name).declaration.descriptive]
    return spelled(words + (f"; not tested without {opt('mark', True)}: {', '.join(without)}" if without else ""))


def _grid(
    head: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], texts: Sequence[bool], legend: str = "", about: str = ""
) -> Grid:
    return Grid(
        head,
        tuple(tuple(cell.text for cell in row) for row in rows),
        tuple(texts),
        cells=tuple(rows),
        legend=legend,
        about=about,
    )


def _cell(row: Score) -> Cell:
    # We show an interval of NaN beside a value, because it says that no resample was defined.
    known = row.low is not None and row.high is not None and row.value == row.value
    return Cell(
        number(row.value),
        f"[{number(row.low)}, {number(row.high)}]" if known else "",
        bool(row.best),
        bool(row.tied_with_best),
        row.best is not None,
        row.better_than or (),
    )
