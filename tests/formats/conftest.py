"""What reading damaged files may cost."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import duckdb  # noqa: F401  what reading needs is in memory before it is measured
import pytest
import zstandard  # noqa: F401

from nescio.errors import SPELLING, in_python, in_shell

MOST = 64 << 20  # bytes, besides ten times the file: the damaged ones have a few thousand


@pytest.fixture(autouse=True)
def _as_in_a_shell(request: pytest.FixtureRequest) -> Iterator[None]:
    """Messages name options as a shell has them, which tests of readers quote; those with IN_PYTHON quote Python."""
    before = SPELLING.set(in_python if hasattr(request.module, "IN_PYTHON") else in_shell)
    yield
    SPELLING.reset(before)


@pytest.fixture(autouse=True)
def _bounded_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """All the damaged files that one sampled test reads leave the process within 64 MB of what it was."""
    before = _most_memory()
    yield
    if request.node.get_closest_marker("sampled") is not None:
        assert _most_memory() - before < MOST


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
