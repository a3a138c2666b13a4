"""P(best) and expected ranks: derived by hand, and enumerated."""

from __future__ import annotations

from itertools import product
from math import nan

import numpy as np
import pytest

import nescio
from nescio.stats.ranking import axes_of, rank_probabilities, true_values

from ..comparison.runs import evidence


def test_ties_share_the_first_place_and_their_ranks() -> None:
    values = np.array([[0.9, 0.5, 0.2], [0.9, 0.4, 0.3], [0.1, 0.5, nan]])
    best, ranks = rank_probabilities(values)
    assert best == pytest.approx([(1 / 2 + 1 / 2) / 3, (1 / 2 + 0 + 1) / 3, (0 + 1 / 2 + 0) / 3])
    assert ranks == pytest.approx([(1.5 + 1.5 + 2) / 3, (1.5 + 3 + 1) / 3, (3 + 1.5 + 3) / 3])
    lowest, _ = rank_probabilities(values, lower_is_better=True)
    assert lowest == pytest.approx([(0 + 0 + 1) / 3, (0 + 1 + 0) / 3, (1 + 0 + 0) / 3])


def test_a_run_without_a_value_has_no_chance() -> None:
    best, ranks = rank_probabilities(np.array([[0.5, 0.6], [nan, nan]]))
    assert best[0] == 1.0
    assert ranks[0] == 1.0
    assert np.isnan([best[1], ranks[1]]).all()


def test_the_chances_of_three_runs_are_those_of_all_resamples() -> None:
    """x wins over y on the first of three questions, and z is always wrong. x is best but where the first question is
    not drawn, with chance (2/3)³ = 8/27, and then they tie: P(best) 1 - 4/27. z is third, or ties where all are wrong."""
    runs = {"x": "CCW", "y": "WCW", "z": "WWW"}
    right = np.array([[c == "C" for c in text] for text in runs.values()], dtype=float)
    every = np.array([right[:, list(drawn)].mean(axis=1) for drawn in product(range(3), repeat=3)]).T
    best, _ = rank_probabilities(every)
    assert best[0] == pytest.approx(23 / 27 - 1 / 27 / 2 + 1 / 27 / 3)  # three tie where only the last is drawn
    assert best.sum() == pytest.approx(1.0)
    # z is the same on all resamples: how far its true value may lie is unknown, and so is P(best).
    ranked = nescio.compare(evidence(**runs), "accuracy", resamples=2000).tables["ranks"]
    assert [row.p_best for row in ranked] == [None] * 3


def test_runs_that_outnumber_the_resamples_have_the_law_of_their_covariance() -> None:
    rng = np.random.default_rng(4)
    resampled = 0.6 + 0.1 * rng.normal(size=(9, 5))
    covariance = np.cov(resampled, ddof=0)
    variances, (own, along) = axes_of(resampled)
    assert len(own) == 4
    assert (along * own) @ along.T == pytest.approx(covariance, abs=1e-12)
    assert variances == pytest.approx(np.diag(covariance))
    whole = np.linalg.eigh(covariance)
    few, every = (
        true_values(resampled[:, 0], axes, 1.0, 200_000, np.random.default_rng(seed))
        for seed, axes in enumerate([(own, along), (np.maximum(whole[0], 0), whole[1])])
    )
    assert few.mean(axis=1) == pytest.approx(every.mean(axis=1), abs=0.002)
    assert np.cov(few) == pytest.approx(np.cov(every), abs=0.0005)
