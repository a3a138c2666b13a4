"""Estimate scores and differences from people's verdicts on some answers and a judge's on all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.judge_record import Target
from nescio.data.notes import Note, note
from nescio.errors import UsageError
from nescio.estimating import Estimate
from nescio.estimating.estimate import of_labels
from nescio.measures import Measure
from nescio.scoring.labels import Labels
from nescio.scoring.verdict_form import VerdictForm, form_of
from nescio.stats.prediction_powered import (
    FEWEST,
    LEAST,
    Mean,
    Sample,
    Values,
    simple,
    spread_over_strata,
    stratified,
    superpopulation_of_terms,
    weighted,
)

FEW = 50  # with fewer labels an interval is approximate
FEW_DIFFER = (
    10  # people and judge differ on fewer labels than this: then intervals held in 92% (docs/evidence/draws.md)
)
METHOD = "prediction-powered"


class Correction(Struct, frozen=True):
    """How a corrected score of a run, or its corrected difference from `baseline`, was computed.

    `judge` is the figure by the judge alone, and `people` the figure by people's labels alone, with its interval.
    `weight` is the weight λ of the judge's verdicts (the mean over several judges or strata). `answers` of the `n`
    questions needed a verdict, and people labelled `labels` of these. `correlation` is between people's and the judge's
    values.
    """

    run: str
    baseline: str | None
    measure: str
    judge: float
    people: float
    people_low: float
    people_high: float
    weight: float
    correlation: float
    labels: int
    answers: int
    n: int


class Corrected(Estimate, frozen=True, kw_only=True):
    """A corrected figure, and `how` it was corrected.

    `step` is how far the figure moves if one label contradicts the judge.
    """

    how: Correction
    step: float = math.nan


class Side(Struct, frozen=True, eq=False):
    """A run that enters a figure, with its measure as a linear function of its accuracy.

    `sign` is 1 if the run's score is added to the figure, and -1 for a baseline, whose score is subtracted.
    """

    run: int
    sign: int
    form: VerdictForm

    @property
    def price(self) -> float:
        return self.sign * self.form.slope


class Judged(Struct, frozen=True, eq=False):
    """The values that the judge and people give to questions; the mean value is a score or a difference.

    Arrays have shape (questions,); `judge` has a column for each judge. `known` marks questions that need no label.
    `people` is NaN if nobody judged. `strata` numbers the stratum of each question, and `inclusion` holds the
    probability with which the question was drawn.
    """

    known: NDArray[np.bool_]
    judge: Values
    people: Values
    strata: Array | None
    inclusion: Values | None

    @property
    def n(self) -> int:
        return len(self.known)


def corrected_score(labels: Labels, measure: Measure, run: int, *, target: Target, level: float) -> Corrected:
    """Return the corrected score of the run with the index `run`."""
    return _corrected(labels, measure, ((run, 1),), target, level)


def corrected_difference(
    labels: Labels,
    measure: Measure,
    runs: tuple[int, int],
    *,
    target: Target,
    level: float,
    least: float = LEAST,
) -> Corrected:
    r"""Return the corrected difference of two runs on the questions that both have, from the labels of both.

    Which answers are abstentions is known, so a measure is $c + \alpha A$ of a run's accuracy A
    (`nescio.scoring.verdict_form`). The difference of two runs is therefore a known constant plus the mean of $d =
    \alpha y^x - \beta y^y$, which `nescio.stats.prediction_powered` estimates. The labels are not a sample of the
    questions on which both runs abstain, because these need no label.
    """
    return _corrected(labels, measure, ((runs[0], 1), (runs[1], -1)), target, level, least=least)


def _corrected(
    labels: Labels,
    measure: Measure,
    signed: Sequence[tuple[int, int]],
    target: Target,
    level: float,
    *,
    least: float = LEAST,
) -> Corrected:
    data = labels.data
    runs = [run for run, _ in signed]
    use: Array = np.all(data.present[runs], axis=0)
    names = data.runs[runs[0]], data.runs[runs[1]] if len(runs) > 1 else None
    n = int(use.sum())
    if not n:
        how = Correction(*names, measure.label, *(math.nan,) * 6, 0, 0, 0)
        return Corrected(math.nan, how=how)
    silent = data.columns["unanswered"][:, use]
    sides = [Side(run, sign, form_of(measure, float(silent[run].mean()))) for run, sign in signed]
    units = judged_of(labels, sides, use)
    constant = sum(side.sign * side.form.constant for side in sides)
    scale = max(abs(side.price) for side in sides)
    accuracies = [_accuracy(labels, side, use) for side in sides]
    pulls = [side.sign * side.form.silence(a) for side, a in zip(sides, accuracies, strict=True)]
    needless = sum((pull * silent[side.run] for side, pull in zip(sides, pulls, strict=True)), np.zeros(n))
    alone = _closed_spread(sides[0], accuracies[0], pulls[0]) if len(sides) == 1 else None
    mean = _estimate(units, scale, least)
    by_people = _estimate(replace(units, judge=_without(units)), scale)
    low, high = measure.bounds
    bounds = (low, high) if len(sides) == 1 else (low - high, high - low)
    estimate, people = (
        of_labels(_whole(average, units, target, needless, alone), level, shift=constant, bounds=bounds, n=n)
        for average in (mean, by_people)
    )
    answers = int((~units.known).sum())
    judge = constant + float(units.judge[:, 0].mean())
    weight = float(np.mean(mean.weights)) if mean.weights else math.nan
    of_people = people.value, people.low, people.high
    how = Correction(*names, measure.label, judge, *of_people, weight, mean.correlation, mean.labels, answers, n)
    differ = int((~units.known & (np.abs(units.people - units.judge[:, 0]) > 0)).sum())
    return Corrected(
        **{**asdict(estimate), "warnings": tuple(_warnings(mean, answers, differ))},
        how=how,
        step=scale * _share_of_label(units),
    )


def judged_of(labels: Labels, sides: Sequence[Side], use: Array) -> Judged:
    """Return the values of each question by people and by the judge, summed over the runs of `sides`.

    The value of a correct answer is the slope of the measure, with the sign of its run; `use` masks the questions.
    """
    data, judgements = labels.data, labels.said[:, use]
    right = (data.columns["correct"][:, use] == 1).astype(float)
    known = np.all([labels.known[side.run, use] for side in sides], axis=0)
    people, verdicts = np.zeros(len(known)), [right, *(other[:, use] for other in labels.others)]
    judge = np.zeros((len(known), len(verdicts)))
    for side in sides:
        sure = labels.known[side.run, use]
        by_people = np.where(sure, right[side.run], np.where(judgements[side.run] < 0, np.nan, judgements[side.run]))
        people += side.price * by_people
        for j, verdict in enumerate(verdicts):
            judge[:, j] += side.price * np.where(sure, right[side.run], verdict[side.run])
    people[known] = judge[known, 0]
    return Judged(known, judge, people, _strata_of(labels, sides, use), _inclusion_of(labels, sides, use, known))


def _strata_of(labels: Labels, sides: Sequence[Side], use: Array) -> Array | None:
    if labels.strata is None:
        return None
    if isinstance(labels.strata, np.ndarray):
        strata: Array = labels.strata[use]
        return strata
    code = np.zeros(int(use.sum()), dtype=np.int64)
    for side in sides:  # silent, or right, or wrong according to the judge
        state = np.where(labels.known[side.run, use], 2, labels.data.columns["correct"][side.run, use])
        code = code * 3 + state
    return np.unique(code, return_inverse=True)[1]


def _inclusion_of(labels: Labels, sides: Sequence[Side], use: Array, known: Array) -> Values | None:
    """Return the probability with which each labelled question was drawn, None without such probabilities.

    Raises UsageError if the labels of two runs on one question have different probabilities.
    """
    if labels.inclusion is None:
        return None
    inclusion = np.where(known, 1.0, np.nan)
    for side in sides:
        odds = labels.inclusion[side.run, use]
        differ = ~np.isnan(odds) & ~np.isnan(inclusion) & ~known & (np.abs(odds - inclusion) > 1e-12)
        if differ.any():
            question = np.array(labels.data.questions, dtype=object)[use][differ][0]
            raise UsageError(
                f"question {question!r}: the labels of two runs have different probabilities of inclusion; to "
                "compare runs, draw questions for both runs together"
            )
        inclusion = np.where(np.isnan(inclusion), odds, inclusion)
    return inclusion


def _estimate(units: Judged, scale: float, least: float = LEAST) -> Mean:
    """Return the estimated mean over the questions that need labels.

    If labels were drawn with known probabilities, it is the mean over all questions.
    """
    seen, open_ = ~np.isnan(units.people), ~units.known
    if units.inclusion is not None:
        mean = weighted(
            np.where(seen, units.people, 0.0), units.judge[:, 0], units.inclusion, seen, scale=scale, least=least
        )
        labels = int((seen & open_).sum())
        return replace(mean, labels=labels, freedom=max(labels - 2, 0) if open_.any() else 1)
    judge = units.judge if units.judge.shape[1] > 1 else units.judge[:, 0]
    parts = [open_] if units.strata is None else [open_ & (units.strata == s) for s in np.unique(units.strata[open_])]
    samples = [Sample(units.people[part & seen], judge[part & seen], judge[part]) for part in parts]
    if units.strata is None:
        if not open_.any():  # all questions are known, so nothing needs an estimate
            return Mean(0.0, 0.0, 1.0, (0.0,), 0, 0)
        return simple(samples[0], scale=scale, least=least)
    return stratified(samples, scale=scale, least=least)


def _share_of_label(units: Judged) -> float:
    """Return the largest share of all questions that one label represents.

    The labels of a stratum represent its questions; a label with a probability of inclusion represents 1 / probability.
    """
    seen = ~units.known & ~np.isnan(units.people)
    if not seen.any():
        return math.inf
    if units.inclusion is not None:
        return 1 / (units.n * float(units.inclusion[seen].min()))
    strata = np.zeros(units.n) if units.strata is None else units.strata
    kinds, where = np.unique(strata, return_inverse=True)
    needed, labels = (np.bincount(where[use], minlength=len(kinds)) for use in (~units.known, seen))
    unlabelled = labels < needed
    with np.errstate(divide="ignore"):
        return float(np.max(needed[unlabelled] / labels[unlabelled], initial=1.0)) / units.n


def _without(units: Judged) -> Values:
    """Return the judge's values of the questions that need no label; those of all other questions are 0."""
    judge = units.judge[:, :1].copy()
    judge[~units.known] = 0
    return judge


def _whole(mean: Mean, units: Judged, target: Target, needless: Values, alone: float | None) -> Mean:
    """Return the mean over all questions, from the `mean` over those that need labels and the known others.

    With the `target` "population", the variance is for the population. `needless` has the values of the questions that
    need no label, 0 for others. `alone` is a question's variance if a formula gives it, else None.
    """
    if units.inclusion is not None:
        return mean if target == "collection" else superpopulation_of_terms(mean, needless)
    known = units.judge[units.known, 0]
    share = (units.n - len(known)) / units.n
    value = float(known.sum()) / units.n + share * mean.value
    whole = replace(mean, value=value, variance=share**2 * mean.variance, units=units.n)
    if target == "collection":
        return whole
    spread = _spread(units, needless) if alone is None else alone
    return whole.superpopulation(spread)


def _spread(units: Judged, needless: Values) -> float:
    """Return the variance of a question's contribution over the population of questions.

    The contribution includes `needless`, the part that comes from leaving the question unanswered.
    """
    values, seen = units.people + needless, ~np.isnan(units.people)
    strata = np.zeros(units.n) if units.strata is None else units.strata
    parts = [(values[units.known], int(units.known.sum()))]
    for stratum in np.unique(strata[~units.known]):
        part = ~units.known & (strata == stratum)
        parts.append((values[part & seen], int(part.sum())))
    return spread_over_strata(parts)


def _closed_spread(side: Side, accuracy: float, pull: float) -> float:
    r"""Return the variance of a question's contribution for one run, from the run's accuracy A.

    It is $\alpha^2 A(1-A) + \delta^2 U(1-U) - 2\alpha\delta AU$ for the share U of unanswered questions, the price α of
    a right answer, and the `pull` δ of an abstention.
    """
    u, slope = side.form.unanswered, side.price
    return slope**2 * accuracy * (1 - accuracy) + pull**2 * u * (1 - u) - 2 * slope * pull * accuracy * u


def _accuracy(labels: Labels, side: Side, use: Array) -> float:
    """Return a run's corrected accuracy on these questions, in [0, 1]."""
    right = Side(side.run, 1, replace(side.form, slope=1.0, constant=0.0))
    units = judged_of(labels, [right], use)
    mean = _estimate(units, 1.0)
    value = _whole(mean, units, "collection", np.zeros(units.n), None).value
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else math.nan


def _warnings(mean: Mean, answers: int, differ: int) -> list[Note]:
    if mean.labels < FEWEST and answers:
        return [
            note(
                "labels.too_few",
                "undefined: people judged only {labels} of {answers:n answer}; at least {least} are needed",
                labels=mean.labels,
                answers=answers,
                least=FEWEST,
            )
        ]
    remarks = []
    if mean.labels < min(FEW, answers):
        remarks.append(
            note(
                "labels.approximate",
                "only {labels:n labelled question}: treat this interval as approximate",
                labels=mean.labels,
            )
        )
    elif mean.labels < answers and differ < FEW_DIFFER:
        remarks.append(
            note(
                "labels.few_differ",
                "people and judge differ on only {differ:n label}: this interval may cover the true value less "
                "often than it claims",
                differ=differ,
            )
        )
    if mean.labels < answers and not math.isnan(mean.correlation) and mean.correlation**2 < 1 / mean.labels:
        remarks.append(
            note(
                "labels.judge_useless",
                "judge and people agree so little (correlation {correlation:.2f}) that the people's labels alone "
                "would give as precise or more precise figures",
                correlation=mean.correlation,
            )
        )
    return remarks
