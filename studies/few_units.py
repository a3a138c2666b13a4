"""How often does an interval hold the true value where few clusters, or few questions, decide? docs/few-units.md.

    python studies/few_units.py            writes docs/few-units.md and docs/few_units.csv (some minutes on one core)

Two systems answer the same questions. How hard a question is, is shared by both systems and, in part, by the questions
of its cluster. Standard errors, degrees of freedom and ends are those of nescio; the truth is that of 40,000 clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill
from scipy.special import ndtri

from nescio.data.patterns import Patterns, compress
from nescio.measures import Measure, parse
from nescio.scoring.influence import influence
from nescio.stats import intervals
from nescio.stats.few_units import unit_error

DOCS = Path(__file__).parents[1] / "docs"
MEASURES = ("accuracy", "c@1", "precision", "UF")
SIZES = {
    "6 × 5": [5] * 6,
    "10 × 5": [5] * 10,
    "30 × 5": [5] * 30,
    "30 × 1": [1] * 30,
    "200 × 1": [1] * 200,
    "2, 3, 5, 5, 5, 10": [2, 3, 5, 5, 5, 10],
    "1, 1, 1, 1, 1, 25": [1, 1, 1, 1, 1, 25],
}
RIGHT = (0.5, 0.9)
SILENT, GAP, OF_CLUSTER, OF_QUESTION = 0.4, -0.1, 0.3, 0.3
Floats = NDArray[np.float64]


class Cell(Struct, frozen=True):
    """How often the intervals of a score, and of a paired difference, hold the truth; `none` is the share without
    one."""

    sizes: str
    right: float
    measure: str
    score: float
    percentile: float
    difference: float
    none: float
    replications: int


def runs(rng: np.random.Generator, sizes: Sequence[int], right: float) -> tuple[Floats, list[dict[str, Floats]]]:
    """Draw the outcomes of two systems on questions in clusters of these sizes."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = OF_CLUSTER**0.5 * rng.normal(size=len(sizes))[clusters]
    shared += OF_QUESTION**0.5 * rng.normal(size=len(clusters))
    made = []
    for run in range(2):
        own = (1 - OF_CLUSTER - OF_QUESTION) ** 0.5 * rng.normal(size=len(clusters))
        correct = shared + own < ndtri(right) + GAP * run
        silent = ~correct & (rng.random(len(clusters)) < SILENT)
        outcomes = {"correct": correct, "incorrect": ~correct & ~silent, "unanswered": silent}
        made.append({name: value.astype(float) for name, value in outcomes.items()})
    return clusters, made


def held(sides: Sequence[Patterns], measure: Measure, true: Sequence[float]) -> tuple[float, float, bool]:
    """Return whether the interval of the first run's score holds its truth, and that of the difference, and whether
    this one is lacking; NaN where there is no value."""
    values = [float(measure.value(side, side.counts)) for side in sides]
    size, times = sides[0].columns["n"], sides[0].counts
    moved = [influence(measure, side) for side in sides]
    error, freedom = unit_error(moved[0], size, times)
    low, high = intervals.logit(values[0], error, measure.bounds, freedom, 0.95)
    if np.isnan(low):
        low, high = intervals.at_limit(values[0], measure.bounds, int(times.sum()), 0.95)
    score = np.nan if np.isnan(values[0]) else float(low <= true[0] <= high)
    error, freedom = unit_error(moved[0] - moved[1], size, times)
    apart = values[0] - values[1]
    ends = intervals.logit(apart, error, (-np.inf, np.inf), freedom, 0.95)
    difference = np.nan if np.isnan(apart) else float(ends[0] <= true[0] - true[1] <= ends[1])
    return score, difference, bool(np.isnan(ends[0]))


def study(sizes: str, right: float, replications: int, resamples: int = 500) -> Iterator[Cell]:
    """All measures in one setting."""
    rng = np.random.default_rng([3, len(SIZES[sizes]), SIZES[sizes][-1], round(100 * right)])
    measures = [parse(name) for name in MEASURES]
    clusters, large = runs(rng, [5] * 40_000, right)
    truth = {}
    for measure in measures:
        sides = [compress(run, clusters, measure.each) for run in large]
        truth[measure.label] = [float(measure.value(side, side.counts)) for side in sides]
    found: dict[str, list[tuple[float, float, bool, float]]] = {name: [] for name in MEASURES}
    for _ in range(replications):
        clusters, both = runs(rng, SIZES[sizes], right)
        units = len(SIZES[sizes])
        weights = rng.multinomial(units, np.full(units, 1 / units), size=resamples)
        for measure in measures:
            sides = [compress(run, clusters, measure.each) for run in both]
            low, high = intervals.percentile(measure.value(sides[0], weights), 0.95)
            own = float(low <= truth[measure.label][0] <= high)
            found[measure.label].append((*held(sides, measure, truth[measure.label]), own))
    for name, rows in found.items():
        score, difference, none, percentile = np.nanmean(np.array(rows, dtype=float), axis=0)
        yield Cell(sizes, right, name, score, percentile, difference, none, replications)


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting: the lowest coverage over the measures."""
    lines = [
        "| clusters × questions | right | score, t | score, percentile | difference, t | no interval |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for sizes in SIZES:
        for right in RIGHT:
            of = [cell for cell in cells if (cell.sizes, cell.right) == (sizes, right)]
            lowest = [min(getattr(cell, name) for cell in of) for name in ("score", "percentile", "difference")]
            shown = " | ".join(f"{share:.3f}" for share in lowest)
            lines.append(f"| {sizes} | {right:.0%} | {shown} | {max(cell.none for cell in of):.3f} |")
    return lines


@click.command()
@click.option("--replications", default=1_000, show_default=True)
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
def main(replications: int, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only:
        settings = [(sizes, right) for sizes in SIZES for right in RIGHT]
        write_cells((cell for one in settings for cell in study(*one, replications)), DOCS / "few_units.csv")
    cells = read_cells(Cell, DOCS / "few_units.csv")
    facts = {"replications": f"{cells[0].replications:,}", "table": table(cells)}
    (DOCS / "few-units.md").write_text(fill("few_units", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
