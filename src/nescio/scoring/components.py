"""Estimate the total evaluation error: how far a score would move with other questions, prompts, judges or answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.repeats import BETWEEN, REPEAT
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.measures import Measure, Measures
from nescio.scoring.repeat_noise import influence, repeated_evidence
from nescio.scoring.samples import columns_for, measure_inputs
from nescio.scoring.score import open_data, parse_all
from nescio.stats import components as parts
from nescio.stats.components import FEWEST, WITHIN, Components, Spread, balanced, clustered
from nescio.stats.intervals import student

Whole = NDArray[np.int64]
QUESTION = "question"
ANSWER = "answer"  # adding one means another answer for each combination of levels


class TotalError(Struct, frozen=True):
    """A run's score, or its difference from the baseline, with an interval for other levels of the factors `over`.

    `se_answers` treats all answers as independent. `se_questions` allows for other questions with the same levels of
    the other factors. `levels` holds the number of levels of each factor, and `freedom` Student's degrees of freedom.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str | None, Shown()]
    measure: Annotated[str, Shown()]
    value: Annotated[float, Shown("{what}", interval=("low", "high"))]
    low: float | None
    high: float | None
    se: Annotated[float, Shown("standard error")]
    freedom: float
    over: Annotated[tuple[str, ...], Shown("other", after="value")]
    se_questions: Annotated[float, Shown("questions alone")]
    se_answers: Annotated[float, Shown("answers alone")]
    levels: Annotated[dict[str, int], Shown("design")]
    answers: Annotated[int, Shown()]
    balanced: bool
    n: int

    @property
    def what(self) -> str:
        """Return what was estimated: "value" for a run, or "difference" for a run and its baseline."""
        return "value" if self.baseline is None else "difference"


class Part(Struct, frozen=True):
    """A component of the variance of a single answer, and its share of the variance of the mean.

    By chance, the component may be below 0.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str | None, Shown()]
    measure: Annotated[str, Shown()]
    part: Annotated[str, Shown("due to")]
    component: Annotated[float, Shown(digits=4)]
    share: Annotated[float, Shown(form="percent")]


class Next(Struct, frozen=True):
    """The cost of one more level of a factor, or of one more answer per combination of levels, and its effect.

    Components below 0 count as 0. No number of further levels brings the standard error below `floor`.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str | None, Shown()]
    measure: Annotated[str, Shown()]
    add: Annotated[str, Shown("one more")]
    cost: Annotated[float, Shown(form="short", digits=6)]
    se_now: float
    se_then: float
    per_cost: float
    floor: Annotated[float, Shown("never below", digits=4)]

    @property
    def standard_error(self) -> Annotated[str, Shown(numeric=True, after="cost")]:
        """Return the standard error now, and the standard error with one more level."""
        return f"{self.se_now:.4f} to {self.se_then:.4f}"


class Planned(Struct, frozen=True):
    """The numbers of levels of the factors that give the least standard error for a budget."""

    run: Annotated[str, Shown()]
    baseline: Annotated[str | None, Shown()]
    measure: Annotated[str, Shown()]
    levels: Annotated[dict[str, int], Shown("take")]
    se: Annotated[float, Shown("standard error", digits=4)]


class Asking(Struct, frozen=True):
    """The settings of `components`.

    `factors` are all factors. `over` names the factors whose other levels the interval allows for; None means all
    factors with enough levels. `level` is the level of intervals, as a share. `costs` has the cost of one more level of
    each factor, and `per_answer` that of one more answer.
    """

    factors: tuple[str, ...]
    over: tuple[str, ...] | None
    level: float
    costs: tuple[float, ...]
    per_answer: float
    budget: float | None


def components(
    source: Any,
    measures: Measures,
    *,
    factor: Sequence[str],
    sample: str | None,
    over: Sequence[str] | None,
    baseline: str | None,
    cost: Mapping[str, float],
    per_answer: float,
    budget: float | None,
    ci: float,
    **options: Any,
) -> Results[TotalError]:
    """Estimate how far each score would move with other questions and other levels of the named factors.

    Factors are columns of the answers to a question, crossed with the questions (and each other). "repeat" is the
    repeat itself, such as a seed that all questions share. `tables["components"]` has the parts of the variance, and
    `tables["next"]` advice on what to add. Raises UsageError for a factor that is not a column, MismatchError if no
    question was asked twice.
    """
    asking = _asking(factor, over, cost, per_answer=per_answer, budget=budget, ci=ci)
    keys = [*factor, *([sample] if sample else [])]
    mapping = {**options.pop("column", {})}
    if keys != [REPEAT]:
        mapping[REPEAT] = "+".join(keys)
    loaded = open_data(source, {**options, "column": mapping, "strata": ()}, measures)
    data = repeated_evidence(loaded)
    if baseline is not None and baseline not in data.runs:
        raise UnknownNameError("run", baseline, data.runs)
    codes = _codes(data, keys, len(factor))
    wanted = parse_all(measures, loaded)
    rows: list[TotalError] = []
    tables: dict[str, list[Any]] = {"components": [], "next": [], "planned": []}
    notes: list[Note] = []
    for measure in wanted:
        for run in data.runs:
            if run != baseline:
                row, more = _row(data, measure, (run, baseline), codes, asking)
                rows.append(row)
                for name, entries in more.items():
                    tables[name] += entries
    notes += _notes(rows, asking)
    line = sign(
        measures="+".join(measure.name for measure in wanted),
        factors="+".join(asking.factors),
        over="all" if over is None else "+".join(over),
        **({"baseline": baseline} if baseline else {}),
        **loaded.signature,
        ci=f"{ci:g}",
        interval="t",
    )
    kept = {name: tuple(table) for name, table in tables.items() if table}
    left = (remark for remark in loaded.notes if remark.code != "outcomes.repeats")
    return Results(tuple(rows), line, (*left, *dict.fromkeys(notes)), "components", kept)


def _asking(
    factor: Sequence[str],
    over: Sequence[str] | None,
    cost: Mapping[str, float],
    *,
    per_answer: float,
    budget: float | None,
    ci: float,
) -> Asking:
    factors = (QUESTION, *factor)
    if len(set(factors)) < len(factors):
        raise UsageError(
            f"{opt('factor')}: name each factor once; questions are always a factor (found {', '.join(factor)})"
        )
    for name in (*(over or ()), *cost):
        if name not in factors:
            raise UnknownNameError("factor", name, factors)
    if any(price < 0 for price in cost.values()):
        raise UsageError(f"{opt('cost')}: a cost is at least 0")
    prices = tuple(float(cost.get(name, 0.0)) for name in factors)
    return Asking(factors, None if over is None else tuple(over), ci / 100, prices, per_answer, budget)


def _codes(data: Evidence, keys: Sequence[str], factors: int) -> list[Whole]:
    """Return the question of each row as a number, and the row's level of each factor as a number."""
    assert data.repeats is not None
    labels = list(map(str, data.repeats.label))
    apart = {label: label.split(BETWEEN) if len(keys) > 1 else [label] for label in dict.fromkeys(labels)}
    for label, values in apart.items():
        if len(values) != len(keys):
            raise MismatchError(
                f"{label!r} does not consist of the {' and the '.join(keys)} of an answer; no value may contain "
                f"{BETWEEN!r}"
            )
    codes = [data.repeats.question]
    for place in range(factors):
        number = {value: at for at, value in enumerate(dict.fromkeys(values[place] for values in apart.values()))}
        of_label = {label: number[values[place]] for label, values in apart.items()}
        codes.append(np.fromiter(map(of_label.__getitem__, labels), np.int64, len(labels)))
    return codes


def _moved(data: Evidence, measure: Measure, names: tuple[str, str | None]) -> tuple[NDArray[np.float64], Whole, float]:
    """Return each answer's contribution to a figure (a score or a difference), the answers' rows, and the figure.

    The contributions are centred at 0. `names` has the run and its baseline, or the run and None for a score.
    """
    at = [data.runs.index(name) for name in names if name is not None]
    usable = columns_for(data, measure)[2][at].all(axis=0)
    rows = np.flatnonzero(usable)
    part = data if usable.all() else data.select(rows)
    if part.repeats is None:
        raise MismatchError(f"no question was put twice to {' and '.join(repr(data.runs[run]) for run in at)}")
    values = {sample.run: sample.value for sample in measure_inputs(part.take_runs(at), [measure])[0]}
    moved = [influence(part, measure, run)[0] for run in at]
    if len(at) == 1:
        return moved[0], rows, values[0]
    return moved[0] - moved[1], rows, values[0] - values[1]


def _row(
    data: Evidence, measure: Measure, names: tuple[str, str | None], codes: Sequence[Whole], asking: Asking
) -> tuple[TotalError, dict[str, list[Any]]]:
    moved, rows, value = _moved(data, measure, names)
    moved = np.zeros(len(moved)) if np.allclose(moved, 0, rtol=0, atol=1e-9) else moved
    row_codes = [np.unique(code[rows], return_inverse=True)[1] for code in codes]
    levels = tuple(int(code.max()) + 1 for code in row_codes)
    # A question counts as the mean of its answers, however many it has.
    share = 1 / np.bincount(row_codes[0])[row_codes[0]] / levels[0]
    design = balanced(moved, row_codes)
    allowed = [f for f, size in enumerate(levels) if size >= FEWEST]
    over = tuple(allowed if asking.over is None else (asking.factors.index(name) for name in asking.over))

    def spread(factors: tuple[int, ...]) -> Spread:
        return clustered(moved * share, row_codes, factors) if design is None else design.spread(factors)

    of = spread(over)
    n = len(moved)
    fits = all(levels[f] >= FEWEST for f in over) and of.error > 0
    half = of.error * float(student(of.freedom, asking.level)) if fits else math.nan
    row = TotalError(
        names[0],
        names[1],
        measure.label,
        value,
        None if math.isnan(half) else value - half,
        None if math.isnan(half) else value + half,
        of.error,
        of.freedom,
        tuple(asking.factors[f] for f in over),
        spread((0,)).error,
        math.sqrt(float(((moved * share) ** 2).sum()) * n / (n - 1)) if n > 1 else math.nan,
        dict(zip(asking.factors, levels, strict=True)),
        n,
        design is not None,
        levels[0],
    )
    return row, {} if design is None else _tables(design, over, (*names, measure.label), asking)


def _tables(
    design: Components, over: tuple[int, ...], key: tuple[str, str | None, str], asking: Asking
) -> dict[str, list[Any]]:
    """Return the parts of the variance, advice on what to add next, and the best levels for the budget."""
    now = design.variance(design.levels, design.repeats, over)
    made: dict[str, list[Any]] = {"components": [], "next": [], "planned": []}
    for factors in sorted(design.components, key=lambda s: (s == WITHIN, len(s), s)):
        size = design.answers if factors == WITHIN else math.prod(design.levels[f] for f in factors)
        component = design.components[factors]
        counts = factors == WITHIN or {*factors} & {*over}
        share = (max(0.0, component) / size / now if counts else 0.0) if now else math.nan
        made["components"].append(Part(*key, _named(factors, design, asking), component, share))
    for addition in parts.additions(design, asking.costs, asking.per_answer, over):
        name = ANSWER if addition.factor is None else asking.factors[addition.factor]
        if addition.factor is not None and design.levels[addition.factor] < 2:
            continue
        least = math.sqrt(parts.floor(design, addition.factor, over))
        made["next"].append(
            Next(*key, name, addition.cost, math.sqrt(now), math.sqrt(addition.variance), addition.gain, least)
        )
    if asking.budget is not None:
        best = parts.within_budget(design, asking.costs, asking.per_answer, asking.budget, over)
        if best is not None:
            levels = dict(zip(asking.factors, best[0], strict=True))
            made["planned"].append(Planned(*key, levels, math.sqrt(best[1])))
    return made


def _named(factors: tuple[int, ...], design: Components, asking: Asking) -> str:
    if factors == WITHIN:
        return ANSWER
    several = [f for f, size in enumerate(design.levels) if size > 1]
    name = " × ".join(asking.factors[f] for f in factors)
    return f"{name}, {ANSWER}" if [*factors] == several and design.repeats == 1 else name


def _notes(rows: Sequence[TotalError], asking: Asking) -> list[Note]:
    made = []
    then = "there is no interval" if asking.over else "the interval is only for these levels"
    few = {name: size for row in rows for name, size in row.levels.items() if size < FEWEST}
    for name, size in few.items():
        if asking.over is None or name in asking.over:
            made.append(
                note(
                    "components.few_levels",
                    "{size:n level} of {subject!r} {size:says/say} too little about other levels: {then}",
                    name,
                    size=size,
                    then=then,
                )
            )
    if any(not row.balanced for row in rows):
        made.append(
            note(
                "components.unbalanced",
                "combinations of levels have different numbers of answers, so standard errors are clustered by "
                "each factor, and the variance is not split",
            )
        )
    return made
