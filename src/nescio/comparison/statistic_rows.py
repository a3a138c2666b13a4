"""Estimate the rows of a table of a statistic, one for each run or pair of runs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.corrections import adjust
from nescio.comparison.two_runs import pairs_of
from nescio.data.columns import bare, resolve
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, gather, note
from nescio.data.repeats import first_rows, means
from nescio.data.shown import Form
from nescio.errors import MismatchError, UnknownNameError
from nescio.estimating import Estimate, Statistic, by_exchange, by_student, closed_form, estimate, units_of
from nescio.estimating.methods import posterior, resampled
from nescio.estimating.units import merged
from nescio.measures import as_namespace
from nescio.stats.resampling import Block

Floats = NDArray[np.float64]
By = Literal["t", "percentile", "posterior"]
METHODS: dict[str, Any] = {"percentile": resampled, "posterior": posterior}
CANNOT_TELL = "cannot tell"


class Column(Struct, frozen=True):
    """An extra column of a statistic's table: a formula of the totals, a number format, and a heading or None."""

    formula: Callable[..., Any]
    form: Form = "plain"
    head: str | None = None


class Laid(Struct, frozen=True, eq=False):
    """The data from which one row of a table is computed.

    `key` has the first cells of the row by name, and `last` the last ones. `columns` holds the values that the
    statistic reads from each question. `exchanged` holds these values after the labels of the two runs are exchanged,
    None for a statistic of one run.
    """

    key: Mapping[str, Any]
    columns: Mapping[str, Floats]
    clusters: NDArray[np.int64] | None = None
    exchanged: Mapping[str, Floats] | None = None
    last: Mapping[str, Any] = {}


class LaidOut(Struct, frozen=True):
    """The rows of a table that are not estimated yet, notes, entries for the signature, and files that were written."""

    rows: Sequence[Laid]
    notes: tuple[Note, ...] = ()
    signature: Mapping[str, Any] = {}
    wrote: tuple[str, ...] = ()


class Plan(Struct, frozen=True):
    """How the intervals and tests of a table are computed: the method, the level, and the blocks of draws."""

    by: By
    level: float
    blocks: Sequence[Block]


class Asked(Struct, frozen=True):
    """The statistic that a user asked for: its name, whether it is tested, and the extra columns of its table."""

    name: str
    statistic: Statistic
    tested: bool
    columns: Mapping[str, Column]


def estimated(asked: Asked, laid: Sequence[Laid], plan: Plan) -> tuple[list[dict[str, Any]], list[Note]]:
    """Return the cells of each row by name, and warnings; p-values are adjusted over the rows (Holm)."""
    estimates = [_estimate(row, asked, plan) for row in laid]
    p_adjusted = adjust([figure.p for figure in estimates], "holm")
    rows, warnings = [], []
    for row, figure, p in zip(laid, estimates, p_adjusted, strict=True):
        totals = as_namespace(units_of(row.columns).totals())
        with np.errstate(divide="ignore", invalid="ignore"):
            cells = {name: float(column.formula(totals)) for name, column in asked.columns.items()}
        value = {asked.name: figure.value, "low": figure.low, "high": figure.high, "n": figure.n, "units": figure.units}
        test = {"p": figure.p, "p_adjusted": p, "test": figure.test, "df": figure.df, "error": figure.error}
        verdict = {"verdict": verdict_of(figure, p, asked.statistic.null, 1 - plan.level)}
        rows.append({**row.key, **cells, **value, **(test | verdict if asked.tested else {}), **row.last})
        whose = " against ".join(repr(row.key[name]) for name in ("run", "baseline") if name in row.key)
        warnings += [(warning, asked.name, f"run {whose}") for warning in figure.warnings]
    return rows, gather(warnings)


def _estimate(laid: Laid, asked: Asked, plan: Plan) -> Estimate:
    units = merged(units_of(laid.columns, laid.clusters, laid.exchanged))
    method = partial(closed_form, level=plan.level)
    if plan.by != "t":
        method = partial(METHODS[plan.by], level=plan.level, blocks=plan.blocks)
    if not asked.tested:
        return estimate(units, asked.statistic, method)
    test = partial(by_exchange, blocks=plan.blocks) if laid.exchanged else by_student
    return estimate(units, asked.statistic, method, test)


def verdict_of(figure: Estimate, p: float | None, null: float, alpha: float) -> str | None:
    """Return "higher" or "lower" for a value above or below `null`, or "cannot tell" if `p` is above `alpha`.

    `p` is the adjusted p-value; without one the result is None.
    """
    if p is None or math.isnan(p):
        return None
    return CANNOT_TELL if p > alpha else "higher" if figure.value > null else "lower"


def defined(formula: Callable[..., Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function of a mapping of totals from a `formula` that reads them as attributes.

    The function returns NaN where the formula gives an infinite or undefined value.
    """

    def of_totals(totals: Mapping[str, Any]) -> Any:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = np.asarray(formula(as_namespace(totals)), dtype=np.float64)
        return np.where(np.isfinite(values), values, np.nan)

    return of_totals


def of_pairs(each: Callable[..., Any]) -> bool:
    """Return whether `each` takes two arguments: the questions of two runs, and not of one."""
    return len(inspect.signature(each).parameters) == 2


def lay_questions(
    data: Evidence,
    each: Callable[..., Mapping[str, Floats]],
    needs: str,
    run: str | None = None,
    baseline: str | None = None,
) -> tuple[list[Laid], list[Note]]:
    """Return the values of `each` on the questions of every run, and notes on questions left out.

    If `each` takes two runs, there is a row for each pair of a run and its baseline, else one for each run. If `run`
    names a run, no other run has a row. `needs` names the columns that `each` reads. Raises MismatchError if there is
    no pair or no question, and UnknownNameError for a run that the data lacks.
    """
    for name in (run, baseline):
        if name is not None and name not in data.runs:
            raise UnknownNameError("run", name, data.runs)
    names = [resolve(name, data.columns) for name in needs.split()]
    runs = [_questions(data, names, index) for index in range(len(data.runs))]
    if not of_pairs(each):
        made = [
            (Laid({"run": name}, each(_of(runs[i], None)), runs[i][2]), data.runs[i])
            for i, name in enumerate(data.runs)
            if run in (None, name)
        ]
        lost = [len({*data.questions}) - len(runs[data.runs.index(name)][0]) for _, name in made]
    else:
        made, lost = [], []
        if len(data.runs) < 2:
            raise MismatchError(f"there is one run, {data.runs[0]!r}, and no other run to compare it with")
        for this, other in pairs_of(data.runs, baseline, run):
            shared, x, y = np.intersect1d(runs[this][0], runs[other][0], return_indices=True)
            first, second = _of(runs[this], x), _of(runs[other], y)
            clusters = _some(runs[this][2], x)
            key = {"run": data.runs[this], "baseline": data.runs[other]}
            made.append((Laid(key, each(first, second), clusters, each(second, first)), " and ".join(key.values())))
            lost.append(len({*runs[this][0]} | {*runs[other][0]}) - len(shared))
    for laid, whose in made:
        if not len(next(iter(laid.columns.values()))):
            raise MismatchError(f"no question has a graded answer of {whose}")
    return [laid for laid, _ in made], list(_left_out(lost, [whose for _, whose in made], names))


Questions = tuple[NDArray[np.int64], dict[str, Floats], NDArray[np.int64] | None]


def _questions(data: Evidence, names: Sequence[str], run: int) -> Questions:
    """Return the questions of a run for which all columns have a value: their numbers, columns and clusters.

    A question that was asked several times has the mean of its answers.
    """
    columns = {name: np.asarray(data.column(name)[run], dtype=np.float64) for name in names}
    order = np.array(data.sorted_rows(), dtype=np.int64)
    usable = data.present[run] & ~np.any([np.isnan(values) for values in columns.values()], axis=0)
    rows = order[usable[order]]
    if data.repeats is None:
        place = np.argsort(order)  # a question's number is its index among the sorted ids
        return place[rows], {name: values[rows] for name, values in columns.items()}, _some(data.clusters, rows)
    question = data.repeats.question[rows]
    kept = {name: means(values[rows], question) for name, values in columns.items()}
    return np.unique(question), kept, _some(data.groups, rows[first_rows(question)])


def _some(values: NDArray[Any] | None, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    return None if values is None else values[rows]


def _of(questions: Questions, some: NDArray[np.int64] | None) -> Any:
    """Return the columns of some of the questions as attributes of an object, for a formula to read.

    If `some` is None, all questions are used.
    """
    return as_namespace({name: values if some is None else values[some] for name, values in questions[1].items()})


def _left_out(lost: Sequence[int], whose: Sequence[str], names: Sequence[str]) -> Iterator[Note]:
    for count, subject in zip(lost, whose, strict=True):
        if count:
            yield note(
                "statistic.left_out",
                "{subject}: {lost:n question} left out, because a graded answer or a value of {columns:list} is "
                "missing",
                subject,
                lost=count,
                columns=[bare(name) for name in names],
            )
