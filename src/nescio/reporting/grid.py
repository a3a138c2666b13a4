"""Define the table from which every form (terminal, Markdown, LaTeX) is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.results import declared_types
from nescio.text import sanitize

BEST, TIED = "*", "†"
_NUMBERS = ("int", "float")


class Cell(Struct, frozen=True):
    """A value of a leaderboard, its interval (empty if there is none), and its marks.

    `marked` tells whether the cell's column has marks in this stratum. `better_than` names the runs that this run
    significantly beats.
    """

    value: str
    interval: str = ""
    best: bool = False
    tied: bool = False
    marked: bool = False
    better_than: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the cell without any style.

        `*` marks the best value, and `†` values tied with it. Other cells of a marked column leave room for the sign.
        """
        sign = BEST if self.best else TIED if self.tied else " " if self.marked else ""
        return f"{self.value}{sign}{self.interval and ' '}{self.interval}"


class Grid(Struct, frozen=True):
    """The head and cells of a table as they are shown.

    `texts` tells for each column whether it is text, aligned to the left, or numbers. `spare` names columns that may be
    left out if there is no room, the least important first. A leaderboard also has `cells`, for forms that show marks
    in their own way. Its `about` explains intervals and questions, and its `legend` the marks.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[bool, ...]
    spare: tuple[str, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()
    legend: str = ""
    about: str = ""

    def with_cells(self, change: Callable[[str], str]) -> Grid:
        """Return the table with the text of every cell changed."""
        return replace(self, rows=tuple(tuple(map(change, row)) for row in self.rows))

    def escaped(self, change: Callable[[str], str]) -> Grid:
        """Return the table with the text of every cell and of the head changed."""
        return replace(self.with_cells(change), head=tuple(map(change, self.head)))

    def sanitized(self) -> Grid:
        """Return the table with control characters removed from every text; printable text stays unchanged."""
        return self.escaped(lambda text: text if text.isprintable() else sanitize(text))

    def take(self, columns: Sequence[int]) -> Grid:
        """Return the table with some of its columns."""
        kept = [[row[i] for i in columns] for row in (self.head, *self.rows)]
        return make_grid(kept[0], kept[1:], [self.texts[i] for i in columns], self.spare)


def make_grid(
    head: Iterable[str], rows: Iterable[Iterable[str]], texts: Iterable[bool], spare: Iterable[str] = ()
) -> Grid:
    """Return a table made from lists."""
    return Grid(tuple(head), tuple(map(tuple, rows)), tuple(texts), tuple(spare))


def text_fields(rows: Sequence[Any]) -> dict[str, bool]:
    """Return for each field of results whether it is text, by its declared type."""
    return {name: declared.split(" ", 1)[0] not in _NUMBERS for name, declared in declared_types(rows).items()}


def text_values(values: Iterable[Any]) -> bool:
    """Return whether a column of values is text: at least one of them is not a number."""
    return any(not isinstance(value, (int, float)) or isinstance(value, bool) for value in values if value is not None)
