"""Find the papers behind nescio and their items, which `papers.toml` lists."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from nescio.errors import UnknownNameError, nearest

HERE = Path(__file__).parent
_SAME = {"equation": "eq", "eqs": "eq", "formula": "eq", "figure": "fig", "table": "tab", "tables": "tab"}
_SAME |= {"section": "sec", "§": "sec", "algorithms": "algorithm", "alg": "algorithm"}
_NUMBERED = re.compile(r"\b(eq|fig|tab|sec|algorithm|footnote|appendix) (\d)")  # a kind of item with its number


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """An equation, table, figure or section of a paper; `papers.toml` explains each field."""

    label: str
    title: str = ""
    about: str = ""
    also: tuple[str, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    text: str = ""
    data: str = ""
    shows: str = ""
    head: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    rows: str = ""
    basis: Literal["printed", "by hand", "other data"] = "printed"
    digits: int | tuple[int, ...] = 2
    differs: tuple[str, ...] = ()
    cut: bool = False
    across: bool = False
    names: Mapping[str, str] = {}
    tally: Mapping[str, str] = {}
    prints: str = ""
    yours: tuple[str, ...] | None = None
    yours_rows: tuple[str, ...] = ()
    remark: str = ""

    @property
    def whole_title(self) -> str:
        """Return the title with the subject of the paper's data."""
        return " ".join(filter(None, (self.title, self.about)))

    @property
    def cells(self) -> list[list[str]]:
        """Return the rows of the paper's table."""
        return [[cell.strip() for cell in line.split("|")] for line in self.rows.strip().splitlines()]

    def decimals(self, column: int) -> int:
        """Return the number of decimals in a column of the paper's table."""
        return self.digits if isinstance(self.digits, int) else self.digits[column]


class Paper(Struct, frozen=True, forbid_unknown_fields=True):
    """A paper, and its items in order."""

    title: str
    source: str
    items: tuple[Item, ...]
    also: tuple[str, ...] = ()
    key: str = ""


@cache
def papers() -> dict[str, Paper]:
    """Return all papers, keyed by their short names."""
    table = tomllib.loads((HERE / "papers.toml").read_text(encoding="utf-8"))
    return {key: msgspec.convert({**paper, "key": key}, Paper) for key, paper in table.items()}


def find_paper(name: str) -> Paper:
    """Return the paper whose key or name is `name`, or the only paper that fits its words.

    A paper fits if its key begins with the words, or else if its title and source have them. Raises UnknownNameError.
    """
    wanted = _plain(name)
    named = {_joined(word): paper for paper in papers().values() for word in (paper.key, *paper.also)}
    if _joined(name) in named:
        return named[_joined(name)]
    begun = [paper for paper in papers().values() if wanted and _plain(paper.key).startswith(wanted)]
    having = begun or [paper for paper in papers().values() if _has(wanted, f"{paper.title} {paper.source}")]
    if len(having) == 1:
        return having[0]
    # Keys end in a year, so any two are half alike. Suggestions must be closer than that.
    raise UnknownNameError("paper", name, [paper.key for paper in having] or nearest(name, papers(), 0.8) or papers())


def find_item(paper: Paper, name: str) -> Item:
    """Return the item whose label, name or title is `name`, or the only item that has all words of `name`.

    Raises UnknownNameError with the closest items, or with all that fit.
    """
    items = fitting_items(paper, name)
    if len(items) == 1:
        return items[0]
    kind = f"item of {paper.key}"
    fitting = [f"{item.label} ({item.whole_title})" for item in items]
    raise UnknownNameError(kind, name, [item.label for item in paper.items], fitting=fitting)


def fitting_items(paper: Paper, name: str) -> list[Item]:
    """Return the item whose label, name or title is `name`, or else every item that has all words of `name`."""
    named = {_joined(item.whole_title): item for item in reversed(paper.items)}
    named |= {_joined(word): item for item in paper.items for word in item.also}
    named |= {_joined(item.label): item for item in paper.items}
    wanted = _plain(name)
    if wanted and _joined(name) in named:
        return [named[_joined(name)]]
    return [item for item in paper.items if _has(wanted, f"{item.label}, {item.whole_title}, {', '.join(item.also)}")]


def _has(wanted: str, text: str) -> bool:
    """Return whether a text has all `wanted` words: numbers exactly, other words at least by their beginning."""
    words = _plain(text).split()
    return bool(wanted) and all(
        part in words if part[-1].isdigit() else any(word.startswith(part) for word in words) for part in wanted.split()
    )


def _plain(name: str) -> str:
    """Return a name in its plain spelling: "Eq. (11)", "equation 11" and "eq11" all give "eq11"."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    words = re.findall(r"[a-zα-ω]+|\d+(?:\.\d+)*|[¬%@§]", "".join(c for c in letters if not unicodedata.combining(c)))
    return _NUMBERED.sub(r"\1\2", " ".join(_SAME.get(word, word) for word in words))


def _joined(name: str) -> str:
    """Return the plain spelling of a name without spaces: DeepRead equals Deep Read."""
    return _plain(name).replace(" ", "")


def examples() -> Path:
    """Return the folder in which the commands of the papers run, in the package or in a checkout."""
    inside = HERE / "examples"
    return inside if inside.is_dir() else HERE.parents[2] / "examples"


def count_runs(paper: Paper, tables: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return the number of systems in each group of the tables, keyed by group and language, with totals."""
    counted: dict[str, dict[str, int]] = {}
    for language, label in tables.items():
        for group, system, *_ in find_item(paper, label).cells:
            if system:
                for name in (group, "Total"):
                    counts = counted.setdefault(name, {})
                    for column in (language, "Total"):
                        counts[column] = counts.get(column, 0) + 1
    return counted
