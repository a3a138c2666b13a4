"""Paired comparison of runs: the difference of a measure, its interval, and how surprising it is if the labels mean
nothing.

`comparing` is the whole of it: `paired_data` lines up two runs, `pair_test` resamples and tests them, `_p_values` and
`_tukey` give p-values, `_verdicts` the words, `_ranks` the view over all pairs; `best` marks a leaderboard by the same
p-values.
"""

from nescio.comparison._p_values import CORRECTIONS, EXACT_FOR, TESTS, Correction, Test, TestUsed, adjust, p_value
from nescio.comparison._ranks import Rank, bars, ranks
from nescio.comparison._verdicts import decide, regression
from nescio.comparison.comparing import check_comparing, compare
from nescio.comparison.judged import judged_families, tests_used
from nescio.comparison.paired_data import Pair, pair_up

__all__ = [
    "CORRECTIONS",
    "EXACT_FOR",
    "TESTS",
    "Correction",
    "Pair",
    "Rank",
    "Test",
    "TestUsed",
    "adjust",
    "bars",
    "check_comparing",
    "compare",
    "decide",
    "judged_families",
    "p_value",
    "pair_up",
    "ranks",
    "regression",
    "tests_used",
]
