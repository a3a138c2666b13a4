"""Faults of files that people hand in: the rules that a file breaks, the first of which are listed and all counted."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct
from msgspec.structs import force_setattr

from nescio.data.results import Results
from nescio.text import plural, sanitize

BROKEN = 2  # the exit status if a file breaks a rule
MOST_LISTED = 50  # faults of a file; the others are counted
LONGEST = 300  # characters of a rule and of a value that a fault quotes


class Fault(Struct, frozen=True):
    """A rule that a file breaks, with the line (None if the fault is not in a single line) and the value found."""

    file: str
    line: int | None
    rule: str
    value: str | None = None

    def __post_init__(self) -> None:
        """Cut a long rule or value, because a group's file may have a value of any length."""
        force_setattr(self, "rule", cut(self.rule))
        if self.value is not None:
            force_setattr(self, "value", cut(self.value))

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return sanitize(f"{place}: {self.rule}" + (f" (found {self.value})" if self.value else ""))


def cut(text: str) -> str:
    """Return a text of at most `LONGEST` characters; a longer text is cut, and its length is stated at the end."""
    if len(text) <= LONGEST:
        return text
    end = f"… ({len(text):,} characters)"
    return text[: LONGEST - len(end)] + end


class Faults(Results[Fault], frozen=True):
    """A result that consists of faults, one in each row."""

    @property
    def sound(self) -> bool:
        """Return whether there are no faults in any file."""
        return not self.rows

    @property
    def status(self) -> int:
        """Return the exit status of the command: 2 if there is a fault, else 0."""
        return 0 if self.sound else BROKEN


class FaultsOfFiles:
    """A collector of faults, which keeps the first faults of each file and counts its other faults."""

    def __init__(self) -> None:
        self.count = 0
        self._first: dict[str, list[Fault]] = {}
        self._more: Counter[str] = Counter()

    def add(self, fault: Fault) -> None:
        """Store a fault if it is among the first of its file; otherwise only count it."""
        self.count += 1
        listed = self._first.setdefault(fault.file, [])
        if len(listed) < MOST_LISTED:
            listed.append(fault)
        else:
            self._more[fault.file] += 1

    @property
    def listed(self) -> tuple[Fault, ...]:
        """Return the first faults of each file; if a file has more, a last fault says how many."""
        rows: list[Fault] = []
        for file, first in self._first.items():
            rows += [*first, *([left_out(file, more)] if (more := self._more[file]) else [])]
        return tuple(rows)


def left_out(file: str, more: int, end: str = "") -> Fault:
    """Return the fault that says how many faults of a file are not listed."""
    return Fault(file, None, f"{plural(more, 'more fault')} that the list leaves out{end}")
