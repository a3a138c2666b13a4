"""A formula of one's own: it is read as arithmetic only, and is a measure of counts like any other."""

from __future__ import annotations

import pytest

import nescio
from nescio.errors import UsageError
from tests.rings import together


@together(
    "text, part",
    [
        ("C^2", "**"),
        ("C + Q", "Q is not understood"),
        ('__import__("os")', '__import__("os") is not understood'),
        ("C.real", "C.real is not understood"),
        ("C if U else W", "C if U else W is not understood"),
        ("C < W", "C < W is not understood"),
        ("1j", "1j is not understood"),
        ("True", "True is not understood"),
        ("(C", "cannot be read"),
        ("C +", "cannot be read"),
        ("(" * 400 + "C" + ")" * 400, "at most 500 characters"),
        ("-" * 499 + "C", ""),
        ("C  # right", "# is not understood"),
        ("9**9**9**9", "is too large a number"),
        ("C + 10**400", "10**400 is too large a number"),
        ("C / 1e999", "1e999 is too large a number"),
        ("C + 1" + "0" * 400, "is too large a number"),
    ],
)
def test_what_is_no_arithmetic_of_the_counts_is_named(text: str, part: str) -> None:
    if not part:  # deep, but arithmetic
        assert nescio.measure(f"formula({text})")(3, 1, 0) == -3
        return
    with pytest.raises(UsageError) as refused:
        nescio.measure(f"formula({text})")
    assert part in str(refused.value)


def test_it_has_the_interval_and_the_exact_test_of_the_measure_that_it_writes_down() -> None:
    theirs, own = "c@1", "formula((C + U*C/n)/n)"
    scores = nescio.score("examples/outcomes.csv", [theirs, own])
    pairs = nescio.compare("examples/outcomes.csv", [theirs, own], baseline="old")
    for run in ("mine", "old", "other"):
        known, written = (next(r for r in scores if r.run == run and r.measure == m) for m in (theirs, own))
        assert (written.value, written.low, written.high) == pytest.approx(
            (known.value, known.low, known.high), rel=1e-12
        )
    for run in ("mine", "other"):
        theirs_of, own_of = (next(r for r in pairs if r.run == run and r.measure == m) for m in (theirs, own))
        assert (own_of.difference, own_of.p) == pytest.approx((theirs_of.difference, theirs_of.p), rel=1e-12)
        assert own_of.test == theirs_of.test


def test_its_name_is_read_again() -> None:
    measure = nescio.measure("formula((C - W/3) / n)")
    assert nescio.measure(measure.name)(10, 3, 2) == measure(10, 3, 2) == 9 / 15


def test_a_formula_that_divides_by_nothing_is_undefined() -> None:
    assert nescio.measure("formula(C/(C+W))")(0, 0, 4) != nescio.measure("formula(C/(C+W))")(0, 0, 4)


@pytest.mark.parametrize("text", ["1/(0*1)", "0*C + (0-1)**0.5", "C**C**C", "C/(n-n)", "0**(-1)"])
def test_what_has_no_finite_value_is_undefined(text: str) -> None:
    """By hand: 1/0, the root of -1, 9**9**9 (some 370 million digits), 12/0 and 1/0 are no numbers that a float holds."""
    value = nescio.measure(f"formula({text})")(9, 2, 1)
    assert value != value
