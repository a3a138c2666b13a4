"""Make the notes that warn about intervals."""

from __future__ import annotations

from nescio.data.notes import Note, note
from nescio.stats import intervals

FEW_UNITS, FEW_DECIDE = "interval.few_units", "interval.few_decide"


def few_units(method: str) -> Note:
    """Return the warning that there are few questions or clusters, so that the interval by `method` is approximate."""
    return note(
        FEW_UNITS,
        "fewer than {units} questions or clusters to resample: treat the {method} interval as approximate",
        units=intervals.FEW,
        method=method,
    )


def few_decide(method: str) -> Note:
    """Return the warning that a few questions decide the value, so that the interval by `method` is approximate."""
    return note(
        FEW_DECIDE, "only a few questions decide the value: treat the {method} interval as approximate", method=method
    )


def no_spread(units: int) -> Note:
    """Return the note that there is no interval, because these `units` (questions or clusters) show no spread."""
    return note(
        "interval.no_spread",
        "no interval: the questions do not show how far away the true value may be, because {units:there is only one "
        "question or cluster/no question or cluster changes the value, or very few decide it}",
        units=units,
    )
