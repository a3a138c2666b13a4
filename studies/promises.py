"""Does every statistic keep its promise, by every method? The table in docs/evidence/promises.md.

    python studies/promises.py  writes docs/evidence/promises.md and promises*.csv (half an hour on one core)
    python studies/promises.py --only paired      makes the settings of one group anew, and keeps the others
    python studies/promises.py --page-only        writes the page from the figures that are there

Systems with a known truth answer questions again and again, and nescio scores and compares them. An interval at 95%
keeps its promise if it holds the truth in 95% of the collections, a test at 5% if it rejects in 5% of those in which
two systems are alike. What another study has counted is taken from it.
"""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cascades  # the studies whose counts are used here
import click
import components
import few_units
import numpy as np
import ordered_differences
import promised
import stakes
from cells import read_cells, write_cells
from msgspec import Struct
from pages import fill, write_table
from promised import Figure, Setting

import suites

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
LEVEL = 0.95
SHORT, ERRORS = 0.01, 2  # a promise is broken by more than a percentage point and two errors
RESAMPLED = ("percentile", "bca")  # intervals of scores that are given if asked for, with a warning
ON_REQUEST = (*RESAMPLED, "wilson")  # not the default of any score here
ENOUGH = 100  # collections below which a share is not judged


class Cell(Struct, frozen=True):
    """What came of one statistic by one method in one setting.

    `coverage` is the share of the intervals given that hold the truth; `without` the share of collections without one.
    `size` is the share of tests that reject two systems that are alike. NaN where nothing is promised.
    """

    group: str
    statistic: str
    method: str
    setting: str
    coverage: float
    coverage_error: float
    without: float
    size: float
    size_error: float
    warned: float
    replications: int


def error(share: float, count: int) -> float:
    """Return the Monte Carlo standard error of a share; where all or none count, that of one more or less."""
    return math.sqrt(max(share * (1 - share), 1 / count) / count) if count else math.nan


def summed(group: str, setting: str, figures: Iterable[Figure]) -> Iterator[Cell]:
    """Yield a cell a statistic and method."""
    by_name: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for figure in figures:
        by_name[figure.statistic, figure.method].append(figure)
    for (statistic, method), some in by_name.items():
        defined = [one for one in some if not math.isnan(one.value)]
        if not defined:
            continue
        held = [one.low - 1e-9 <= one.truth <= one.high + 1e-9 for one in defined if not math.isnan(one.low)]
        rejected = [one.p <= 1 - LEVEL + 1e-12 for one in defined if not math.isnan(one.p)]
        coverage = float(np.mean(held)) if held else math.nan
        size = float(np.mean(rejected)) if rejected else math.nan
        promises = not all(math.isnan(one.truth) for one in defined)
        yield Cell(
            group,
            statistic,
            method,
            setting,
            coverage if promises else math.nan,
            error(coverage, len(held)) if promises else math.nan,
            1 - len(held) / len(defined) if promises else math.nan,
            size,
            error(size, len(rejected)),
            float(np.mean([one.warned for one in defined])),
            len(defined),
        )


class Kept(NamedTuple):
    """Shares that another study has counted: of intervals that hold, or of tests that reject."""

    statistic: str
    method: str
    coverage: float = math.nan
    given: float = 1.0
    size: float = math.nan


def told(group: str, setting: str, replications: int, shares: Iterable[Kept]) -> Iterator[Cell]:
    """Yield the cells of shares that another study has counted."""
    for one in shares:
        held = one.coverage, error(one.coverage, round(one.given * replications)), 1 - one.given
        if math.isnan(one.coverage):
            held = (math.nan,) * 3
        size = one.size, math.nan if math.isnan(one.size) else error(one.size, replications)
        yield Cell(group, one.statistic, one.method, setting, *held, *size, 0.0, replications)


# ---- what other studies have counted ----


def of_suites() -> Iterator[Cell]:
    """Macro means and their differences."""
    for cell in read_cells(suites.Cell, DOCS / "suites.csv"):
        method = "likelihood; exchange" if cell.over == "questions" else "t over benchmarks"
        kept = Kept(f"macro mean of {cell.measure}", method, cell.held, size=cell.found)
        yield from told("macro mean", cell.setting, cell.suites, [kept])


def of_cascades() -> Iterator[Cell]:
    """Yield gains of cascades over one system, the certified risk of their policies, and gains of votes."""
    for cell in read_cells(cascades.Cell, DOCS / "cascades.csv"):
        shares = [Kept(f"gain of a cascade over {cell.over}", "t of both halves and cross-fitted", cell.given)]
        if cell.over == "the first":
            shares.append(Kept("risk of a cascade", "certified", 1 - cell.broken))
        yield from told("cascade and vote", f"{cell.law}, {cell.n}", cell.replications, shares)
    for vote in read_cells(cascades.VoteCell, DOCS / "votes.csv"):
        kept = Kept("gain of a vote", "t, ends imagined", vote.given)
        yield from told("cascade and vote", f"{vote.law}, {vote.rule}, {vote.n}", vote.replications, [kept])


def of_stakes() -> Iterator[Cell]:
    """Utilities of stated stakes, their differences, and the slope."""
    for cell in read_cells(stakes.Cell, DOCS / "stakes.csv"):
        shares = [
            Kept("slope at stakes", "resampled", cell.slope, cell.given),
            Kept("area of utilities", "t, ends imagined; exchange", cell.area, size=cell.area_unlike),
            Kept("utility at a price of 9", "t, ends imagined; exchange", cell.utility, size=cell.utility_unlike),
            Kept("difference of areas", "t, ends imagined if rare", cell.area_difference),
            Kept("difference of utilities at 9", "t, ends imagined if rare", cell.utility_difference),
        ]
        if not stakes.LAWS[cell.law][0]:
            shares.append(Kept("heeds its stakes", "exchange", size=cell.adapts))
        setting = f"{cell.law}, {cell.units}" + (f" clusters of {cell.each}" if cell.each > 1 else "")
        yield from told("stakes", setting, cell.replications, shares)


def of_components() -> Iterator[Cell]:
    """Means over prompts, where they are offered."""
    for cell in read_cells(components.Cell, DOCS / "components.csv"):
        if cell.offered:
            kept = Kept("mean over prompts", "t", cell.given)
            yield from told("prompts", f"{cell.design}, spread {cell.spread:g}", cell.replications, [kept])


def of_few_units() -> Iterator[Cell]:
    """Differences of counts, and scores of clusters."""
    for cell in read_cells(few_units.Cell, DOCS / "few_units.csv"):
        kept = [Kept(f"difference of {cell.measure}", "t", cell.difference, 1 - cell.none)]
        if not math.isnan(cell.score):
            kept.append(Kept(f"{cell.measure}, clustered", "t", cell.score))
        yield from told("few units", f"{cell.setting}, right {cell.right:.0%}", cell.replications, kept)


def of_ordered_differences() -> Iterator[Cell]:
    """Differences of measures of confidence."""
    for cell in read_cells(ordered_differences.Cell, ordered_differences.CSV):
        alike = cell.first == cell.second
        kept = Kept(
            f"difference of {cell.measure}",
            "t of the jackknife; exchange",
            cell.coverage if cell.given else math.nan,
            cell.given / cell.defined,
            cell.rejected if alike else math.nan,
        )
        units = f"{cell.clusters}" if cell.size == 1 else f"{cell.clusters} clusters of {cell.size}"
        setting = f"{cell.first} and {cell.second}, {units}"
        yield from told("differences of confidence", setting, cell.defined, [kept])


ELSEWHERE: tuple[Callable[[], Iterator[Cell]], ...] = (
    of_few_units,
    of_ordered_differences,
    of_suites,
    of_cascades,
    of_stakes,
    of_components,
)


# ---- the page ----


def too_low(cell: Cell) -> bool:
    """Whether intervals hold too seldom."""
    lacking = LEVEL - cell.coverage
    return lacking > SHORT and lacking > ERRORS * cell.coverage_error


def too_large(cell: Cell) -> bool:
    """Whether a test rejects too often."""
    excess = cell.size - (1 - LEVEL)
    return excess > SHORT and excess > ERRORS * cell.size_error


def shown(share: float, of: float) -> str:
    """Return a share with its error."""
    return "" if math.isnan(share) else f"{share:.3f} ± {of:.3f}"


def row_of(cell: Cell) -> str:
    """Return the row of a cell."""
    without = "" if not cell.without > 0 else f"{cell.without:.0%}"
    warned = f"{cell.warned:.0%}" if cell.warned else ""
    size = shown(cell.size, cell.size_error)
    names = f"{cell.statistic} | {cell.method} | {cell.setting}"
    held = f"{shown(cell.coverage, cell.coverage_error)} | {without} | {warned}"
    return f"| {names} | {held} | {size} | {cell.replications:,} |"


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a cell."""
    return [
        "| statistic | method | setting | coverage | no interval | warned of | size of the test | collections |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
        *map(row_of, cells),
    ]


def worst(cells: Sequence[Cell], fields: Sequence[str]) -> list[str]:
    """Return a row for each combination of these fields: the lowest and the mean coverage, the largest and the mean
    size, and how many settings break the promise."""
    names = ["kind" if field == "group" else field for field in fields]
    heads = ("settings", "lowest coverage", "mean", "too low", "largest size", "mean size", "too large")
    lines = [f"| {' | '.join([*names, *heads])} |", f"| {' | '.join(['---'] * len(fields) + ['---:'] * len(heads))} |"]
    by_names: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        by_names[tuple(getattr(cell, field) for field in fields)].append(cell)
    for key, some in by_names.items():
        held = [cell for cell in some if not math.isnan(cell.coverage)]
        tested = [cell for cell in some if not math.isnan(cell.size)]
        row = [*key, str(len(some)), *([""] * 6)]
        at = len(key) + 1
        if held:
            low = min(held, key=lambda cell: cell.coverage)
            mean = np.mean([cell.coverage for cell in held])
            row[at : at + 3] = [shown(low.coverage, low.coverage_error), f"{mean:.3f}", f"{sum(map(too_low, held))}"]
        if tested:
            large = max(tested, key=lambda cell: cell.size)
            mean = np.mean([cell.size for cell in tested])
            row[at + 3 :] = [shown(large.size, large.size_error), f"{mean:.3f}", f"{sum(map(too_large, tested))}"]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def kind(cell: Cell) -> str:
    """Return the kind of statistic that the page counts a cell among."""
    return f"{cell.group}, on request" if cell.method in ON_REQUEST and cell.group == "score" else cell.group


def by_kind(cells: Sequence[Cell]) -> list[str]:
    """Return a row a kind: how many intervals and tests, the worst of them, and how many break the promise."""
    lines = [
        "| kind | intervals | lowest coverage | too low | tests | largest size | too large |",
        f"| --- |{' ---: |' * 6}",
    ]
    for name in dict.fromkeys(map(kind, cells)):
        own = [cell for cell in cells if kind(cell) == name]
        coverage = [cell.coverage for cell in own if not math.isnan(cell.coverage)]
        size = [cell.size for cell in own if not math.isnan(cell.size)]
        tests = f"{len(size)} | {max(size):.3f} | {sum(map(too_large, own))}" if size else " |  | "
        lines.append(f"| {name} | {len(coverage)} | {min(coverage):.3f} | {sum(map(too_low, own))} | {tests} |")
    return lines


def page(cells: Sequence[Cell], output: Path) -> str:
    """Return the page, its figures put in, and write the tables beside it."""
    promises = [cell for cell in cells if cell.group != promised.IGNORED and cell.replications >= ENOUGH]
    held = [cell for cell in promises if not math.isnan(cell.coverage)]
    tested = [cell for cell in promises if not math.isnan(cell.size)]
    broken = [cell for cell in promises if too_low(cell) or too_large(cell)]
    ignored = [cell for cell in cells if cell.group == promised.IGNORED and cell.method.endswith("ignored")]
    write_table(worst(promises, ("group", "method")), output / "promises_methods.csv")
    write_table(worst(promises, ("statistic", "method")), output / "promises_statistics.csv")
    write_table(table(broken), output / "promises_broken.csv")
    facts = {
        "kinds": by_kind(promises),
        "intervals": f"{len(held)}",
        "tests": f"{len(tested)}",
        "low": f"{sum(map(too_low, held))}",
        "large": f"{sum(map(too_large, tested))}",
        "on request": f"{sum(cell.method in ON_REQUEST for cell in broken)}",
        "own": f"{sum(cell.group == 'own statistic' for cell in broken)}",
        "least": f"{min(cell.replications for cell in promises)}",
        "by chance": f"{0.0228 * (len(held) + len(tested)):.0f}",
        "ignored": f"{max(cell.size for cell in ignored):.0%}",
    }
    return fill("promises", facts)


def made(group: str, settings: Sequence[Setting], share: float) -> Iterator[Cell]:
    """Yield the cells of one group, with this share of the collections."""
    for place, setting in enumerate(settings):
        rng = np.random.default_rng([49, *map(ord, group), place])
        figures: list[Figure] = []
        for _ in range(max(2, round(share * setting.replications))):
            figures += setting.draw(rng)
        yield from summed(group, setting.name, figures)


@click.command()
@click.option("--share", default=1.0, show_default=True, help="Of the collections of every setting.")
@click.option("--only", multiple=True, help="A group to make anew.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV files."
)
def main(share: float, only: Sequence[str], page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    path = output / "promises.csv"
    kept = read_cells(Cell, path) if path.exists() and (only or page_only) else []
    by_group = {group: [cell for cell in kept if cell.group == group] for group in promised.GROUPS}
    for group in promised.GROUPS if not page_only else ():
        if only and group not in only:
            continue
        started = time.process_time()
        by_group[group] = list(made(group, promised.GROUPS[group](), share))
        click.echo(f"{group}: {time.process_time() - started:.0f} processor seconds")
        write_cells((cell for cells in by_group.values() for cell in cells), path)
    cells = [*read_cells(Cell, path), *(cell for counted in ELSEWHERE for cell in counted())]
    (output / "promises.md").write_text(page(cells, output), encoding="utf-8")


if __name__ == "__main__":
    main()
