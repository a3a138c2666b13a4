"""A formula of one's own: it is read as arithmetic only, and is a measure of counts like any other."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import nescio
from nescio.data.columns import OUTCOMES
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
        ("C + * U", "cannot be read at '* U'"),
        ("(" * 400 + "C" + ")" * 400, "at most 500 characters"),
        ("C  # right", "# is not understood"),
        ("9**9**9**9", "is too large a number"),
        ("C + 10**400", "10**400 is too large a number"),
        ("C / 1e999", "1e999 is too large a number"),
        ("C + 1" + "0" * 400, "is too large a number"),
    ],
)
def test_what_is_no_arithmetic_of_the_counts_is_named(text: str, part: str) -> None:
    with pytest.raises(UsageError) as refused:
        nescio.measure(f"formula({text})")
    assert part in str(refused.value)


def test_it_has_the_interval_and_the_exact_test_of_the_measure_that_it_writes_down() -> None:
    both = ["c@1", "formula((C + U*C/n)/n)"]
    scores = nescio.score("examples/outcomes.csv", both)
    for run in ("mine", "old", "other"):
        known, written = ([row.value, row.low, row.high] for row in (scores[run, name] for name in both))
        assert written == pytest.approx(known, rel=1e-12)
    pairs = {(row.run, row.measure): row for row in nescio.compare("examples/outcomes.csv", both, baseline="old")}
    for run in ("mine", "other"):
        theirs, own = (pairs[run, name] for name in both)
        assert (own.difference, own.p) == pytest.approx((theirs.difference, theirs.p), rel=1e-12)
        assert own.test == theirs.test


def test_its_name_is_read_again() -> None:
    measure = nescio.measure("formula((C - W/3) / n)")
    assert nescio.measure(measure.name)(10, 3, 2) == measure(10, 3, 2) == 9 / 15
    assert nescio.measure("formula(" + "-" * 499 + "C)")(3, 1, 0) == -3  # deep, but arithmetic


@together("text", ["1/(0*1)", "0*C + (0-1)**0.5", "C**C**C", "C/(n-n)", "0**(-1)", "C/(U-1)"])
def test_what_has_no_finite_value_is_undefined(text: str) -> None:
    """By hand: 1/0, the root of -1, 9**9**9 (some 370 million digits), 12/0, 1/0 and 9/0 are no numbers that a float
    holds."""
    assert math.isnan(nescio.measure(f"formula({text})")(9, 2, 1))


@pytest.mark.parametrize(
    "figures",
    [
        lambda path, **how: nescio.score(path, labels=path, **how),
        lambda path, **how: nescio.compare(path, baseline="old", labels=path, **how),
        lambda path, **how: nescio.score(path, next=200, **how),
        lambda path, **how: nescio.compare(path, baseline="old", run="new", looks=True, **how),
        lambda path, **how: nescio.plan(path, run="new", baseline="old", difference=0.2, **how),
        lambda _, **how: nescio.plan(rates=((0.6, 0.2, 0.2), (0.5, 0.3, 0.2)), difference=0.2, **how),
    ],
)
def test_figures_for_other_numbers_of_questions_need_a_formula_of_shares(
    tmp_path: Path, figures: Callable[..., object]
) -> None:
    """C - W of 200 questions is not that of 40, and corrected means of its columns are shares."""
    rows = [f"{run},q{i},{OUTCOMES[i * step % 4 % 3]}" for run, step in (("old", 1), ("new", 3)) for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    figures(path, measures="formula((C - W) / n)")
    with pytest.raises(UsageError, match="depends on the number of questions; use a formula that divides by n"):
        figures(path, measures="formula(C - W)")


def test_a_formula_without_a_range_has_no_detectable_difference(tmp_path: Path) -> None:
    """The tests of counts move in steps of the range over the number of questions, which is unknown."""
    path = tmp_path / "t.csv"
    rows = [f"{run},q{i},{OUTCOMES[i * step % 4 % 3]}" for run, step in (("old", 1), ("new", 3)) for i in range(40)]
    path.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    (row,) = nescio.compare(path, "formula((C - W) / n)", baseline="old").rows
    assert row.detectable is None
