"""Provide the services that a verb needs from its caller, such as a display of progress."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # called with the number of parts done, and their total
BARS: ContextVar[Callable[[str, bool], Progress | None]] = ContextVar("bars", default=lambda *_: None)


def bar(what: str, *, of_bytes: bool = False) -> Progress | None:
    """Return a display of progress for a step that is long only for large files, or None if nobody watches."""
    return BARS.get()(what, of_bytes)


SAY: ContextVar[Callable[[str], None]] = ContextVar("say", default=lambda _: None)


def say(message: str) -> None:
    """Send the user a message while a verb works; without a listener nothing happens."""
    SAY.get()(message)
