"""Are the keys that nescio suspects wrong? docs/evidence/items.md.

    python studies/items.py            writes docs/evidence/items.md and items.csv (minutes on one core)

Systems answer questions of four options, of which some have a wrong key; they are listed by nescio's own functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.comparison.corrections import adjust
from nescio.comparison.items import LEVEL, suspects

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
SETTINGS = ((10, 0.05), (15, 0.05), (40, 0.05), (40, 0.0))
ITEMS, OPTIONS, LIST = 200, 4, 10


class Cell(Struct, frozen=True):
    """Of simulated collections: how many of the ten most suspicious questions have a wrong key, by the sign of the
    discrimination alone and with the other answers; which share of the wrong keys is flagged, and the false discovery
    rate: the mean share of flagged keys that are right, 0 where none is flagged."""

    runs: int
    wrong: float
    first_by_sign: float
    first: float
    found_by_sign: float
    found: float
    false: float
    replications: int


def draw(
    rng: np.random.Generator, runs: int, wrong: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Draw what each run says, the key, and which keys are wrong."""
    able, easy = rng.normal(0, 1, runs), rng.normal(-0.3, 1, ITEMS)
    steep = np.exp(rng.normal(0, 0.3, ITEMS))
    knows = rng.random((runs, ITEMS)) < 1 / (1 + np.exp(-steep * (able[:, None] + easy)))
    said = np.where(knows | (rng.random((runs, ITEMS)) < 1 / OPTIONS), 0, rng.integers(1, OPTIONS, (runs, ITEMS)))
    bad = rng.random(ITEMS) < wrong
    return said, np.where(bad, rng.integers(1, OPTIONS, ITEMS), 0), bad


def study(runs: int, wrong: float, replications: int) -> Cell:
    """One setting."""
    rng = np.random.default_rng([72, runs, round(100 * wrong)])
    sums, false, keys = np.zeros(4), 0.0, 0
    for _ in range(replications):
        said, key, bad = draw(rng, runs, wrong)
        texts = [[str(one) for one in row] for row in said]
        by_both = suspects((said == key).astype(np.float64), texts)
        adjusted = adjust([None if np.isnan(one) else float(one) for one in by_both.p_sign], "bh")
        by_sign = np.array([one is not None and one <= LEVEL for one in adjusted])
        keys += int(bad.sum())
        for place, (p, flagged_) in enumerate(((by_both.p_sign, by_sign), (by_both.p, by_both.flagged))):
            order = np.argsort(np.where(np.isnan(p), 2.0, p), kind="stable")
            sums[place] += bad[order[:LIST]].sum()
            sums[2 + place] += bad[flagged_].sum()
        false += float((~bad)[by_both.flagged].mean()) if by_both.flagged.any() else 0.0
    first_by_sign, first = (sums[:2] / replications).tolist()
    found_by_sign, found_by_both = (sums[2:] / max(keys, 1)).tolist()
    return Cell(runs, wrong, first_by_sign, first, found_by_sign, found_by_both, false / replications, replications)


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting."""
    lines = [
        "| runs | wrong keys | wrong among the first ten, by sign | with other answers | wrong keys flagged | flagged "
        "keys that are right |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in cells:
        first = f"{one.first_by_sign:.1f} | {one.first:.1f}"
        lines.append(f"| {one.runs} | {one.wrong:.0%} | {first} | {one.found:.1%} | {one.false:.1%} |")
    return lines


@click.command()
@click.option("--replications", default=400, show_default=True)
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
def main(replications: int, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only:
        write_cells([study(runs, wrong, replications) for runs, wrong in SETTINGS], DOCS / "items.csv")
    cells = read_cells(Cell, DOCS / "items.csv")
    bad = [one for one in cells if one.wrong]
    parts = {
        "few": f"{min(one.first for one in bad):.1f}",
        "many": f"{max(one.first for one in bad):.1f}",
        "found": f"{max(one.found for one in bad):.1%}",
        "collections": f"{cells[0].replications:,}",
    }
    (DOCS / "items.md").write_text(fill("items", {**parts, "table": table(cells)}), encoding="utf-8")


if __name__ == "__main__":
    main()
