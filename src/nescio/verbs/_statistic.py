"""Declare a statistic as a verb of `nescio lab`, from a formula to its test, table and help page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, overload

from msgspec import defstruct

from nescio import plugins
from nescio.comparison.statistic_rows import (
    Asked,
    By,
    Column,
    LaidOut,
    Plan,
    defined,
    estimated,
    lay_questions,
    of_pairs,
)
from nescio.data.columns import USER, bare
from nescio.data.evidence import with_questions
from nescio.data.results import Results
from nescio.data.shown import Form, Row, Shown
from nescio.data.signature import sign
from nescio.estimating import Statistic
from nescio.options import Verb, option
from nescio.scoring.score import open_data
from nescio.stats.resampling import blocks
from nescio.verbs import LAB, OTHERS
from nescio.verbs._shared import Reading, Redrawn, Sourced, WithInterval

P = ParamSpec("P")
R = TypeVar("R")
plugins.TABLES.append((OTHERS, ()))


class StatisticRequest(Reading, Sourced, Redrawn, WithInterval):
    """The options of a statistic of runs."""

    run: str | None = option(default=None, metavar="RUN", help="Estimate for this run alone.")
    interval: By = option(
        default="t",
        help="The interval: Student's t from the influence of each question (t), percentiles of resampled "
        "questions (percentile), or a Bayesian posterior of the share of each kind of question, if there "
        "are few kinds (posterior).",
    )


class PairsRequest(StatisticRequest):
    """The options of a statistic of pairs of runs.

    A Bayesian interval is not offered: it assumes that the observed kinds of questions are all kinds, and so would be
    too narrow.
    """

    interval: Literal["t", "percentile"] = option(
        default="t",
        help="The interval: Student's t from the influence of each question (t), or percentiles of resampled "
        "questions (percentile).",
    )
    baseline: str | None = option(
        default=None, metavar="RUN", help="The run to compare the others with.", default_words="all pairs"
    )


@overload
def statistic(
    *, each: Callable[..., Mapping[str, Any]], needs: str = ..., **how: Any
) -> Callable[[Callable[[Any], Any]], Verb[..., Results[Any]]]: ...


@overload
def statistic(
    *, request: Callable[P, Any], lay: Callable[[Any], LaidOut], row: type[R], **how: Any
) -> Callable[[Callable[[Any], Any]], Verb[P, Results[R]]]: ...


def statistic(
    *,
    each: Callable[..., Mapping[str, Any]] | None = None,
    needs: str = "correct incorrect unanswered",
    lay: Callable[[Any], LaidOut] | None = None,
    request: Any = None,
    row: Any = None,
    columns: Mapping[str, tuple[Any, ...]] | None = None,
    value: str = "",
    table: str = "",
    form: Form = "plain",
    null: float | None = None,
    sentence: str = "",
    prints: str = "results",
    **how: Any,
) -> Any:
    """Declare a statistic: the decorated function computes it from totals, and the verb has the function's name.

    `each` takes the columns of a run (or of a run and its baseline) that `needs` names, and returns columns with a
    value for each question. The decorated function gets the totals of these columns. `null` is the value under the null
    hypothesis (None: no test). `columns` names further columns of the table: a function of totals, a form of
    `nescio.data.shown` (plain, count, signed or percent), and a heading unless that is the name. `value` names the
    field of the value, and `table` the rows in JSON. `form` says how the value is shown, and `sentence` is printed
    below the table. `how` has further fields of `nescio.estimating.Statistic`, such as `bounds`.

    If its rows are neither runs nor pairs of runs, a statistic has its own `request` and a function `lay`, and may have
    a struct for its `row`.
    """
    kind = request or (PairsRequest if each is not None and of_pairs(each) else StatisticRequest)
    laid_by = lay or _laying(each, needs)
    further = {field: Column(*column) for field, column in (columns or {}).items()}

    def declare(formula: Callable[[Any], Any]) -> Verb[Any, Any]:
        name = formula.__name__
        shown_as = value or name
        what = Statistic(defined(formula), null=0.0 if null is None else null, **how)

        def run(asked: Any) -> Results[Any]:
            laid = laid_by(asked)
            by: By = getattr(asked, "interval", "t")
            drawn = blocks(asked.resamples, asked.seed) if hasattr(asked, "resamples") else ()
            plan = Plan(by, asked.ci / 100, drawn)
            cells, warnings = estimated(Asked(shown_as, what, null is not None, further), laid.rows, plan)
            of: Any = row or _row_of(name, shown_as, (form, sentence), cells[0], further)
            fields = of.__struct_fields__
            rows = tuple(of(**{field: row_cells[field] for field in fields}) for row_cells in cells)
            tests = "+".join(sorted({row_cells["test"] for row_cells in cells if row_cells.get("test")}))
            line = sign(
                **({} if lay else {"statistic": name}),
                **laid.signature,
                ci=f"{asked.ci:g}",
                interval=by,
                **({"test": tests, "correction": "holm"} if tests else {}),
                **(
                    {"resamples": asked.resamples, "seed": asked.seed}
                    if drawn and (by != "t" or "perm" in tests)
                    else {}
                ),
            )
            notes = tuple(dict.fromkeys([*laid.notes, *warnings]))
            return Results(rows, line, notes, table or name, wrote=laid.wrote)

        run.__name__ = run.__qualname__ = name
        run.__module__ = formula.__module__
        run.__annotations__["return"] = f"Results[{row.__name__ if row else 'Any'}]"
        inside = formula.__module__.startswith(f"{LAB}.")
        made: Verb[Any, Any] = Verb(
            kind, run, name=f"lab {name.replace('_', '-')}", working="estimating", prints=prints
        )
        if not inside:
            register(name, made)
        return made

    return declare


def register(name: str, verb: Verb[Any, Any]) -> None:
    """Register the verb of a plug-in. Raises ValueError if its name is in use."""
    from nescio.verbs import names_in

    if name in names_in(sys.modules.get(LAB) or __import__(LAB, fromlist=["lab"])):
        raise ValueError(f"a statistic named {name!r} is already registered")
    OTHERS[name] = verb


def _laying(each: Callable[..., Any] | None, needs: str) -> Callable[[Any], LaidOut]:
    """Return a function that loads the runs of a request, and prepares their questions for a statistic.

    `each` computes columns of questions for a run or a pair of runs, from the columns that `needs` names.
    """
    assert each is not None, "a statistic needs a function `each` or `lay`"

    def laid_out(asked: Any) -> LaidOut:
        graded = tuple(bare(name) for name in needs.split() if name.startswith(USER))
        loaded = open_data(asked.source, {"strata": (), "graded": graded, **asked.values(Reading)})
        data = with_questions(loaded.data, "estimate a statistic of")
        rows, notes = lay_questions(data, each, needs, asked.run, getattr(asked, "baseline", None))
        return LaidOut(rows, (*loaded.notes, *notes), loaded.signature)

    return laid_out


def _row_of(
    name: str, value: str, shown: tuple[Form, str], cells: Mapping[str, Any], columns: Mapping[str, Column]
) -> Any:
    """Return the struct for the rows of a statistic's result.

    A row has the runs, further `columns`, the value with its interval, the p-values and n. `shown` holds the form of
    the value, and the sentence below the table.
    """
    form, sentence = shown
    text, number = Annotated[str | None, Shown()], float | None
    whose = [(key, text) for key in ("run", "baseline") if key in cells]
    further = [(key, Annotated[number, Shown(column.head, form=column.form)]) for key, column in columns.items()]
    estimate = [
        (value, Annotated[number, Shown(form=form, interval=("low", "high"))]),
        ("low", number),
        ("high", number),
    ]
    tested = [
        ("p", Annotated[number, Shown(form="p")]),
        ("p_adjusted", Annotated[number, Shown(form="p", same_as="p")]),
        ("test", str | None),
        ("verdict", text),
    ]
    test = tested if "test" in cells else []
    fields = (*whose, *further, *estimate, *test, ("n", Annotated[int, Shown()]))
    return _struct(name.title().replace("_", ""), fields, sentence)


@cache
def _struct(name: str, fields: tuple[tuple[str, Any], ...], sentence: str) -> Any:
    """Return a struct with these fields; calls with equal arguments return the same struct."""
    below = classmethod(lambda cls, rows: (sentence,) if sentence else ())  # noqa: ARG005
    return defstruct(name, fields, bases=(Row,), namespace={"below": below}, frozen=True)
