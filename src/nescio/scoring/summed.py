"""What a tally holds of a measure: bins of confidence, or sums of graded scores, and how these were resampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from nescio.data.columns import bare
from nescio.data.evidence import Data, Tally
from nescio.data.graded_sums import Drawn, GradedSums
from nescio.data.notes import Note, note
from nescio.errors import UsageError, opt
from nescio.measures import Measure

SUMMED, POISSON = "measure.summed", "interval.poisson"  # remarks on what is made of sums


def is_summed(data: Data, measure: Measure) -> TypeGuard[Tally]:
    """Tell whether this is the mean of a graded score of which a tally holds the sum."""
    needs = [name for name in measure.needs if name != "n"]
    return measure.declaration.name == "mean" and {*map(bare, needs)} <= {*data.sums}


def is_binned(data: Data, measure: Measure) -> TypeGuard[Tally]:
    """Tell whether this is a measure of an order of which a tally holds bins."""
    return data.bins is not None and measure.binned


def sums_of(data: Tally, measure: Measure) -> GradedSums:
    """Return the sums of the graded score that a measure is the mean of (`is_summed`)."""
    (name,) = (name for name in measure.needs if name != "n")
    return GradedSums(data.sums[bare(name)], data.drawn)


def summed_note(drawn: Drawn) -> Note:
    """Say what a value that is made of sums has for an interval."""
    if not drawn.resamples:
        return note(SUMMED, "a tally holds only the sum, so there is no interval")
    return note(
        POISSON,
        "intervals and tests rest on {resamples:,} Poisson resamples by question id, which nescio tally drew (seed "
        "{seed})",
        resamples=drawn.resamples,
        seed=drawn.seed,
    )


def how_drawn(data: Data, measures: Sequence[Measure], resamples: int, seed: int) -> dict[str, object]:
    """Return the fields of a signature that say how the questions were resampled for these measures."""
    kinds: dict[tuple[str, int, int], None] = {}
    for measure in measures:
        if not is_summed(data, measure):
            kinds[f"patterns of {data.resampled}", resamples, seed] = None
        elif data.drawn.resamples:
            kinds["poisson, by question id", data.drawn.resamples, data.drawn.seed] = None
    return {
        name: "+".join(dict.fromkeys(map(str, values)))
        for name, values in zip(("draw", "resamples", "seed"), zip(*kinds, strict=True), strict=False)
    }


def fewest_resamples(data: Data, measures: Sequence[Measure], resamples: int) -> int:
    """Return how many resamples each of these measures has at least: those of a tally, or those asked for."""
    return min([resamples, *(data.drawn.resamples for measure in measures if is_summed(data, measure))])


def check_percentile(data: Data, measures: Sequence[Measure], methods: Mapping[str, str]) -> None:
    """Raise UsageError for a method that needs the questions of what a tally has but sums of."""
    for measure in measures:
        method = methods.get(measure.label, "percentile")
        if method != "percentile" and is_summed(data, measure):
            raise UsageError(
                f"{method} needs the scores of single questions, and a tally holds sums of {measure.label}; use "
                f"{opt('interval', 'percentile')} or auto"
            )
