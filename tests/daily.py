"""Until every room has moved to `tests.rings`."""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.rings import together as together


def daily(values: Iterable[Any], each: int) -> list[Any]:
    """Mark all values of a parameter but each n-th as slow."""
    return [pytest.param(value, marks=[pytest.mark.slow] * (i % each > 0)) for i, value in enumerate(values)]
