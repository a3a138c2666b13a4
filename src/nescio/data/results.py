"""Results: frozen tables of values that carry their signature, and leave through the Arrow C interface or as plain HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from nescio._version import __version__
from nescio.data.notes import Note
from nescio.data.signature import Signature
from nescio.errors import UnknownNameError
from nescio.text import sanitize

MOST_ROWS = 1_000  # of a table in a notebook


@dataclass(frozen=True, slots=True)
class Score:
    """One measure of one run. `low` and `high` bound its interval; NaN is undefined, None not computed.

    `n` is the number of questions it was computed from, `stratum` the part of them (None: all), `interval` the method.

    The last three are marks, None where the run was not tested against the others (`nescio.comparison.best`): whether its value
    is the best of its measure and stratum (ties are all best); whether, not being best, it is tied with the best; and
    the runs that it is significantly better than.
    """

    run: str
    measure: str
    value: float
    low: float | None
    high: float | None
    n: int
    stratum: str | None = None
    interval: str | None = None
    best: bool | None = None
    tied_with_best: bool | None = None
    better_than: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against a baseline: `difference` is run minus baseline, with its interval and the p-value of no difference.

    `n` counts the questions that both have, `units` what was resampled of them: the same, or clusters. `spread` is the standard
    error of the difference over resamples, `detectable` the difference that the test finds with a power of 0.8 at this n, and
    `no_larger_than` the bound that a verdict of no difference names.
    """

    run: str
    baseline: str
    measure: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    test: str | None
    n: int
    verdict: str | None = None
    detectable: float | None = None
    no_larger_than: float | None = None
    units: int = 0
    spread: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """A table of results with the line that lets someone else repeat them, and notes on what was left out or touched."""

    rows: tuple[Any, ...]
    signature: Signature
    notes: tuple[Note, ...] = ()
    kind: str = "results"
    tables: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.rows)} rows, {self.signature}>"

    def __str__(self) -> str:
        """Return the tables as plain text, without the columns that are empty; the notes, and the signature."""
        tables = [_text_table(self.kind, self.rows), *(_text_table(name, rows) for name, rows in self.tables.items())]
        notes = "\n".join(f"note: {sanitize(str(note), target='line')}" for note in self.notes)
        return "\n\n".join(
            [
                *(table for table in tables if table),
                *([notes] if notes else []),
                sanitize(str(self.signature), target="line"),
            ]
        )

    def records(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the rows, or those of `tables[name]`, as dictionaries; an undefined value is None, as in JSON."""
        return _records(self.rows if name is None else self.tables[name])

    def to_dict(self) -> dict[str, Any]:
        """Return the whole as the command line prints it with `-f json`."""
        return {
            "nescio": __version__,
            "signature": str(self.signature),
            self.kind: self.records(),
            **{name: _records(rows) for name, rows in self.tables.items()},
            "notes": list(map(str, self.notes)),
        }

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as an Arrow stream, for pandas, Polars, pyarrow, DuckDB and whoever else speaks it."""
        import duckdb
        import numpy as np

        records = self.records()
        names = list(records[0]) if records else []
        columns = {name: np.empty(len(records), dtype=object) for name in names}
        for name, column in columns.items():
            for i, record in enumerate(records):  # one by one: numpy would make two axes of rows that are lists
                column[i] = list(record[name]) if isinstance(record[name], tuple) else record[name]
        connection = duckdb.connect()
        connection.register("results", columns)
        casts = ", ".join(f'"{name}"::{_TYPES[str(field)]} AS "{name}"' for name, field in _kinds(self.rows))
        return connection.sql(f"SELECT {casts} FROM results").__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """Plain tables for notebooks: the rows, and what else there is; text in them is inert, and long tables say what is left out."""
        tables = [_html_table(self.kind, self.rows), *(_html_table(name, rows) for name, rows in self.tables.items())]
        notes = "".join(f"<p>{sanitize(str(note), target='html')}</p>" for note in self.notes)
        return f"{''.join(tables)}{notes}<p><code>{sanitize(str(self.signature), target='html')}</code></p>"


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Results):
    """What `score` gives: rows of `Score`. `why_unmarked` says why none of them is marked, where marks could be had and were not
    asked for."""

    why_unmarked: str = ""

    def value(self, run: str, measure: str, stratum: str | None = None) -> float:
        """Return the value of a measure for a run; raises UnknownNameError where it was not computed, naming what
        was."""
        for row in self.rows:
            if (row.run, row.measure, row.stratum) == (run, measure, stratum):
                return float(row.value)
        there = {"run": run, "measure": measure, "stratum": stratum}
        for kind, name in there.items():
            known = {str(getattr(row, kind)) for row in self.rows}
            if str(name) not in known:
                raise UnknownNameError(f"{kind} of these scores", str(name), known)
        raise UnknownNameError("score", f"{measure} of {run}", {f"{row.measure} of {row.run}" for row in self.rows})


class Comparisons(Results):
    """What `compare` gives: rows of `Comparison`."""

    __slots__ = ()


class Audit(Results):
    """What `nescio.meta.audit` gives: a row for each test of each measure."""

    __slots__ = ()


_TYPES = {"str": "VARCHAR", "float": "DOUBLE", "int": "BIGINT", "bool": "BOOLEAN", "tuple[str,": "VARCHAR[]"}


def _kinds(rows: tuple[Any, ...]) -> list[tuple[str, str]]:
    return [(field.name, str(field.type).split(" ")[0]) for field in fields(rows[0])] if rows else []


def _records(rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in asdict(row).items()} for row in rows]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _html_table(name: str, rows: Sequence[Any]) -> str:
    """Return a table with a caption, heads with their scope, and cells whose text finds its own direction."""
    records = _without_empty([asdict(row) for row in rows[:MOST_ROWS]])
    if not records:
        return ""
    left = _left_out(rows)
    head = "".join(f'<th scope="col">{sanitize(_words(column), target="html")}</th>' for column in records[0])
    body = "".join(
        "<tr>"
        + "".join(f'<td dir="auto">{sanitize(_shown(value), target="html")}</td>' for value in record.values())
        + "</tr>"
        for record in records
    )
    caption = f"<caption>{sanitize(_words(name), target='html')}{left}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text_table(name: str, rows: Sequence[Any]) -> str:
    """Return the same as plain text: a caption, heads, and one line per row."""
    records = _without_empty([asdict(row) for row in rows[:MOST_ROWS]])
    if not records:
        return ""
    lines = [[_words(column) for column in records[0]], *([_shown(v) for v in record.values()] for record in records)]
    lines = [[sanitize(cell, target="line") for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = [all(_is_number(record[column]) for record in records) for column in records[0]]
    body = (
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join([f"{sanitize(_words(name), target='line')}{_left_out(rows)}", *body])


def _without_empty(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records without the columns in which none of them has anything."""
    kept = [
        column for column in (records[0] if records else ()) if any(record[column] is not None for record in records)
    ]
    return [{column: record[column] for column in kept} for record in records]


def _left_out(rows: Sequence[Any]) -> str:
    return f" (the first {MOST_ROWS:,} of {len(rows):,})" if len(rows) > MOST_ROWS else ""


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    return ", ".join(map(_shown, value)) if isinstance(value, (tuple, list)) else str(value)
