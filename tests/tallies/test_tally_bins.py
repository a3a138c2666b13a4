"""Measures of an order from bins of confidence: within the bounds that they state of what the answers themselves give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.data.outcomes import Outcomes
from nescio.data.tally_bins import bin_answers
from nescio.measures import parse
from nescio.scoring.tally_bins import bracket, in_bins

BINNED = ["AUROC", "AURC", "AURC(variant=geifman)", "AURC(variant=trapezoid)", "E-AURC", "AUGRC", "E-AUGRC", "PRR", "PRR(rejection=0.5)"]  # fmt: skip
NUMBERS = np.array([0.95, 0.9, 0.7, 0.6, 0.55])  # of the worked example: right, right, wrong, right, wrong


def outcomes(right: Any, confidence: Any) -> Outcomes:
    n = len(right)
    state, numbers = np.array([right], dtype=np.int8), np.array([confidence], dtype=np.float64)
    return Outcomes(("run",), tuple(f"q{i}" for i in range(n)), state, confidence=numbers)


def of_bins(name: str, data: Outcomes, bins: int) -> tuple[float, float, float]:
    """The value of a measure on bins, and the ends of its bracket."""
    (counts,), measure = bin_answers(data, bins), parse(name)
    patterns = in_bins(counts)
    return (float(measure.value(patterns, patterns.counts)), *bracket(measure, counts))


def of_answers(name: str, right: Any, confidence: Any) -> float:
    columns = {"run": ["run"] * len(right), "question": [*range(len(right))], "confidence": [*confidence]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row, is_right in zip(rows, right, strict=True):
        row["outcome"] = "correct" if is_right else "incorrect"
    return nescio.score(rows, name, ci=None).rows[0].value


def test_the_worked_example_in_four_bins() -> None:
    """By hand, bins [0.75, 1] with two right and [0.5, 0.75) with two wrong and one right. AUROC: 4 pairs in order and 2
    tied of 6: 5/6, and 4/6 or 6/6 at the ends. AURC of the orders CC CWW and CC WWC: (1/4 + 2/5)/5 = 0.13 and (1/3 +
    2/4 + 2/5)/5 = 0.24667, the mean over the three places of C 0.19111."""
    data = outcomes([1, 1, 0, 1, 0], NUMBERS)
    assert of_bins("AUROC", data, 4) == pytest.approx((5 / 6, 4 / 6, 1))
    assert of_bins("AURC", data, 4) == pytest.approx((0.1911111111, 0.13, 0.2466666667))
    # Bins so narrow that each answer has one of its own: what the answers give, and nothing between.
    assert of_bins("AUROC", data, 4096) == pytest.approx((5 / 6,) * 3)
    assert of_bins("AURC", data, 4096) == pytest.approx(((1 / 3 + 1 / 4 + 2 / 5) / 5,) * 3)


def test_bins_end_where_they_should() -> None:
    """0, 1/4, just below 1/2, 1/2 and 1 in four bins: 1 stands in the last; and a declined candidate counts."""
    data = outcomes([1, 1, 1, 1, 0], [0, 0.25, np.nextafter(0.5, 0), 0.5, 1])
    assert bin_answers(data, 4).tolist() == [[[1, 2, 1, 0], [0, 0, 0, 1]]]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=1, max_size=25), st.sampled_from([1, 2, 5, 13]))
@pytest.mark.parametrize("name", BINNED)
def test_the_value_of_the_answers_lies_in_the_bracket(name: str, answers: list[tuple[bool, int]], bins: int) -> None:
    """Ties among the answers too, within a bin and on its edge."""
    right, confidence = [int(is_right) for is_right, _ in answers], [place / 12 for _, place in answers]
    value, least, greatest = of_bins(name, outcomes(right, confidence), bins)
    exact = of_answers(name, right, confidence)
    assert math.isnan(value) == math.isnan(exact)
    if not math.isnan(exact):
        assert least - 1e-12 <= min(exact, value) <= max(exact, value) <= greatest + 1e-12
