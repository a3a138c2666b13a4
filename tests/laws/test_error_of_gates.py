"""How often a gate lets a run pass whose true drop equals the margin: at most 5%, as the pages on gates promise.

The chances are exact sums over the binomial law (scipy). Each question is lost with the chance of the margin and
otherwise ends alike, which leaves the fewest discordant questions; beside that, a tenth of them are won and lost.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, t

from nescio.comparison.verdicts import regression
from nescio.data.results import Comparison

QUESTIONS, MARGINS = (30, 50, 100, 300, 500), (0.01, 0.02, 0.05)


@cache
def passes(measure: str, size: float, n: int, lost: int, won: int, margin: float, alpha: float) -> bool:
    """Ask the gate about n questions of which some moved the measure by `size`, with Student's interval as it is."""
    mean = size * (won - lost) / n
    spread = math.sqrt(max(0.0, size**2 * (won + lost) - n * mean**2) / (n - 1) / n)
    reach = t.ppf(1 - alpha / 2, n - 1) * spread
    ends = (mean - reach, mean + reach) if spread else (0.0, 0.0)
    row = Comparison(
        "new", "old", measure, mean, ends[0], ends[1], 0.5, 0.5, "exact", n, "too few", units=n, spread=spread
    )
    return regression(row, alpha, margin) == 0


@pytest.mark.parametrize("alpha", [0.05, 0.1])
@pytest.mark.parametrize(("measure", "size"), [("accuracy", 1.0), ("UF", 2.0), ("UF", 1.0), ("c@1", 1.0)])
def test_a_drop_of_the_margin_passes_in_5_percent_at_most(measure: str, size: float, alpha: float) -> None:
    rates = {}
    for n in (*QUESTIONS, 1000, 2000):
        for margin in MARGINS:
            chance = binom.pmf(np.arange(n + 1), n, margin / size)
            few = int(n * margin / size) + 2
            rates[n, margin] = sum(
                c for k, c in enumerate(chance[:few]) if passes(measure, size, n, k, 0, margin, alpha)
            )
    assert max(rates.values()) <= 0.05, rates
    assert max(rates.values()) > 0.01  # the gate does let runs pass


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_where_a_tenth_of_the_questions_is_won_and_lost(alpha: float) -> None:
    """Sums over the trinomial law: a question is lost with (0.1 + margin)/2, won with (0.1 - margin)/2."""
    for n in QUESTIONS:
        for margin in MARGINS:
            rate = 0.0
            for discordant in range(n + 1):
                of_so_many = binom.pmf(discordant, n, 0.1)
                if of_so_many > 1e-7:
                    chance = binom.pmf(np.arange(discordant + 1), discordant, (1 + margin / 0.1) / 2)
                    rate += of_so_many * sum(
                        c
                        for lost, c in enumerate(chance)
                        if c > 1e-6 and passes("accuracy", 1.0, n, lost, discordant - lost, margin, alpha)
                    )
            assert rate <= (0.05 if alpha == 0.1 else 0.03), (n, margin, rate)


def test_runs_that_end_alike_pass_where_the_binomial_law_rules_the_drop_out() -> None:
    for margin in MARGINS:
        for n in QUESTIONS:
            assert passes("accuracy", 1.0, n, 0, 0, margin, 0.05) == (binom.cdf(0, n, margin) <= 0.025)
