"""The pages of studies: prose with figures put in."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def fill(study: str, parts: Mapping[str, str | Sequence[str]]) -> str:
    """Return the template of a study with a text, or lines, in place of each @name@."""
    text = (Path(__file__).parent / f"{study}.md.in").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part if isinstance(part, str) else "\n".join(part))
    return text


def least_table(
    keys: Sequence[str],
    heads: Sequence[str],
    columns: Sequence[str],
    groups: Iterable[tuple[Sequence[str], Sequence[Any]]],
) -> list[str]:
    """Return a table with a row a group of cells that were made: what names it, and the least of each column over the
    cells; of `none`, the share without an interval, the largest."""
    rules = ["---", *["---:"] * (len(keys) + len(heads) - 1)]
    lines = [f"| {' | '.join([*keys, *heads])} |", f"| {' | '.join(rules)} |"]
    for names, cells in groups:
        if cells:
            shown = [(max if name == "none" else min)(getattr(cell, name) for cell in cells) for name in columns]
            row = ["" if np.isnan(share) else f"{share:.3f}" for share in shown]
            lines.append(f"| {' | '.join([*names, *row])} |")
    return lines


def cells_of(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def write_table(table: Sequence[str], path: Path) -> None:
    """Write a whole Markdown table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(map(cells_of, [table[0], *table[2:]]))


def kept_beside(table: Sequence[str], path: Path, keep: Callable[[dict[str, str]], bool]) -> list[str]:
    """Write a whole Markdown table as CSV, and return it with those rows alone that the page shows."""
    write_table(table, path)
    head = cells_of(table[0])
    return [*table[:2], *(line for line in table[2:] if keep(dict(zip(head, cells_of(line), strict=True))))]


def narrowed(table: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """Return some columns of a Markdown table, under other heads."""
    at = [cells_of(table[0]).index(name) for name in columns]
    lines = [[cells_of(line)[i] for i in at] for line in table[1:]]
    return [f"| {' | '.join(row)} |" for row in ([*columns.values()], *lines)]
