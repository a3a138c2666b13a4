"""Provide the services that a verb needs from its caller, such as a display of progress."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # called with the number of parts done, and their total
BARS: ContextVar[Callable[[str], Progress | None]] = ContextVar("bars", default=lambda _: None)


def bar(what: str) -> Progress | None:
    """Return a function that shows the progress of the step `what`, or None if there is nobody to see it.

    The step takes long only for large files.
    """
    return BARS.get()(what)


SAY: ContextVar[Callable[[str], None]] = ContextVar("say", default=lambda _: None)


def say(message: str) -> None:
    """Send a message to the user while a verb still works. The message is lost if no interface listens."""
    SAY.get()(message)
