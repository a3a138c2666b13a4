"""What a verb needs of whoever called it, wherever that is: how far along the work is."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # is called with how many parts are done, and of how many
BARS: ContextVar[Callable[[str, bool], Progress | None]] = ContextVar("bars", default=lambda *_: None)


def bar(what: str, *, of_bytes: bool = False) -> Progress | None:
    """Return what shows the progress of a step that only large files take long for; None where nobody looks."""
    return BARS.get()(what, of_bytes)


SAY: ContextVar[Callable[[str], None]] = ContextVar("say", default=lambda _: None)


def say(message: str) -> None:
    """Tell the user something while a verb works; nobody hears it where nobody listens."""
    SAY.get()(message)
