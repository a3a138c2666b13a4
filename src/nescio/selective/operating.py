"""Count the outcomes of a run at many thresholds, among them the tuned one and those that can certify a risk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.columns import Array
from nescio.errors import NescioError
from nescio.measures import Measure
from nescio.scoring.samples import measure_inputs
from nescio.selective.certified import Guarantee, bounds_on_grid
from nescio.selective.crossfit import choose
from nescio.selective.curve import Bools, Floats, OneRun
from nescio.selective.thresholds import check_follows

POINTS = 200
FOLDS = 10
CONFIDENCE = 0.95


class Counts(Struct, frozen=True):
    """The outcomes of a run if it answers only with a confidence of at least `threshold`; inf answers nothing.

    `answered` counts the answers, and `wrong` the wrong answers. A question that was asked several times counts once,
    so the counts may be fractions.
    """

    threshold: float
    correct: float
    incorrect: float
    unanswered: float
    answered: float
    wrong: float


class Part(Struct, frozen=True):
    """The outcomes of one part of the questions, at the threshold that was chosen on the other parts.

    `rows` is the number of questions in the part; a question that was asked several times counts each time. `elsewhere`
    is the value of the measure on the other parts, by which the best run is chosen.
    """

    elsewhere: float
    rows: int
    answered: int
    wrong: int


class TunedPoint(Struct, frozen=True):
    """The threshold at which a measure is best, with cross-fitted expectations for new questions.

    The expectations are the `value` of the measure, the share answered (`coverage`), and the share of these answers
    that are wrong (`risk`). `answered` and `wrong` count the answers at the threshold on all questions, of which
    `tried` can be answered. `parts` are the parts held out in turn.
    """

    threshold: float
    value: float
    coverage: float
    risk: float
    answered: int
    wrong: int
    tried: int
    parts: tuple[Part, ...] = ()

    @property
    def declines(self) -> bool:
        """Return whether the threshold declines any of the questions that could be answered."""
        return self.answered < self.tried


class Operating(Struct, frozen=True):
    """The counts of a run at many thresholds (`points`), from the strictest to the one that answers everything.

    `given` has the counts before tuning, and `tuned` the threshold that makes `measure` best. `grid` has the thresholds
    that were fixed before anybody saw a verdict, so that they can certify a risk (`selective.certified`). `grid` is
    empty if questions are clustered or repeated.
    """

    run: str
    n: float
    points: tuple[Counts, ...]
    given: Counts
    tuned: TunedPoint | None
    grid: tuple[float, ...]
    measure: str = "c@1"

    @property
    def idle(self) -> bool:
        """Return whether the tuned threshold changes nothing about the run."""
        return (
            self.tuned is not None
            and not self.tuned.declines
            and replace(self.points[-1], threshold=0.0) == replace(self.given, threshold=0.0)
        )


def operating(one: OneRun, measure: Measure, *, seed: int = 0) -> Operating:
    """Return the outcomes of a run at up to 200 thresholds, evenly spaced in coverage.

    The tuned threshold, at which `measure` is best, and those of the grid are among them. The tuned threshold is None
    if a threshold does not determine the measure's columns, or if nothing can be held out.
    """
    tuned, grid = _tuned(one, measure, seed), _grid(one)
    distinct = np.unique(one.confidence[one.has_confidence])[::-1]
    if len(distinct) > POINTS:
        distinct = distinct[np.unique(np.linspace(0, len(distinct) - 1, POINTS).round().astype(int))]
    thresholds = np.unique([*distinct, *grid, *([tuned.threshold] if tuned and np.isfinite(tuned.threshold) else [])])
    weight = _weights(one)
    points = _counts(one, weight, np.array([np.inf, *thresholds[::-1]]))
    sums = (float(values.sum(dtype=np.float64)) for values in _each(one.data.columns, weight))
    given = Counts(np.nan, *(round(total, 6) for total in sums))
    n = float(len(one.confidence) if weight is None else weight.sum())
    return Operating(one.data.runs[0], n, points, given, tuned, grid, measure.label)


def _weights(run: OneRun) -> Floats | None:
    """Return the weight of each row of a run, so that a question counts once, however often it was asked.

    Returns None if every question was asked once.
    """
    if run.data.repeats is None:
        return None
    question = run.data.repeats.question
    weights: Floats = 1 / np.bincount(question)[question]
    return weights


def _each(columns: Mapping[str, Array], weight: Floats | None) -> Iterator[Array]:
    """Yield five columns with a value for each row: correct, incorrect, unanswered, answered, and wrongly answered.

    The values are multiplied by `weight`, unless it is None.
    """
    four = [columns[name][0] for name in ("correct", "incorrect", "unanswered", "answered")]
    for values in (*four, four[3] * four[1]):
        yield values if weight is None else values * weight


def _counts(run: OneRun, weight: Floats | None, thresholds: Floats) -> tuple[Counts, ...]:
    """Return the counts of outcomes at each threshold.

    A count is the count if all questions are declined, plus the change from accepting the answers above the threshold.
    """
    declined = _each(run.apply(np.zeros_like(run.has_confidence)).columns, weight)
    accepted = _each(run.apply(run.has_confidence).columns, weight)
    order = np.flatnonzero(run.has_confidence)[np.argsort(-run.confidence[run.has_confidence], kind="stable")]
    many = np.searchsorted(-run.confidence[order], -thresholds, side="right")
    counts = []
    for none, every in zip(declined, accepted, strict=True):  # one column at a time, as there may be millions of rows
        gained = np.concatenate([[0.0], np.cumsum((every - none)[order], dtype=np.float64)])
        counts.append((gained[many] + none.sum(dtype=np.float64)).tolist())
    return tuple(
        Counts(threshold, *(round(value, 6) for value in values))
        for threshold, *values in zip(thresholds.tolist(), *counts, strict=True)
    )


def _tuned(run: OneRun, measure: Measure, seed: int) -> TunedPoint | None:
    try:
        check_follows(run, measure)
        choice = choose(run, measure, FOLDS, seed)
    except NescioError:
        return None
    if not len(choice.without) or np.isposinf(choice.threshold):
        return None
    accepted = choice.held_out(run)
    inputs, _ = measure_inputs(run.apply(accepted), [measure])
    many, wrong = int(accepted.sum()), int((accepted & run.wrong).sum())
    here = run.accept(choice.threshold)
    return TunedPoint(
        choice.threshold,
        inputs[0].value,
        many / len(accepted),
        wrong / many if many else float("nan"),
        int(here.sum()),
        int((here & run.wrong).sum()),
        int(run.has_confidence.sum()),
        tuple(
            part_of(run, measure, choice.fold == part, run.accept(threshold))
            for part, threshold in enumerate(choice.without)
        ),
    )


def part_of(one: OneRun, measure: Measure, inside: Bools, accepted: Bools | None = None) -> Part:
    """Return the counts of a run on one part of the questions, and the measure on all other questions.

    The mask `inside` marks the part, and `accepted` the questions to answer. If `accepted` is None, the run stays as it
    is.
    """
    data = one.data if accepted is None else one.apply(accepted)
    inputs, _ = measure_inputs(data.select(~inside), [measure])
    answered = data.columns["answered"][0][inside] == 1
    wrong = answered & (data.columns["incorrect"][0][inside] == 1)
    return Part(inputs[0].value, int(inside.sum()), int(answered.sum()), int(wrong.sum()))


def chosen_anew(runs: Sequence[Sequence[Part]], *, lower_is_better: bool) -> tuple[float, float]:
    """Return the coverage and the risk to expect of the best run.

    On each part of the questions, the run that is best on the other parts counts. So no part helps to choose its own
    run. `runs` has the parts of each run.
    """
    sign = -1 if lower_is_better else 1

    def merit(part: Part) -> float:
        return -np.inf if np.isnan(part.elsewhere) else sign * part.elsewhere

    best = [max(of, key=merit) for of in zip(*filter(None, runs), strict=False)]
    rows, answered, wrong = (sum(getattr(part, name) for part in best) for name in ("rows", "answered", "wrong"))
    return answered / rows, wrong / answered if answered else float("nan")


def _grid(run: OneRun) -> tuple[float, ...]:
    """Return the thresholds at the ranks that `certified` tests, each as the lowest confidence that it accepts.

    There are none if questions are clustered or repeated, or if no answer has a confidence.
    """
    sure = run.confidence[run.has_confidence]
    if run.data.clusters is not None or run.data.repeats is not None or not len(sure):
        return ()
    tested = bounds_on_grid(sure, run.wrong[run.has_confidence], Guarantee(1.0, CONFIDENCE))
    ordered, tried = np.sort(sure), np.array([point.threshold for point in tested if point.accepted])
    return tuple(dict.fromkeys(ordered[np.searchsorted(ordered, tried)].tolist()))
