"""Several benchmarks at once: means over them, win rates, and comparisons of runs. `definition` reads a suite,
`completeness` decides on runs that some benchmarks lack, `scoring` and `comparing` give results."""

from __future__ import annotations

from nescio.suites.comparing import compare_suite
from nescio.suites.definition import Benchmark, Suite, open_suite
from nescio.suites.rows import SuiteScores
from nescio.suites.scoring import score_suite

__all__ = ["Benchmark", "Suite", "SuiteScores", "compare_suite", "open_suite", "score_suite"]
