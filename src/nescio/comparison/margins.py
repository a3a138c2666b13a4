"""Say which margins and which limits can decide about a measure, by the range of values that it declares."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.errors import UsageError, opt
from nescio.measures import Measure

USUAL = 0.01
NARROWEST, WIDEST = 0.25, 10.0  # a range that is about 1 wide: 0.01 is small in it, and not too small to be ruled out
ROUNDING = 1e-9


def margin_of(measure: Measure, stated: float | None) -> float | None:
    """Return the largest difference that does not matter by a measure: `stated`, or 0.01 if the range is about 1 wide.

    Without a stated margin, it is None for a measure without a finite range, because its unit may be dollars or
    milliseconds. It is None, too, if no difference can be larger than the stated margin.
    """
    if stated is not None:
        return stated if stated < _width(measure) else None
    return USUAL if NARROWEST <= _width(measure) <= WIDEST + ROUNDING else None


def shared_margin(measures: Sequence[Measure], stated: float | None) -> dict[str, str]:
    """Return the field of a signature with the margin that holds for all measures; empty if there is none."""
    known = stated is not None or all(margin_of(measure, None) is not None for measure in measures)
    return {"margin": f"{USUAL if stated is None else stated:g}"} if known else {}


def unstated(measure: Measure, how: str) -> str:
    """Return why a gate on a measure needs a stated margin; `how` names the options that state it."""
    return (
        f"a gate on {measure.label} needs {how}, the largest loss that does not matter, in the unit of this measure: "
        f"the default of {USUAL:g} is only for measures whose range is about 1 wide"
    )


def empty_margin(measure: Measure, margin: float | None) -> str:
    """Return why a margin can decide nothing: no difference is larger. The text is empty for any other margin."""
    if margin is None or margin < _width(measure):
        return ""
    return (
        f"no difference of {measure.label} is larger than {_width(measure):g}, so a margin of {margin:g} decides "
        f"nothing{_as_share(margin, measure)}"
    )


def empty_limit(measure: Measure, limit: float, *, ceiling: bool) -> str:
    """Return why a limit can decide nothing: every value meets it, or none can. The text is empty for other limits."""
    low, high = measure.bounds
    always, never = (limit >= high, limit < low) if ceiling else (limit <= low, limit > high)
    if not always and not never:
        return ""
    return (
        f"{measure.label} is between {low:g} and {high:g}, so it is {'always' if always else 'never'} at "
        f"{'most' if ceiling else 'least'} {limit:g}{_as_share(limit, measure)}"
    )


def check_margins(measures: Sequence[Measure], margin: float | None, *, named: bool) -> None:
    """Raise UsageError if a margin can decide nothing about a measure that decides which run is better.

    These are all measures that rank runs if the user `named` the measures, otherwise the first of them.
    """
    deciding = [measure for measure in measures if not measure.declaration.descriptive]
    for measure in deciding if named else deciding[:1]:
        if why := empty_margin(measure, margin):
            raise UsageError(f"{opt('margin', margin)}: {why}")


def gate_margin(measure: Measure, stated: float | None) -> float:
    """Return the margin of a gate on a measure. Raises UsageError if nobody stated a margin and it has no default."""
    margin = margin_of(measure, stated)
    if margin is None:
        raise UsageError(unstated(measure, opt("margin", of="VALUE")))
    return margin


def _width(measure: Measure) -> float:
    return measure.bounds[1] - measure.bounds[0]


def _as_share(number: float, measure: Measure) -> str:
    """Return how to write a number that seems to be a percentage of a measure whose values are shares."""
    within = measure.bounds == (0, 1) and 1 < number <= 100
    return f"; write {number / 100:g} for {number:g} per cent" if within else ""
