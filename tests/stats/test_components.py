"""Crossed factors: statistics3, section 5, and statistics3-b, section 6, worked by independent scripts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from nescio.stats.components import WITHIN, Components, additions, balanced, clustered, floor, within_budget

Design = tuple[NDArray[np.float64], list[NDArray[np.int64]]]


def design(text: str, levels: tuple[int, ...]) -> Design:
    """The digits of a text, row by row, and the level of each by each factor; samples are the last."""
    values = np.array([float(one) for one in text if one in "01"])
    return values, [code.ravel() for code in np.indices(levels)]


QUESTIONS_PROMPTS = design("00 00 11 / 11 10 11 / 00 00 10 / 00 11 11", (4, 3, 2))


def test_two_factors_of_section_5() -> None:
    values, codes = QUESTIONS_PROMPTS
    found = balanced(values, codes[:2])
    assert found is not None
    assert [found.squares[s] for s in ((0,), (1,), (0, 1), WITHIN)] == pytest.approx([5 / 9, 7 / 8, 19 / 72, 1 / 12])
    assert [found.components[s] for s in ((0,), (1,), (0, 1), WITHIN)] == pytest.approx(
        [7 / 144, 11 / 144, 13 / 144, 1 / 12], abs=1e-12
    )
    wanted = {(0, 1): 0.2204792759, (0,): 0.1521451549, (1,): 0.1909406540, (): 0.0589255651}
    assert {over: found.spread(over).error for over in wanted} == pytest.approx(wanted, abs=1e-9)
    assert found.spread((0, 1)).variance == pytest.approx(7 / 144)


def test_what_to_add_next_of_section_5() -> None:
    found = balanced(QUESTIONS_PROMPTS[0], QUESTIONS_PROMPTS[1][:2])
    assert found is not None
    made = additions(found, (0, 0), 1.0)
    by = {one.factor: (one.variance, one.gain, floor(found, one.factor)) for one in made}
    assert made[0].factor == 1
    assert by[0] == pytest.approx((0.0439814815, 0.0007716049, 0.0254629630), abs=1e-9)
    assert by[1] == pytest.approx((0.0394965278, 0.0011393229, 0.0121527778), abs=1e-9)
    assert by[None] == pytest.approx((0.0474537037, 0.0000964506, 0.0451388889), abs=1e-9)


def test_unbalanced_of_section_5() -> None:
    """The same answers clustered by both; then without the 2nd, 9th, 10th and 24th."""
    values, codes = QUESTIONS_PROMPTS
    whole = clustered((values - values.mean()) / len(values), codes[:2], (0, 1))
    assert whole.variance == pytest.approx(0.0406670875, abs=1e-9)
    assert whole.freedom == 2
    kept = np.setdiff1d(np.arange(24), [1, 8, 9, 23])
    values, codes = values[kept], [code[kept] for code in codes]
    assert balanced(values, codes[:2]) is None
    moved = (values - values.mean()) / len(values)
    assert clustered(moved, codes[:2], (0,)).variance == pytest.approx(0.0283333333, abs=1e-9)
    assert clustered(moved, codes[:2], (1,)).variance == pytest.approx(0.035625, abs=1e-9)
    assert clustered(moved, [codes[0] * 3 + codes[1]], (0,)).variance == pytest.approx(0.023375, abs=1e-9)
    both = clustered(moved, codes[:2], (0, 1))
    assert (both.variance, both.error) == pytest.approx((0.0405833333, 0.2014530549), abs=1e-9)
    assert both.freedom == 2


THREE_FACTORS = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


@pytest.mark.parametrize(
    ("cells", "squares", "components", "spreads", "elsewhere"),
    [
        (
            "11 01 00 / 11 11 00 / 11 11 11 / 11 00 00 / 11 01 01",
            (11 / 30, 37 / 30, 3 / 10, 23 / 120, 2 / 15, 1 / 10, 7 / 120),
            (1 / 60, 1 / 10, 1 / 120, 1 / 15, 1 / 40, 1 / 120, 7 / 120),
            {(0, 1, 2): 23 / 450, (0,): 11 / 900, (0, 1): 169 / 3600, (0, 2): 4 / 225},
            23 / 450,
        ),
        (
            "11 10 11, 00 00 00, 11 11 10, 11 10 00, 10 00 00",
            (0.8666666667, 0.4333333333, 0.5333333333, 0.1416666667, 0.0333333333, 0.0333333333, 0.1583333333),
            (0.1416666667, 0.0416666667, 0.0416666667, -0.0083333333, -0.0416666667, -0.025, 0.1583333333),
            {(0, 1, 2): 0.0594444444},
            0.0683333333,  # components below 0 are shown, and count as 0 in other designs
        ),
    ],
)
def test_three_factors(
    cells: str,
    squares: tuple[float, ...],
    components: tuple[float, ...],
    spreads: dict[tuple[int, ...], float],
    elsewhere: float,
) -> None:
    found = balanced(*design(cells, (5, 3, 2)))
    assert found is not None
    assert [found.squares[s] for s in THREE_FACTORS] == pytest.approx(squares, abs=1e-9)
    assert [found.components[s] for s in THREE_FACTORS] == pytest.approx(components, abs=1e-9)
    assert {over: found.spread(over).variance for over in spreads} == pytest.approx(spreads, abs=1e-9)
    assert found.variance((5, 3, 2), 1) == pytest.approx(elsewhere, abs=1e-9)


def test_six_questions_and_four_prompts_of_section_b_6() -> None:
    values = np.array([float(one == "C") for one in "CCUCCCWUCUWCCCCCWUWWCCUW"])
    found = balanced(values, [code.ravel() for code in np.indices((6, 4))])
    assert found is not None
    squares, parts = (0.4416666667, 0.4861111111, 0.1527777778), (0.0722222222, 0.0555555556, 0.1527777778)
    assert [found.squares[s] for s in ((0,), (1,), (0, 1))] == pytest.approx(squares, abs=1e-9)
    assert [found.components[s] for s in ((0,), (1,), (0, 1))] == pytest.approx(parts, abs=1e-9)
    assert found.spread((0, 1)).freedom == pytest.approx(5.0329751329, abs=1e-9)


def parts(q: float, p: float, r: float, levels: tuple[int, int]) -> Components:
    """A design with these components."""
    squares = dict.fromkeys([(0,), (1,), (0, 1)], 1.0)
    return Components(levels, 1, squares, {(0,): q, (1,): p, (0, 1): r})


def test_costs_of_section_b_6() -> None:
    """A question costs 2, a prompt 5 and an answer .1: the prompt gains 10.2 times as much; 1000 buy 170 and 30."""
    found = parts(0.15, 0.02, 0.05, (100, 4))
    by = {one.factor: one for one in additions(found, (2, 5), 0.1)}
    now = found.variance((100, 4), 1)
    errors = [found.variance(levels, 1) ** 0.5 for levels in ((6, 4), (400, 1), (50, 8), (1000, 4))]
    assert errors == pytest.approx([0.1791182105, 0.1431782106, 0.075, 0.0718505393], abs=1e-9)
    assert (now - by[0].variance, by[0].cost) == pytest.approx((0.0000160891, 2.4), abs=1e-9)
    assert (now - by[1].variance, by[1].cost) == pytest.approx((0.0010250000, 15), abs=1e-9)
    assert by[1].gain / by[0].gain == pytest.approx(10.2, abs=0.05)
    best = within_budget(found, (2, 5), 0.1, 1000)
    assert best is not None
    assert best[0] == (170, 30)
    assert math.sqrt(best[1]) == pytest.approx(0.0394819393, abs=1e-9)


def test_a_factor_of_one_level_says_nothing_of_others() -> None:
    values, codes = design("110100", (6, 1))
    found = balanced(values, codes)
    assert found is not None
    assert (1,) not in found.components
    assert math.isnan(found.spread((0, 1)).variance)
    assert found.spread((0,)).error == pytest.approx(values.std(ddof=1) / math.sqrt(6))
