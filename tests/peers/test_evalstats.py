"""evalstats' split of repeats, intervals and tests against ours."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.stats.intervals import wilson
from nescio.stats.variance_split import split

evalstats = pytest.importorskip(
    "evalstats", reason="evalstats is not installed: its figures are not compared with ours"
)


def test_questions_and_samples_as_parts_of_the_variance() -> None:
    """40 questions asked five times: the spread of the questions' means, and the mean variance of one answer."""
    rng = np.random.default_rng(5)
    right = (rng.random((40, 5)) < rng.random((40, 1))).astype(float)
    theirs = evalstats.seed_variance_decomposition(right[None], ["mine"])
    ours = split(right.ravel(), np.repeat(np.arange(40), 5))
    assert ours.total == pytest.approx(float(theirs.input_var[0]), abs=1e-12)
    assert ours.single == pytest.approx(float(theirs.seed_var[0]), abs=1e-12)


@pytest.mark.parametrize("hits", [3, 31, 58])
def test_the_interval_of_an_accuracy(hits: int) -> None:
    theirs = evalstats.mean_ci(np.repeat([1.0, 0.0], [hits, 60 - hits]))
    assert (theirs.ci_low, theirs.ci_high) == pytest.approx(wilson(hits, 60, 0.95), abs=1e-9)
