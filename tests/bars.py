"""Record the progress of work, in place of the bars of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nescio.options.edge import BARS

Told = list[tuple[int, int]]


@contextmanager
def heard(what: str) -> Iterator[Told]:
    """Collect the progress that the bar of a step ("reading", "judging") receives."""
    told: Told = []
    before = BARS.set(lambda step: (lambda done, total: told.append((done, total))) if step == what else None)
    try:
        yield told
    finally:
        BARS.reset(before)
