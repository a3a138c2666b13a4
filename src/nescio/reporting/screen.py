"""Results on the terminal: tables that fit it, the comparisons that matter first, and a short signature.

In a pipe tables take the width that they need. `-v` prints all comparisons and the whole signature.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nescio.data.results import Audit, Comparisons, Results, Scores
from nescio.data.signature import Signature
from nescio.reporting import layout, terminal
from nescio.reporting.board import BEST
from nescio.reporting.grid import Grid
from nescio.reporting.tables import grids, legend, record_grid
from nescio.text import plural, sanitize

FEW_PAIRS = 10  # of one measure: five runs; of more than these, those with the best run are printed
_BEST_CELL = re.compile(rf"\d{re.escape(BEST)}(\s\[|$)")
_STYLES = {"better": "green", "worse": "red", "higher": "bold", "lower": "bold", "cheat": "red", "fails": "red"}


def show(results: Results) -> None:
    """Print results as tables that fit the terminal."""
    if isinstance(results, Audit):
        from nescio.reporting import audit

        audit.show(results)
        return
    shown, left = (results, "") if terminal.VERBOSE.get() else with_the_best(results)
    for i, table in enumerate(grids(shown)):
        if i:
            print()
        _show_grid(table)
    for line in (left.strip(), legend(results) or (results.why_unmarked if isinstance(results, Scores) else "")):
        if line:
            show_text(line, style="dim")
    show_signature(results.signature)


def with_the_best(results: Results) -> tuple[Results, str]:
    """Keep of many comparisons of all pairs those with the best run of each measure; the second value says so, and
    names the test."""
    if not isinstance(results, Comparisons):
        return results, ""
    tests = dict.fromkeys(str(row.exact_for).partition(",")[0] for row in results.tables.get("tests", ()))
    how = f"Test: {'; '.join(filter(None, tests))}." if any(tests) else ""
    results = replace(results, tables={name: rows for name, rows in results.tables.items() if name != "tests"})
    ranks = results.tables.get("ranks")
    if not ranks:
        return results, how
    measures = {rank.measure for rank in ranks}
    if len(results.rows) <= FEW_PAIRS * len(measures):
        return results, how
    best = {(rank.measure, rank.run) for rank in ranks if rank.rank == 1}
    rows = [row for row in results if {(row.measure, row.run), (row.measure, row.baseline)} & best]
    left = f"{plural(len(rows), 'comparison')} with the best run; -v prints all {len(results.rows):,}, and -f json has them. "
    return results.with_rows(rows), left + how


def show_signature(signature: Signature) -> None:
    """Print what the numbers depend on: the version, the data and the seed, or with -v all of it."""
    show_text(str(signature) if terminal.VERBOSE.get() else signature.short(), style="dim")


def show_text(text: str, style: str = "", hanging: str = "") -> None:
    """Print a paragraph, broken into lines where the terminal is narrower."""
    _print([(terminal.wrapped(sanitize_lines(text), hanging=hanging), style)])


def sanitize_lines(text: str) -> str:
    """Make each line of a text inert."""
    return "\n".join(sanitize(line, target="line") for line in text.split("\n"))


def show_grid(grid: Grid) -> None:
    """Print a table: text to the left, numbers to the right."""
    _show_grid(grid.escaped(sanitize_lines))


def show_records(records: Sequence[Mapping[str, Any]]) -> None:
    """Print dictionaries as a table."""
    show_grid(record_grid(records))


def show_fact(label: str, text: str) -> None:
    """Print a label and what stands beside it, which goes on beside it too where it is too long for one line."""
    label = f"{label:9}"
    show_text(label + text, hanging=" " * len(label))


def _show_grid(grid: Grid) -> None:
    width = terminal.width()
    fitted = layout.fit(grid, width)
    if fitted.above:
        show_text(fitted.above, style="dim")
    for part, table in enumerate(fitted.tables):
        if part:
            print()
        head = layout.head_height(table)
        for i, cells in enumerate(layout.lines(table, width)):
            _print(_segments(cells, head=i < head, texts=table.texts))
    if fitted.left_out:
        show_text(f"left out here: {', '.join(fitted.left_out)} (a wider terminal and -f json have them)", style="dim")


def _segments(cells: Sequence[str], *, head: bool, texts: Sequence[bool]) -> list[tuple[str, str]]:
    """Return the parts of a line with their styles."""
    parts = []
    for i, cell in enumerate(cells):
        best = i < len(texts) and not texts[i] and _BEST_CELL.search(cell.strip())
        parts.append((cell, "bold" if head or best else _STYLES.get(cell.strip(), "")))
        parts.append((" " * layout.GAP, ""))
    while parts and not parts[-1][0].strip():
        parts.pop()
    if parts:
        parts[-1] = (parts[-1][0].rstrip(), parts[-1][1])
    return parts


def _print(parts: Sequence[tuple[str, str]]) -> None:
    """Print a line; only a terminal gets styles."""
    if not sys.stdout.isatty():
        print("".join(text for text, _ in parts))
        return
    from rich.text import Text

    terminal.console(soft_wrap=True).print(Text.assemble(*parts), soft_wrap=True)
