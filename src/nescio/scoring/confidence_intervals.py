"""Choose and compute the interval of a value, and note what limits it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import outcome_tally
from nescio.data.notes import Note, note
from nescio.data.patterns import Patterns
from nescio.errors import UsageError
from nescio.estimating import cautions, closed_form, estimate, units_in
from nescio.estimating.cautions import FEW_DECIDE, FEW_UNITS
from nescio.estimating.measured import statistic_of
from nescio.estimating.methods import FEWEST_FREEDOM
from nescio.measures import Measure, OwnInterval
from nescio.measures.calibration import SURE_WRONG
from nescio.options.edge import Progress
from nescio.scoring.jackknife import deciding, degrees_of_freedom, left_out, moves
from nescio.scoring.resampled import by_draw, resample
from nescio.scoring.samples import ROUNDED, MeasureInput
from nescio.stats import intervals, parallel, resampling
from nescio.stats.chosen import hull_of_posteriors
from nescio.stats.few_units import unit_error
from nescio.stats.intervals import CoverageWarning, Interval
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

CONSTANT, SKEWED, RARE = "interval.constant", "interval.skewed", "interval.rare"
UNFIT, WITHHELD = "interval.unfit", "interval.withheld"
# The codes of notes which warn that an interval may cover the truth too seldom.
DOUBTS = (CONSTANT, FEW_UNITS, SKEWED, RARE, FEW_DECIDE, UNFIT, SURE_WRONG, ROUNDED)
IntervalMethod = Literal["auto", "percentile", "bca", "logit", "t", "dirichlet", "wilson"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)


class ResamplingPlan(Struct, frozen=True):
    """How the intervals of one call are computed: the level as a share, the blocks of resamples, the processes."""

    level: float
    blocks: Sequence[Block]
    jobs: int = 1


def method_for(measure: Measure, method: str, *, clustered: bool, shared: bool = False) -> str:
    """Return the interval method for a measure: the requested one, or the one that the coverage study supports.

    The study is docs/evidence/coverage.md. If many runs share the level (`shared`), each interval has a very high
    level, and the study docs/evidence/chosen.md decides. Raises UsageError if the requested method does
    not exist for the measure.
    """
    proportion, counted = measure.declaration.proportion is not None, measure.counts_outcomes
    if method == "auto":
        return _supported(measure, clustered=clustered, shared=shared)
    if method == "logit" and np.isinf(measure.bounds).all():
        raise UsageError(
            f"logit needs a measure with a lowest or highest value, and {measure.label} has neither; use percentile, "
            "bca or auto"
        )
    if method == "wilson" and not proportion:
        raise UsageError(f"wilson needs a simple proportion, which {measure.label} is not; use percentile, bca or auto")
    if method == "dirichlet" and not counted:
        raise UsageError(
            f"dirichlet needs a measure of only correct, incorrect and unanswered, but {measure.label} also uses "
            "other data; use percentile, bca or auto"
        )
    if method in ("wilson", "dirichlet") and clustered:
        raise UsageError(
            f"{method} treats questions as independent, but these questions are clustered; use percentile, bca or auto"
        )
    return method


def _supported(measure: Measure, *, clustered: bool, shared: bool) -> str:
    """Return the interval method that the studies support for a measure, or "none" if none is known to hold for it."""
    proportion, counted = measure.declaration.proportion is not None, measure.counts_outcomes
    declared = measure.declaration.interval
    if isinstance(declared, OwnInterval) and (declared.clustered or not clustered):
        return declared.name
    if not measure.declaration.resampling_covers:
        return "none"
    if not clustered and (proportion or counted):
        if shared:
            return "clopper-pearson" if proportion else "imprecise"
        return "dirichlet" if counted else "wilson"
    if clustered or declared == "percentile":
        return "t"
    return str(declared)


Bounds = tuple[float, float, list[Note]]


def bounds(
    inputs: Sequence[MeasureInput], methods: Mapping[str, str], plan: ResamplingPlan, progress: Progress | None = None
) -> list[Bounds]:
    """Return the interval of each run and measure, and notes on it.

    `methods` maps a measure's label to its method. `progress` is told how many blocks of draws are done, over all runs
    and measures.
    """
    intervals_of: dict[int, Bounds] = {}
    blocks, furthest = len(plan.blocks), 0

    def tell(beyond: int = 0) -> None:
        nonlocal furthest
        furthest = max(furthest, blocks * len(intervals_of) + beyond)
        if progress:
            progress(furthest, blocks * len(inputs))

    resampled: list[int] = []
    posteriors: list[int] = []
    for place, sample in enumerate(inputs):
        method = methods[sample.measure.label]
        interval = sample.measure.declaration.interval
        if method == "none":
            intervals_of[place] = (*intervals.UNDEFINED, [] if math.isnan(sample.value) else [withheld()])
        elif method == "wilson":
            intervals_of[place] = _wilson(sample, plan.level)
        elif isinstance(interval, OwnInterval) and method == interval.name:
            intervals_of[place] = _own(sample, interval, plan)
        elif method == "clopper-pearson":
            intervals_of[place] = _exact(sample, plan.level)
        elif method == "imprecise":
            intervals_of[place] = _imprecise(sample, plan.level)
            tell()
        elif method == "t":
            intervals_of[place] = _student(sample, plan.level)
        else:
            (posteriors if method == "dirichlet" else resampled).append(place)
    for posterior, places in ((True, posteriors), (False, resampled)):
        some = [inputs[place] for place in places]
        drawn = (
            _from_posteriors(some, plan)
            if posterior
            else resample(some, plan.blocks, plan.jobs, tell if progress else None)
        )
        for i, values in drawn:
            method = methods[some[i].measure.label]
            intervals_of[places[i]] = (
                _hull(some[i], values, plan.level) if posterior else _interval(some[i], method, values, plan.level)
            )
            tell()
    return [intervals_of[place] for place in range(len(inputs))]


def _interval(sample: MeasureInput, method: str, values: NDArray[np.float64], level: float) -> Bounds:
    """Return the interval of a run's value by this method, from the `values` on all resamples, and notes on it."""
    point = sample.value
    made = remarks(method, values, sample.patterns.units)
    if not sample.measure.declaration.resampling_covers and not np.isnan(point):
        made.append(unfit(method))
    if method == "logit" and not np.isnan(point):
        freedom = degrees_of_freedom(sample)
        limits = sample.measure.bounds
        low, high = intervals.logit(point, float(np.nanstd(values)), limits, freedom, level)
        if np.isnan(low) and min(abs(point - limit) for limit in limits) <= 1e-12:
            low, high = intervals.at_limit(point, limits, sample.measure.deciding(sample.patterns), level)
        elif sample.measure.order is not None and np.isnan(values).any() and deciding(sample.patterns) <= 1:
            low, high = intervals.UNDEFINED
        if np.isnan(low):
            made.append(cautions.no_spread(sample.patterns.units))
        elif freedom < intervals.FEW_DECIDE:
            made.append(cautions.few_decide("logit"))
        return low, high, made
    low, high = _from_values(sample, point, method, values, level)
    if point < low or point > high:
        made.append(
            note(
                "interval.outside",
                "the value lies outside its own {method} interval, because resamples of this measure are biased",
                method=method,
            )
        )
    elif np.isnan(low) and not np.isnan(point) and CONSTANT not in {remark.code for remark in made}:
        made.append(
            note(
                "interval.one_sided",
                "the {method} interval is undefined because all resamples lie on one side of the value",
                method=method,
            )
        )
    return low, high, made


def _from_values(
    sample: MeasureInput, point: float, method: str, values: NDArray[np.float64], level: float
) -> Interval:
    if np.isnan(point):
        return intervals.UNDEFINED
    if method == "bca":
        return intervals.bca(values, point, *left_out(sample), level)
    low, high = intervals.percentile(values, level)
    return (low, high) if high - low > 1e-12 * max(1.0, abs(point)) else intervals.UNDEFINED


def _hull(sample: MeasureInput, posteriors: NDArray[np.float64], level: float) -> Bounds:
    """Return the smallest interval that holds the value and the intervals of all posteriors.

    `posteriors` has the drawn values, shape (posteriors, draws). The value is included because a run that is never
    right lies at the end of the range, which no posterior reaches.
    """
    point = sample.value
    if np.isnan(point):
        return *intervals.UNDEFINED, []
    ends = np.array([intervals.percentile(values, level) for values in posteriors])
    low, high = np.nanmin(ends[:, 0]), np.nanmax(ends[:, 1])
    return float(min(low, point)), float(max(high, point)), []


def unfit(method: str) -> Note:
    """Return a note that the interval by this method covers the true value less often than it claims."""
    return note(UNFIT, "the {method} interval covers the true value less often than it claims", method=method)


def withheld() -> Note:
    """Return a note that no interval is given, because no known method covers the true value as often as it claims."""
    return note(WITHHELD, "no interval is given, because no known method covers the true value as often as it claims")


def hold_together(runs: int, level: float, *, parts: bool = False) -> Note:
    """Return a note that the intervals hold for all runs together, for one measure (and one stratum, if `parts`)."""
    return note(
        "interval.simultaneous",
        "for each {of}, intervals hold for all {runs} runs together, and so also for the best run, whichever run "
        "that is: each interval is at {level:.5g}%",
        of="measure and part of the questions" if parts else "measure",
        runs=runs,
        level=100 * level,
    )


def _own(sample: MeasureInput, interval: OwnInterval, plan: ResamplingPlan) -> Bounds:
    if np.isnan(sample.value):
        return *intervals.UNDEFINED, []
    rng = plan.blocks[0].generator(Stream.MAGNITUDES)
    low, high = interval.of(sample.patterns, plan.level, rng, **sample.measure.parameters)
    few = sample.patterns.units < intervals.FEW and interval.clustered
    made = [cautions.few_units(interval.name)] if few else []
    if np.isinf(low) or np.isinf(high):
        made.append(
            note(
                "interval.one_end",
                "so few questions do not show how {end} the true value may be",
                end="low or high" if np.isinf(low) and np.isinf(high) else "low" if np.isinf(low) else "high",
            )
        )
    return low, high, made


def _student(sample: MeasureInput, level: float) -> Bounds:
    """Return Student's interval of a value, on the logit scale if the measure's range has two limits, and notes."""
    measure, patterns, point = sample.measure, sample.patterns, sample.value
    if math.isnan(point):
        return *intervals.UNDEFINED, []
    if measure.order is not None:
        return _ordered(sample, level)
    agreeing = None
    if measure.declaration.proportion:
        agreeing = int(patterns.counts[patterns.columns[measure.declaration.proportion[1]] > 0].sum())
    method = partial(closed_form, level=level, agreeing=agreeing)
    made = estimate(units_in(patterns), statistic_of(measure), method)
    return made.low, made.high, list(made.warnings)


def _ordered(sample: MeasureInput, level: float) -> Bounds:
    """Return Student's interval of an ordered measure, from the changes that leaving out each unit makes."""
    moved, size = moves(sample.measure, sample.patterns)
    error, freedom = unit_error(moved, size, np.ones(len(size), dtype=np.int64))
    freedom = min(freedom, deciding(sample.patterns))
    low, high = intervals.logit(sample.value, error, sample.measure.bounds, freedom, level)
    if np.isnan(low):
        return low, high, [cautions.no_spread(sample.patterns.units)]
    return low, high, [cautions.few_decide("t")] if freedom < FEWEST_FREEDOM else []


def _imprecise(sample: MeasureInput, level: float) -> Bounds:
    if math.isnan(sample.value):
        return *intervals.UNDEFINED, []
    patterns = as_outcomes(sample).patterns
    counts = [int(count) for count in patterns.counts]
    return *hull_of_posteriors(counts, lambda shares: sample.measure.value(patterns, shares), level), []


def _exact(sample: MeasureInput, level: float) -> Bounds:
    return *intervals.clopper_pearson(*_parts(sample), level), []


def exact_counts(inputs: Sequence[MeasureInput], methods: Mapping[str, str]) -> list[tuple[float, float] | None]:
    """Return the numerator and denominator of each proportion that gates decide by its exact interval, else None.

    Questions must be independent, and the measure must have some interval. All other methods miss the true value of
    some proportions on one side too often, so that a gate would err more often than it says.
    """
    return [
        _parts(sample)
        if sample.measure.declaration.proportion is not None and sample.measure.label in methods
        else None
        for sample in inputs
    ]


def _parts(sample: MeasureInput) -> tuple[float, float]:
    """Return the numerator and the denominator of a proportion."""
    part, whole = (_total(sample, name) for name in sample.measure.declaration.proportion or ("", ""))
    return part, whole


def _wilson(sample: MeasureInput, level: float) -> Bounds:
    part, whole = _parts(sample)
    rare = note(
        RARE,
        "all but {questions} or fewer questions have the same result: treat the {method} interval as approximate",
        questions=intervals.RARE,
        method="wilson",
    )
    return *intervals.wilson(part, whole, level), [rare] if intervals.is_rare(part, whole) else []


def _total(sample: MeasureInput, column: str) -> float:
    return float(sample.patterns.counts @ sample.patterns.columns[column])


def as_outcomes(sample: MeasureInput) -> MeasureInput:
    """Return the run with its questions counted by the three outcomes, 0 for an outcome that did not occur."""
    counts = sample.patterns.counts
    totals = [[int(counts @ sample.patterns.columns[name]) for name in OUTCOMES]]
    tally = outcome_tally(("",), np.array(totals))
    patterns = Patterns({**sample.measure.each(tally.columns), "n": np.ones(3)}, tally.counts[0])
    return MeasureInput(sample.run, sample.measure, patterns, sample.n, sample.draw)


def _from_posteriors(inputs: Sequence[MeasureInput], plan: ResamplingPlan) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the index of each input with the values of its measure, drawn from the posteriors of the run's outcomes."""
    size = sum(block.size for block in plan.blocks)
    for group in by_draw(inputs, range(len(inputs))):
        samples = [as_outcomes(inputs[place]) for place in group]
        if not samples[0].n:
            yield from ((place, np.full((1, size), np.nan)) for place in group)
            continue
        cells = len(samples[0].patterns.counts) * size
        parts = parallel.in_chunks(partial(_posterior, samples), plan.blocks, plan.jobs, cells)
        yield from zip(group, map(np.hstack, zip(*parts, strict=True)), strict=True)


def _posterior(samples: Sequence[MeasureInput], blocks: Sequence[Block]) -> list[NDArray[np.float64]]:
    """Return the values of each measure under draws from every posterior, shape (posteriors, draws)."""
    counts = samples[0].patterns.counts
    correct, incorrect, _ = map(int, counts)
    priors = resampling.priors(correct, incorrect)
    values = [partial(sample.measure.value, sample.patterns) for sample in samples]
    return resampling.on_draws(lambda part: resampling.posterior(counts, part, priors), values, blocks, priors.size)


def remarks(method: str, values: NDArray[np.float64], units: int) -> list[Note]:
    """Return notes on resamples without a value, and on data for which the interval method is known to fail."""
    made = []
    if units and np.isnan(values).any():
        made.append(
            note(
                "interval.undefined_resamples",
                "undefined on some resamples; the {method} interval leaves these resamples out",
                method=method,
            )
        )
    doubt = intervals.coverage_warning(method, values, units)
    if doubt is CoverageWarning.CONSTANT and method != "logit":
        made.append(
            note(
                CONSTANT,
                "every resample has the same value, so the {method} interval is undefined: these questions do not "
                "show how far away the true value may be",
                method=method,
            )
        )
    elif doubt is CoverageWarning.FEW_UNITS:
        made.append(cautions.few_units(method))
    elif doubt is CoverageWarning.SKEWED:
        made.append(
            note(
                SKEWED,
                "the resampled values are skewed: treat the {method} interval as approximate",
                method=method,
            )
        )
    return made
