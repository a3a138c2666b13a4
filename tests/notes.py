"""Notes as tests compare them."""

from __future__ import annotations

from collections.abc import Iterable


def in_words(notes: Iterable[object]) -> tuple[str, ...]:
    """What notes say, in their order."""
    return tuple(map(str, notes))
