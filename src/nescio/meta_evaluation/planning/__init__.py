"""Plan the number of questions that a paired comparison needs, or find the difference that it can detect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import UsageError
from nescio.measures import Measures
from nescio.meta_evaluation.planning._plans import RESAMPLES, Answer, PlanRequest, PowerPlan, Spread, Table, answer
from nescio.meta_evaluation.planning._start import System, start_from_pilot, start_from_rates, stated_shares
from nescio.meta_evaluation.planning.rejections import TABLES, Aim
from nescio.options.edge import Progress

__all__ = ["Plans", "PowerPlan", "System", "plan"]

Rates = Sequence[float]
MOST_POWER = 0.999


class Plans(Results[PowerPlan], frozen=True):
    """The result of `plan`. Rows are `PowerPlan`; `tables["systems"]` has the rates of the two systems at the start."""

    def title(self, name: str | None = None) -> str:
        """Return the title of the table `name`; "" for the rows, which need none."""
        return "The outcomes on which the plan is based, as shares of the questions" if name == "systems" else ""


def plan(
    pilot: Any,
    measures: Measures,
    *,
    run: str | None,
    baseline: str | None,
    difference: float | None,
    questions: int | None,
    power: float,
    alpha: float,
    rates: Rates | Sequence[Rates] | None,
    agreement: float | None,
    seed: int,
    progress: Progress | None,
    **options: Any,
) -> Results[PowerPlan]:
    """Return the number of questions that a paired comparison needs for `difference`, and the difference that
    `questions` detect.

        nescio.plan("outcomes.csv", run="mine", baseline="old", difference=0.05).rows[0].questions
        nescio.plan(rates=[(0.6, 0.3, 0.1), (0.55, 0.45, 0)], questions=500)  # correct, incorrect, unanswered

    The plan starts from a pilot (`pilot`, as `score` takes it; `run` and `baseline` name two of its runs) or from
    `rates`: correct, incorrect and unanswered, as shares, percentages or counts, of both systems or of the run and of
    the baseline. Answers of stated rates are independent, unless `agreement` is given: 0 is independent, 1 is the most
    agreement that the rates allow (Cohen's kappa for equal rates). `difference` is run minus baseline; the default is
    the observed one. The default of `questions` is the pilot's number. The default of `measures` is c@1, or the first
    that suits the pilot.

    For measures of counts, the joint table is tilted exponentially along the influence of the measure until it has the
    difference. Collections are drawn from it, and each is tested as `compare` would. `power` is the share with p ≤
    `alpha`, in either direction. For other measures, and with clusters, the standard error on the pilot is scaled by
    √n, a normal approximation. Rows are `PowerPlan`; `tables["systems"]` has the rates at the start.

    Raises UsageError if the options contradict each other or no plan meets them, MismatchError for a pilot without two
    runs.
    """
    request = PlanRequest(Aim(power, alpha, seed), difference, questions)
    shares, notes = stated_shares(pilot, rates, agreement)
    if shares is not None:
        start = start_from_rates(shares, measures, agreement or 0.0)
    else:
        start = start_from_pilot(pilot, options, measures, (run, baseline), seed)
    answers: list[Answer] = []
    for source in start.sources:
        answers.append(answer(source, request))
        if progress:
            progress(len(answers), len(start.sources))
    rows = [row for reply in answers for row in reply.rows]
    refusals = [refusal for reply in answers for refusal in reply.refusals]
    if not rows:
        raise UsageError(str(refusals[0]))
    notes += [*start.notes, *(remark for reply in answers for remark in reply.notes), *refusals]
    aims = {"difference": "own" if difference is None else f"{difference:g}", "size": questions or "own"}
    aims |= {"power": f"{power:g}", "alpha": f"{alpha:g}"}
    aims |= {"tables": TABLES} if any(isinstance(source, Table) for source in start.sources) else {}
    aims |= {"resamples": RESAMPLES} if any(isinstance(source, Spread) for source in start.sources) else {}
    aims |= {"model": "+".join(dict.fromkeys(source.model for source in start.sources)), "seed": seed}
    line = sign(measures="+".join(source.measure.name for source in start.sources), **start.signature, **aims)
    tables = {"systems": start.systems} if start.systems else {}
    return Plans(tuple(rows), line, tuple(dict.fromkeys(notes)), "plan", tables)
