"""The whole audit, made once for all tests that look at it."""

from __future__ import annotations

from functools import lru_cache

from tools import audit

from nescio.data.results import Audit, Finding


@lru_cache
def everything() -> Audit:
    """What docs/audit.md shows: every registered measure, and the forms that its command names."""
    return audit.everything()


def finding(results: Audit, measure: str, test: str) -> Finding:
    """The one row of a measure and a test."""
    (row,) = [row for row in results if (row.measure, row.test) == (measure, test)]
    return row
