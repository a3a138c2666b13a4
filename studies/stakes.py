"""Do the intervals and tests of stated stakes hold what they claim? docs/evidence/stakes.md.

    python studies/stakes.py           writes docs/evidence/stakes.md and stakes.csv (about ten minutes on one core)
    python studies/stakes.py --page-only    writes the page from the figures that are there

A system is so sure of each question as it is right there, and answers where that exceeds what a stake asks for; or it
heeds the stake now and then; or never. Figures are made by nescio's own functions; the truth is that of 400,000
questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.estimating.means import difference, mean
from nescio.stats.stakes import adaptation, area_weights, exchange_p, gain

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
STAKES = (Fraction(1, 3), Fraction(1), Fraction(3), Fraction(9))
DEAREST = 9.0
# The chance that a stake is looked at, and the log odds of a right answer to a middling question.
LAWS = {
    "heeds": (1.0, 0.6),
    "heeds half the time": (0.5, 0.6),
    "ignores": (0.0, 0.6),
    "heeds, nearly all right": (1.0, 3.0),
    "ignores, nearly all right": (0.0, 3.0),
}
SIZES = ((20, 1), (30, 1), (50, 1), (200, 1), (6, 5), (10, 5), (30, 5))  # units, and questions in each
LARGE, LEVEL = 400_000, 0.95
SHARED = 0.5  # of the spread of how easy questions are lies between clusters
WEIGHTS = area_weights([one / (1 + one) for one in STAKES])
ALPHA, BETA = (np.array(side, dtype=float) for side in WEIGHTS)
UNIT = math.lcm(*(one.denominator for side in WEIGHTS for one in side))  # of which all earnings are whole numbers
LOG = np.log(np.array([float(one) for one in STAKES]))
Floats = NDArray[np.float64]


class Cell(Struct, frozen=True):
    """One setting: how often a slope has an interval, and how often this, and those of the area, of the utility at the
    dearest stake, and of how far these two are above those of a system that ignores the stakes, hold the true figure
    where there is one, the last with Student's interval alone, too; and how often tests reject at 5%: that stakes are
    ignored, and that two systems of the same law are alike by the area and by the dearest stake."""

    law: str
    units: int
    each: int
    given: float
    slope: float
    area: float
    utility: float
    area_difference: float
    utility_difference: float
    student: float
    adapts: float
    area_unlike: float
    utility_unlike: float
    replications: int


def draw_questions(rng: np.random.Generator, odds: float, units: int, each: int) -> Floats:
    """Draw how likely a right answer to each question is."""
    own, shared = rng.normal(0, 1, (units, each)), rng.normal(0, 1, (units, 1))
    easy = own if each == 1 else math.sqrt(1 - SHARED) * own + math.sqrt(SHARED) * shared
    return (1 / (1 + np.exp(-(odds + 1.2 * easy)))).ravel()


def draw(rng: np.random.Generator, heeds: float, chance: Floats) -> tuple[Floats, Floats]:
    """Draw which answers are right and which silent, shape (questions, stakes); a stake that is not looked at is taken
    for 1."""
    right = rng.random(len(chance)) < chance
    sure = np.clip(chance + rng.normal(0, 0.1, len(chance)), 0, 1)[:, None]
    asked = np.array([float(one / (1 + one)) for one in STAKES])
    looks = rng.random((len(chance), len(STAKES))) < heeds
    # What is not looked at falls where it may, at any stake alike.
    silent = np.where(looks, sure <= asked, sure + rng.normal(0, 0.1, looks.shape) <= 0.5)
    return (right[:, None] & ~silent).astype(float), silent.astype(float)


def earned(right: Floats, silent: Floats) -> tuple[Floats, Floats]:
    """Return what each question adds to the area and to the utility at the dearest stake."""
    wrong = 1 - right - silent
    return right @ ALPHA - wrong @ BETA, gain(right[:, -1], wrong[:, -1], DEAREST)


def truth(heeds: float, odds: float) -> tuple[float, float, float]:
    """Return the slope, the area and the utility at the dearest stake of very many questions."""
    rng = np.random.default_rng([32, round(100 * heeds), round(100 * odds)])
    right, silent = draw(rng, heeds, draw_questions(rng, odds, LARGE, 1))
    area, utility = earned(right, silent)
    away = LOG - LOG.mean()
    return float((silent @ away).mean() / (away @ away)), float(area.mean()), float(utility.mean())


def unlike(one: Floats, other: Floats, units: int) -> bool:
    """Say whether the exchange test rejects that two runs earn the same, cluster by cluster."""
    whole = np.rint((one - other) * UNIT).astype(np.int64).reshape(units, -1).sum(axis=1)
    return exchange_p(whole, np.random.default_rng(1))[0] <= 0.05


def study(law: str, units: int, each: int, replications: int) -> Cell:
    """One setting."""
    heeds, odds = LAWS[law]
    rng = np.random.default_rng([33, units, each, list(LAWS).index(law)])
    true, base = truth(heeds, odds), truth(0.0, odds)
    clusters = None if each == 1 else np.repeat(np.arange(units), each)
    worst = (-float(BETA.sum()), -DEAREST)
    held, given = np.zeros(9), np.zeros(9)
    for _ in range(replications):
        chance = draw_questions(rng, odds, units, each)
        right, silent = draw(rng, heeds, chance)
        mine = earned(right, silent)
        alike, other = (earned(*draw(rng, looks, chance)) for looks in (heeds, 0.0))
        slope = adaptation(LOG, silent, LEVEL, rng, clusters)
        found: list[tuple[Any, float]] = [
            (slope, true[0]),
            *((mean(mine[k], LEVEL, clusters, (worst[k], 1.0)), true[1 + k]) for k in (0, 1)),
        ]
        gap = [(mine[k] - other[k], true[1 + k] - base[1 + k]) for k in (0, 1)]
        found += [(difference(gap[k][0], LEVEL, 1 - worst[k], clusters), gap[k][1]) for k in (0, 1)]
        found += [(mean(gap[1][0], LEVEL, clusters), gap[1][1])]
        given[:6] += [not math.isnan(one.low) for one, _ in found]  # none where no question moves it
        held[:6] += [one.low <= value <= one.high for one, value in found]
        held[6:] += [slope.p <= 0.05, *(unlike(mine[k], alike[k], units) for k in (0, 1))]
    given[6:] = replications
    shares = held / np.maximum(given, 1)
    figures: list[Any] = [law, units, each, given[0] / replications, *shares.tolist(), replications]
    return Cell(*figures)


SHOWN = (20, 200)  # questions of the rows of the page; the CSV has all


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting."""
    lines = [
        "| system | questions | slope | utility at 9 | difference at 9 | found to heed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in cells:
        if one.units in SHOWN and one.each == 1:
            shares = (one.slope, one.utility, one.utility_difference, one.adapts)
            lines.append(f"| {one.law} | {one.units} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    return lines


def extremes(cells: Sequence[Cell]) -> dict[str, str]:
    """Return the worst of what the page says holds everywhere."""
    holds = [min(one.slope, one.area, one.utility, one.area_difference, one.utility_difference) for one in cells]
    figures = {
        "least": min(holds),
        "student": min(one.student for one in cells),
        "ignores": max(one.adapts for one in cells if not LAWS[one.law][0]),
        "alike": max(max(one.area_unlike, one.utility_unlike) for one in cells),
        "power": min(one.adapts for one in cells if LAWS[one.law][0]),
    }
    figures["errs"] = max(figures["ignores"], figures["alike"])
    return {name: f"{value:.1%}" for name, value in figures.items()}


@click.command()
@click.option("--replications", default=2_000, show_default=True)
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV.")
def main(replications: int, page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only:
        settings = [(law, *size) for law in LAWS for size in SIZES]
        write_cells((study(*one, replications) for one in settings), output / "stakes.csv")
    cells = read_cells(Cell, output / "stakes.csv")
    facts = {"table": table(cells), "replications": f"{cells[0].replications:,}", **extremes(cells)}
    (output / "stakes.md").write_text(fill("stakes", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
