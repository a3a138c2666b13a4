"""Results as tables: as text, JSON, JSON Lines, CSV, Markdown, LaTeX and Parquet; `screen` prints them on a
terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from nescio.comparison.families import families
from nescio.data.plain_tables import HUGE, rounded
from nescio.data.results import Audit, Comparisons, Results, Scores
from nescio.data.shown import Row, lay
from nescio.errors import UsageError, opt
from nescio.reporting import layout
from nescio.reporting.board import board
from nescio.reporting.board import legend as board_legend
from nescio.reporting.grid import BEST, TIED, Grid, make_grid, text_fields, text_values
from nescio.reporting.markdown import in_markdown, markdown_code, markdown_table
from nescio.sources.writing import atomic_write, csv_text, write_text
from nescio.text import enumerated, sanitize

Form = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
FIRST = (
    "screen",
    "benchmarks",
    "ranks",
    "sensitivity",
)  # what a reader wants before the many rows that it was made from
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
    """Return what the signs in a leaderboard mean, or what the intervals of several comparisons account for, as lines
    of plain text."""
    if results.kind == "suite":
        from nescio.reporting import suites

        return "\n".join(suites.legend_lines(results))
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


class Part(Struct, frozen=True):
    """A table with its title, and the sentences that are shown above and below it; without a grid, only these."""

    grid: Grid | None
    title: str = ""
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def grids(results: Results) -> list[Grid]:
    """Return the table of the rows, and after it those of what else the results hold; of an item of a paper its own."""
    return [part.grid for part in parts(results) if part.grid is not None]


def parts(results: Results, *, listed: bool = False) -> list[Part]:
    """Return what is shown of results: a part for the rows, and one for each further table; with `listed`, no more rows
    of each than a terminal lists."""
    if isinstance(own := getattr(results, "layout", None), Grid):
        return [Part(own.sanitized())]
    if isinstance(results, Audit):
        from nescio.reporting import audit

        return [Part(table) for table in audit.grids(results)]
    if results.kind == "suite":
        from nescio.reporting import suites

        return [Part(table.sanitized()) for table in suites.suite_grids(results)]
    inside = ("counted",) if isinstance(results, Scores) else ()  # the first table shows them
    further = [name for name, rows in results.tables.items() if rows and name not in inside]
    first = [name for name in FIRST if name in further]
    names = [*first, None, *(name for name in further if name not in first)]
    found = [_part(results, name, listed=listed) for name in names]
    return [part for part in found if part is not None]


def _part(results: Results, name: str | None, *, listed: bool) -> Part | None:
    """Return the part of the rows (name None) or of a further table, or None if nothing of it is shown."""
    rows = results.rows if name is None else results.tables[name]
    if not rows:
        return Part(board(results)) if isinstance(results, Scores) else None
    kind = rows[0] if isinstance(rows[0], Row) else Row()
    above, below = list(kind.above(rows)), list(kind.below(rows))
    most = kind.most_listed if listed else None if name is None else MOST_ROWS
    table: Grid | None = None
    if kind.most_listed is None and name is not None and len(rows) > MOST_ROWS:
        table = _too_many(f"{name} (-f json prints it, -o FILE.json writes it)", len(rows))
    elif kind.most_listed != 0:
        table = rows_grid(results, name, most).sanitized()
        left = 0 if most is None else len(rows) - most
        below = [f"{left:,} more; -f json lists them", *below] if left > 0 else below
    if table is None and not above and not below:
        return None
    return Part(table, results.title(name), tuple(above), tuple(below))


def _too_many(what: str, rows: int) -> Grid:
    return make_grid(["table", "rows"], [[what, f"{rows:,}"]], [True, False])


def grid(results: Results) -> Grid:
    """Return the table of the rows alone: of scores a row a run and a column a measure."""
    return rows_grid(results)


def rows_grid(results: Results, name: str | None = None, most: int | None = None) -> Grid:
    """Lay out the rows of results, or the first `most` of `tables[name]`: in the columns that they declare, or else as
    they are."""
    if name is None and isinstance(results, Scores):
        return board(results)
    rows = (results.rows if name is None else results.tables[name])[:most]
    laid = lay(rows)
    if laid is None:
        return record_grid(results.records(name)[:most], text_fields(rows))
    return make_grid(laid.head, laid.rows, laid.texts, laid.spare)


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


def _plain(results: Results) -> str:
    below = [line for line in (legend(results), str(results.signature)) if line]
    return "".join([*map(_plain_part, parts(results)), *(f"{line}\n" for line in below)])


def _plain_part(part: Part) -> str:
    """Return a part as text of the width that it needs."""
    title = [f"{part.title}:"] if part.title else []
    above, below = (
        "".join(f"{sanitize(line, target='line')}\n" for line in lines) for lines in ([*title, *part.above], part.below)
    )
    return f"{above}{'' if part.grid is None else layout.drawn(part.grid)}{below}"


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
    shown = [text for part in parts(results) for text in _markdown_part(part)]
    gates = "\n".join(f"- {gate.word}: {in_markdown(gate.said)}" for gate in results.gates)
    return "\n\n".join([*shown, *([gates] if gates else []), f"{markdown_code(str(results.signature))}\n"])


def _markdown_part(part: Part) -> list[str]:
    """Return the paragraphs and the table of a part."""
    title = [f"{in_markdown(part.title)}:"] if part.title else []
    table = [] if part.grid is None else [markdown_table(part.grid)]
    above, below = ([in_markdown(line.strip()) for line in lines] for lines in (part.above, part.below))
    return [*title, *above, *table, *below]


def _latex(results: Results, label: str) -> str:
    from nescio.reporting import latex

    tables = [latex.tabular(table, label) for table in grids(results)]
    return "\n".join([f"% {sanitize(str(results.signature), target='line')}", latex.PREAMBLE, *tables]) + "\n"
