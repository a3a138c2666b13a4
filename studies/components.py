"""Does an interval over questions and prompts hold? docs/evidence/components.md.

    python studies/components.py  writes docs/evidence/components.md and components.csv (minutes on one core)

Answers are right with a chance whose log odds add up from the question, the prompt (and the judge), and what single
cells have of their own. The truth is the mean over all questions and prompts.
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

from nescio.stats.components import FEWEST, balanced, clustered
from nescio.stats.intervals import student

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
Floats = NDArray[np.float64]
MEAN, QUESTIONS, CELL = 0.6, 1.2, 0.6
# Levels of each factor, answers a cell, and the spread of prompts (and of judges) in log odds.
DESIGNS: tuple[tuple[tuple[int, ...], int, float], ...] = (
    ((100, 2), 2, 0.4),
    ((200, 2), 1, 0.1),
    ((100, 3), 2, 0.4),
    ((300, 3), 2, 0.4),
    ((300, 3), 2, 0.1),
    ((50, 4), 1, 0.4),
    ((200, 4), 1, 0.4),
    ((200, 4), 1, 0.0),
    ((100, 5), 2, 0.4),
    ((100, 5), 2, 0.1),
    ((50, 5), 3, 0.2),
    ((100, 10), 1, 0.4),
    ((400, 20), 1, 0.3),
    ((100, 3, 2), 1, 0.3),
    ((100, 5, 4), 1, 0.3),
)
UNBALANCED = (((100, 3), 0.4), ((100, 5), 0.4), ((100, 10), 0.3), ((100, 10), 0.1))


class Cell(Struct, frozen=True):
    """How often each 95% interval holds the mean over all levels of all factors, and half the width of the one that
    is given."""

    design: str
    answers: int
    spread: float
    binomial: float
    questions: float
    satterthwaite: float
    given: float
    width: float
    replications: int

    @property
    def offered(self) -> bool:
        """Whether all factors have three levels or more."""
        return min(map(int, self.design.partition(",")[0].split(" × "))) >= FEWEST


def draw(
    rng: np.random.Generator, levels: tuple[int, ...], answers: int, spread: float
) -> tuple[Floats, list[NDArray[np.int64]]]:
    """Draw right and wrong answers, and number the level of each by each factor."""
    codes = [code.ravel() for code in np.indices((*levels, answers))][:-1]
    odds = np.full(len(codes[0]), MEAN) + rng.normal(0, QUESTIONS, levels[0])[codes[0]]
    for size, code in zip(levels[1:], codes[1:], strict=True):
        odds += rng.normal(0, spread, size)[code]
    odds += rng.normal(0, CELL, levels)[tuple(codes)]
    return (rng.random(len(odds)) < 1 / (1 + np.exp(-odds))).astype(np.float64), codes


def truth(levels: tuple[int, ...], spread: float) -> float:
    """Return the mean over all levels: log odds have a normal law."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(81)
    sd = (QUESTIONS**2 + CELL**2 + (len(levels) - 1) * spread**2) ** 0.5
    return float(weights @ (1 / (1 + np.exp(-MEAN - sd * nodes))) / weights.sum())


def study(levels: tuple[int, ...], answers: int, spread: float, replications: int, *, thinned: bool = False) -> Cell:
    """One design; `thinned` leaves 40 or 90% of the cells of every other question."""
    rng = np.random.default_rng([32, *levels, answers, round(10 * spread), thinned])
    true, held, width = truth(levels, spread), np.zeros(4), 0.0
    over = tuple(range(len(levels)))
    for _ in range(replications):
        values, codes = draw(rng, levels, answers, spread)
        if thinned:
            kept = rng.random(len(values)) < np.where(codes[0] % 2 == 0, 0.4, 0.9)
            values, codes = values[kept], [np.unique(code[kept], return_inverse=True)[1] for code in codes]
        off, n = abs(values.mean() - true), len(values)
        moved = (values - values.mean()) / n
        if thinned:
            alone, both = clustered(moved, codes, (0,)), clustered(moved, codes, over)
            satterthwaite = both.freedom
        else:
            found = balanced(values, codes)
            assert found is not None
            alone, both = found.spread((0,)), found.spread(over)
            parts = {s: found.squares[s] / n * sign for s, sign in signs(len(levels)).items()}
            total = sum(parts.values())
            satterthwaite = both.freedom
            if total > max(parts[f,] for f in over):
                free = total**2 / sum(part**2 / found.freedom(s) for s, part in parts.items())
                satterthwaite = max(free, min(levels) - 1)
        halves = [
            1.96 * (values.mean() * (1 - values.mean()) / n) ** 0.5,
            alone.error * float(student(alone.freedom, 0.95)),
            both.error * float(student(satterthwaite, 0.95)),
            both.error * float(student(both.freedom, 0.95)),
        ]
        held += [off <= half for half in halves]
        width += halves[-1]
    binomial, questions, free, given = (held / replications).tolist()
    name = " × ".join(map(str, levels)) + (", unbalanced" if thinned else "")
    return Cell(name, answers, spread, binomial, questions, free, given, width / replications, replications)


def signs(factors: int) -> dict[tuple[int, ...], int]:
    """Return what each mean square counts for in the variance of the mean over all factors."""
    if factors == 2:
        return {(0,): 1, (1,): 1, (0, 1): -1}
    return {(0,): 1, (1,): 1, (2,): 1, (0, 1): -1, (0, 2): -1, (1, 2): -1, (0, 1, 2): 1}


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a design."""
    lines = [
        "| questions × prompts (× judges) | answers a cell | spread of prompts | single answers | questions alone |"
        " Satterthwaite | **nescio's** |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in cells:
        given = f"**{one.given:.3f}**" if one.offered else "none"
        shares = f"{one.binomial:.3f} | {one.questions:.3f} | {one.satterthwaite:.3f} | {given}"
        lines.append(f"| {one.design} | {one.answers} | {one.spread:g} | {shares} |")
    return lines


def width_of(cells: Sequence[Cell], design: str) -> float:
    """Return half the width of nescio's interval where prompts differ most."""
    return max((one.spread, one.width) for one in cells if one.design == design)[1]


@click.command()
@click.option("--replications", default=2_000, show_default=True)
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
def main(replications: int, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only:
        cells = [study(levels, answers, spread, replications) for levels, answers, spread in DESIGNS]
        cells += [study(levels, 1, spread, replications, thinned=True) for levels, spread in UNBALANCED]
        write_cells(cells, DOCS / "components.csv")
    cells = read_cells(Cell, DOCS / "components.csv")
    facts = {
        "replications": f"{cells[0].replications:,}",
        "table": table(cells[: len(DESIGNS) + 1]),  # of the unbalanced designs, the one with fewest prompts
        "least": f"{min(one.given for one in cells if one.offered):.1%}",
        "questions": f"{min(one.questions for one in cells):.0%}",
        "binomial": f"{min(one.binomial for one in cells):.0%}",
        "two": f"{min(one.given for one in cells if not one.offered):.0%}",
        **{name: f"{width_of(cells, design):.3f}" for name, design in {"three": "100 × 3", "five": "100 × 5"}.items()},
    }
    (DOCS / "components.md").write_text(fill("components", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
