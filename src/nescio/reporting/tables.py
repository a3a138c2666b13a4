"""Write results as text, JSON, JSON Lines, CSV, Markdown, LaTeX and Parquet; `screen` prints them on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from nescio.comparison.adjusted import families
from nescio.data.results import Audit, Comparisons, Results, Scores
from nescio.data.shown import Row
from nescio.errors import UsageError, opt
from nescio.reporting import layout
from nescio.reporting.board import board
from nescio.reporting.board import legend as board_legend
from nescio.reporting.grid import BEST, TIED, Grid, make_grid
from nescio.reporting.markdown import in_markdown, markdown_code, markdown_table
from nescio.reporting.row_grids import rows_grid
from nescio.sources.writing import atomic_write, csv_text, write_text
from nescio.text import enumerated, sanitize

Form = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
FIRST = ("screen", "benchmarks", "ranks", "sensitivity")  # tables that come before the many rows behind them
MOST_ROWS = 100  # rows of further tables that are shown; JSON has all of them


def render(results: Results, form: str, label: str | None = None) -> str:
    """Return results as text in the format `form`, one of those that `-f` names.

    `label` is the label of a table in LaTeX.
    """
    if form == "latex":
        return _latex(results, label or f"tab:{results.kind}")
    if isinstance(results, Audit) and form in ("table", "markdown"):
        from nescio.reporting import audit

        return audit.plain(results) if form == "table" else audit.page(results)
    if form == "table":
        return _plain(results)
    writers: dict[str, Callable[[Results], str]] = {"json": _json, "jsonl": _jsonl, "csv": _csv, "markdown": _markdown}
    return writers[form](results)


def legend(results: Results) -> str:
    """Return lines of plain text that explain the signs of a leaderboard, or the intervals of comparisons."""
    if results.kind == "suite":
        from nescio.reporting import suites

        return "\n".join(suites.legend_lines(results))
    if isinstance(results, Comparisons):
        return _family(results)
    words = board_legend(results) if isinstance(results, Scores) else ""
    return f"{BEST} the best; {TIED} {words}" if words else ""


def _family(results: Comparisons) -> str:
    """Return a line that explains an interval without 0 beside the verdict "too few questions to tell".

    The cause is the correction for several tests; without a correction the line is empty.
    """
    how, together = results.signature.get("correction", "none"), families(results)
    if how == "none" or max(map(len, together), default=0) < 2:
        return ""
    if how == "tukey":
        every = "all pairs of runs"
    elif len(together) == 1:
        tested = sum(used.comparisons for used in results.tables.get("tests", ()))  # of many runs, more than are shown
        every = f"all {max(tested, len(together[0])):,} comparisons"
    else:
        named = (
            f"the {len(family):,} by {enumerated(list(dict.fromkeys(row.measure for row in family)))}"
            for family in together
        )
        every = f"{', '.join(named)}, each family separately"
    return f"intervals are not adjusted for multiple comparisons; verdicts are adjusted for {every} ({how})"


def check_suffix(path: Path) -> None:
    """Raise UsageError if the suffix of an output file, such as ".csv", does not belong to a format of results."""
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
    """Write results to a file, completely or not at all; the suffix decides the format."""
    check_suffix(path)
    if path.suffix.lower() != ".parquet":
        write_text(path, render(results, SUFFIXES[path.suffix.lower()]))
        return
    from nescio.sources.arrow import Stream
    from nescio.sources.database import connect, write_parquet

    with atomic_write(path) as draft, connect() as connection:
        connection.register("results", Stream(results))
        write_parquet(connection, "results", draft)


class Part(Struct, frozen=True):
    """A part of shown results: a table with its title, and the sentences above and below the table.

    If the grid is None, there are only the title and the sentences.
    """

    grid: Grid | None
    title: str = ""
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def grids(results: Results) -> list[Grid]:
    """Return the tables that show the results: one for their rows, and one for each further table.

    An item of a paper has a layout of its own, which is then the only table.
    """
    return [part.grid for part in parts(results) if part.grid is not None]


def parts(results: Results, *, listed: bool = False) -> list[Part]:
    """Return the parts that show the results: one for their rows, and one for each further table.

    If `listed`, each part has at most as many rows as a terminal shows.
    """
    if isinstance(layout := getattr(results, "layout", None), Grid):
        return [Part(layout.sanitized())]
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
    shown = [_part(results, name, listed=listed) for name in names]
    return [part for part in shown if part is not None]


def _part(results: Results, name: str | None, *, listed: bool) -> Part | None:
    """Return the part that shows the further table `name`, or the rows of the results if the name is None.

    Returns None if there is nothing to show.
    """
    rows = results.rows if name is None else results.tables[name]
    if not rows:
        return Part(board(results)) if isinstance(results, Scores) else None
    kind = rows[0] if isinstance(rows[0], Row) else Row()
    above, below = list(kind.above(rows)), list(kind.below(rows))
    most = kind.most_listed if listed else None if name is None else MOST_ROWS
    table: Grid | None = None
    if kind.most_listed is None and name is not None and len(rows) > MOST_ROWS:
        what = f"{name} (-f json prints it, -o FILE.json writes it)"
        table = make_grid(["table", "rows"], [[what, f"{len(rows):,}"]], [True, False])
    elif kind.most_listed != 0:
        table = rows_grid(results, name, most).sanitized()
        left = 0 if most is None else len(rows) - most
        below = [f"{left:,} more; -f json lists them", *below] if left > 0 else below
    if table is None and not above and not below:
        return None
    return Part(table, results.title(name), tuple(above), tuple(below))


def _plain(results: Results) -> str:
    """Return the results as plain text, without fitting it to a width."""
    texts = []
    for part in parts(results):
        title = [f"{part.title}:"] if part.title else []
        texts += [f"{sanitize(line, target='line')}\n" for line in (*title, *part.above)]
        texts += ["" if part.grid is None else layout.drawn(part.grid)]
        texts += [f"{sanitize(line, target='line')}\n" for line in part.below]
    texts += [f"{line}\n" for line in (legend(results), str(results.signature)) if line]
    return "".join(texts)


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
    """Return a value as a cell of CSV. A list of names is joined by commas.

    Text that a spreadsheet could take for a formula gets an apostrophe before it.
    """
    if value is None or isinstance(value, (float, int)):
        return value
    value = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else value
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _markdown(results: Results) -> str:
    shown = []
    for part in parts(results):
        shown += [f"{in_markdown(part.title)}:"] if part.title else []
        shown += [in_markdown(line.strip()) for line in part.above]
        shown += [] if part.grid is None else [markdown_table(part.grid)]
        shown += [in_markdown(line.strip()) for line in part.below]
    gates = "\n".join(f"- {gate.word}: {in_markdown(gate.said)}" for gate in results.gates)
    made = isinstance(results, Comparisons) and results.decision
    decided = [in_markdown(made.sentence)] if made else []
    return "\n\n".join([*decided, *shown, *([gates] if gates else []), f"{markdown_code(str(results.signature))}\n"])


def _latex(results: Results, label: str) -> str:
    from nescio.reporting import latex

    tables = [latex.tabular(table, label) for table in grids(results)]
    return "\n".join([f"% {sanitize(str(results.signature), target='line')}", latex.PREAMBLE, *tables]) + "\n"
