"""Read the labels of answers that were asked at a stake, such as `stake=3` or `t=0.75`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from nescio.errors import UsageError

STAKE = "stake"
SIMPLE = 1_000  # A fraction with a larger denominator is written with all digits of a float.
TARGETS = ("t", "target", "threshold", "confidence_target")  # columns that hold t, and not the price of an error
LABEL = re.compile(rf"({'|'.join((STAKE, 'lambda', 'penalty', *TARGETS))})=(.+)")


@cache
def label(column: str, stake: str) -> str:
    """Return the label of an answer that was asked at a stake, such as "t=0.75" for the column `t` and the stake
    "0.75".

    If the column's name does not name a stake, the label is the stake alone.
    """
    made = f"{column.lower()}={stake}"
    return made if LABEL.fullmatch(made) else stake


def are_stated(labels: Iterable[str]) -> bool:
    """Return whether each label is a stake and names its scale, as `stake=3` (a penalty) and `t=0.75` (a target) do."""
    try:
        return penalties(labels) is not None
    except UsageError:  # The column has this name, but other content.
        return False


def penalty(text: str, *, target: bool) -> Fraction:
    """Return the penalty λ that a text states, as an exact fraction (1/3 for 0.3333333333333333).

    If `target` is true, the text is a confidence target t, for which λ = t/(1 − t). Raises UsageError for a text that
    is not a stake.
    """
    try:
        value = Fraction(text)
        simple = value.limit_denominator(SIMPLE)
        value = simple if float(simple) == float(value) else value
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"{text!r} is not a stake: write the price of an error, or a target from 0 to 1") from None
    if value < 0 or (target and value >= 1):
        rule = "a target must be at least 0 and below 1" if target else "the price of an error must be at least 0"
        raise UsageError(f"{text!r} is not a stake: {rule}")
    return value / (1 - value) if target else value


def penalties(labels: Iterable[str], scale: str = "auto") -> dict[str, Fraction] | None:
    """Return the penalty λ of each label, keyed by label; None if a label does not name its scale and `scale` is
    "auto".

    `scale` is "penalty", "target", or "auto", which takes the scale from the name before the equals sign. Raises
    UsageError for a label that is not a stake.
    """
    prices = {}
    for text in dict.fromkeys(labels):
        stated = LABEL.fullmatch(text)
        if stated is None and scale == "auto":
            return None
        name, value = stated.groups() if stated else ("", text)
        prices[text] = penalty(value, target=scale == "target" or (scale == "auto" and name in TARGETS))
    return prices
