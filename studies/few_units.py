"""How often does an interval of few clusters or few questions hold the true value? docs/evidence/few-units.md.

    python studies/few_units.py  writes docs/evidence/few-units.md and few_units.csv (minutes on one core)
    python studies/few_units.py --only '6 × 5'     makes these settings anew, and keeps the others
    python studies/few_units.py --page-only        writes the page from the figures that are there

Two systems answer the same questions. How hard a question is, is shared by both systems and, in part, by the questions
of its cluster. Intervals are those of nescio, and other rules beside them; the truth is that of 40,000 clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill, least_table, write_table
from scipy.special import ndtri

from nescio.comparison.each_pair import student_interval
from nescio.comparison.paired_data import Pair, pair_up
from nescio.data.patterns import Patterns
from nescio.estimating.measured import moved_by
from nescio.measures import Measure, parse
from nescio.stats import intervals, suites
from nescio.stats.few_units import unit_error

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
MEASURES = ("accuracy", "c@1", "precision", "UF")
RIGHT = (0.5, 0.9, 0.97)
SILENT, GAP, OF_CLUSTER, OF_QUESTION = 0.4, -0.1, 0.3, 0.3
LEVEL, RESAMPLES = 0.95, 500
ENOUGH = 500  # replications of a cell that the page shows
RULES = ("score", "score_percentile", "difference", "percentile", "plain", "flips", "none")
FLIPPED = 12  # units of which all signs are looked at
Floats = NDArray[np.float64]


class Setting(Struct, frozen=True):
    """Clusters of these sizes in each benchmark, each question asked so many times."""

    name: str
    sizes: tuple[int, ...]
    repeats: int = 1
    benchmarks: int = 1


SETTINGS = (
    Setting("6 × 5", (5,) * 6),
    Setting("10 × 5", (5,) * 10),
    Setting("30 × 5", (5,) * 30),
    Setting("30 × 1", (1,) * 30),
    Setting("200 × 1", (1,) * 200),
    Setting("2, 3, 5, 5, 5, 10", (2, 3, 5, 5, 5, 10)),
    Setting("1, 1, 1, 1, 1, 25", (1, 1, 1, 1, 1, 25)),
    Setting("30 × 1, asked 4 times", (1,) * 30, repeats=4),
    Setting("4 benchmarks of 30 × 1", (1,) * 30, benchmarks=4),
    Setting("3 benchmarks of 6 × 5", (5,) * 6, benchmarks=3),
)


class Cell(Struct, frozen=True):
    """How often intervals hold the truth: of a score by nescio and by percentiles, of a paired difference by nescio,
    percentiles, Student's t with Satterthwaite's degrees of freedom alone, and sign flips. Those that nescio does not
    give do not count; `none` is their share."""

    setting: str
    right: float
    measure: str
    score: float
    score_percentile: float
    difference: float
    percentile: float
    plain: float
    flips: float
    none: float
    replications: int


def runs(rng: np.random.Generator, setting: Setting, right: float) -> tuple[NDArray[np.int64], list[dict[str, Floats]]]:
    """Draw the outcomes of two systems on questions in clusters, as shares of the times they were asked."""
    sizes = setting.sizes
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = OF_CLUSTER**0.5 * rng.normal(size=len(sizes))[clusters]
    shared += OF_QUESTION**0.5 * rng.normal(size=len(clusters))
    made = []
    for run in range(2):
        shape = (setting.repeats, len(clusters))
        own = (1 - OF_CLUSTER - OF_QUESTION) ** 0.5 * rng.normal(size=shape)
        correct = shared + own < ndtri(right) + GAP * run
        silent = ~correct & (rng.random(shape) < SILENT)
        outcomes = {"correct": correct, "incorrect": ~correct & ~silent, "unanswered": silent}
        made.append({name: value.mean(axis=0) for name, value in outcomes.items()})
    return clusters, made


def paired(measure: Measure, clusters: NDArray[np.int64], both: Sequence[dict[str, Floats]]) -> Pair:
    """Lay two runs side by side."""
    derived = [{**run, "answered": 1 - run["unanswered"]} for run in both]
    columns = {name: (derived[0][name], derived[1][name]) for name in measure.needs}
    return pair_up(measure, columns, clusters)


def score_holds(
    side: Patterns, measure: Measure, moved: Floats, true: float, weights: NDArray[np.int64]
) -> tuple[float, float]:
    """Return whether nescio's interval of a score of clusters holds the truth, and whether percentiles do; NaN where
    there is no value."""
    value = float(measure.value(side, side.counts))
    if np.isnan(value):
        return np.nan, np.nan
    error, freedom = unit_error(moved, side.columns["n"], side.counts)
    low, high = intervals.logit(value, error, measure.bounds, freedom, LEVEL)
    if np.isnan(low):
        low, high = intervals.at_limit(value, measure.bounds, int(side.counts.sum()), LEVEL)
    drawn = intervals.percentile(measure.value(side, weights), LEVEL)
    return float(low <= true <= high), float(drawn[0] <= true <= drawn[1])


def flips_hold(moved: Floats, size: Floats, away: float, rng: np.random.Generator) -> bool:
    """Tell whether sign flips of the units do not reject the true difference (Cameron, Gelbach & Miller 2008)."""
    moved = moved + away * size / size.sum()
    every = len(size) <= FLIPPED
    signs = (
        np.array(list(product((-1, 1), repeat=len(size)))) if every else 1 - 2 * rng.integers(2, size=(999, len(size)))
    )
    hits = np.sum(np.abs(signs @ moved) >= abs(moved.sum()) - 1e-12)
    return bool((hits + (not every)) / (len(signs) + (not every)) > 1 - LEVEL)


def replicate(
    rng: np.random.Generator, setting: Setting, right: float, measures: Sequence[Measure], truth: dict[str, list[float]]
) -> Iterator[tuple[float, ...]]:
    """Yield, measure by measure, which intervals hold the truth."""
    benchmarks = [runs(rng, setting, right) for _ in range(setting.benchmarks)]
    units = len(setting.sizes)
    weights = rng.multinomial(units, np.full(units, 1 / units), size=RESAMPLES)
    for measure in measures:
        pairs = [paired(measure, clusters, both) for clusters, both in benchmarks]
        true = truth[measure.label]
        apart = true[0] - true[1]
        values = np.array([float(pair.resampled(pair.counts)) for pair in pairs])
        if np.isnan(values).any():
            yield (np.nan,) * 7
            continue
        sides = [[moved_by(measure, own) for own in pair.own] for pair in pairs]
        size, counts = pairs[0].own[0].columns["n"], pairs[0].counts
        errors = [unit_error(one - other, size, counts) for one, other in sides]
        drawn = np.mean([pair.resampled(rng.permutation(weights)) for pair in pairs], axis=0)
        ends = intervals.percentile(drawn, LEVEL)
        if setting.benchmarks > 1:
            macro = suites.fixed_benchmarks(
                values, np.array([s * s for s, _ in errors]), errors, intervals.EVERYWHERE, LEVEL
            )
            low, high, plain, own, flips = macro.low, macro.high, np.nan, (np.nan, np.nan), np.nan
        else:
            low, high, _ = student_interval(measure, values[0], errors[0], pairs[0].n, LEVEL)
            moved = sides[0][0] - sides[0][1]
            error, freedom = unit_error(moved, size, counts, skewed=False)
            at = intervals.logit(values[0], error, intervals.EVERYWHERE, freedom, LEVEL)
            plain = np.nan if np.isnan(at[0]) else float(at[0] <= apart <= at[1])
            own = score_holds(pairs[0].own[0], measure, sides[0][0], true[0], weights)
            flips = float(flips_hold(moved, size, values[0] - apart, rng))
        given = not np.isnan(low)
        yield (
            *own,
            float(low <= apart <= high) if given else np.nan,
            float(ends[0] <= apart <= ends[1]),
            plain,
            flips,
            float(not given),
        )


def study(setting: Setting, right: float, replications: int) -> Iterator[Cell]:
    """All measures in one setting."""
    rng = np.random.default_rng([3, SETTINGS.index(setting), round(100 * right)])
    measures = [parse(name) for name in MEASURES]
    clusters, large = runs(rng, Setting("", (5,) * 40_000), right)
    truth = {}
    for measure in measures:
        pair = paired(measure, clusters, large)
        truth[measure.label] = [float(measure.value(side, side.counts)) for side in pair.own]
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in MEASURES}
    for _ in range(replications):
        for name, row in zip(MEASURES, replicate(rng, setting, right, measures, truth), strict=True):
            found[name].append(row)
    for name, rows in found.items():
        of = np.array(rows)
        known = ~np.isnan(of).all(axis=0)
        means = np.where(known, np.nanmean(np.where(known, of, 0.0), axis=0), np.nan)
        values = dict(zip(RULES, means.tolist(), strict=True))
        yield Cell(setting=setting.name, right=right, measure=name, replications=replications, **values)


HEADS = (
    "score",
    "score, percentile",
    "difference",
    "none given",
    "difference, percentile",
    "difference, plain t",
    "difference, sign flips",
)
COLUMNS = ("score", "score_percentile", "difference", "none", "percentile", "plain", "flips")


def by_right(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting and share of right answers: the lowest coverage over the measures, and the largest share
    without an interval."""
    keys = [(setting.name, right) for setting in SETTINGS for right in RIGHT]
    groups = [
        ((name, f"{right:.0%}"), [cell for cell in cells if (cell.setting, cell.right) == (name, right)])
        for name, right in keys
    ]
    return least_table(("clusters × questions", "right"), HEADS, COLUMNS, groups)


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting: the same over measures and shares of right answers."""
    groups = [((setting.name,), [cell for cell in cells if cell.setting == setting.name]) for setting in SETTINGS]
    return least_table(("clusters × questions",), HEADS, COLUMNS, groups)


@click.command()
@click.option("--replications", default=2_000, show_default=True)
@click.option("--only", multiple=True, help="The name of a setting to make anew.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV files."
)
def main(replications: int, only: Sequence[str], page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    path = output / "few_units.csv"
    if not page_only:
        made = {one.name: list(read_cells(Cell, path)) if only else [] for one in SETTINGS}
        for setting in SETTINGS:
            made[setting.name] = [cell for cell in made[setting.name] if cell.setting == setting.name]
            if not only or setting.name in only:
                made[setting.name] = [cell for right in RIGHT for cell in study(setting, right, replications)]
        write_cells((cell for of in made.values() for cell in of), path)
    cells = [cell for cell in read_cells(Cell, path) if cell.replications >= ENOUGH]
    facts = {
        "replications": f"{min(cell.replications for cell in cells):,}",
        "least": f"{min(np.nanmin([cell.score, cell.difference]) for cell in cells):.1%}",
        "none": f"{max(cell.none for cell in cells if cell.setting == SETTINGS[0].name):.0%}",
        "table": table(cells),
    }
    write_table(by_right(cells), output / "few_units_lowest.csv")
    (output / "few-units.md").write_text(fill("few_units", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
