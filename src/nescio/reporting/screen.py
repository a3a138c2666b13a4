"""Show results on the terminal: tables that fit it, the most important comparisons, and a short signature.

In a pipe tables take the width that they need. `-v` prints all comparisons and the whole signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.results import Audit, Comparisons, Results, Scores
from nescio.reporting import terminal
from nescio.reporting.printing import print_grid, show_grid, show_signature, show_text
from nescio.reporting.row_grids import record_grid
from nescio.reporting.tables import legend, parts
from nescio.text import plural

MOST_RUNS = 1_000  # most runs of a leaderboard on the screen
MOST_PAIRS = 6  # most pairs of a suite whose benchmarks are listed; JSON has all
DETECTABLE = '"detectable": the smallest difference that this test finds in 80% of samples of this size.'
FEW_PAIRS = 10  # pairs of one measure (five runs); if there are more, only those with the best run are printed


def show(results: Results) -> None:
    """Print results as tables that fit the terminal."""
    if isinstance(results, Audit):
        from nescio.reporting import audit

        audit.show(results)
        return
    brief = not terminal.VERBOSE.get()
    shown, left = with_the_best(results) if brief else (results, "")
    if isinstance(shown, Scores) and brief:
        shown, left = with_the_first(shown)
    below: Sequence[str] = ()
    for i, part in enumerate(parts(shown, listed=brief)):
        if i:
            print()
        if part.title:
            show_text(f"{part.title}:")
        for line in part.above:
            show_text(line)
        if part.above:
            show_text("")
        if part.grid is not None:
            print_grid(part.grid)
        for line in part.below:
            show_text(line)
        below = part.below
    if below:
        print()
    words = legend(results) or (results.why_unmarked if isinstance(results, Scores) else "")
    for line in (left.strip(), *words.splitlines()):
        if line:
            show_text(line, style="dim")
    show_signature(results.signature)


def with_the_first(scores: Scores) -> tuple[Scores, str]:
    """Return the scores of only the first runs of a long leaderboard, and a sentence on how to get all runs.

    The sentence is empty if nothing is left out. The table "bins" (how far each value from binned data may be wrong) is
    always removed, because one note covers all of it.
    """
    scores = replace(scores, tables={name: rows for name, rows in scores.tables.items() if name != "bins"})
    rows, runs = scores.rows, scores.best_first()
    if len(runs) <= MOST_RUNS:
        return scores, ""
    kept = set(runs[:MOST_RUNS])
    left = f"the first {MOST_RUNS:,} of {len(runs):,} runs; -v prints all, and -f json, -f csv and -o FILE have them. "
    return replace(scores, rows=tuple(row for row in rows if row.run in kept)), left


def with_the_best(results: Results) -> tuple[Results, str]:
    """Return the results, and a sentence that names the test and says what was left out.

    If there are many comparisons of a measure, only those with the best run are kept.
    """
    if not isinstance(results, Comparisons):
        return results, ""
    tests = dict.fromkeys(str(row.exact_for).partition(",")[0] for row in results.tables.get("tests", ()))
    how = f"Test: {'; '.join(filter(None, tests))}." if any(tests) else ""
    if any(row.detectable is not None for row in results):
        how += f" {DETECTABLE}"
    results = replace(results, tables={name: rows for name, rows in results.tables.items() if name != "tests"})
    ranks = results.tables.get("ranks")
    measures = {rank.measure for rank in ranks or ()}
    if not ranks or len(results.rows) <= FEW_PAIRS * len(measures):
        return _with_benchmarks_of(results), how
    best = {(rank.measure, rank.run) for rank in ranks if rank.rank == 1}
    rows = [row for row in results if {(row.measure, row.run), (row.measure, row.baseline)} & best]
    shown = plural(len(rows), "comparison")
    left = f"{shown} with the best run; -v prints all {len(results.rows):,}, and -f json has them. "
    return _with_benchmarks_of(results.with_rows(rows)), left + how


def _with_benchmarks_of(results: Results) -> Results:
    """Return the comparisons with their own rows of the table "benchmarks", or with none if these are many."""
    pairs = {(row.run, row.baseline, row.measure) for row in results}
    rows = results.tables.get("benchmarks", ())
    kept = tuple(row for row in rows if (row.run, row.baseline, row.measure) in pairs)
    few = len({(row.run, row.baseline, row.measure) for row in kept}) <= MOST_PAIRS
    return replace(results, tables={**results.tables, "benchmarks": kept if few else ()})


def show_records(records: Sequence[Mapping[str, Any]]) -> None:
    """Print dictionaries as a table."""
    show_grid(record_grid(records))
