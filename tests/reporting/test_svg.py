"""The scales and axes of charts: round numbers that hold all values, and labels that tell them apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.reporting.svg import Chart, Scale, around, ticks, written

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda value: round(value, 4))


@pytest.mark.parametrize(
    ("ends", "most", "shown"),
    [
        ((0, 1), 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((0.31, 0.52), 4, ["0.35", "0.40", "0.45", "0.50"]),
        ((-0.5, 1), 4, ["−0.5", "0.0", "0.5", "1.0"]),
        ((3, 3), 5, ["3"]),
    ],
)
def test_an_axis_has_round_numbers(ends: tuple[float, float], most: int, shown: list[str]) -> None:
    assert written(ticks(*ends, most)) == shown


def test_numbers_are_written_as_shares_and_with_signs() -> None:
    assert written([0, 0.125, 1], "%") == ["0.0%", "12.5%", "100.0%"]
    assert written([-0.5, 0, 0.5], "+") == ["−0.5", "0.0", "+0.5"]


@given(st.lists(NUMBERS, min_size=1), st.integers(2, 12), st.booleans())
def test_ends_hold_all_values_and_numbers_keep_within_them(values: list[float], most: int, zero: bool) -> None:
    low, high = around([*values, math.nan], zero=zero)
    every = [*values, *([0.0] if zero else [])]
    slack = 1e-6 * max(1.0, high - low)
    assert low - slack <= min(every) <= max(every) <= high + slack
    marks = ticks(low, high, most)
    assert 1 <= len(marks) <= most
    assert all(low - slack <= mark <= high + slack for mark in marks)
    assert len(set(written(marks))) == len(marks)


def test_what_has_no_place_is_not_drawn() -> None:
    chart = Chart(10, 10)
    chart.dot(math.nan, 5, 1, "black")
    chart.rule((0, 0, 1, math.nan), "black")
    chart.path([(0, 0), (1, math.nan), (2, 2)], "black")
    assert "nan" not in chart.svg()
    assert chart.svg().count("<path") == 1
    assert 'd="M0,0L2,2"' in chart.svg()
    assert Scale(2, 2, 0, 10)(2) == 5  # the middle, where all values are the same
