"""Declare the verb `score` of a suite for type checkers."""

from __future__ import annotations

from typing import Any, cast

import nescio
from nescio.suites.rows import SuiteScores


def score(*given: Any, **named: Any) -> SuiteScores:
    """Return the scores of a suite."""
    return cast(SuiteScores, nescio.score(*given, **named))
