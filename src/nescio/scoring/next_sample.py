"""Predict a run's score on other questions of the same kind, with prediction intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct

from nescio.data.notes import Note, gather, note
from nescio.data.plain_tables import interval
from nescio.data.results import Score
from nescio.data.shown import Shown
from nescio.estimating.measured import moved_by, of_shares
from nescio.measures import Measure, OwnInterval
from nescio.scoring.confidence_intervals import as_outcomes
from nescio.scoring.samples import MeasureInput, Remark
from nescio.stats import intervals
from nescio.stats.chosen import another_count, another_value
from nescio.stats.few_units import unit_error, widened_error
from nescio.stats.streams import Stream
from nescio.text import plural


class NextSample(Struct, frozen=True):
    """The prediction interval of a run's score: where its score on another sample of questions should lie.

    The other sample has `questions` questions. `value` is the score on the `n` questions of the data. `method` is
    "counts" (a Dirichlet-multinomial, or a beta-binomial of shares) or Student's t.
    """

    run: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    value: Annotated[float, Shown()]
    low: float
    high: float
    questions: int
    method: str
    n: Annotated[int, Shown()]

    @property
    def others(self) -> str:
        """Return the number of other questions, in words."""
        return plural(self.questions, "other question")

    @property
    def predicted(self) -> Annotated[str, Shown("on {others}", numeric=True)]:
        """Return the prediction interval, or a dash if there is none."""
        return interval(self.low, self.high) or "–"


def next_samples(
    runs: Sequence[str],
    inputs: Sequence[MeasureInput],
    scores: Sequence[Score],
    questions: int,
    *,
    level: float,
    seed: int,
    clustered: bool,
    together: int = 1,
) -> tuple[tuple[NextSample, ...], list[Note]]:
    """Return a prediction interval for each run and measure, and notes.

    A prediction interval contains the interval of the score itself, although the two are computed in different ways.
    `together` is the number of runs for which the intervals hold together. Ordered measures, and measures with their
    own kind of interval, have no prediction interval.
    """
    of_shares({sample.measure.label: sample.measure for sample in inputs}.values())
    known = {(row.run, row.measure): (row.low, row.high) for row in scores if row.stratum is None}
    rows, remarks = [], list[Remark]()
    for sample in inputs:
        measure, run = sample.measure, runs[sample.run]
        low, high, method = math.nan, math.nan, "none"
        if measure.declaration.proportion and measure.declaration.proportion[1] == "n" and not clustered:
            low, high = _by_share(sample, questions, level)
            method = "counts"
        elif measure.counts_outcomes and not clustered:
            low, high = _by_counts(sample, questions, level, seed)
            method = "counts"
        elif _moves(measure):
            low, high = _by_moves(sample, questions, level)
            method = "t"
        else:
            remark = note("next.none", "no prediction interval: no valid method is known for this measure")
            remarks.append((remark, measure.label, "all runs"))
        if not math.isnan(low):
            limits = np.array(known.get((run, measure.label), (None, None)), dtype=np.float64)
            low, high = float(np.fmin(low, limits[0])), float(np.fmax(high, limits[1]))
        rows.append(NextSample(run, measure.label, sample.value, low, high, questions, method, sample.n))
    return tuple(rows), [_about(questions, together), *gather(remarks)]


def _about(questions: int, together: int) -> Note:
    if together > 1:
        return note(
            "next.together",
            "prediction intervals hold even for the best run, whichever run that is: with the stated level, each "
            "interval contains the score on {questions:n other question} like these",
            questions=questions,
        )
    return note(
        "next.about",
        "with the stated level, a prediction interval contains the score on {questions:n other question} like "
        "these, but only for a run chosen in advance; for the best of several runs the interval is too optimistic",
        questions=questions,
    )


def _moves(measure: Measure) -> bool:
    """Return whether Student's t gives a prediction interval of this measure.

    It does for a formula of sums whose range has two finite limits or none.
    """
    same = measure.order is None and not isinstance(measure.declaration.interval, OwnInterval)
    return same and len({math.isinf(limit) for limit in measure.bounds}) == 1


def _by_moves(sample: MeasureInput, questions: int, level: float) -> tuple[float, float]:
    r"""Return Student's prediction interval, $\sqrt{1 + n/m}$ times as wide as that of the mean, for m new questions.

    If the measure has two limits, the result is the hull of two intervals: one on the logit scale, and a plain one with
    one more unit imagined at either limit, cut off at the limits. A new sample often lies at a limit, which the logit
    interval never reaches, and it may lie further from the limit than the plain interval says. The hull held in 94% or
    more of 2,000 trials each of 6 to 200 clusters, or questions asked four times, with .5 to .97 right; the plain
    interval in 92% (tests/scoring/test_next_sample.py).
    """
    measure, patterns, point, limits = sample.measure, sample.patterns, sample.value, sample.measure.bounds
    if math.isnan(point) or patterns.units < 2:
        return math.nan, math.nan
    wider, moved, size = math.sqrt(1 + sample.n / questions), moved_by(measure, patterns), patterns.columns["n"]
    error, freedom = unit_error(moved, size, patterns.counts)
    low, high = intervals.logit(point, wider * error, limits, freedom, level)
    if math.isinf(limits[0]):
        return low, high
    error, freedom = widened_error(moved, size, patterns.counts, (limits[0] - point, limits[1] - point))
    half = float(intervals.student(freedom, level)) * wider * error
    return max(limits[0], float(np.fmin(low, point - half))), min(limits[1], float(np.fmax(high, point + half)))


def _by_counts(sample: MeasureInput, questions: int, level: float, seed: int) -> tuple[float, float]:
    if not sample.n:
        return math.nan, math.nan
    patterns = as_outcomes(sample).patterns

    def value(outcomes: Any) -> Any:
        return sample.measure.value(patterns, outcomes)

    counts = [int(count) for count in patterns.counts]
    return another_value(counts, questions, value, level, np.random.default_rng([seed, int(Stream.NEXT_SAMPLE)]))


def _by_share(sample: MeasureInput, questions: int, level: float) -> tuple[float, float]:
    part, _ = sample.measure.declaration.proportion or ("", "")
    hits = int(sample.patterns.counts @ sample.patterns.columns[part])
    low, high = another_count(hits, sample.n, questions, level)
    return low / questions, high / questions
