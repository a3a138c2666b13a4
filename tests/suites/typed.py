"""The verb `score` of a suite, as a type checker sees what it gives there."""

from __future__ import annotations

from typing import Any, cast

import nescio
from nescio.suites.rows import SuiteScores


def score(*given: Any, **named: Any) -> SuiteScores:
    """Score a suite."""
    return cast(SuiteScores, nescio.score(*given, **named))
