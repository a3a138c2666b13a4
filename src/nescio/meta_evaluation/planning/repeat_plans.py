"""Plan how many questions to ask, and how often to ask each, within a budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.repeats import means
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.measures import Measure, Measures
from nescio.meta_evaluation.planning._start import run_and_baseline
from nescio.pipeline import Loaded
from nescio.scoring.repeat_noise import influence, repeated_evidence
from nescio.scoring.score import open_data, parse_all
from nescio.stats.variance_split import best_repeats, design, least_variance, split
from nescio.text import plural

Z = 1.959963984540054  # the normal quantile of a 95% interval


class RepeatsPlan(Row, frozen=True):
    """A plan within the budget: the number of questions, and the number of repeats of each.

    `se` is the standard error of the value, or of the difference of two runs, and `half_width` is half of its 95%
    interval. `least` is a lower bound of the standard error of all plans that the budget allows. `best` marks the plan
    with the smallest standard error.
    """

    measure: Annotated[str, Shown()]
    repeats: Annotated[int, Shown()]
    questions: Annotated[int, Shown()]
    se: Annotated[float, Shown("standard error")]
    half_width: Annotated[float, Shown()]
    cost: Annotated[float, Shown(form="short", digits=6)]
    least: float
    best: Annotated[bool, Shown()]

    @property
    def sentence(self) -> str:
        """Return the plan as a sentence, which says how many questions to ask, and how often."""
        times = "once" if self.repeats == 1 else f"{self.repeats} times each"
        questions = plural(self.questions, "question")
        return f"{self.measure}: ask {questions} {times}, for a half width of {self.half_width:.3g}"

    @classmethod
    def above(cls, rows: Sequence[RepeatsPlan]) -> Iterable[str]:
        """Return a sentence for each plan that is the best for its measure."""
        return [row.sentence for row in rows if row.best]


def plan_repeats(
    pilot: Any,
    measures: Measures,
    *,
    budget: float,
    per_question: float,
    per_answer: float,
    run: str | None,
    baseline: str | None,
    variances: Sequence[float] | None,
    **options: Any,
) -> Results[RepeatsPlan]:
    r"""Return the numbers of questions and of repeats per question with the narrowest interval within a budget.

        nescio.plan_repeats(variances=(0.15, 0.10), budget=1000, per_question=2, per_answer=0.1).rows[1].repeats

    A question costs `per_question` once (to write, to have answered by people) and `per_answer` for each answer.
    `variances` are the variance between questions, and the variance of single answers about their question's mean.
    State them, or give a pilot whose questions were asked several times. With `baseline`, they are the variances of the
    difference of two runs, and the answers of both runs cost. With the variances $\sigma_q^2$ and $\sigma_s^2$ and the
    costs a and b, the best number of repeats is $r^* = \sqrt{a\sigma_s^2/(b\sigma_q^2)}$. Rows are the plans with the
    whole numbers of repeats next to $r^*$, and with a single repeat.

    Raises UsageError if the options contradict each other, MismatchError for a pilot without repeats.
    """
    if variances is not None:
        if pilot is not None:
            raise UsageError("a plan starts from a pilot or from variances, not from both")
        stated = {"variances": "+".join(f"{value:g}" for value in variances)}
        start = _Start({"value": _stated(variances)}, stated, ())
    elif pilot is None:
        raise UsageError(
            "a plan of repeats starts from a pilot whose questions were asked several times, or from variances"
        )
    else:
        start = _of_pilot(open_data(pilot, {"strata": (), **options}, measures), measures, run, baseline)
    per_answer *= start.sides
    rows = [
        row
        for label, (between, single) in start.variances.items()
        if between > 0
        for row in _designs(label, between, single, budget, (per_question, per_answer))
    ]
    if not rows:
        raise UsageError(str(start.notes[-1]) if start.notes else "no plan fits these variances, costs and budget")
    costs = {"budget": f"{budget:g}", "per_question": f"{per_question:g}", "per_answer": f"{per_answer:g}"}
    line = sign(measures="+".join(start.variances), **start.start, **costs)
    return Results(tuple(rows), line, tuple(dict.fromkeys(start.notes)), "plan")


class _Start(Struct, frozen=True):
    """The start of a plan: for each measure, the variance between questions and the variance within a question.

    `start` holds the signature fields that describe the variances. `sides` is the number of runs whose answers must be
    paid: 1, or 2 with a baseline.
    """

    variances: Mapping[str, tuple[float, float]]
    start: Mapping[str, Any]
    notes: tuple[Note, ...]
    sides: int = 1


def _of_pilot(loaded: Loaded, measures: Measures, run: str | None, baseline: str | None) -> _Start:
    data = repeated_evidence(loaded)
    sides = run_and_baseline(data.runs, run, baseline)
    by_measure, notes = {}, []
    for measure in parse_all(measures, loaded)[: None if measures else 1]:
        by_measure[measure.label] = _variances(data, measure, sides)
        between = by_measure[measure.label][0]
        if math.isnan(between):
            raise MismatchError(
                f"{measure.label}: some questions of the pilot were asked only once, so they do not show how much the "
                "outcome varies when a question is asked again; leave these questions out"
            )
        if between <= 0:
            notes.append(
                note(
                    "plan.no_questions",
                    "{subject}: the pilot shows no difference between questions, so a few questions, asked often, "
                    "would seem enough; use a pilot with more questions",
                    measure.label,
                )
            )
    start = {**loaded.signature, "run": data.runs[sides[0]]}
    start |= {"baseline": data.runs[sides[1]]} if len(sides) > 1 else {}
    return _Start(by_measure, start, (*loaded.notes, *notes), len(sides))


def _stated(variances: Sequence[float]) -> tuple[float, float]:
    try:
        between, single = map(float, variances)
    except (TypeError, ValueError):
        between = single = math.nan
    if not (between > 0 and single >= 0 and math.isfinite(between + single)):
        raise UsageError(
            "variances must be two numbers: the variance between questions (above 0), and the variance of a single "
            "answer (0 or more)"
            f" (found {variances!r})"
        )
    return between, single


def _variances(data: Evidence, measure: Measure, sides: Sequence[int]) -> tuple[float, float]:
    """Return the variance between questions, and the variance of single answers about their question's mean.

    `sides` has the index of one run, or those of two runs for the variances of their difference.
    """
    added = [influence(data, measure, side) for side in sides]
    shared = added[0][1] if len(added) == 1 else np.intersect1d(added[0][1], added[1][1])
    parts, means_of = [], []
    for values, question in added:
        use = np.isin(question, shared)
        parts.append(split(values[use], np.unique(question[use], return_inverse=True)[1]))
        means_of.append(means(values[use], question[use]))
    difference = means_of[0] - means_of[1] if len(added) > 1 else means_of[0]
    total = float(difference.var(ddof=1)) if len(difference) > 1 else math.nan
    return total - sum(part.sampling for part in parts), sum(part.single for part in parts)


def _designs(label: str, between: float, single: float, budget: float, costs: tuple[float, float]) -> list[RepeatsPlan]:
    """Return the plans with one repeat, and with the whole numbers of repeats just below and above the best number.

    `between` and `single` are the variances between questions and of a single answer. Raises UsageError if the budget
    does not pay for one question.
    """
    best = best_repeats(between, single, costs)
    tried = sorted({1, max(1, math.floor(best)), max(1, math.ceil(best))})
    designs = [plan for plan in (design(between, single, r, budget, costs) for r in tried) if plan.units]
    if not designs:
        raise UsageError(
            f"the budget of {budget:g} does not pay for one question, which costs {sum(costs):g} if it is asked once"
        )
    least = min(plan.variance for plan in designs)
    bound = math.sqrt(least_variance(between, single, budget, costs))
    return [
        RepeatsPlan(
            label,
            plan.repeats,
            plan.units,
            math.sqrt(plan.variance),
            Z * math.sqrt(plan.variance),
            plan.cost,
            bound,
            plan.variance == least,
        )
        for plan in designs
    ]
