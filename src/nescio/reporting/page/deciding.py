"""Advise the reader: which run to use, from which confidence, with how many errors, on what evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.policy_notes import extremes
from nescio.measures import parse
from nescio.reporting.numbers import number
from nescio.reporting.page import fitness
from nescio.reporting.page.fitness import Standing, no_decision, nothing_yet, totals, unfit
from nescio.reporting.page.report_data import ReportData, Shipping
from nescio.reporting.page.statements import LEVEL, Figure, Statement
from nescio.selective.certified import GRID, Guarantee, needed
from nescio.selective.operating import TunedPoint
from nescio.stats.chosen import another_count, another_value, level_of_each, upper_of_chosen
from nescio.text import enumerated, plural

TOLERATED = 0.05  # the share of wrong answers at which the page starts
FEWEST = 20  # questions, or clusters; with fewer nothing is decided
NEAR = 0.05  # strong evidence has a bound at most this far above the observed share


class Promise(Struct, frozen=True):
    """A guarantee on the errors of a run, at a threshold or (threshold None) without one.

    The run gives `answered` answers to these questions, and `wrong` of these answers are wrong. Among its answers to
    other questions like these, at most the share `upper` is wrong.
    """

    run: str
    threshold: float | None
    answered: int
    wrong: int
    upper: float


def decision(report: ReportData) -> tuple[Statement, ...]:
    """Return the sentences that say which run to use, the advice first; without outcomes, only reasons to use none."""
    if not report.counts or not any(map(sum, report.counts.values())):
        return tuple(_unread(report, report.runs[0]))
    run, shipping = _chosen(report)
    unread = tuple(_unread(report, run))
    if nothing := _degenerate(report):
        return (*unread, *nothing)
    refusal = (*_hidden(report, shipping), *unfit(_standing(report, run, shipping.tuned), _at(shipping.tuned)))
    shipped = (*refusal, *_ship(report, run, shipping, refused=bool(unread or refusal)))
    return (*unread, *shipped, *_no_threshold(report, run), *_tie(report, shipping), *_more(report))


def _unread(report: ReportData, run: str) -> Iterator[Statement]:
    """Yield the reasons to decide nothing about a run, such as many lost answers.

    A gate refuses to decide for the same reasons.
    """
    shown = report.shown[run]
    if run in (both := extremes(report.scores.notes)):
        ungraded = sum(row.n for row in report.loaded.silence if row.run == run and row.taken_for == "not graded")
        without = plural(ungraded, "answer")
        why = f"{both[run]} has {without} without a grade, and {shown} is only one of two possible results"
        yield nothing_yet(why, shown, why)
    yield from no_decision(report.scores, report.main, run, shown, [report.loaded])


def _hidden(report: ReportData, shipping: Shipping) -> Iterator[Statement]:
    """Yield the reason to decide nothing if a gate on the two best runs would find a loss that the measure hides."""
    if shipping.decision and (why := shipping.decision.hidden):
        yield nothing_yet(why, report.shown[shipping.run], why)


def left_out_of(report: ReportData, run: str) -> int:
    """Return the number of a run's answers that are left out because they have no grade.

    Bounds on the share of wrong answers count these answers as wrong.
    """
    if not report.loaded.ungraded_left_out:
        return 0
    return sum(row.n for row in report.loaded.silence if row.run == run and row.taken_for == "not graded")


def _chosen(report: ReportData) -> tuple[str, Shipping]:
    shipping = report.shipping or Shipping(report.runs[0], None)
    return shipping.run, shipping


def units(report: ReportData) -> int:
    """Return the number of questions that are graded for some run, or the number of their clusters."""
    data = report.loaded.data
    if not isinstance(data, Evidence):
        return max(map(sum, report.counts.values()))
    graded = data.present.any(axis=0)
    if data.groups is not None:
        return len(set(data.groups[graded].tolist()))
    return int(graded.sum()) if data.repeats is None else len(set(data.repeats.question[graded].tolist()))


def silent_share(report: ReportData) -> float:
    """Return the score of a run that never answers: the share of the questions that have no answer."""
    return fitness.silent_share(report.loaded.data, report.runs[0])


def unit(report: ReportData) -> str:
    """Return the word for what `units` counts: "question", or "cluster" if the questions are clustered."""
    return "cluster" if report.loaded.data.groups is not None else "question"


def stands_alone(report: ReportData) -> bool:
    """Return whether questions are neither clustered nor asked several times, so that counts have exact bounds."""
    data = report.loaded.data
    return not isinstance(data, Evidence) or (data.clusters is None and data.repeats is None)


def _degenerate(report: ReportData) -> tuple[Statement, ...]:
    """Return sentences if the data cannot decide, else none.

    The cases are: no answers, a chosen run without answers, no right answers, too few questions, and runs with the same
    outcome on every question.
    """
    runs, many = report.runs, units(report)
    answers = answers_of(report, runs)
    n = plural(many, unit(report))
    if not any(answered for answered, _ in answers.values()):
        text = "There is nothing to ship: no question was answered."
        return (Statement("degenerate", text, {"case": "silent", "runs": len(runs), "units": many}),)
    if not answers[run := _chosen(report)[0]][0]:
        text = f"There is nothing to ship: {report.shown[run]}, the best by {report.main}, answered no question."
        return (Statement("degenerate", text, {"case": "silent", "runs": len(runs), "units": many}),)
    if all(answered == wrong for answered, wrong in answers.values()):
        text = f"There is nothing to ship: of {n} no answer is right."
        return (Statement("degenerate", text, {"case": "none right", "runs": len(runs), "units": many}),)
    if many < FEWEST:
        more = f"Too little to decide: {n}. Ask at least {FEWEST}, and a few hundred to tell small differences apart."
        return (Statement("degenerate", more, {"case": "few", "units": many, "fewest": FEWEST}),)
    alike = report.shipping.alike if report.shipping else ()
    if len(runs) > 1 and len(alike) == len(runs) - 1:
        everyone = "both" if len(runs) == 2 else f"all {len(runs):,}"
        at = " at their thresholds" if report.shipping and report.shipping.tuned else ""
        text = (
            f"These questions do not tell the runs apart: {everyone} get the same outcome on each of {n}"
            f"{at}. More questions like these would hardly help; let cost or speed decide."
        )
        alone = Statement("alike", text, {"runs": len(runs), "units": many})
        run, shipping = _chosen(report)
        return (alone, *_ship(report, run, shipping, refused=True), *_no_threshold(report, run), *_more(report))
    return ()


def _standing(report: ReportData, run: str, tuned: TunedPoint | None) -> Standing:
    """Return the advised run's number of answers and errors, and its score, for a warning against it.

    If the run has a threshold, these are estimates from questions on which the threshold was not chosen.
    """
    name, main, row = report.shown[run], report.main, report.row(run, report.main)
    silence = fitness.silence_score(main, report.loaded.data, report.runs[0])
    if tuned and (expected := _chosen(report)[1].expected):
        answered, risk = expected
        return Standing(name, len(report.runs), answered, answered * risk, main, tuned.value, silence)
    return Standing(
        name, len(report.runs), *answers_of(report, [run])[run], main, row.value if row else math.nan, silence
    )


def _no_threshold(report: ReportData, run: str) -> Iterator[Statement]:
    """Yield a sentence if no threshold helps the advised run: its best threshold declines no answer."""
    operating = report.operating.get(run)
    if operating is None or operating.tuned is None or operating.measure != report.main or operating.tuned.declines:
        return
    name = report.shown[run]
    text = f"No threshold helps: {report.main} is best where {name} gives every answer that it has."
    yield Statement(
        "no threshold",
        text,
        {"run": name, "answered": operating.tuned.answered, "threshold": operating.tuned.threshold},
    )


def _tie(report: ReportData, shipping: Shipping) -> Iterator[Statement]:
    """Yield sentences on runs that are not significantly worse than the advised one, or have the same outcomes."""
    name, made = report.shown[shipping.run], shipping.decision
    if shipping.other and not (made and made.row.significant):
        mine, other = f"{name}{_at(shipping.tuned)}", report.shown[shipping.other]
        beside = f"{other}{_at(shipping.other_tuned)}"
        figures: dict[str, Figure] = {"run": name, "other": other, "p": None, "difference": None}
        text = f"{mine} and {beside} cannot be compared."
        if made is not None:
            row = replace(made.row, run=mine, baseline=beside)
            figures |= {"p": row.p_adjusted, "difference": row.difference, "status": made.status}
            text = replace(made, row=row).why
        yield Statement("tied", text, figures)
    if shipping.alike:
        both = enumerated(
            [f"{name}{_at(shipping.tuned)}", *(f"{report.shown[r]}{_at(point)}" for r, point in shipping.alike)]
        )
        text = f"{both} get the same outcome on every question: let cost or speed decide."
        yield Statement("alike", text, {"run": name, "alike": len(shipping.alike)})


def _ship(report: ReportData, run: str, shipping: Shipping, *, refused: bool) -> Iterator[Statement]:
    """Yield sentences on the advised run: its results, and a bound on its share of wrong answers.

    Unless the advice is `refused`, the first sentence says to use this run.
    """
    name, tuned = report.shown[run], shipping.tuned
    k = len(report.runs)
    if not refused:
        made, another = shipping.decision, ""
        tied = shipping.other if made is not None and not made.row.significant and not shipping.other_hides else None
        if tied and not any(_unread(report, tied)):
            another = f", or {report.shown[tied]}{_at(shipping.other_tuned)}"
        text = f"Ship {name}{_at(tuned) or ' as it is'}{another}."
        yield Statement("ship", text, {"run": name, "threshold": tuned.threshold if tuned else None})
    ahead = f"With each run at its own threshold, {name} is ahead of {report.shown[report.runs[0]]}. "
    before = ahead if run != report.runs[0] else ""
    if tuned and shipping.expected:
        (coverage, seen), wrong, answered = shipping.expected, tuned.wrong, tuned.answered
        figures: dict[str, Figure] = {"run": name, "threshold": tuned.threshold, "coverage": coverage, "risk": seen}
        expected = f"is expected to answer {coverage:.0%} of new questions, and {seen:.0%} of these wrongly"
        yield Statement("held out", f"{before}{name}{_at(tuned)} {expected}", figures)
        tried = 2 * k * tuned.tried
    else:
        answered, wrong = answers_of(report, [run])[run]
        total = sum(report.counts[run])
        seen = wrong / answered if answered else math.nan
        did: dict[str, Figure] = {"run": name, "answered": answered, "wrong": wrong, "n": total}
        text = f"{before}{name}{_at(tuned)} answers {answered / total:.0%}"
        share = f"{wrong / answered:.0%}" if answered else "none"
        yield Statement("did", f"{text}, and {share} of its answers are wrong", did)
        tried = 2 * k if report.operating else k
    lost = left_out_of(report, run)
    yield _bound(report, (wrong + lost, answered + lost), tried, lost)
    yield _evidence(report, shipping, seen, upper_of_chosen(wrong + lost, answered + lost, tried, LEVEL))


def _bound(report: ReportData, answers: tuple[int, int], tried: int, lost: int) -> Statement:
    if not stands_alone(report):
        why = "its questions are clustered" if unit(report) == "cluster" else "its questions were asked several times"
        return Statement("wrong", f"(no bound: {why}).", {"upper": None})
    wrong, answered = answers
    upper = upper_of_chosen(wrong, answered, tried, LEVEL)
    k = len(report.runs)
    chosen = f", chosen out of {k:,}" if k > 1 else ""
    ungraded = "the answer without a grade is" if lost == 1 else f"all {lost:,} answers without a grade are"
    chosen += f", if {ungraded} wrong" if lost else ""
    figures: dict[str, Figure] = {"wrong": wrong, "answered": answered, "tried": tried, "upper": upper}
    return Statement(
        "wrong", f"(at most {_above(upper)} on others like them, with 95% confidence{chosen}).", figures, LEVEL
    )


def _above(share: float) -> str:
    """Return a bound in percent, rounded up: to a tenth below 10 percent, and to a whole number from there on."""
    digits = 1 if share < 0.1 else 0
    step = 10 ** (2 + digits)
    return f"{math.ceil(share * step - 1e-9) / step:.{digits}%}"


def _evidence(report: ReportData, shipping: Shipping, seen: float, upper: float) -> Statement:
    """Return the sentence that calls the evidence strong, fair or weak, and says why.

    `seen` is the share of wrong answers, and `upper` its bound. `statements.KINDS` declares the rule.
    """
    row = shipping.decision.row if shipping.decision else next(map(report.pairs.get, pairwise(report.runs)), None)
    significant = bool(row and row.significant)
    near = stands_alone(report) and upper - seen <= NEAR
    wanted = [near, significant] if report.others else [near]
    # the largest share of checked answers that another judge grades differently
    doubtful = [remark for remark in report.loaded.notes if remark.code == "judging.doubtful"]
    doubt = max((remark["answers"] / remark["total"] for remark in doubtful), default=0.0)
    word = "weak" if doubt > NEAR else ("weak", "fair", "strong")[2 * sum(wanted) // len(wanted)]
    over = f" over {report.shown[shipping.other]}{_at(shipping.other_tuned)}" if shipping.other else ""
    lead = f"the lead{over} is {'' if significant else 'not '}significant" if report.others else ""
    gap = (
        f"the bound is {plural(round(100 * (upper - seen)), 'point')} above the observed share"
        if stands_alone(report)
        else ""
    )
    judges = f"another judge grades {doubt:.0%} of the answers differently" if doubt > NEAR else ""
    reasons = " and ".join(part for part in (judges, lead, gap) if part)
    text = f"The evidence is {word}: {reasons}." if reasons else ""
    figures: dict[str, Figure] = {
        "word": word,
        "significant": significant,
        "gap": upper - seen if stands_alone(report) else None,
        "doubt": doubt,
    }
    return Statement("evidence", text or f"The evidence is {word}.", figures)


def _more(report: ReportData) -> Iterator[Statement]:
    """Yield sentences on groups of questions that could depend on each other, and on another sample of questions."""
    if report.groups is not None and stands_alone(report):
        column, many, grouped = report.groups
        text = (
            f"{grouped:,} questions come in {plural(many, 'group')} by {column}. If those of one group depend on "
            f"each other, the bounds above are too low: `--cluster {column}` takes that into account."
        )
        yield Statement("groups", text, {"column": column, "groups": many, "questions": grouped})
    yield from another_sample(report)


def another_sample(report: ReportData) -> Iterator[Statement]:
    """Yield a prediction of the best run's score on another sample of as many questions, without a threshold."""
    best, measure = report.runs[0], parse(report.main)
    counts = report.counts.get(best)
    if not counts or not sum(counts) or not stands_alone(report) or not measure.counts_outcomes:
        return
    n, k = sum(counts), len(report.runs)

    def value(outcomes: Any) -> Any:
        columns = {"correct": outcomes[:, 0], "incorrect": outcomes[:, 1], "unanswered": outcomes[:, 2]}
        return measure.of_totals(totals(measure, columns, n))

    proportion = measure.declaration.proportion
    if proportion and proportion[1] == "n":  # two outcomes, as in `score --next`
        low, high = another_count(round(float(value(np.array([counts]))[0]) * n), n, n, level_of_each(LEVEL, k))
        low, high = low / n, high / n
    else:
        low, high = another_value(counts, n, value, level_of_each(LEVEL, k))
    if math.isnan(low):
        return
    chosen = f", as the best of {k:,}" if k > 1 else ""
    text = (
        f"On another {plural(n, 'question')} like these, {report.shown[best]} without a threshold would score from "
        f"{number(low)} to {number(high)} by {report.main} (95% prediction interval{chosen})."
    )
    figures: dict[str, Figure] = {"run": report.shown[best], "low": low, "high": high, "n": n, "runs": k}
    yield Statement("another sample", text, figures, LEVEL)


def _at(tuned: TunedPoint | None) -> str:
    if tuned is None:
        return ""
    return f" at threshold {tuned.threshold:.3g}" if tuned.declines else " giving every answer it has"


def answers_of(report: ReportData, runs: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the numbers of answered and of wrongly answered questions, keyed by run.

    Runs without counts of outcomes are left out.
    """
    return fitness.answered_and_wrong(
        report.loaded.data, {run: report.counts[run] for run in runs if run in report.counts}
    )


def promises(report: ReportData) -> tuple[Promise, ...]:
    """Return the guarantees on the errors of every run, without a threshold and at each threshold of its grid.

    All bounds hold at the same time, so the reader may choose any of them. There are no guarantees if questions are
    clustered or repeated, and none on a run about which the page decides nothing because of lost answers.
    """
    if not stands_alone(report) or not report.counts:
        return ()
    counts: list[tuple[str, float | None, int, int]] = []
    runs = [run for run in report.runs if not any(_unread(report, run))]
    answers = answers_of(report, runs)
    for run in runs:
        if run in answers:
            counts.append((run, None, *answers[run]))
        if run in report.operating:
            points = {point.threshold: point for point in report.operating[run].points}
            grid = [points[threshold] for threshold in report.operating[run].grid]
            counts += [(run, point.threshold, round(point.answered), round(point.wrong)) for point in grid]
    tried, lost = tried_promises(report), {run: left_out_of(report, run) for run in runs}
    return tuple(
        Promise(run, threshold, answered, wrong, upper_of_chosen(wrong + lost[run], answered + lost[run], tried, LEVEL))
        for run, threshold, answered, wrong in counts
    )


def tried_promises(report: ReportData) -> int:
    """Return the number of pairs of a run and a threshold that get a bound.

    The number is fixed before any verdict is seen, so the level of the bounds may be corrected for it.
    """
    return len(report.runs) * (1 + GRID if report.operating else 1)


def tolerated(made: Sequence[Promise], risk: float) -> Promise | None:
    """Return the guarantee with the most right answers among those that allow at most the share `risk` of errors.

    If several have equally many, the one with the fewest errors is returned. Returns None if no run guarantees `risk`.
    """
    safe = [promise for promise in made if promise.upper <= risk and promise.answered]
    return max(safe, key=lambda promise: (promise.answered - promise.wrong, -promise.wrong), default=None)


def promise_in_words(report: ReportData, one: Promise | None, risk: float) -> str:
    """Return a sentence with the run and threshold that guarantee at most the share `risk` of errors.

    If there is no such guarantee (`one` is None), the sentence says what a guarantee would need.
    """
    if not stands_alone(report):
        return "No share of errors can be promised: questions that are clustered, or asked again, have no exact bound."
    if one is None and report.counts and not promises(report):
        return "No share of errors can be promised, because no run's answers allow a decision."
    if one is None:
        answers = needed(Guarantee(risk, LEVEL, tuple(map(float, range(tried_promises(report)))))) if risk else None
        most = max((answered for answered, _ in answers_of(report, report.counts).values()), default=0)
        few = f" At least {answers:,} error-free answers would be needed." if answers else ""
        more = " Too many of the answers are wrong." if answers and most >= answers else few
        return f"No run reaches {100 * risk:g}%.{more}"
    n, name = sum(report.counts[one.run]), report.shown[one.run]
    where = " as it is" if one.threshold is None else f" at threshold {one.threshold:.3g}"
    return (
        f"For at most {100 * risk:g}% wrong answers, ship {name}{where}: it answers {one.answered:,} of {n:,} "
        f"({one.answered / n:.0%}), {one.wrong:,} of these wrongly. On other questions like these, at most "
        f"{_above(one.upper)} of its answers are wrong, with 95% confidence for all runs and thresholds together."
    )
