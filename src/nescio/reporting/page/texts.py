"""Text from data, made fit to be shown: nothing in it moves, hides or reorders what stands around it."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nescio.reporting.terminal import typed

NAME = 80  # characters of a name that are shown
LONG = 2_000  # characters of an answer or a question that are kept
_REORDERING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def inert(text: str, most: int = LONG) -> str:
    """The text without control characters, lone surrogates and those that reorder what follows; cut where it is long, saying so.

    Letters of any script, joiners and emoji stay as they are; escaping for HTML or JSON is left to who writes them.
    """
    cut = text[:most]
    shown = "".join(_shown(c) for c in cut) if not cut.isprintable() else cut
    left = len(text) - len(cut)
    return f"{shown}… ({left:,} more characters)" if left else shown


def _shown(c: str) -> str:
    if c in "\n\t":
        return c
    if c == "\r" or c in _REORDERING or unicodedata.category(c) in ("Cc", "Cs"):
        return "\N{REPLACEMENT CHARACTER}"
    return c


def names(found: Sequence[str], most: int = NAME) -> list[str]:
    """Names as they are shown: on one line, short, and still all different."""
    shown: list[str] = []
    taken: set[str] = set()
    times: Counter[str] = Counter()
    for name in found:
        text = " ".join(inert(name, 10 * most).split()) or "(no name)"
        text = short = text if len(text) <= most else text[: most - 1] + "…"
        while text in taken:
            times[short] += 1
            text = f"{short} ({times[short] + 1})"
        taken.add(text)
        shown.append(text)
    return shown


def as_json(value: Any) -> str:
    """JSON that can stand inside a script element: what could end the element, or a line of JavaScript, is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for c in "<>&\u2028\u2029":
        text = text.replace(c, f"\\u{ord(c):04x}")
    return text


@dataclass(frozen=True, slots=True)
class Commands:
    """The command line by which each figure can be had again: the files, how they are read, and how resampling is done."""

    files: tuple[str, ...] = ("FILES",)
    reading: tuple[str, ...] = ()
    resampling: tuple[str, ...] = ()

    def line(self, verb: str, *more: str, resampled: bool = True) -> str:
        """One command, quoted for a shell."""
        files = (f"./{name}" if name.startswith("-") else name for name in self.files)
        return typed(["nescio", *verb.split(), *files, *more, *self.reading, *(self.resampling if resampled else ())])


def asked(measures: Sequence[str]) -> tuple[str, ...]:
    """-m for each measure."""
    return tuple(part for name in measures for part in ("-m", name))
