"""Results as tables: as text, JSON, JSON Lines, CSV, Markdown, LaTeX and Parquet; `screen` prints them on a
terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from nescio.comparison.families import families
from nescio.data.plain_tables import HUGE, rounded, shown_p
from nescio.data.results import Audit, Comparisons, Results, Scores
from nescio.errors import UsageError, opt
from nescio.reporting import layout
from nescio.reporting.board import board
from nescio.reporting.board import legend as board_legend
from nescio.reporting.grid import BEST, TIED, Grid, make_grid, text_fields, text_values
from nescio.reporting.markdown import markdown_code, markdown_table
from nescio.reporting.numbers import difference, interval, number, rank_range, with_interval
from nescio.sources.writing import atomic_write, csv_text, write_text
from nescio.text import enumerated, plural, sanitize

Form = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
FIRST = ("ranks", "sensitivity")  # what a reader wants before the many rows that it was made from
FEW_TIED = 2  # runs that a rank names as tied with it; JSON names all
MOST_ROWS = 100  # of what else results hold, as a table; JSON has all of them


def render(results: Results, form: str, label: str | None = None) -> str:
    """Results as text in one of the formats that `-f` names; `label` names a table of LaTeX."""
    if form == "latex":
        return _latex(results, label or f"tab:{results.kind}")
    if isinstance(results, Audit) and form in ("table", "markdown"):
        from nescio.reporting import audit

        return audit.plain(results) if form == "table" else audit.page(results)
    if form == "table":
        return _plain(results)
    writers: dict[str, Callable[[Results], str]] = {
        "json": _json,
        "jsonl": _jsonl,
        "csv": _csv,
        "markdown": _markdown,
    }
    return writers[form](results)


def legend(results: Results) -> str:
    """Return what the signs in a leaderboard mean, or what the intervals of several comparisons account for, as plain
    text."""
    if isinstance(results, Comparisons):
        return _family(results)
    words = board_legend(results) if isinstance(results, Scores) else ""
    return f"{BEST} the best; {TIED} {words}" if words else ""


def _family(results: Comparisons) -> str:
    """Why an interval without 0 may stand beside "too few questions to tell"; nothing where there is no correction to
    tell of."""
    how, together = results.signature.get("correction", "none"), families(results)
    if how == "none" or max(map(len, together), default=0) < 2:
        return ""
    if how == "tukey":
        every = "all pairs of runs"
    elif len(together) == 1:
        tested = sum(one.comparisons for one in results.tables.get("tests", ()))  # more than are shown, of many runs
        every = f"all {max(tested, len(together[0])):,} comparisons"
    else:
        named = (
            f"the {len(family):,} by {enumerated(list(dict.fromkeys(row.measure for row in family)))}"
            for family in together
        )
        every = f"{', '.join(named)}, each family separately"
    return f"intervals are not adjusted for multiple comparisons; verdicts are adjusted for {every} ({how})"


def check_suffix(path: Path) -> None:
    """Raise UsageError where the suffix of an output file names no format."""
    if path.suffix.lower() in (".html", ".htm"):
        raise UsageError(
            f"{path}: `nescio report` writes pages; with {opt('baseline', of='RUN')}, a page of what "
            "changed since that run"
        )
    if path.suffix.lower() not in (*SUFFIXES, ".parquet"):
        raise UsageError(
            f"{path}: results can be written to {', '.join((*SUFFIXES, '.parquet'))} (found {path.suffix!r})"
        )


def write(results: Results, path: Path) -> None:
    """Write results to a file, whole or not at all; the suffix decides the format."""
    check_suffix(path)
    if path.suffix.lower() != ".parquet":
        write_text(path, render(results, SUFFIXES[path.suffix.lower()]))
        return
    from nescio.sources.database import connect, write_parquet

    with atomic_write(path) as draft, connect() as connection:
        connection.register("results", _Stream(results))
        write_parquet(connection, "results", draft)


class _Stream:
    """Only the Arrow side of results, which DuckDB then reads without guessing."""

    def __init__(self, results: Results) -> None:
        self.results = results

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.results.__arrow_c_stream__(requested_schema)


def grid(results: Results) -> Grid:
    """Header and cells as a reader wants them: a row a run, a column a measure; or a row a comparison."""
    if isinstance(results, Scores):
        return board(results)
    return _comparison_grid(results) if isinstance(results, Comparisons) else rows_grid(results)


def grids(results: Results) -> list[Grid]:
    """Return the table of the rows, and after it those of what else the results hold; of an item of a paper its own."""
    if isinstance(own := getattr(results, "layout", None), Grid):
        return [own.escaped(sanitize)]
    if isinstance(results, Audit):
        from nescio.reporting import audit

        return audit.grids(results)
    if results.kind == "suite":
        from nescio.reporting import suites

        return [table.escaped(sanitize) for table in suites.suite_grids(results)]
    inside = ("counted",) if isinstance(results, Scores) else ()  # the first table shows them
    further = {name: _further(results, name) for name, rows in results.tables.items() if rows and name not in inside}
    first = [further.pop(name) for name in FIRST if name in further]
    return [table.escaped(sanitize) for table in (*first, grid(results), *further.values())]


def _further(results: Results, name: str) -> Grid:
    rows = len(results.tables[name])
    if name == "ranks":
        return _rank_grid(results.tables[name])
    if name == "prices":
        return _price_grid(results.tables[name])
    if name == "next_sample":
        return _next_grid(results.tables[name])
    if rows <= MOST_ROWS:
        return rows_grid(results, name)
    return _too_many(f"{name} (-f json prints it, -o FILE.json writes it)", rows)


def _price_grid(prices: Sequence[Any]) -> Grid:
    """Lay out ratios of prices: how many times as much a right answer of one run costs as one of another."""
    rows = [
        [one.run, one.baseline, one.measure, with_interval(one.ratio, one.low, one.high), shown_p(one.p), f"{one.n:,}"]
        for one in prices
    ]
    head = ["run", "baseline", "measure", "ratio", "p", "n"]
    return make_grid(head, rows, [True, True, True, False, False, False])


def _next_grid(predicted: Sequence[Any]) -> Grid:
    """Lay out prediction intervals, of other questions."""
    rows = [
        [one.run, one.measure, number(one.value), f"{one.n:,}", interval(one.low, one.high) or "–"] for one in predicted
    ]
    head = ["run", "measure", "value", "n", f"on {plural(predicted[0].questions, 'other question')}"]
    return make_grid(head, rows, [True, True, False, False, False])


def _rank_grid(ranks: Sequence[Any]) -> Grid:
    """Lay out ranks: the places that a run can have, its groups, and the first few that it is tied with."""
    rows = [
        [
            rank.measure,
            rank.run,
            number(rank.value),
            rank_range(rank.low, rank.high),
            "–" if rank.p_best is None else rounded(rank.p_best, 2),
            "–" if rank.expected_rank is None else f"{rank.expected_rank:.1f}",
            rank.groups,
            enumerated(rank.tied_with.split(", ") if rank.tied_with else [], FEW_TIED),
        ]
        for rank in ranks
    ]
    head = ["measure", "run", "value", "rank", "P(best)", "expected rank", "groups", "tied with"]
    texts = [name in ("measure", "run", "groups", "tied with") for name in head]
    return make_grid(head, rows, texts, spare=("tied with", "expected rank"))


def _too_many(what: str, rows: int) -> Grid:
    return make_grid(["table", "rows"], [[what, f"{rows:,}"]], [True, False])


def rows_grid(results: Results, name: str | None = None) -> Grid:
    """Lay out the rows of results, or those of `tables[name]`, as they are."""
    return record_grid(results.records(name), text_fields(results.rows if name is None else results.tables[name]))


def record_grid(records: Sequence[Mapping[str, Any]], texts: Mapping[str, bool] | None = None) -> Grid:
    """Lay out any rows as they are: whole numbers with thousands set apart, others with four decimals.

    `texts` says which columns are text; without it their values do.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    known = texts or {name: text_values(record.get(name) for record in records) for name in names}
    cells = [[_cell(record.get(name, "")) for name in names] for record in records]
    return make_grid([name.replace("_", " ") for name in names], cells, [known[name] for name in names])


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= HUGE:
        return rounded(value, 4)
    shown = rounded(value, 4).rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _comparison_grid(results: Results) -> Grid:
    head = ["run", "baseline", "measure", "difference", "p", "p adjusted", "verdict", "detectable", "n"]
    rows = []
    for row in results:
        rows.append(
            [
                row.run,
                row.baseline,
                row.measure,
                difference(row),
                shown_p(row.p),
                shown_p(row.p_adjusted),
                row.verdict or "undefined",
                "–" if row.detectable is None else rounded(row.detectable, 3),
                f"{row.n:,}",
            ]
        )
    texts = [name in ("run", "baseline", "measure", "verdict") for name in head]
    return make_grid(head, rows, texts, spare=("n", "detectable", "p"))


def _plain(results: Results) -> str:
    below = [line for line in (legend(results), str(results.signature)) if line]
    return "".join([*map(layout.drawn, grids(results)), *(f"{line}\n" for line in below)])


def _json(results: Results) -> str:
    import msgspec
    from msgspec.structs import asdict

    whole = results.to_dict()
    if results.gates:
        whole["gates"] = [{**asdict(gate), "result": gate.word} for gate in results.gates]
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def _jsonl(results: Results) -> str:
    import msgspec

    return "".join(msgspec.json.encode(record).decode() + "\n" for record in results.records())


def _csv(results: Results) -> str:
    records = results.records()
    return csv_text([list(records[0]) if records else [], *(map(guarded, record.values()) for record in records)])


def guarded(value: Any) -> Any:
    """Return a cell for CSV: names one after the other, and text that a spreadsheet would take for a formula made
    inert."""
    if value is None or isinstance(value, (float, int)):
        return value
    value = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else value
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _markdown(results: Results) -> str:
    return "\n\n".join([*map(markdown_table, grids(results)), f"{markdown_code(str(results.signature))}\n"])


def _latex(results: Results, label: str) -> str:
    from nescio.reporting import latex

    tables = [latex.tabular(table, label) for table in grids(results)]
    return "\n".join([f"% {sanitize(str(results.signature), target='line')}", latex.PREAMBLE, *tables]) + "\n"
