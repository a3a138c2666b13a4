"""What of many cases alike a day's work tries; continuous integration tries them all."""

from collections.abc import Iterable
from typing import Any

import pytest


def daily(values: Iterable[Any], each: int) -> list[Any]:
    """Mark all values of a parameter but each n-th as slow."""
    return [pytest.param(value, marks=[pytest.mark.slow] * (i % each > 0)) for i, value in enumerate(values)]
