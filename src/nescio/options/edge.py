"""Provide the services that a verb needs from its caller, such as a display of progress."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # called with the number of parts done, and their total
BARS: ContextVar[Callable[[str, bool], Progress | None]] = ContextVar("bars", default=lambda *_: None)


def bar(what: str, *, of_bytes: bool = False) -> Progress | None:
    """Return a function that shows the progress of a step, or None if there is nobody to see it.

    `what` names the step, which is long only for large files. `of_bytes` says that its parts are bytes.
    """
    return BARS.get()(what, of_bytes)


SAY: ContextVar[Callable[[str], None]] = ContextVar("say", default=lambda _: None)


def say(message: str) -> None:
    """Send a message to the user while a verb still works. It is lost if no interface listens."""
    SAY.get()(message)
