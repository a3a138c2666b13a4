"""Paired comparison of runs: the difference of a measure, its interval, and how surprising it is if the labels mean
nothing.

`comparing` is the whole of it: `paired_data` lines up two runs, `pair_test` resamples and tests them, `_corrections`
and `_tukey` give p-values, `_verdicts` the words, `_ranks` the view over all pairs; `best` marks a leaderboard by the
same p-values. Names are imported when they are first used: `nescio score` of one run compares nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nescio.comparison._corrections import (
        CORRECTIONS,
        EXACT_FOR,
        TESTS,
        Correction,
        Test,
        TestUsed,
        adjust,
        p_value,
    )
    from nescio.comparison._ranks import Rank, bars, ranks
    from nescio.comparison._verdicts import decide, regression
    from nescio.comparison.adjusted import adjusted_families, tests_used
    from nescio.comparison.comparing import check_comparing, compare
    from nescio.comparison.paired_data import Pair, pair_up

_HOME = {
    "_corrections": ("CORRECTIONS", "EXACT_FOR", "TESTS", "Correction", "Test", "TestUsed", "adjust", "p_value"),
    "_ranks": ("Rank", "bars", "ranks"),
    "_verdicts": ("decide", "regression"),
    "comparing": ("check_comparing", "compare"),
    "adjusted": ("adjusted_families", "tests_used"),
    "paired_data": ("Pair", "pair_up"),
}
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
    "adjusted_families",
    "bars",
    "check_comparing",
    "compare",
    "decide",
    "p_value",
    "pair_up",
    "ranks",
    "regression",
    "tests_used",
]


def __getattr__(name: str) -> object:
    for module, names in _HOME.items():
        if name in names:
            exported: object = getattr(import_module(f"{__name__}.{module}"), name)
            return exported
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
