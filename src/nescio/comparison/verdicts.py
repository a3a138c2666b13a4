"""Put comparisons into words: the verdict, the detectable difference, and whether the run is a regression."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.doubts import doubt_on
from nescio.comparison.margins import margin_of
from nescio.data.plain_tables import signed_figure
from nescio.data.reasons import REASONS_CHANGED
from nescio.data.results import Comparison, Comparisons
from nescio.errors import opt, spelled
from nescio.measures import Measure, parse
from nescio.stats.few_units import unseen_gap
from nescio.stats.intervals import FEW

POWER = 0.8
CANNOT_TELL = 3  # the status of a decision
WORST_FIRST = (1, CANNOT_TELL, 0)
LABELS = "labels"  # the units of differences that people's labels correct
CORRECTED = "t"  # the test of differences corrected by labels, which exchanges nothing
TOO_FEW = "too few questions to tell"
NONE_SEEN = "no difference seen, too few questions to rule one out"
TOO_FEW_RESAMPLES = "too few resamples to tell"
MOST_TIMES = 100  # more than this times the questions is never advised: nobody asks so many


def detectable(row: Comparison, measure: Measure, alpha: float) -> float | None:
    r"""Return the smallest difference that a test at level `alpha` finds with a power of 0.8 on as many questions.

    It is the least d with $d \ge z_{1-\alpha/2}\sqrt{s^2 + d^2/m} + z_{0.8}\,s + h$, for the standard error s of the
    difference on m units. The term $d^2/m$ is for tests that exchange labels: they compute the spread about 0. A
    measure that counts moves in steps, and h is half of the largest step; without h the power of the exact test is 0.6
    to 0.76. Returns None without a spread, if no p-value of so few units is small enough ($2^{1-m} > \alpha$), and if
    no difference is large enough.
    """
    if row.spread is None or not row.spread > 0 or 2.0 ** (1 - row.units) > alpha:
        return None
    low, high = measure.bounds
    exchanged = row.test != CORRECTED
    counts = exchanged and (measure.counts_outcomes or measure.declaration.proportion is not None)
    level = _quantile(1 - alpha / 2)
    least = _quantile(POWER) * row.spread + ((high - low) / row.units if counts else 0.0)
    share = level**2 / row.units if exchanged else 0.0
    if share >= 1:
        return None
    smallest = (least + math.sqrt(share * least**2 + (1 - share) * (level * row.spread) ** 2)) / (1 - share)
    return smallest if math.isfinite(smallest) and smallest <= high - low else None


@cache
def _quantile(share: float) -> float:
    return NormalDist().inv_cdf(share)


def rule_of_three_share(units: float, alpha: float) -> float:
    r"""Return $1 - (\alpha/2)^{1/m}$ for m units: the largest share of units that can differ though none of the m does.

    If a larger share of all units differs, m random units show such a unit with a probability of at least $1 -
    \alpha/2$.
    """
    return -math.expm1(math.log(alpha / 2) / units) if units else 1.0


def widened_interval(row: Comparison, alpha: float) -> tuple[float, float]:
    """Return the interval of a difference, or the rule-of-three bounds if no unit moves it.

    Unseen outcomes are still possible: a share of the units may lie at either end of the possible differences.
    """
    if is_unmoved(row):
        low, high = parse(row.measure).bounds
        share, furthest, most = rule_of_three_share(row.units, alpha), reach(parse(row.measure)), high - low
        below, above = share * (furthest + row.difference), share * (furthest - row.difference)
        if row.worst is not None:  # by the outcomes of these runs, a question may move a ratio beyond its range / m
            away = abs(row.difference - row.worst)
            below, above = (max(below, away), max(above, away)) if math.isfinite(furthest) else (away, away)
        return max(-most, row.difference - below), min(most, row.difference + above)
    if row.low is None or row.high is None or math.isnan(row.low) or math.isnan(row.high):
        return float("-inf"), float("inf")
    return row.low, row.high


def reach(measure: Measure) -> float:
    """Return a bound on the change of a measure when the outcomes of all questions change.

    It is the proven bound (`Measure.slope`), or else the width of the range. It is infinite for a ratio of counts
    that is not a share, because a tenth of the questions may move such a measure by more than a tenth of its range.
    """
    low, high = measure.bounds
    counts = measure.counts_outcomes or measure.declaration.binary
    if counts and measure.declaration.proportion is None and math.isinf(measure.slope):
        return math.inf
    return measure.slope if math.isfinite(measure.slope) else high - low


def guarded_end(row: Comparison, alpha: float) -> float:
    """Return the worst difference that a gate cannot rule out, with its sign changed if lower values are better.

    Student's interval is too short if losses are few, because few losses do not show how many more there may be.
    `row.worst` allows for more of them, given the outcomes of both runs (`nescio.comparison.unseen`). Without
    `row.worst`, as for a suite, every question may move the measure as far as it can (`few_units.unseen_gap`).
    """
    measure = parse(row.measure)
    lower = measure.declaration.lower_is_better
    if row.worst is not None:
        return -row.worst if lower else row.worst
    low, high = widened_interval(row, alpha)
    worst, difference = (-high, -row.difference) if lower else (low, row.difference)
    if is_unmoved(row) or not counts_answers(measure) or row.test == CORRECTED or not row.units or not row.spread:
        return worst
    if math.isnan(row.spread):  # an interval without a standard error, as that of a suite, reaches as far already
        return worst
    return min(worst, difference - unseen_gap(row.spread, reach(measure) / row.units, 1 - alpha))


def counts_answers(measure: Measure) -> bool:
    """Return whether a measure counts answers of some kinds, so that it is known how far one question can move it."""
    declared = measure.declaration
    return measure.counts_outcomes or declared.binary or declared.proportion is not None or math.isfinite(measure.slope)


def is_unmoved(row: Comparison) -> bool:
    """Return whether no unit moves a difference: its spread is 0, or its interval has no width.

    For a measure that leaves out some units, the difference must be 0, too.
    """
    if math.isnan(row.difference) or row.low is None or row.high is None:
        return False
    still = row.spread == 0 if math.isnan(row.low) else row.high - row.low <= 1e-12
    return still and (row.difference == 0 or parse(row.measure).counts_every_unit)


def decide(row: Comparison, alpha: float, margin: float | None, smallest: float = 0.0) -> Comparison:
    """Return the row with its verdict, or with the verdict None if its adjusted p-value is undefined.

    The verdict is "better" or "worse" ("higher" or "lower" for a descriptive measure) if the adjusted p-value is at
    most `alpha`. It is "differences above d are ruled out" if the interval lies within `margin` of 0 (never if this is
    None), and so does the worst difference that a gate cannot rule out. Otherwise it says that there are too few
    questions, or too few resamples if p is `smallest`, the least value that random exchanges can give.
    """
    if row.p_adjusted is None or math.isnan(row.p_adjusted):
        return row
    if row.p_adjusted <= alpha:
        declaration = parse(row.measure).declaration
        if declaration.descriptive:
            return replace(row, verdict="higher" if row.difference > 0 else "lower")
        return replace(row, verdict="worse" if (row.difference > 0) == declaration.lower_is_better else "better")
    bound = max(map(abs, (*widened_interval(row, alpha), guarded_end(row, alpha))))
    beyond = margin is None or bound > margin
    if beyond and row.p is not None and row.p <= smallest:
        return replace(row, verdict=TOO_FEW_RESAMPLES)
    if beyond:
        return replace(row, verdict=NONE_SEEN if is_unmoved(row) and row.difference == 0 else TOO_FEW)
    # We round up, so that the words claim no more than the figure.
    bound = math.ceil(bound * 1e4 - 1e-9) / 1e4
    return replace(row, verdict=f"differences above {bound:g} are ruled out", no_larger_than=bound)


class Decision(Struct, frozen=True):
    """The decision whether a run may replace its baseline, which gates, pages and the terminal all show.

    `status` is 0 if the run may replace the baseline, 1 if it may not, and 3 if the data cannot tell. `margin` is None
    if nobody stated one and the measure has no default; only a run that is surely no worse then passes. `further` is
    about how many more `units` (questions, or clusters of them) would decide, or None if no number would, as for a
    difference at the margin. `broken` says how the numbers of empty, unparsed and failed outputs changed. `undecided`
    says why the data cannot tell, whatever the difference is, and `hidden` which loss the measure does not show.
    """

    row: Comparison
    margin: float | None
    status: int
    further: int | None = None
    broken: str = ""
    undecided: str = ""
    units: str = "questions"
    hidden: str = ""

    @property
    def reason(self) -> str:
        """Return why the data cannot tell with any number of questions, or "" if more questions could."""
        return self.undecided or self.hidden

    @property
    def heading(self) -> str:
        """Return the decision in capital letters, as a heading."""
        return {0: "MERGE", 1: "DO NOT MERGE", CANNOT_TELL: "CANNOT TELL"}[self.status]

    @property
    def after(self) -> str:
        """Return the words that follow the name of the run in the sentence that explains the decision."""
        row = self.row
        broken = f" ({self.broken})" if self.broken else ""
        figures = signed_figure(row.difference)
        if row.low is not None and row.high is not None and not math.isnan(row.low):
            figures += f" [{signed_figure(row.low)}, {signed_figure(row.high)}]"
        if self.status == 0 and is_unmoved(row) and row.difference == 0:
            same = f" has the same {row.measure} as {row.baseline} on each of {row.n:,} questions ({figures}){broken}"
            ranged = not self.margin or math.isfinite(parse(row.measure).bounds[1])
            return f"{same}{'' if ranged else ', if no unseen value lies beyond those seen'}."
        lower = " (lower is better)" if parse(row.measure).declaration.lower_is_better else ""
        minus = f" minus {row.baseline} is {figures} by {row.measure}{lower}{broken}"
        worse = "worse" if self.margin is None else f"worse by more than the margin of {self.margin:g}"
        if self.status == 0:
            return f"{minus}, so {row.run} is {'better' if row.verdict == 'better' else f'not {worse}'}."
        if self.status == 1:
            return f"{minus}, so {row.run} is {worse}."
        if self.reason:
            doubt = "this decides nothing" if self.hidden else f"{row.run} may still be {worse}"
            return f"{minus}, but {doubt}: {self.reason}."
        if self.margin is None:
            verb = "is" if row.verdict == "worse" else "may be"
            state = f"State the largest loss that does not matter ({spelled(opt('margin', of='VALUE'))})"
            return f"{minus}, so {row.run} {verb} worse. {state}, in the unit of {row.measure}."
        more = f"To tell would take more than {MOST_TIMES:,} times as many {self.units}"
        more += ", if the difference stays the same."
        if self.units == LABELS:
            more = "More labels or more questions would narrow the interval."
        elif self.further is not None:
            more = f"About {self.further:,} further {self.units} would tell, if the difference stays the same."
        return f"{minus}, so {row.run} may still be {worse}. {more}"

    @property
    def why(self) -> str:
        """Return the explanation of the decision as a sentence that does not repeat the decision."""
        return f"{self.row.run}{self.after}"

    @property
    def sentence(self) -> str:
        """Return the decision and its explanation as one sentence."""
        return f"{self.heading}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as a mapping for JSON, with its runs and its measure."""
        names = ("status", "heading", "sentence", "further", "units")
        pair = {name: getattr(self.row, name) for name in ("run", "baseline", "measure")}
        return pair | {name: getattr(self, name) for name in names}


def decisions(comparisons: Comparisons, gated: Collection[str] = ()) -> tuple[Decision, ...]:
    """Return the decision on each comparison, by the level and the margin with which the comparisons were made.

    The decision is "cannot tell" if its data cannot support another (`comparison.doubts`), and if a run answers worse,
    but none of the measures `gated` shows it. Without `gated`, these are all that rank runs.
    """
    gated = gated or ranking([row.measure for row in comparisons])
    alpha, stated = 1 - float(comparisons.signature["ci"]) / 100, margin_in(comparisons)
    changes = {(n.subject, n["baseline"]): str(n["change"]) for n in comparisons.notes if n.code == REASONS_CHANGED}
    units = "clusters" if "clusters" in comparisons.signature else "questions"
    units = LABELS if "labels" in comparisons.signature else units
    made = []
    for row in comparisons:
        pair, margin = (row.run, row.baseline), margin_of(parse(row.measure), stated)
        broken, doubt = changes.get(pair, ""), doubt_on(comparisons, row, gated)
        left_out = doubt.left_out
        judgement = decision(row, alpha, margin, broken, left_out.words, units=units, shift=left_out.shift)
        if doubt.against(worse=judgement.status == 1):
            hidden = "" if doubt.ground else doubt.hidden
            judgement = Decision(row, margin, CANNOT_TELL, None, broken, doubt.ground, hidden=hidden)
        made.append(judgement)
    return tuple(made)


def margin_in(comparisons: Comparisons) -> float | None:
    """Return the margin with which comparisons were made, or None if nobody stated one that holds for all measures."""
    stated = comparisons.signature.get("margin")
    return None if stated is None else float(stated)


def deciding(comparisons: Comparisons) -> Decision | None:
    """Return the decision on two runs, or None if there is not exactly one.

    There is none for more than two runs, for several benchmarks, and if no measure can say which run is better. With
    gates, it is the decision of the gate that sets the exit status. Otherwise it is the worst of the decisions by the
    measures that the user named and that rank runs (`ranking`), as a gate on them would be. If the user named none,
    the first measure that is not descriptive decides.
    """
    if "benchmarks" in comparisons.tables or len({(row.run, row.baseline) for row in comparisons}) != 1:
        return None
    every = decisions(comparisons)
    gate = min(comparisons.gates, key=lambda gate: WORST_FIRST.index(gate.status), default=None)
    gated = [judgement for judgement in every if gate is not None and judgement.why == gate.said]
    made = [judgement for judgement in every if judgement.row.verdict is not None]
    if comparisons.named:
        kept = ranking([judgement.row.measure for judgement in made])
        made = [judgement for judgement in made if judgement.row.measure in kept]
    else:
        made = [judgement for judgement in made if not parse(judgement.row.measure).declaration.descriptive][:1]
    made = gated or made
    return min(made, key=lambda judgement: WORST_FIRST.index(judgement.status), default=None)


def ranking(measures: Sequence[str]) -> list[str]:
    """Return the measures by which one run can be better than another, without those that only describe runs.

    Less coverage alone does not make a run worse, and more answers alone raise it, so coverage decides nothing.
    """
    return [name for name in measures if not parse(name).declaration.descriptive]


Comparisons.decided_by = staticmethod(deciding)


def decision(
    row: Comparison,
    alpha: float,
    margin: float | None,
    broken: str = "",
    undecided: str = "",
    *,
    units: str = "questions",
    shift: float = math.inf,
) -> Decision:
    """Return whether the run of a row may replace its baseline; `units` names the units of the interval.

    `undecided` says what may be wrong with the difference, and `shift` by how much it may be worse. A run passes if it
    would pass with that worse difference, too.
    """
    least = 0.0 if margin is None else margin
    status = regression(row, alpha, least)
    if undecided and status == 0 and regression(row, alpha, least, shift):
        return Decision(row, margin, CANNOT_TELL, None, broken, undecided)
    if margin is None:
        return Decision(row, margin, CANNOT_TELL if status else 0, None, broken, units=units)
    if status != CANNOT_TELL:
        return Decision(row, margin, status, None, broken, units=units)
    if because := _why_no_number(row, alpha, margin, undecided if shift == math.inf else ""):
        return Decision(row, margin, status, None, broken, because)
    many = row.units if units == "clusters" else row.n
    times = math.inf if units == LABELS else _times_to_settle(row, alpha, margin, many)
    further = max(1, _rounded(many * (times - 1))) if math.isfinite(times) else None
    return Decision(row, margin, status, further, broken, units=units)


def _why_no_number(row: Comparison, alpha: float, margin: float, undecided: str) -> str:
    """Return the reason why no number of further questions is known to settle a decision, or "" if there is none."""
    if undecided:
        return undecided
    if math.isinf(widened_interval(row, alpha)[0]):
        if not is_unmoved(row) or row.difference:
            return "the difference has no interval"
        alone = f"{spelled(opt('margin', of='0'))} asks for no loss on these alone"
        return f"no question moves {row.measure}, so nothing tells how far an unseen one may; {alone}"
    if math.isinf(guarded_end(row, alpha)):
        return f"it is unknown how far one question may move {row.measure}"
    if _ends_of_gates(row, alpha)[1] < -margin:
        return "its interval shows a loss, but its test does not"
    return ""


def _times_to_settle(row: Comparison, alpha: float, margin: float, many: int) -> float:
    """Return the factor by which the units must grow to settle a decision if the difference and its spread stay.

    `many` is the number of questions, or of clusters. The factor is infinite above `MOST_TIMES`.
    """

    def settled(times: float) -> bool:
        ends = {name: getattr(row, name) for name in ("low", "high")}
        ends = {name: end and row.difference + (end - row.difference) / math.sqrt(times) for name, end in ends.items()}
        spread = row.spread and row.spread / math.sqrt(times)
        worst = None if row.worst is None else row.difference + _shrunk(row, alpha, times, many)
        more = replace(row, **ends, spread=spread, worst=worst, units=int(row.units * times + 1e-6))
        low, high = _ends_of_gates(more, alpha)
        return low >= -margin or high < -margin

    enough, few = float(MOST_TIMES), 1.0
    if not settled(enough):
        return math.inf
    while enough - few > 1e-10 * enough:
        middle = (few + enough) / 2
        few, enough = (few, middle) if settled(middle) else (middle, enough)
    return enough


def _shrunk(row: Comparison, alpha: float, times: float, many: int) -> float:
    r"""Return the gap between the difference and the worst difference that a gate cannot rule out, with more units.

    There are `many` units now, and there would be `times` as many. The gap g solves $g^2 = z^2 (s^2 + gk)$ for the
    standard error s and the effect k of one unseen unit. We find k from the present gap, and divide $s^2$ and k by
    `times`. If no unit moves the difference, the gap shrinks as the bound of the rule of three does.
    """
    gap = (row.worst or 0.0) - row.difference
    size = abs(gap)
    if not size:
        return gap
    if is_unmoved(row):
        return gap * rule_of_three_share(int(many * times + 1e-6), alpha) / rule_of_three_share(many, alpha)
    square = _quantile(1 - alpha / 2) ** 2
    variance = (row.spread or 0.0) ** 2
    step = (size**2 / square - variance) / size
    half = square * step / times / 2
    return math.copysign(half + math.sqrt(half**2 + square * variance / times), gap)


def _ends_of_gates(row: Comparison, alpha: float) -> tuple[float, float]:
    """Return the end of the interval that decides a pass and the one that decides a failure; higher is better for both.

    A significantly better run does not pass by its test alone. Suppose that a run wins little on many questions and
    loses much on a few. Most samples lack the few, and their test finds the run better. A test suffices only if all
    questions move the measure alike (`nescio.comparison.unseen.moves_alike`).
    """
    low, high = widened_interval(row, alpha)
    return guarded_end(row, alpha), -low if parse(row.measure).declaration.lower_is_better else high


def _rounded(count: float) -> int:
    """Return a count rounded up to two digits."""
    digits = max(0, math.floor(math.log10(count)) - 1) if count >= 1 else 0
    return math.ceil(round(count / 10**digits, 6)) * 10**digits


def regression(row: Comparison, alpha: float, margin: float, shift: float = 0.0) -> int:
    """Return 0 if the run is at most `margin` worse than its baseline, 1 if it is worse by more, else 3.

    The interval decides, after `shift` has moved its worse end. The end that decides a pass allows for losses that few
    questions do not show (`guarded_end`). A failure also needs a significant test of this pair, without adjustment for
    other runs. Without a margin, a run with the same outcome as its baseline on each of 30 questions or more passes.
    """
    unchanged = not margin and is_unmoved(row) and row.difference == 0 and row.units >= FEW
    low, high = (0.0, 0.0) if unchanged else _ends_of_gates(row, alpha)
    if low - shift >= -margin:
        return 0
    significant = row.verdict in ("worse", "lower") or (row.p is not None and row.p <= alpha)
    return 1 if high < -margin and significant else CANNOT_TELL
