"""Follow the difference of two runs in the order in which questions arrive: its interval and verdict at every look."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.few_answers import is_few, shares_answers
from nescio.data.columns import OUTCOMES
from nescio.data.patterns import Patterns
from nescio.errors import UsageError
from nescio.estimating.measured import of_shares
from nescio.estimating.statistic import influences
from nescio.measures import Measure
from nescio.stats import sequences

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]  # outcomes as indices into OUTCOMES

SequenceUsed = Literal["guaranteed", "asymptotic"]
SequenceMethod = Literal["auto", "guaranteed", "asymptotic"]
FIRST_LOOK, FEWEST_DISCORDANT = sequences.FIRST_LOOK, 10
_TABLES = np.array([[3, 2, 1], [1, 5, 4], [2, 2, 7], [6, 4, 2]], dtype=np.float64)
MORE_DIGITS = 2
ROUNDING = 1e-9


class Sequence(Struct, frozen=True):
    """The settings of a confidence sequence: its method, one minus its level, and the number of planned questions."""

    method: SequenceUsed
    alpha: float
    planned: int


class Path(Struct, frozen=True, eq=False):
    """The difference of two runs after each question, with its interval and the intersection of all intervals so far.

    All arrays have shape (questions,). An interval is NaN if there was no look after that question. `discordant` counts
    the questions so far on which the outcomes of the two runs differ.
    """

    difference: Floats
    low: Floats
    high: Floats
    running_low: Floats
    running_high: Floats
    discordant: NDArray[np.int64]

    def disagrees(self, at: int) -> bool:
        """Return whether the intervals up to question `at` contradict each other or the difference at that question.

        They do if no value lies in all of them, or if the difference lies outside one of them.
        """
        low, high = self.low[: at + 1], self.high[: at + 1]
        if np.isnan(low).all():
            return False
        within = np.nanmax(low) - ROUNDING <= self.difference[at] <= np.nanmin(high) + ROUNDING
        return not within


def choose(measure: Measure, method: SequenceMethod) -> SequenceUsed:
    """Return `method`, or for "auto" the method that suits the measure: guaranteed for a mean, else asymptotic.

    Raises UsageError if the method cannot give intervals for the measure.
    """
    if not measure.counts_outcomes:
        raise UsageError(
            f"{measure.label} cannot be followed while questions arrive: only measures of correct, incorrect and "
            "unanswered can be followed"
        )
    of_shares([measure])
    linear = worth(measure) is not None
    if method == "guaranteed" and not linear:
        raise UsageError(
            f"{measure.label} is not a mean over questions, so it has no guaranteed interval; use the asymptotic "
            "interval"
        )
    return ("guaranteed" if linear else "asymptotic") if method == "auto" else method


def on_counts(measure: Measure, counts: Floats) -> Floats:
    """Return the value of the measure for each row of `counts`, shape (…, 3) to (…,).

    A row holds the numbers of correct, incorrect and unanswered questions.
    """
    columns = measure.each(dict(zip(OUTCOMES, np.eye(3), strict=True)))
    return measure.value(Patterns({**columns, "n": np.ones(3)}, np.ones(3, dtype=np.int64)), counts)


def worth(measure: Measure) -> Floats | None:
    """Return the points that a question earns by its outcome if the measure is the mean of these points, else None."""
    earned = on_counts(measure, np.eye(3))
    means = _TABLES @ earned / _TABLES.sum(axis=1)
    linear = np.allclose(on_counts(measure, _TABLES), means, rtol=1e-9, atol=1e-12) and np.ptp(earned) > 0
    return earned if linear else None


def follow(measure: Measure, run: Codes, baseline: Codes, how: Sequence) -> Path:
    """Return the path of the difference of two runs, given the outcomes of their questions in the order of arrival."""
    discordant = np.cumsum(run != baseline)
    counts = [np.cumsum(np.eye(3)[codes], axis=0) for codes in (run, baseline)]
    values = [on_counts(measure, of) for of in counts]
    difference = values[0] - values[1]
    if how.method == "guaranteed":
        scaled, width = _scaled(measure, run, baseline)
        low, high = (width * (2 * bound - 1) for bound in sequences.bernstein(scaled, how.alpha))
    else:
        spread, moving = spreads(measure, run, baseline)
        t = np.arange(1, len(run) + 1)
        half = sequences.asymptotic_half_width(t, spread, how.alpha, how.planned)
        # Questions that all move the difference alike show no spread, and an interval of width 0 is not an interval.
        looked = (t >= FIRST_LOOK) & (moving >= FEWEST_DISCORDANT - ROUNDING) & (spread > ROUNDING)
        looked &= ~(_of_few_answers(measure, counts[0]) | _of_few_answers(measure, counts[1]))
        half = np.where(looked, half, np.nan)
        low, high = difference - half, difference + half
    furthest = measure.bounds[1] - measure.bounds[0]  # no difference can be further from 0
    low, high = np.clip(low, -furthest, furthest), np.clip(high, -furthest, furthest)
    return Path(difference, low, high, *sequences.running(low, high), discordant)


def _of_few_answers(measure: Measure, counts: Floats) -> NDArray[np.bool_]:
    """Return a mask of the looks at which the measure is a share of too few answers (`few_answers.is_few`)."""
    if not shares_answers(measure):
        return np.zeros(len(counts), dtype=np.bool_)
    return is_few(counts[:, 0], counts[:, 0] + counts[:, 1])


def _scaled(measure: Measure, run: Codes, baseline: Codes) -> tuple[Floats, float]:
    """Return the difference of the two runs on each question, scaled to [0, 1], and the factor of that scale.

    The factor is the largest difference that one question can make; a scaled value of 1/2 means no difference.
    """
    earned = worth(measure)
    assert earned is not None
    width = float(np.ptp(earned))
    return ((earned[run] - earned[baseline]) / width + 1) / 2, width


def spreads(measure: Measure, run: Codes, baseline: Codes) -> tuple[Floats, Floats]:
    r"""Return the standard deviation of a question's contribution to the difference, and how many questions move it.

    Both have shape (questions,), and their entry i describes the questions up to question i. In the second, a question
    that moves the difference as far as any can counts as 1, and a question that moves it half as far counts as 1/4.
    This weight keeps cheap gains from hiding that costly losses are too rare to be seen. The standard deviation is
    $\sqrt{\frac{1}{t}\sum_{ij} N_{ij}(a_i - b_j)^2}$ over the nine pairs of outcomes. $a_i = t\,\partial f/\partial
    C_i$ is the influence of an outcome i of the run, and $b_j$ that of the baseline.
    """
    t = np.arange(1, len(run) + 1)
    pairs = np.cumsum(np.eye(9)[3 * run.astype(np.int64) + baseline], axis=0)
    columns = measure.each(dict(zip(OUTCOMES, np.eye(3), strict=True)))
    influence = [
        t[:, None] * influences(measure.of_totals, columns, np.cumsum(np.eye(3, dtype=np.int64)[codes], axis=0))
        for codes in (run, baseline)
    ]
    squares = (influence[0][:, :, None] - influence[1][:, None, :]).reshape(-1, 9) ** 2
    mean = (influence[0] + influence[1]) / 2
    moves = (mean[:, :, None] - mean[:, None, :]).reshape(-1, 9) ** 2  # by another outcome than that of the baseline
    with np.errstate(invalid="ignore", divide="ignore"):
        moving = (pairs * moves).sum(axis=1) / moves.max(axis=1)
    return np.sqrt((pairs * squares).sum(axis=1) / t), moving


def still_needed(measure: Measure, pair: tuple[Codes, Codes], how: Sequence, margin: float | None) -> int | None:
    """Return about how many more questions a verdict needs if the trend continues, or None if the data cannot tell.

    `pair` holds the outcomes of the run and of the baseline on the same questions.
    """
    run, baseline = pair
    t, discordant = len(run), int((run != baseline).sum())
    tables = (np.bincount(codes, minlength=3).astype(np.float64) for codes in pair)
    score, other = (float(on_counts(measure, table)) for table in tables)
    difference = score - other
    half = max(0.0, abs(difference), (margin or 0.0) - abs(difference))
    if math.isnan(difference) or half <= 0 or not discordant:
        return None
    if how.method == "guaranteed":
        scaled, width = _scaled(measure, run, baseline)
        if half > abs(difference):
            wanted = (0.5 - (margin or 0.0) / (2 * width), 0.5 + (margin or 0.0) / (2 * width))
        else:
            wanted = (0.5, math.inf) if difference > 0 else (-math.inf, 0.5)
        more = sequences.observations_for_bernstein(sequences.bets_of(scaled, how.alpha), *wanted, how.alpha)
    else:
        spread, moving = (float(series[-1]) for series in spreads(measure, run, baseline))
        if spread <= ROUNDING:
            return None
        more = sequences.observations_for_asymptotic(half, t, spread, how.alpha, how.planned)
        more = max(more, FIRST_LOOK - t, math.ceil((FEWEST_DISCORDANT - moving) * t / moving))
    return None if more >= sequences.FURTHEST else max(more, 1)


def verdict(measure: Measure, low: float, high: float, margin: float | None, more: int | None) -> str:
    """Return the verdict on a difference with the interval from `low` to `high`, such as "stop: better".

    `more` is the rough number of further questions that the verdict "go on" mentions, or None if it is unknown.
    """
    if margin is not None and -margin <= low and high <= margin:
        return f"stop: no difference larger than {margin:g}"
    if low > 0 or high < 0:
        higher = low > 0
        if measure.declaration.descriptive:
            return f"stop: {'higher' if higher else 'lower'}"
        return f"stop: {'better' if higher != measure.declaration.lower_is_better else 'worse'}"
    if more is None:
        return "go on"
    digits = MORE_DIGITS - len(str(more))
    about = round(more, min(0, digits)) if digits < 0 else more
    return f"go on, about {about:,} more question{'' if about == 1 else 's'}"
