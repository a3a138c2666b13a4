"""One question to the user: a table that can be read in several ways, each with its counts and its command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import FormatError, opt
from nescio.sources.source import Source

Options = Mapping[str, Any]  # options of a command by name; `column` is a mapping
Counts = tuple[tuple[str, int, int, int, int], ...]  # run, right, wrong, silent, ungraded


class Way(Struct, frozen=True):
    """A way to read a table: the options that say so, what it would give, and a remark."""

    options: Options
    counts: Counts = ()
    questions: int = 0
    remark: str = ""

    def __str__(self) -> str:
        shown = "  ".join(opt(name, value) for name, value in self.options.items() if value)
        return f"{shown}  ({self.gives})"

    @property
    def gives(self) -> str:
        """The counts of its runs, in words."""
        runs = [f"{run} {right}/{wrong}/{silent}{f'/{ungraded} ungraded' if ungraded else ''}" for run, right, wrong, silent, ungraded in self.counts[:_RUNS]]
        more = f" and {len(self.counts) - _RUNS} more runs" if len(self.counts) > _RUNS else ""
        return ", ".join([*([self.remark] if self.remark else []), f"right/wrong/silent: {', '.join(runs)}{more}" if runs else "no counts"])


_RUNS = 4


class Asked(FormatError):
    """What could mean several things: the question, and the options of each answer to it.

    `ways` are tried by whoever settles a table; `screen` shows them with what they give.
    """

    def __init__(
        self, source: Source, question: str, ways: Sequence[Options], *, where: str | None = None, screen: str = ""
    ) -> None:
        self.source, self.question, self.ways = source, question, list(ways)
        self.executed: list[Way] = []
        super().__init__(source.label, f"{question}{screen}", where=where)
