"""How often a gate errs on a run whose true value is the bar: the sum over all results of a run, for every bar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import nescio
from nescio.scoring.grounds import deciding_ends

N = 17
BARS = np.arange(0.01, 1, 0.002)


@pytest.mark.parametrize(("measure", "most"), [("accuracy", 0.025), ("c@1", 0.05)])
def test_a_run_at_the_bar_fails_or_passes_seldom(measure: str, most: float) -> None:
    ends = []
    for right in range(N + 1):
        rows: list[dict[str, Any]] = [
            {"run": "a", "question": f"q{i}", "outcome": "correct" if i < right else "incorrect"} for i in range(N)
        ]
        scores = nescio.score(rows, measure, mark=False)
        ends.append(deciding_ends(scores, scores.rows[0]))
    low, high = np.array(ends).T
    for bar in BARS:
        chances = binom.pmf(np.arange(N + 1), N, bar)
        assert chances[low >= bar].sum() <= most
        assert chances[high < bar].sum() <= most
