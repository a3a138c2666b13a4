"""A threshold for one run, what it earns on the data, and what it can be expected to earn on new questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from nescio._version import __version__
from nescio.data.columns import known
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, gather, note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.measures import Measure, parse
from nescio.pipeline import Loaded, ReadingOptions, check_names
from nescio.scoring.confidence_intervals import ResamplingPlan, bounds, method_for
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.scoring.score import check_resampling, open_data
from nescio.selective.certified import GridPoint, Guarantee, needed
from nescio.selective.crossfit import Choice, choose
from nescio.selective.curve import Bools, OneRun, curve_of, one_run
from nescio.selective.thresholds import check_follows, exact_rule
from nescio.stats import resampling

POINTS = 200


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a threshold does to a run: it answers where the confidence is at least `threshold`.

    threshold             None where nothing is answered (`coverage` 0) or, of a guaranteed one, everything that can be
    coverage, risk        at this threshold on the data at hand: the share answered of n, the share wrong of these (in
                          sample)
    risk_upper            the bound on the risk on new questions; None without `max_risk`
    value, low, high      the measure on held-out questions, cross-fitted: what to expect, with its interval
    value_all_answered    the measure when everything that can be is answered
    value_in_sample       the measure at the threshold on the data that chose it: too good
    coverage_held_out, risk_held_out   as `value`: on questions that did not choose their threshold
    value_as_given        the measure of the run before tuning
    rule_threshold, rule_break_even, rule_value   the exact rule of c@1, from confidences alone: the lowest confidence
                                                  that it
                          answers, the chance A/(n + U) there, and what it earns; None where it does not apply
    max_risk, confidence  what was asked for, where a risk is to be guaranteed
    answers_needed, answers_needed_at_rate   where nothing could be certified: how many accepted answers it would take
                                             without
                          an error, and at the error rate of the most promising threshold (None: no number is enough)
    folds                 how many parts were held out in turn; 0 where there was nothing to hold out
    n                     the number of questions

    NaN is undefined, as in `risk` where nothing is answered.
    """

    run: str
    measure: str
    threshold: float | None
    coverage: float
    risk: float
    risk_upper: float | None
    value: float
    value_all_answered: float
    value_in_sample: float
    low: float | None
    high: float | None
    n: int
    coverage_held_out: float
    risk_held_out: float
    value_as_given: float
    rule_threshold: float | None = None
    rule_break_even: float | None = None
    rule_value: float | None = None
    max_risk: float | None = None
    confidence: float | None = None
    answers_needed: int | None = None
    answers_needed_at_rate: int | None = None
    folds: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Tuned(Results[Tuning]):
    """What `tune` gives: one row, a `Tuning`; in `tables` the risk-coverage `curve` and the `grid` of a guaranteed
    risk.

    `applied` is the run with the threshold applied and its other answers kept as candidates, to be scored or written;
    None where no threshold could be certified.
    """

    applied: Evidence | None = None

    @property
    def threshold(self) -> float | None:
        """The confidence from which on the run should answer, as in the row; None where there is no threshold to
        apply."""
        return self.rows[0].threshold

    def to_dict(self) -> dict[str, Any]:
        """Return the one row and what comes with it, as the command line prints it with `-f json`."""
        row = Results.records(self)[0]
        more = {name: Results.records(self, name) for name in self.tables}
        return {
            "nescio": __version__,
            "signature": str(self.signature),
            **row,
            **more,
            "notes": list(map(str, self.notes)),
        }


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
    **options: Unpack[ReadingOptions],
) -> Tuned:
    """Find the confidence above which a run should answer, and the score to expect on new questions.

        nescio.tune("outcomes.csv", run="mine").threshold
        nescio.tune("outcomes.csv", run="mine", max_risk=0.3).rows[0].risk_upper    # certified, with 95% confidence

    The rule is "answer where the confidence is at least the threshold": answers below it become declined candidates,
    declined candidates above it answers; silence without a judged candidate stays silence. Without `max_risk` the
    threshold is the one at which `measure` is best (of equally good ones, that with the highest coverage). With it, the
    one with the largest coverage whose risk (wrong answers as a share of the answers given) on new questions is at most
    `max_risk`, with this `confidence` (both shares, as 0.05 and 0.95); `grid` then names the thresholds to test, or
    else 20 ranks are (`nescio.selective.certified` says why that holds). `run` names the run, where there are several.

    `value` is cross-fitted: the questions (or clusters) are dealt into `folds` parts, each part gets the threshold
    chosen on the others, and the measure is computed once on all the held-out outcomes together; its interval is that
    of `nescio.score`. `points` is how much of the risk-coverage curve to keep (None: all). Other arguments as in
    `nescio.score`.

    Raises NescioError: MismatchError where there are no confidences or no questions, UsageError for options that make
    no sense.
    """
    check_names(tune, options)
    check_resampling(ci, resamples, jobs, seed)
    wanted = _guarantee(max_risk, confidence, grid)
    for name, number in (("folds", folds), ("points", points)):
        if (number is not None or name == "folds") and (not isinstance(number, int) or number < 2):
            raise UsageError(f"{name} must be a whole number, 2 or more (found {number!r})")
    bound = parse(measure)
    loaded = open_data(source, {"strata": (), **options}, [bound])
    one = _open_run(loaded, run, bound, wanted)
    choice = choose(one, wanted or bound, folds, seed)
    plan = ResamplingPlan((ci or 0) / 100, resampling.blocks(resamples, seed), jobs)
    figures, of_figures = _figures(one, bound, choice, plan, certified=wanted is not None)
    notes = [*loaded.notes, *_remarks(one), *choice.notes, *of_figures]
    figures |= _rule(one, bound, notes) | _asked(wanted, choice, notes)
    how: dict[str, object] = {"run": one.data.runs[0], "folds": len(choice.without), **_how_certified(wanted)}
    how |= _how_resampled(one, bound, plan) if ci else {}
    line = sign(measures=bound.name, **loaded.signature, **how, seed=seed)
    row = Tuning(one.data.runs[0], bound.label, **figures, folds=len(choice.without), n=len(one.confidence))
    more = {"curve": curve_of(one, points)} | ({"grid": choice.grid} if wanted else {})
    applied = None if wanted and choice.threshold == np.inf else one.apply(one.accept(choice.threshold))
    return Tuned((row,), line, tuple(dict.fromkeys(notes)), "tuning", more, applied)


def _open_run(loaded: Loaded, run: str | None, measure: Measure, wanted: Guarantee | None) -> OneRun:
    if not isinstance(loaded.data, Evidence):
        raise MismatchError("a counts table has no confidences, and a threshold needs them")
    one = one_run(loaded.data, run)
    check_follows(one, measure)
    if wanted and one.data.clusters is not None:
        raise UsageError(
            "a guaranteed risk needs independent questions, but these are clustered, so the bound would not hold"
        )
    return one


def _guarantee(max_risk: float | None, confidence: float, grid: Sequence[float] | None) -> Guarantee | None:
    if max_risk is None:
        if grid is not None:
            raise UsageError("a grid of thresholds is only used for a guaranteed risk; name the risk with max_risk")
        return None
    for name, value, example in (("max_risk", max_risk, 0.05), ("confidence", confidence, 0.95)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
            raise UsageError(f"{name} must be between 0 and 1, as in {example} (found {value!r})")
    if grid is None:
        return Guarantee(max_risk, confidence)
    values = sorted({float(value) for value in grid})
    if not values or not np.isfinite(values).all():
        raise UsageError(f"a grid needs one or more finite confidences (found {list(grid)!r})")
    return Guarantee(max_risk, confidence, tuple(values))


def _figures(
    one: OneRun, measure: Measure, choice: Choice, plan: ResamplingPlan, *, certified: bool
) -> tuple[dict[str, Any], list[Note]]:
    """Return the measure, the coverage and the risk: at the threshold, with everything answered, as the run came, and
    held out."""
    chosen, answered = one.accept(choice.threshold), one.data.columns["answered"][0] == 1
    sample, notes = _sample(one, chosen, measure)
    coverage, risk = _coverage_risk(one, chosen)
    figures: dict[str, Any] = {
        "threshold": choice.threshold if np.isfinite(choice.threshold) else None,
        "coverage": coverage,
        "risk": risk,
        "risk_upper": None,
        "value_in_sample": sample.value,
        "value_all_answered": _sample(one, one.has_confidence, measure)[0].value,
        "value_as_given": _sample(one, answered, measure)[0].value,
    }
    undefined = float("nan")
    none = {"value": undefined, "coverage_held_out": undefined, "risk_held_out": undefined, "low": None, "high": None}
    if certified and not chosen.any():  # no rule was found, so there is nothing to expect of it
        return figures | none | {"value_in_sample": undefined}, notes
    if not len(choice.without):
        notes.append(
            note(
                "tuning.nothing_held_out",
                "there is only one question or cluster, so none can be held out and the value on new questions is not "
                "estimated",
            )
        )
        return figures | none, notes
    accepted = choice.held_out(one)
    pooled, _ = _sample(one, accepted, measure)
    covered, risked = _coverage_risk(one, accepted)
    none |= {"value": pooled.value, "coverage_held_out": covered, "risk_held_out": risked}
    if plan.level:
        method = method_for(measure, "auto", clustered=one.data.clusters is not None)
        low, high, remarks = bounds([pooled], {measure.label: method}, plan)[0]
        whose = f"run {one.data.runs[0]!r}, held out"
        notes += gather([(remark, measure.label, whose) for remark in remarks])
        none |= {"low": low, "high": high}
    return figures | none, notes


def _sample(one: OneRun, accepted: Bools, measure: Measure) -> tuple[MeasureInput, list[Note]]:
    """Return the run with these questions answered, as the measure sees it."""
    inputs, notes = measure_inputs(one.apply(accepted), [measure])
    return inputs[0], notes


def _coverage_risk(one: OneRun, accepted: Bools) -> tuple[float, float]:
    many = int(accepted.sum())
    return many / len(accepted), int((accepted & one.wrong).sum()) / many if many else float("nan")


def _remarks(one: OneRun) -> list[Note]:
    """Count what no threshold can change."""
    silent, notes = int((~one.has_confidence).sum()), list[Note]()
    if one.left_out:
        notes.append(without_confidence(one))
    if silent:
        notes.append(
            note(
                "tuning.always_silent",
                "run {subject!r}: {silent:,} of {total:,} questions {silent:has/have} no answer and no judged "
                "candidate with a confidence, so they stay unanswered at every threshold",
                one.data.runs[0],
                silent=silent,
                total=len(one.has_confidence),
            )
        )
    if any(known(name).lower_ranks for name in one.data.columns):
        notes.append(
            note(
                "tuning.lower_ranks",
                "a threshold applies to the first answer's confidence; answers of lower ranks are left out",
            )
        )
    return notes


def without_confidence(one: OneRun) -> Note:
    """Count the answers that were left out of a curve, as they have no confidence."""
    return note(
        "tuning.without_confidence",
        "run {subject!r}: {left_out:,} of {total:,} questions left out, as the answer has no confidence",
        one.data.runs[0],
        left_out=one.left_out,
        total=one.left_out + len(one.has_confidence),
    )


def _rule(one: OneRun, measure: Measure, notes: list[Note]) -> dict[str, float | None]:
    """Return the exact rule of c@1 beside the tuned threshold, where the measure is c@1 and confidences are
    probabilities."""
    declared = measure.declaration
    if "c@1" not in (declared.name, declared.same_formula_as) or not one.has_confidence.any():
        return {}
    chance = one.confidence[one.has_confidence]
    if chance.min() < 0 or chance.max() > 1:
        notes.append(
            note(
                "tuning.no_probabilities",
                "confidences outside [0, 1] are not probabilities, so the exact rule of c@1 does not apply",
            )
        )
        return {}
    if "answerable" in one.data.columns and (one.data.columns["answerable"] == 0).any():
        notes.append(
            note(
                "tuning.unanswerable",
                "some questions have no answer, so the exact rule of c@1 does not apply (it assumes that abstaining "
                "on them earns nothing)",
            )
        )
        return {}
    lowest, even = exact_rule(chance, len(one.has_confidence))
    earned = _sample(one, one.accept(lowest), measure)[0].value
    threshold = lowest if np.isfinite(lowest) else None
    return {"rule_threshold": threshold, "rule_break_even": even, "rule_value": earned}


def _asked(wanted: Guarantee | None, choice: Choice, notes: list[Note]) -> dict[str, Any]:
    """Return what was asked for, the bound that was reached, or how many answers it would take."""
    if not wanted:
        return {}
    row: dict[str, Any] = {"max_risk": wanted.max_risk, "confidence": wanted.confidence}
    if choice.threshold < np.inf:
        if choice.threshold == -np.inf:
            notes.append(
                note(
                    "tuning.no_threshold_needed",
                    "a risk of at most {max_risk:g} with confidence {confidence:g} holds when everything that can be "
                    "is answered, so no threshold is needed",
                    max_risk=wanted.max_risk,
                    confidence=wanted.confidence,
                )
            )
        upper = min(point.upper for point in choice.grid if point.threshold == choice.threshold)
        return row | {"risk_upper": upper}
    least, most = needed(wanted), max(point.accepted for point in choice.grid)
    notes.append(
        note(
            "tuning.not_certified",
            "a risk of at most {max_risk:g} with confidence {confidence:g} cannot be certified: that takes {needed:,} "
            "accepted answers without an error, and the grid accepts at most {accepted:,}",
            max_risk=wanted.max_risk,
            confidence=wanted.confidence,
            needed=least,
            accepted=most,
        )
    )
    nearest = min(choice.grid, key=lambda point: (point.upper, -point.accepted))
    rate = nearest.wrong / nearest.accepted if nearest.accepted else 0.0
    at_rate = needed(wanted, rate)
    if nearest.wrong:
        notes.append(_promising_note(nearest, rate, at_rate))
    return row | {"answers_needed": least, "answers_needed_at_rate": at_rate}


def _promising_note(nearest: GridPoint, rate: float, needed_at_rate: int | None) -> Note:
    """Say how near the most promising threshold comes, and how many answers its error rate would take."""
    if not needed_at_rate:
        return note(
            "tuning.never_enough",
            "the most promising threshold accepts {accepted:,} answers, {wrong:,} of them wrong ({percent:.1f}%, at "
            "most {upper:.1f}%): at this error rate no number of answers is enough",
            accepted=nearest.accepted,
            wrong=nearest.wrong,
            percent=100 * rate,
            upper=100 * nearest.upper,
        )
    return note(
        "tuning.answers_needed",
        "the most promising threshold accepts {accepted:,} answers, {wrong:,} of them wrong ({percent:.1f}%, at most "
        "{upper:.1f}%): at this error rate about {needed:,} accepted answers would be needed",
        accepted=nearest.accepted,
        wrong=nearest.wrong,
        percent=100 * rate,
        upper=100 * nearest.upper,
        needed=needed_at_rate,
    )


def _how_certified(wanted: Guarantee | None) -> dict[str, object]:
    if not wanted:
        return {}
    grid = f"{wanted.tries} ranks" if wanted.grid is None else "+".join(f"{value:g}" for value in wanted.grid)
    guarantee = {"max-risk": f"{wanted.max_risk:g}", "confidence": f"{wanted.confidence:g}"}
    return {**guarantee, "grid": grid, "bound": "Clopper-Pearson, Bonferroni"}


def _how_resampled(one: OneRun, measure: Measure, plan: ResamplingPlan) -> dict[str, object]:
    clustered = one.data.clusters is not None
    return {
        "ci": f"{plan.level * 100:g}",
        "interval": method_for(measure, "auto", clustered=clustered),
        "draw": f"patterns of {'clusters' if clustered else 'questions'}",
        "resamples": sum(block.size for block in plan.blocks),
    }
