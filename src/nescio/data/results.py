"""Hold results: frozen tables of values with their signature, exported through the Arrow C interface or as plain
HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, overload

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nescio._version import __version__
from nescio.data import frames
from nescio.data.frames import Kind
from nescio.data.notes import Note
from nescio.data.pivot import Pivot
from nescio.data.plain_tables import count_range, figure, html_table, plain_value, text_table
from nescio.data.shown import Shown, lay, type_alone
from nescio.data.signature import Signature
from nescio.errors import UnknownNameError
from nescio.text import sanitize

if TYPE_CHECKING:
    from typing import Self

    import pandas
    import polars
    from typing_extensions import TypeVar

    RowT_co = TypeVar("RowT_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    RowT_co = TypeVar("RowT_co", covariant=True)

MOST_MEASURES = 3  # the most measures of one run in a row; with more, each measure has a row


class Score(Struct, frozen=True):
    """The value of one measure for one run. `low` and `high` bound its interval; NaN is undefined, None not computed.

    `n` is the number of questions from which the value is computed. `stratum` is the part of the questions (None: all),
    and `interval` the method of the interval. `best` says whether the value is the best of its measure and stratum;
    ties are all best. `tied_with_best` says that it is not the best, but not significantly worse. `better_than` names
    the runs that the run is significantly better than. These three are None if the runs were not tested against each
    other (`nescio.comparison.best`).
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


# The opposites of the verdicts on a significant difference. The last two are for descriptive measures.
TURNED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


class Comparison(Struct, frozen=True):
    """A run compared with a baseline: `difference` is run minus baseline, with its interval and its p-value.

    `n` is the number of questions that both runs have, and `units` the number of resampled units: these questions, or
    clusters of them. For a share of answers, `units` is at most the number of answers. Over a suite, `units` is the
    number of units of the smallest benchmark times the number of benchmarks. `spread` is the standard error of the
    difference over resamples. `detectable` is the difference that the test finds with a power of 0.8 at this n.
    `no_larger_than` is the bound in a verdict of no difference. `worst` is the worst difference that a gate cannot rule
    out, which may lie beyond the interval.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float | None
    high: float | None
    p: Annotated[float | None, Shown(form="p", absent="undefined", always=True, spare=3)]
    p_adjusted: Annotated[float | None, Shown(form="p", absent="undefined", always=True, same_as="p")]
    test: str | None
    n: Annotated[int, Shown(spare=1, after="detectable")]
    verdict: Annotated[str | None, Shown(absent="undefined", always=True)] = None
    detectable: Annotated[float | None, Shown(form="number", always=True, spare=2)] = None
    no_larger_than: float | None = None
    units: int = 0
    spread: float | None = None
    worst: float | None = None

    @property
    def significant(self) -> bool:
        """Return whether the run and the baseline differ significantly by the adjusted p-value."""
        return self.verdict in TURNED


class Finding(Struct, frozen=True):
    """The result of one test of one measure in the audit: a cheat or an axiom.

    `result` of a cheat is cheated, resists, undefined or not applicable; of an axiom it is holds, fails, undefined or
    not applicable. `value` is the cheat's score, or the measure's value where the axiom fails. `against` is the value
    with which `value` is compared: that of an honest system with 60% right, the same system before it abstains,
    accuracy, 0, or the end of the range. `worth` is the share of right answers of the best honest system that a
    successful cheat matches. For random abstention it is the gain. `counterexample` is in words, or says why there is
    none. `cases` is the number of comparisons, and `undefined` the number of impossible ones.
    """

    measure: str
    test: str
    kind: str
    result: str
    value: float
    against: float
    worth: float
    counterexample: str
    cases: int
    undefined: int


class Results(Struct, Generic[RowT_co], frozen=True):
    """A table of results with a signature for reproduction, and notes on data that were left out or changed.

    Iteration yields the rows. `tables` holds further tables, keyed by name, such as the ranks of a comparison. `gates`
    are the conditions on the runs, each with its `status` (0 passed, 1 failed, 3 undecided). `wrote` has a sentence on
    each file that was written with the results.
    """

    rows: tuple[RowT_co, ...]
    signature: Signature
    notes: tuple[Note, ...] = ()
    kind: str = "results"
    tables: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    gates: tuple[Any, ...] = ()
    wrote: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[RowT_co]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        """Return the tables as plain text without empty columns, the notes, and the signature."""
        tables = [text_table(self.kind, self._shown()), *(text_table(*table) for table in self._further())]
        notes = "\n".join(f"note: {sanitize(str(note), target='line')}" for note in self.notes)
        parts = (*tables, self._legend(), notes, sanitize(str(self.signature), target="line"))
        return "\n\n".join(part for part in parts if part)

    def with_rows(self, rows: Iterable[Any]) -> Self:
        """Return these results with other rows, and with everything else unchanged."""
        return replace(self, rows=tuple(rows))

    def records(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the rows, or the rows of `tables[name]`, as dictionaries; an undefined value is None, as in JSON."""
        return _records(self._table(name))

    def title(self, name: str | None = None) -> str:  # noqa: ARG002
        """Return the title of the table of rows, or of `tables[name]`; empty if the table has no title."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the whole results, as the command line prints them with `-f json`."""
        return {
            "nescio": __version__,
            "signature": str(self.signature),
            self.kind: self.records(),
            **{name: _records(rows) for name, rows in self.tables.items()},
            "notes": list(map(str, self.notes)),
        }

    def to_pandas(self, name: str | None = None) -> pandas.DataFrame:
        """Return the rows, or those of `tables[name]`, as a pandas frame. Raises UsageError if pandas is not
        installed."""
        rows = self._table(name)
        return frames.pandas_frame(_records(rows), dict(_kinds(rows)))

    def to_polars(self, name: str | None = None) -> polars.DataFrame:
        """Return the rows, or those of `tables[name]`, as a Polars frame. Raises UsageError if Polars is not
        installed."""
        rows = self._table(name)
        return frames.polars_frame(_records(rows), dict(_kinds(rows)))

    # Tables and charts are rooms above this one, so the verbs set the function that makes them.
    rendered_by: ClassVar[Callable[..., str]]

    def to_latex(self, label: str | None = None) -> str:
        r"""Return the tables as LaTeX, no wider than the text; `label` is a leaderboard's label for `\ref`."""
        return self.rendered_by(self, "latex", label)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as an Arrow stream, for pandas, Polars, pyarrow, DuckDB and others."""
        import duckdb
        import numpy as np

        records = self.records()
        names = list(records[0]) if records else []
        columns = {name: np.empty(len(records), dtype=object) for name in names}
        for name, column in columns.items():
            for i, record in enumerate(records):  # numpy would turn rows that are lists into two axes.
                column[i] = list(record[name]) if isinstance(record[name], tuple) else record[name]
        connection = duckdb.connect()
        connection.register("results", columns)
        casts = ", ".join(f'"{name}"::{_TYPES[kind]} AS "{name}"' for name, kind in _kinds(self.rows))
        return connection.sql(f"SELECT {casts} FROM results").__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """Return plain HTML tables for notebooks: the rows, and the other tables.

        Text in them is inert, and long tables state what is left out.
        """
        tables = [html_table(self.kind, self._shown()), *(html_table(*table) for table in self._further())]
        remarks = [self._legend(), *map(str, self.notes)]
        paragraphs = "".join(f"<p>{sanitize(remark, target='html')}</p>" for remark in remarks if remark)
        return f"{''.join(tables)}{paragraphs}<p><code>{sanitize(str(self.signature), target='html')}</code></p>"

    def _table(self, name: str | None) -> tuple[Any, ...]:
        if name is not None and name not in self.tables:
            raise UnknownNameError(f"table of these {self.kind}", name, self.tables)
        return self.rows if name is None else self.tables[name]

    def _shown(self) -> list[dict[str, Any]]:
        return _readable(self.rows)

    def _further(self) -> list[tuple[str, list[dict[str, Any]]]]:
        return [(name, _readable(rows)) for name, rows in self.tables.items()]

    def _legend(self) -> str:
        return ""


class Counted(Struct, frozen=True):
    """How many questions a run answered correctly, answered incorrectly, and left unanswered.

    `stratum` is the part of the questions that is counted; None means all.
    """

    run: str
    stratum: str | None
    correct: int
    incorrect: int
    unanswered: int


COUNTS = ("correct", "incorrect", "unanswered")  # columns of a leaderboard, if the user asks for them


class Plotted(Results[RowT_co], frozen=True):
    """Results that can be drawn as a chart."""

    drawn_by: ClassVar[Callable[..., Any]]

    def plot(self, measure: str | None = None, *, width: int = 640) -> Any:
        """Return the chart of one measure, or of all below each other, for a notebook or `save("chart.svg")`.

        Raises UnknownNameError for a measure that was not computed, and MismatchError if there is nothing to draw.
        """
        return self.drawn_by(self, measure, width=width)


class Scores(Plotted[Score], frozen=True):
    """The result of `score`: rows of `Score`, shown as a table with a row for each run and a column for each measure.

    `scores["mine"]` are the scores of a run, `scores["mine", "c@1"]` is the row of a run and a measure, and
    `scores["mine", "c@1", "history"]` that of a stratum. `why_unmarked` says why no score is marked, if marks are
    possible and were not asked for. `columns` are those of the table, in order; by default the run, the measures and n.
    `exact` holds the numerator, the denominator and the level of the proportions that gates decide by an exact
    interval, keyed by run and measure.
    """

    why_unmarked: str = ""
    columns: tuple[str, ...] = ()
    exact: Mapping[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)
    lower_is_better: ClassVar[Callable[..., bool]]  # Measures are a room above this one, and set this function.

    @overload
    def __getitem__(self, place: str) -> Self: ...
    @overload
    def __getitem__(self, place: tuple[str, str] | tuple[str, str, str | None]) -> Score: ...
    def __getitem__(self, place: str | tuple[str, str] | tuple[str, str, str | None]) -> Score | Self:
        """Return the scores of a run, or one row by run, measure and, if given, stratum.

        Raises UnknownNameError, which lists the existing names.
        """
        if isinstance(place, str):
            if not (rows := [row for row in self.rows if row.run == place]):
                raise UnknownNameError("run of these scores", place, {row.run for row in self.rows})
            return self.with_rows(rows)
        run, measure, stratum = place if len(place) == 3 else (*place, None)
        for row in self.rows:
            if (row.run, row.measure, row.stratum) == (run, measure, stratum):
                return row
        for kind, name in {"run": run, "measure": measure, "stratum": stratum}.items():
            known = {str(getattr(row, kind)) for row in self.rows}
            if str(name) not in known:
                raise UnknownNameError(f"{kind} of these scores", str(name), known)
        raise UnknownNameError("score", f"{measure} of {run}", {f"{row.measure} of {row.run}" for row in self.rows})

    def value(self, run: str, measure: str, stratum: str | None = None) -> float:
        """Return the value of a measure for a run.

        Raises UnknownNameError, with the computed measures, if it was not computed.
        """
        return float(self[run, measure, stratum].value)

    def pivot(self) -> Pivot:
        """Return the values with one row per run (and stratum, if any) and one column per measure."""
        keys, measures, places = self.places()
        rows = []
        for place, scores in places.items():
            values = [scores[measure].value if measure in scores else None for measure in measures]
            rows.append((*place[: len(keys)], *values))
        return Pivot(keys, measures, tuple(rows))

    def places(self) -> tuple[tuple[str, ...], tuple[str, ...], dict[tuple[str, str | None], dict[str, Score]]]:
        """Return the layout of the wide table: its key columns, its measures, and the scores of each row, keyed by
        measure.

        A row is keyed by its run and stratum.
        """
        measures = tuple(dict.fromkeys(row.measure for row in self.rows))
        broken_down = any(row.stratum is not None for row in self.rows)
        order = {run: i for i, run in enumerate(self.best_first())}
        places: dict[tuple[str, str | None], dict[str, Score]] = {}
        for row in sorted(self.rows, key=lambda row: order[row.run]):
            places.setdefault((row.run, row.stratum), {})[row.measure] = row
        return ("run", "stratum") if broken_down else ("run",), measures, places

    def best_first(self) -> list[str]:
        """Return the names of the runs, sorted by the first measure, the best first, and runs without a value last."""
        runs = dict.fromkeys(row.run for row in self.rows)
        first = self.rows[0].measure if self.rows else ""
        whole = {row.run: row.value for row in self.rows if row.measure == first and row.stratum is None}
        sign = 1 if whole and self.lower_is_better(first) else -1
        return sorted(runs, key=lambda run: math.inf if math.isnan(whole.get(run, math.nan)) else sign * whole[run])

    def counted(self) -> dict[tuple[str, str | None], dict[str, str]]:
        """Return the counts of correct, incorrect and unanswered as text, keyed by run and stratum; empty if not asked
        for."""
        rows: tuple[Counted, ...] = self.tables.get("counted", ())
        return {(row.run, row.stratum): {name: f"{getattr(row, name):,}" for name in COUNTS} for row in rows}

    def _further(self) -> list[tuple[str, list[dict[str, Any]]]]:
        return [table for table in super()._further() if table[0] != "counted"]  # They are in the first table already.

    def _shown(self) -> list[dict[str, Any]]:
        keys, measures, places = self.places()
        if not self.columns and len(places) == 1 and len(measures) > MOST_MEASURES:
            ((run, _),) = places
            return [{"measure": row.measure, run: _cell(row), "n": f"{row.n:,}"} for row in self.rows]
        records, counted = [], self.counted()
        for (run, stratum), scores in places.items():
            names = {"run": run, "stratum": "all" if stratum is None else stratum}
            cells = {measure: _cell(scores[measure]) if measure in scores else None for measure in measures}
            n = count_range(row.n for row in scores.values())
            whole = {key: names[key] for key in keys} | cells | {"n": n} | counted.get((run, stratum), {})
            records.append({name: whole[name] for name in self.columns or (*keys, *measures, "n")})
        return records

    def _legend(self) -> str:
        if not any(row.best for row in self.rows):
            return ""
        return "* the best; † not significantly different from the best"


class Comparisons(Plotted[Comparison], frozen=True):
    """The result of `compare`: rows of `Comparison`.

    If the user named the measures (`named`), all of them count for the decision; otherwise only the first one does.
    """

    named: bool = False
    decided_by: ClassVar[Callable[..., Any]]  # Verdicts are a room above this one, and set this function.

    @property
    def decision(self) -> Any:
        """Return the decision about two runs, with `heading`, `sentence`, `status`, `further` and `units`; None if
        there is none."""
        return self.decided_by(self) if self.rows else None

    def to_dict(self) -> dict[str, Any]:
        """Return the whole results with the decision, as the command line prints them with `-f json`."""
        made = self.decision
        return super().to_dict() | {"decision": made and made.to_dict()}


class Audit(Results[Finding], frozen=True):
    """The result of `nescio.meta.audit`: one row for each measure and test."""


_TYPES = {"str": "VARCHAR", "float": "DOUBLE", "int": "BIGINT", "bool": "BOOLEAN", "tuple": "VARCHAR[]"}


def is_level(value: float, other: float) -> bool:
    """Return whether two values of a measure are equal but for rounding, so that neither run is better."""
    return math.isclose(value, other, rel_tol=1e-12, abs_tol=1e-15)


def declared_types(rows: Sequence[Any]) -> dict[str, str]:
    """Return the declared type of each field of the rows, as text, keyed by field."""
    classes = type(rows[0]).__mro__ if rows else ()
    declared = {
        name: text for kind in reversed(classes) for name, text in vars(kind).get("__annotations__", {}).items()
    }
    return {name: type_alone(text) for name, text in declared.items() if not text.startswith("ClassVar")}


def _kinds(rows: Sequence[Any]) -> list[tuple[str, Kind]]:
    """Return the kind of each column (text, number, …), derived from the declared type of its field."""
    return [(name, _kind(declared)) for name, declared in declared_types(rows).items()]


def _kind(declared: str) -> Kind:
    kinds: dict[str, Kind] = {"float": "float", "int": "int", "bool": "bool", "tuple": "tuple"}
    return kinds.get(declared.partition(" ")[0].partition("[")[0], "str")


def _raw(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return each row as a dictionary of its fields, with rows inside it as dictionaries too."""
    return list(map(asdict, rows))


def _readable(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return each row as a dictionary of its shown cells, or of all its fields if the rows declare no columns.

    Rows that are shown only in JSON give an empty list.
    """
    laid = lay(rows)
    if laid is None:
        return _raw(rows)
    if getattr(rows[0], "most_listed", None) == 0:
        return []
    return [dict(zip(laid.head, cells, strict=True)) for cells in laid.rows]


def _records(rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [{name: plain_value(value) for name, value in record.items()} for record in _raw(rows)]


def _cell(row: Score) -> str:
    """Return a score as text: its value, its mark (such as the mark of the best run), and its interval."""
    sign = "*" if row.best else "†" if row.tied_with_best else ""
    if row.low is None or row.high is None or math.isnan(row.value):
        return f"{figure(row.value)}{sign}"
    return f"{figure(row.value)}{sign} [{figure(row.low)}, {figure(row.high)}]"
