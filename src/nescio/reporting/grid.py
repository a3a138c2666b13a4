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
    """A value of a leaderboard, its interval (empty if there is none), and the signs that tests give it.

    `best` says that the value is the best of its column, and `tied` that it is not significantly worse. `marked` says
    that the column has such signs in this stratum. `better_than` names the runs that this run significantly beats.
    """

    value: str
    interval: str = ""
    best: bool = False
    tied: bool = False
    marked: bool = False
    better_than: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the cell as plain text, such as "0.712* [0.700, 0.724]".

        `*` marks the best value of the column, and `†` the values tied with the best. Other cells of a column with such
        signs have a space in place of the sign, so that the numbers are aligned.
        """
        sign = BEST if self.best else TIED if self.tied else " " if self.marked else ""
        return f"{self.value}{sign}{self.interval and ' '}{self.interval}"


class Grid(Struct, frozen=True):
    """A table as it is shown: its head, and its cells as text.

    `texts` tells for each column whether it holds text, which is aligned to the left, or numbers. `spare` names columns
    that may be left out of a narrow table, the least important first. Only a leaderboard has the other fields: `cells`
    keeps its values apart from their signs, `legend` explains the signs, and `about` the intervals and questions.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[bool, ...]
    spare: tuple[str, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()
    legend: str = ""
    about: str = ""

    def with_cells(self, change: Callable[[str], str]) -> Grid:
        """Return the table with the function `change` applied to the text of every cell."""
        return replace(self, rows=tuple(tuple(map(change, row)) for row in self.rows))

    def escaped(self, change: Callable[[str], str]) -> Grid:
        """Return the table with the function `change` applied to the text of every cell and of the head."""
        return replace(self.with_cells(change), head=tuple(map(change, self.head)))

    def sanitized(self) -> Grid:
        """Return the table with control characters removed from every text. Printable text stays unchanged."""
        return self.escaped(lambda text: text if text.isprintable() else sanitize(text))

    def take(self, columns: Sequence[int]) -> Grid:
        """Return a table with only the columns at these indices."""
        kept = [[row[i] for i in columns] for row in (self.head, *self.rows)]
        return make_grid(kept[0], kept[1:], [self.texts[i] for i in columns], self.spare)


def make_grid(
    head: Iterable[str], rows: Iterable[Iterable[str]], texts: Iterable[bool], spare: Iterable[str] = ()
) -> Grid:
    """Return a table with this head and these rows, all as text."""
    return Grid(tuple(head), tuple(map(tuple, rows)), tuple(texts), tuple(spare))


def text_fields(rows: Sequence[Any]) -> dict[str, bool]:
    """Return whether each field of a result is text, keyed by name, from the types that its class declares."""
    return {name: declared.split(" ", 1)[0] not in _NUMBERS for name, declared in declared_types(rows).items()}


def text_values(values: Iterable[Any]) -> bool:
    """Return whether a column of values is text: at least one of them is not a number."""
    return any(not isinstance(value, (int, float)) or isinstance(value, bool) for value in values if value is not None)
