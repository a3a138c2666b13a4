"""Graded scores of tallies: resampled by weights that are functions of a question's name, and compared by coins that
are. The weights of the seed 7 were computed elsewhere (tests/stats/test_hashed_draws.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.data.graded_sums import UNIT, Drawn, GradedSums, sum_scores
from nescio.errors import MismatchError
from nescio.stats import hashed_draws


def table(path: Path, scores: Mapping[str, Sequence[float | None]], outcome: str = "correct") -> Path:
    """Write a table of these runs, each with a score for the questions q0, q1, …"""
    lines = ["run,question,outcome,f1"]
    for run, values in scores.items():
        lines += [f"{run},q{i},{outcome},{'' if v is None else repr(v)}" for i, v in enumerate(values)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_means_on_resamples_by_hand() -> None:
    """q0 weighs 2 1 0 0 1 and q1 1 0 0 2 0. a has 0.5 and 0.25 there, b has 0.5 on q0 alone."""
    scores = np.array([[0.5, 0.25], [0.5, np.nan]])
    drawn = Drawn(5, 7, exchanges=True)
    sums = GradedSums(sum_scores({"f1": scores}, ["q0", "q1"], drawn)["f1"], drawn)
    assert sums.n.tolist() == [2, 1]
    assert sums.total.tolist() == [UNIT * 3 // 4, UNIT // 2]
    assert sums.weights.tolist() == [[3, 1, 0, 2, 1], [2, 1, 0, 0, 1]]
    # By hand: (2 * 0.5 + 0.25) / 3, 0.5, nothing drawn, (2 * 0.25) / 2, 0.5; b is 0.5 wherever q0 is drawn.
    np.testing.assert_array_equal(sums.means()[0], [1.25 / 3, 0.5, np.nan, 0.25, 0.5])
    np.testing.assert_array_equal(sums.means()[1], [0.5, 0.5, np.nan, np.nan, 0.5])
    assert not sums.same_questions(0, 1)
    coins = hashed_draws.coins(hashed_draws.keys(["q0", "q1"], 7), 5)
    assert (sums.swapped_sums[0] == UNIT // 4 * (2 * coins[0].astype(int) + coins[1])).all()


def test_sums_of_scores_of_any_size_are_those_of_whole_numbers() -> None:
    """Large scores take the way of two pieces; Python's whole numbers are the oracle."""
    rng = np.random.default_rng(2)
    names = [f"q{i}" for i in range(700)]  # more than are taken at once
    for largest in (1.0, 600.0, 2.0**20):
        scores = rng.uniform(-largest, largest, size=(2, 700))
        scores[0, ::7] = np.nan
        drawn = Drawn(3, 1, exchanges=True)
        sums = GradedSums(sum_scores({"f1": scores}, names, drawn)["f1"], drawn)
        of = hashed_draws.keys(names, 1)
        tables = hashed_draws.poisson(of, 3), hashed_draws.coins(of, 3)
        for run in range(2):
            parts = [0 if math.isnan(x) else round(x * UNIT) for x in scores[run].tolist()]
            for b in range(3):
                weighted, handed = (sum(w * x for w, x in zip(t[:, b].tolist(), parts, strict=True)) for t in tables)
                assert (int(sums.weighted[run, b]), int(sums.swapped_sums[run, b])) == (weighted, handed)
        assert sums.questions.tolist() != sums.questions[::-1].tolist()


def test_a_score_too_large_is_refused_by_the_name_of_its_question() -> None:
    scores = np.array([[0.5, np.nan, 1e300], [0.5, 1.0, np.nan]])
    with pytest.raises(MismatchError, match=r"question 'q2': the score of f1 .* beyond 1,048,576 \(found 1e\+300\)"):
        sum_scores({"f1": scores}, ["q0", "q1", "q2"], Drawn())


def test_a_difference_by_hand(tmp_path: Path) -> None:
    """0.75 against 0 on one question alone: every exchange is ±0.75, so p is 1; the difference is 0.75 wherever the
    question is drawn, and undefined elsewhere, so that there is no interval."""
    path = table(tmp_path / "all.csv", {"new": [0.75], "old": [0.0]})
    nescio.tally(path, tmp_path / "all.tally", measures="mean(f1)", resamples=50)
    (row,) = nescio.compare(tmp_path / "all.tally", "mean(f1)", baseline="old").rows
    assert (row.difference, row.p, row.n) == (0.75, 1.0, 1)
    assert row.low is not None
    assert math.isnan(row.low)
