"""Bound the cost of reading damaged files."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import duckdb  # noqa: F401  what reading needs is in memory before it is measured
import pytest
import zstandard  # noqa: F401

from nescio.errors import SPELLING, in_python, in_shell

MOST = 64 << 20  # bytes in addition to ten times the file; the damaged files have a few thousand


@pytest.fixture(autouse=True)
def _as_in_a_shell(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the spelling of options to the shell's, which tests of readers quote, or for IN_PYTHON to Python's."""
    before = SPELLING.set(in_python if hasattr(request.module, "IN_PYTHON") else in_shell)
    yield
    SPELLING.reset(before)


@pytest.fixture(autouse=True)
def _bounded_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Assert that reading the damaged files of a sampled test takes at most 64 MB more memory."""
    before = _most_memory()
    yield
    if request.node.get_closest_marker("sampled") is not None:
        assert _most_memory() - before < MOST


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
