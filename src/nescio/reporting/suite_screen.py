"""Suites on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.data.plain_tables import shown_p
from nescio.data.results import Comparisons, Results
from nescio.reporting.grid import Grid, make_grid
from nescio.reporting.numbers import difference
from nescio.reporting.printing import show_grid, show_signature, show_text
from nescio.reporting.screen import show, with_the_best
from nescio.reporting.suites import legend_lines, suite_grids

_MOST_PAIRS = 6  # whose benchmarks are listed on a terminal; JSON has all


def show_suite(results: Results) -> None:
    """Print scores of a suite, or comparisons over it, as tables that fit the terminal."""
    if isinstance(results, Comparisons):
        _show_comparisons(results)
        return
    for i, table in enumerate(suite_grids(results)):
        if i:
            print()
        show_grid(table)
    for line in legend_lines(results):
        show_text(line, style="dim")
    show_signature(results.signature)


def _show_comparisons(results: Comparisons) -> None:
    parts = results.tables.get("benchmarks", ())
    shown = with_the_best(results)[0]
    pairs = {(row.run, row.baseline, row.measure) for row in shown}
    rest = {name: rows for name, rows in results.tables.items() if name != "benchmarks"}
    few = [row for row in parts if (row.run, row.baseline, row.measure) in pairs]
    if few and len({(row.run, row.baseline, row.measure) for row in few}) <= _MOST_PAIRS:
        show_grid(_parts(few))
        print()
    show(type(results)(results.rows, results.signature, results.notes, results.kind, rest))


def _parts(rows: Sequence[Any]) -> Grid:
    head = ["run", "baseline", "benchmark", "measure", "difference", "p", "p adjusted", "verdict", "n"]
    body = [
        [
            row.run,
            row.baseline,
            row.benchmark,
            row.measure,
            difference(row),
            shown_p(row.p),
            shown_p(row.p_adjusted),
            row.verdict or "undefined",
            f"{row.n:,}",
        ]
        for row in rows
    ]
    texts = [name in ("run", "baseline", "benchmark", "measure", "verdict") for name in head]
    return make_grid(head, body, texts, spare=("n", "p"))
