"""Calibration over bins of equally many answers, against loops over the sorted answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.catalogue import run_of_answers, value_of

Answers = list[tuple[float, int]]
apart = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1)), min_size=1, max_size=12, unique_by=lambda a: a[0])
untied = apart.map(lambda answers: [(sure / 1000, right) for sure, right in answers])


def gap(answers: Answers) -> float:
    """The mean confidence less the share of right answers."""
    return float(np.mean([sure for sure, _ in answers]) - np.mean([right for _, right in answers]))


@pytest.mark.sampled
@given(answers=untied, size=st.integers(1, 5))
def test_the_last_bin_takes_the_rest_and_the_published_code_leaves_it_out(answers: Answers, size: int) -> None:
    ranked = sorted(answers)
    bins = [ranked[i * size : (i + 1) * size] for i in range(len(ranked) // size)] or [[]]
    bins[-1] = ranked[(len(bins) - 1) * size :]
    squares = [len(inside) / len(ranked) * gap(inside) ** 2 for inside in bins]
    data = run_of_answers(answers)
    assert value_of(data, f"rms_calibration(size={size})") == pytest.approx(math.sqrt(sum(squares)), abs=1e-12)
    published = math.sqrt(sum(squares[:-1])) if len(ranked) >= size else math.nan
    literal = value_of(data, f"rms_calibration(size={size}, literal=1)")
    assert literal == pytest.approx(published, abs=1e-12, nan_ok=True)


@pytest.mark.sampled
@given(answers=untied, bins=st.integers(1, 5))
def test_ECE_by_count_splits_the_ranks_as_numpy_does(answers: Answers, bins: int) -> None:
    ranked = sorted(answers)
    parts = [[ranked[i] for i in part] for part in np.array_split(np.arange(len(ranked)), bins) if len(part)]
    expected = sum(len(part) / len(ranked) * abs(gap(part)) for part in parts)
    assert value_of(run_of_answers(answers), f"ECE_by_count(bins={bins})") == pytest.approx(expected, abs=1e-12)


def test_tied_answers_are_shared_out_between_their_bins() -> None:
    """Of four answers of confidence 0.5 two are right: each bin of two has one of them, in whatever order they stand."""
    for order in ([1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]):
        data = run_of_answers([(0.5, right) for right in order])
        assert value_of(data, "rms_calibration(size=2)") == 0
        assert value_of(data, "ECE_by_count(bins=2)") == 0
