"""The table that every form (terminal, Markdown, LaTeX) is made from: head and cells, and which columns are text."""

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
    """A value of a leaderboard, its interval ("" where there is none), and its marks.

    `marked` says whether the cell's column has marks in this stratum, `better_than` names the runs that this one is
    significantly better than.
    """

    value: str
    interval: str = ""
    best: bool = False
    tied: bool = False
    marked: bool = False
    better_than: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The cell without any style: `*` for the best, `†` for what is tied with it, and else room for the
        sign."""
        sign = BEST if self.best else TIED if self.tied else " " if self.marked else ""
        return f"{self.value}{sign}{self.interval and ' '}{self.interval}"


class Grid(Struct, frozen=True):
    """Head and cells as they are shown, and of each column whether it is text, which stands to the left, or numbers.

    `spare` names columns that can be left out where there is no room, the one that is missed least first. A leaderboard
    has `cells` too, for forms that show marks in their own way; `about` says what its intervals and its questions are,
    and `legend` what its marks mean, where it has some.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[bool, ...]
    spare: tuple[str, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()
    legend: str = ""
    about: str = ""

    def with_cells(self, change: Callable[[str], str]) -> Grid:
        """Change the text of every cell."""
        return replace(self, rows=tuple(tuple(map(change, row)) for row in self.rows))

    def escaped(self, change: Callable[[str], str]) -> Grid:
        """Change the text of every cell and of the head."""
        return replace(self.with_cells(change), head=tuple(map(change, self.head)))

    def sanitized(self) -> Grid:
        """Make the text of every cell and of the head inert; most of it is printable, and so inert already."""
        return self.escaped(lambda text: text if text.isprintable() else sanitize(text))

    def take(self, columns: Sequence[int]) -> Grid:
        """Keep some of the columns."""
        kept = [[row[i] for i in columns] for row in (self.head, *self.rows)]
        return make_grid(kept[0], kept[1:], [self.texts[i] for i in columns], self.spare)


def make_grid(
    head: Iterable[str], rows: Iterable[Iterable[str]], texts: Iterable[bool], spare: Iterable[str] = ()
) -> Grid:
    """Make a grid of lists."""
    return Grid(tuple(head), tuple(map(tuple, rows)), tuple(texts), tuple(spare))


def text_fields(rows: Sequence[Any]) -> dict[str, bool]:
    """Say which fields of results are text, by the types that they are declared with."""
    return {name: declared.split(" ", 1)[0] not in _NUMBERS for name, declared in declared_types(rows).items()}


def text_values(values: Iterable[Any]) -> bool:
    """Say whether a column of values is text: one of them at least is no number."""
    return any(not isinstance(value, (int, float)) or isinstance(value, bool) for value in values if value is not None)
