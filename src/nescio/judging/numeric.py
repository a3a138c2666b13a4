"""The answer states the number of a gold answer, within a tolerance and in any unit."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache

from nescio.data.model import Question
from nescio.errors import MismatchError
from nescio.judging._judge import judge
from nescio.judging._numbers import Quantity, quantities, spells_number
from nescio.judging._units import DECADE, MONEY, PERCENT, convert, need_libraries

WHICH = ("all", "first", "last", "any")
# the word that an English text denies
_DENIED = re.compile(r"(?:\bnot|n['’]t)[^\S\n]+(\S+)(?![^\S\n]+of\b)", re.IGNORECASE)
_EXACT = Context(prec=50, traps=[])  # No text can raise an error here.
_CONVERTED = Decimal("1e-9")  # the relative error of a conversion between units


@judge(
    "numeric",
    valid={
        "tolerance": ("tolerance, a share of the gold value, must be at least 0 and below 1", lambda t: 0 <= t < 1),
        "absolute": ("absolute must be 0 or more", lambda t: t >= 0),
        "which": (f"the parameter `which` must be one of {', '.join(WHICH)}", lambda w: w in WHICH),
        "decimal": ("decimal must be dot or comma", lambda d: d in ("dot", "comma")),
    },
    check=lambda **_: need_libraries(),
)
def numeric(
    question: Question,
    answer: str,
    *,
    tolerance: float = 0.0,
    absolute: float = 0.0,
    which: str = "all",
    decimal: str = "dot",
) -> bool:
    r"""Call an answer right if the numbers of the answer are those of a gold answer: $|a - g| \le
    \max(\text{tolerance}\cdot|g|, \text{absolute})$.

    By default the answer must state as many numbers as the gold answer, in the same order: "3 or 4" is not 3, and
    neither is "not 3". `which` takes only the `first` or the `last` number of the answer, or `any` (each number of gold
    must be somewhere in it). Thousands may be separated. Numbers may be written as fractions, with powers of ten or in
    English words.

    Units of one kind are converted. Units of different kinds, or different currencies, are wrong. A unit that only one
    side states is assumed for the other; other words are not units. 50% equals 50 and 0.5, unless both sides have a
    percent sign. An answer without a number is wrong. A question without a number in any gold answer raises
    MismatchError.
    """
    mark = "," if decimal == "comma" else "."
    gold = _gold(question.answers, mark)
    if not gold:
        raise MismatchError(
            f"question {question.id!r}: no gold answer holds a number, so the judge `numeric` cannot judge "
            "an answer to it "
            f"(found {list(question.answers)!r})"
        )
    stated = quantities(answer, mark)
    if not stated:
        return False
    if which == "all":
        denied = _denies_number(answer)
        gold = _gold(tuple(text for text in question.answers if _denies_number(text) == denied), mark)
    bounds = Decimal(repr(tolerance)), Decimal(repr(absolute))
    return any(_states(stated, numbers, which, bounds) for numbers in gold)


def states(gold: Quantity, answer: str) -> bool:
    """Return whether an answer states exactly the number `gold`, by the rules of the judge `numeric`.

    Numbers in words are read only if there are no digits, so that the libraries are needed only for these and for
    units.
    """
    in_words = not any(map(str.isdecimal, answer))
    if in_words:
        if not spells_number(answer):
            return False
        need_libraries()
    if _denies_number(answer):
        return False
    return _states(quantities(answer, in_words=in_words), (gold,), "all", (Decimal(0), Decimal(0)))


def _denies_number(answer: str) -> bool:
    """Return whether a number follows an English "not", as in "it isn't 7".

    A number in words counts only if the answer has no digits.
    """
    in_digits = any(map(str.isdecimal, answer))
    words = (match[1] for match in _DENIED.finditer(answer))
    return any(any(map(str.isdecimal, word)) if in_digits else spells_number(word) for word in words)


@lru_cache(maxsize=1 << 14)
def _gold(answers: tuple[str, ...], mark: str) -> tuple[tuple[Quantity, ...], ...]:
    by_text = (tuple(quantities(text, mark)) for text in answers)
    return tuple(numbers for numbers in by_text if numbers)


def _states(stated: list[Quantity], gold: tuple[Quantity, ...], which: str, bounds: tuple[Decimal, Decimal]) -> bool:
    if which == "any":
        return all(any(_equal(quantity, number, bounds) for quantity in stated) for number in gold)
    many = len(gold)
    part = stated[:many] if which == "first" else stated[-many:] if which == "last" else stated
    return len(part) == many and all(_equal(a, g, bounds) for a, g in zip(part, gold, strict=True))


def _equal(stated: Quantity, gold: Quantity, bounds: tuple[Decimal, Decimal]) -> bool:
    value, slack = stated.value, Decimal(0)
    one_percent = (stated.unit == PERCENT) != (gold.unit == PERCENT) and (stated.unit is None or gold.unit is None)
    if one_percent:
        hundredth = _EXACT.multiply(value, Decimal("0.01" if stated.unit == PERCENT else "100"))
        return _near(value, gold.value, bounds) or _near(hundredth, gold.value, bounds)
    if DECADE in (stated.unit, gold.unit) and stated.unit != gold.unit:
        return False
    if stated.unit and gold.unit and stated.unit != gold.unit:
        if PERCENT in (stated.unit, gold.unit):
            return False
        if MONEY & {stated.unit, gold.unit}:
            if {stated.unit, gold.unit} != {"pound", "£"}:
                return False
        else:
            converted = convert(value, stated.unit, gold.unit)
            if converted is None:
                return False
            value, slack = converted, _EXACT.multiply(_CONVERTED, gold.value.copy_abs())
    return _near(value, gold.value, (bounds[0], max(bounds[1], slack)))


def _near(value: Decimal, gold: Decimal, bounds: tuple[Decimal, Decimal]) -> bool:
    if not (value.is_finite() and gold.is_finite()):
        return False
    allowed = max(_EXACT.multiply(bounds[0], gold.copy_abs()), bounds[1])
    return bool(_EXACT.subtract(value, gold).copy_abs() <= allowed)
