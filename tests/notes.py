"""Notes as tests compare them."""

from __future__ import annotations

from collections.abc import Iterable


def in_words(notes: Iterable[object]) -> tuple[str, ...]:
    """What notes say, in their order; but for who judged by default, which stands on all answers that are judged."""
    return tuple(str(note) for note in notes if getattr(note, "code", None) != "judging.default")
