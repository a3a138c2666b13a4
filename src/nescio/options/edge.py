"""The services that a verb needs of its caller, whoever that is: a display of progress."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # is called with how many parts are done, and of how many
BARS: ContextVar[Callable[[str, bool], Progress | None]] = ContextVar("bars", default=lambda *_: None)


def bar(what: str, *, of_bytes: bool = False) -> Progress | None:
    """Return a display of progress for a step that takes long on large files only, or None if nobody looks."""
    return BARS.get()(what, of_bytes)


SAY: ContextVar[Callable[[str], None]] = ContextVar("say", default=lambda _: None)


def say(message: str) -> None:
    """Tell the user something while a verb works; without a listener nothing happens."""
    SAY.get()(message)
