"""Choose a threshold for one run, and estimate its value on the data and on new questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.evidence import Evidence, as_rows, with_questions
from nescio.data.notes import Note, gather, note
from nescio.data.results import Score
from nescio.data.signature import sign
from nescio.errors import UsageError
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.confidence_intervals import ResamplingPlan, bounds, hold_together, method_for
from nescio.scoring.grounds import no_guarantee
from nescio.scoring.next_sample import next_samples
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.scoring.score import open_data
from nescio.selective.certified import Guarantee
from nescio.selective.crossfit import Choice, choose
from nescio.selective.curve import Bools, OneRun, curve_of, one_run, with_left_out
from nescio.selective.guarantee import guarantee, how_certified, reached
from nescio.selective.remarks import remarks, without_confidence
from nescio.selective.thresholds import check_follows
from nescio.selective.tuned import Tuned, Tuning
from nescio.stats import resampling
from nescio.stats.chosen import level_of_each

POINTS = 200


def tune(
    source: Any,
    measure: str | Measure = "c@1",
    *,
    run: str | None = None,
    max_risk: float | None = None,
    confidence: float = 0.95,
    grid: Sequence[float] | None = None,
    folds: int = 10,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    points: int | None = POINTS,
    next: int | None = None,
    simultaneous: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Tuned:
    """Find the confidence above which a run should answer, and the score to expect on new questions.

        nescio.tune("outcomes.csv", run="mine").threshold
        nescio.tune("outcomes.csv", run="mine", max_risk=0.3).rows[0].risk_upper    # certified, with 95% confidence

    The rule is "answer if the confidence is at least the threshold". Answers below it become declined candidates, and
    declined candidates above it become answers. An abstention without a judged candidate stays one. Without `max_risk`
    the threshold is the one at which `measure` is best; among equally good ones it has the highest coverage.

    With `max_risk` it is the threshold with the largest coverage that keeps the risk on new questions at most
    `max_risk`, with this `confidence` (both are shares, such as 0.05 and 0.95). The risk is the share of wrong answers
    among the answers given. `grid` then names the thresholds to test, by default 20 ranks (`nescio.selective.certified`
    explains why that holds). `run` names the run if there are several.

    `value` is cross-fitted. The questions (or clusters) are dealt into `folds` parts, and each part gets the threshold
    chosen on the others. The measure is computed once on all the held-out outcomes together. Its interval is that of
    `nescio.score`. `next` is a number of other questions, for which `tables["next_sample"]` has the prediction
    interval. With `simultaneous` these intervals, and the bound of `max_risk`, hold for all runs of `source` together,
    and so for the run that is chosen because it is best (`nescio.stats.chosen.level_of_each`). `points` limits the
    points of the risk-coverage curve (None keeps all), and `progress` is told how many draws are made. Other arguments
    are those of `nescio.score`.

    Raises NescioError: MismatchError if there are no confidences or no questions, UsageError for invalid options.
    """
    wanted = guarantee(max_risk, confidence, grid)
    bound = parse(measure)
    loaded = open_data(source, {"strata": (), **options}, [bound])
    bound = bound.on(loaded.data.columns)
    data = with_questions(as_rows(loaded.data), "tune a threshold on")
    tuned_run = _open_run(loaded, data, run, bound, wanted)
    together = len(loaded.data.runs) if simultaneous else 1
    wanted = replace(wanted, runs=together) if wanted else None
    choice = choose(tuned_run, wanted or bound, folds, seed)
    level = level_of_each((ci or 0) / 100, together) if ci else 0.0
    clustered = tuned_run.data.clusters is not None
    method = method_for(bound, "auto", clustered=clustered, shared=together > 1)
    plan = ResamplingPlan(level, resampling.blocks(resamples, seed), jobs)
    figures, pooled, of_figures = _figures(
        tuned_run, bound, choice, (method, plan, progress), certified=wanted is not None
    )
    notes = [*loaded.notes, *remarks(tuned_run), *choice.notes, *of_figures]
    figures |= reached(wanted, choice, notes)
    how: dict[str, object] = {"run": tuned_run.data.runs[0], "folds": len(choice.without), **how_certified(wanted)}
    how |= _how_drawn(ci, method, resamples, clustered=clustered) if ci else {}
    how |= {"next": next} if next is not None else {}
    how |= {"simultaneous": together} if together > 1 else {}
    notes += [hold_together(together, level)] if ci and together > 1 else []
    line = sign(measures=bound.name, **loaded.signature, **how, seed=seed)
    row = Tuning(tuned_run.data.runs[0], bound.label, **figures, folds=len(choice.without), n=len(tuned_run.confidence))
    more: dict[str, Any] = {"curve": curve_of(tuned_run, points)} | ({"grid": choice.grid} if wanted else {})
    if next is not None and ci and pooled is not None:
        held_out = Score(row.run, bound.label, pooled.value, row.low, row.high, pooled.n)
        more["next_sample"], about = next_samples(
            tuned_run.data.runs,
            [pooled],
            [held_out],
            next,
            level=level,
            seed=seed,
            clustered=clustered,
            together=together,
        )
        notes += about
    applied = None if wanted and choice.threshold == np.inf else _applied(data, tuned_run, choice)
    return Tuned((row,), line, tuple(dict.fromkeys(notes)), "tuning", more, applied=applied)


def _how_drawn(ci: float, method: str, resamples: int, *, clustered: bool) -> dict[str, object]:
    """Return what the signature says of the interval."""
    draw = f"patterns of {'clusters' if clustered else 'questions'}"
    return {"ci": f"{ci:g}", "interval": method, "draw": draw, "resamples": resamples}


def _applied(data: Evidence, run: OneRun, choice: Choice) -> Evidence:
    """Return the data of a run that answers by the chosen threshold, with the answers that it left out."""
    return with_left_out(data, run, run.apply(run.accept(choice.threshold)))


def _open_run(loaded: Loaded, data: Evidence, run: str | None, measure: Measure, wanted: Guarantee | None) -> OneRun:
    alone = one_run(data, run)
    check_follows(alone, measure)
    if wanted and alone.data.clusters is not None:
        raise UsageError(
            "a guaranteed risk needs independent questions, but these questions are clustered, so the bound would "
            "not hold"
        )
    if wanted and alone.left_out:
        raise UsageError(
            f"a guaranteed risk needs a confidence for every answer ({without_confidence(alone).text}). Give every "
            "answer a confidence: answers without one may all be wrong"
        )
    if wanted and (why := no_guarantee(loaded, alone.data.runs[0])):
        raise UsageError(f"no guarantee can rest on {why}")
    return alone


def _figures(
    run: OneRun,
    measure: Measure,
    choice: Choice,
    interval: tuple[str, ResamplingPlan, Progress | None],
    *,
    certified: bool,
) -> tuple[dict[str, Any], MeasureInput | None, list[Note]]:
    """Return the figures for a `Tuning`, the held-out run as input of the measure, and notes.

    The figures are the measure, coverage and risk in four settings: at the threshold, with everything answered, before
    tuning, and held out.
    """
    chosen, answered = run.accept(choice.threshold), run.data.columns["answered"][0] == 1
    sample, notes = _sample(run, chosen, measure)
    coverage, risk = _coverage_risk(run, chosen)
    all_answered, as_given = (_coverage_risk(run, shown) for shown in (run.has_confidence, answered))
    figures: dict[str, Any] = {
        "threshold": choice.threshold if np.isfinite(choice.threshold) else None,
        "coverage": coverage,
        "risk": risk,
        "risk_upper": None,
        "value_in_sample": sample.value,
        "value_all_answered": _sample(run, run.has_confidence, measure)[0].value,
        "value_as_given": _sample(run, answered, measure)[0].value,
        "coverage_as_given": as_given[0],
        "risk_as_given": as_given[1],
        "coverage_all_answered": all_answered[0],
        "risk_all_answered": all_answered[1],
    }
    undefined = float("nan")
    none = {"value": undefined, "coverage_held_out": undefined, "risk_held_out": undefined, "low": None, "high": None}
    if certified and not chosen.any():  # no rule was found, so there is nothing to expect from it
        return figures | none | {"value_in_sample": undefined}, None, notes
    if not len(choice.without):
        notes.append(
            note(
                "tuning.nothing_held_out",
                "there is only one question or cluster, so nothing can be held out, and the value on new questions "
                "is not estimated",
            )
        )
        return figures | none, None, notes
    accepted = choice.held_out(run)
    pooled, _ = _sample(run, accepted, measure)
    covered, risked = _coverage_risk(run, accepted)
    none |= {"value": pooled.value, "coverage_held_out": covered, "risk_held_out": risked}
    method, plan, progress = interval
    if plan.level:
        low, high, doubts = bounds([pooled], {measure.label: method}, plan, progress)[0]
        whose = f"run {run.data.runs[0]!r}, held out"
        notes += gather([(remark, measure.label, whose) for remark in doubts])
        none |= {"low": low, "high": high}
    return figures | none, pooled, notes


def _sample(run: OneRun, accepted: Bools, measure: Measure) -> tuple[MeasureInput, list[Note]]:
    inputs, notes = measure_inputs(run.apply(accepted), [measure])
    return inputs[0], notes


def _coverage_risk(run: OneRun, accepted: Bools) -> tuple[float, float]:
    many = int(accepted.sum())
    return many / len(accepted), int((accepted & run.wrong).sum()) / many if many else float("nan")
