"""Do the tests keep their promises? Family-wise error, clustered questions, and what the exact test is exact for.

    python studies/inference.py                writes docs/evidence/inference.md and inference.csv (some 13 minutes on
                                               one core)
    python studies/inference.py --page-only    writes the page from the figures that are there

Systems are simulated, and nescio itself compares them; what is counted is how often it sees a difference that is not
there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.comparison.comparing import compare
from nescio.comparison.corrections import Test
from nescio.data.evidence import Evidence

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
CORRECT, INCORRECT, UNANSWERED = range(3)
Codes = NDArray[np.int64]


def evidence(codes: Codes, clusters: Codes | None = None) -> Evidence:
    """Outcomes of shape (runs, questions) as Evidence."""
    states = ("correct", "incorrect", "unanswered")
    columns = {name: (codes == i).astype(np.int8) for i, name in enumerate(states)}
    columns["answered"] = 1 - columns["unanswered"]
    runs, questions = codes.shape
    absence = np.zeros(codes.shape, dtype=np.uint8)
    names = tuple(f"run {i}" for i in range(runs))
    return Evidence(names, tuple(map(str, range(questions))), columns, absence, {}, clusters)


def outcomes(right: NDArray[np.float64], silent: NDArray[np.float64], rng: np.random.Generator) -> Codes:
    """Each answered with chance 1 - silent and then right with chance `right`; arrays of shape (runs, questions)."""
    answered = rng.random(right.shape) >= silent
    return np.where(~answered, UNANSWERED, np.where(rng.random(right.shape) < right, CORRECT, INCORRECT))


# ---- family-wise error ----

FAMILIES = {
    "five equal systems": (0.5, 0.5, 0.5, 0.5, 0.5),
    "three equal, two better": (0.5, 0.5, 0.5, 0.65, 0.8),
    "two pairs of equals, one apart": (0.3, 0.3, 0.55, 0.55, 0.8),
}


def _rejects(row: Any) -> bool:
    """Return whether the p-value of a row is at most 5%."""
    return row.p is not None and bool(row.p <= 0.05)


def family(rates: Sequence[float], measure: str, test: Test, seed: int) -> tuple[bool, bool, bool]:
    """Of one collection: is there a false verdict, do the rank intervals hold the true ranks, is an uncorrected p at
    most 5%?"""
    rng = np.random.default_rng([1, seed])
    hardness = rng.normal(0, 1, 200)  # questions are harder or easier for all
    shift = np.array([np.log(rate / (1 - rate)) for rate in rates])
    right = 1 / (1 + np.exp(-(1.2 * shift[:, None] + hardness)))
    found = compare(
        evidence(outcomes(right, np.full(right.shape, 0.15), rng)),
        measure,
        test=test,
        resamples=1 if test == "auto" else 1_000,
    )
    rate = dict(zip((f"run {i}" for i in range(len(rates))), rates, strict=True))
    nulls = [row for row in found if rate[row.run] == rate[row.baseline]]
    places = {row.run: row for row in found.tables["ranks"]}
    hold = all(
        places[run].low <= 1 + sum(other > own for other in rates)
        and sum(other >= own for other in rates) <= places[run].high
        for run, own in rate.items()
    )
    return any(row.verdict in ("better", "worse") for row in nulls), hold, any(_rejects(row) for row in nulls)


# ---- clusters ----

STORIES, SIZE = 50, 5
CLUSTERED: tuple[tuple[str, Test], ...] = (("c@1", "auto"), ("accuracy", "auto"), ("c@1", "bootstrap"))


def clustered(measure: str, correlation: float, test: Test, seed: int) -> tuple[bool, bool]:
    """Whether the naive and the clustered test reject one collection of two equal systems."""
    rng = np.random.default_rng([2, seed])
    scale = (1 - correlation) / correlation if correlation else None
    own = rng.beta(0.5 * scale, 0.5 * scale, (2, STORIES)) if scale else np.full((2, STORIES), 0.5)
    right = np.repeat(own, SIZE, axis=1)
    codes = outcomes(right, np.full(right.shape, 0.2), rng)
    stories = np.repeat(np.arange(STORIES), SIZE)
    rejected = []
    for clusters in (None, stories):
        (row,) = compare(evidence(codes, clusters), measure, test=test, resamples=999, seed=seed)
        rejected.append(_rejects(row))
    return rejected[0], rejected[1]


# ---- equal c@1, unequal silence ----

UNEQUAL = ((0.5, 0.0, 0.3), (0.5, 0.0, 0.6), (0.3, 0.0, 0.5), (0.6, 0.1, 0.4))


def rate_for(value: float, silence: float) -> float:
    """Return the chance of being right when answering that gives c@1 = value: (1 - s) r (1 + s) = value."""
    return value / ((1 - silence) * (1 + silence))


def unequal(value: float, one: float, other: float, seed: int) -> bool:
    """Whether the exact test of c@1 rejects one collection of systems with equal c@1 and these silences."""
    rng = np.random.default_rng([3, seed])
    silent = np.repeat([[one], [other]], 400, axis=1)
    right = np.repeat([[rate_for(value, one)], [rate_for(value, other)]], 400, axis=1)
    (row,) = compare(evidence(outcomes(right, silent, rng)), "c@1", test="exact", resamples=1)
    return _rejects(row)


# ---- the page ----


class Cell(Struct, frozen=True):
    """How often a test finds a difference that is not there: as nescio makes it, and `plain`, without the correction or
    the clusters; and how often rank intervals hold. Each has its Monte Carlo error; NaN where there is none."""

    part: str
    systems: str
    measure: str
    test: str
    collections: int
    found: float
    found_error: float
    plain: float = math.nan
    plain_error: float = math.nan
    ranks: float = math.nan
    ranks_error: float = math.nan


def share(rejected: Sequence[bool]) -> tuple[float, float]:
    """Return a share and its Monte Carlo standard error."""
    p = float(np.mean(rejected))
    return p, float(np.sqrt(max(p * (1 - p), 1 / len(rejected)) / len(rejected)))


def each(function: Callable[[int], object], count: int, jobs: int) -> list[tuple[bool, ...]]:
    """Return the function of every seed."""
    parts = np.array_split(np.arange(count), 20 * jobs)
    found = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_part)(function, part.tolist()) for part in parts)
    return [row if isinstance(row, tuple) else (row,) for part in found for row in part]


def _part(function: Callable[[int], object], seeds: Sequence[int]) -> list[object]:
    return [function(seed) for seed in seeds]


def families(count: int, jobs: int) -> Iterator[Cell]:
    """Family-wise error of Holm's correction and of Tukey's test, and of no correction."""
    for name, rates in FAMILIES.items():
        systems = f"{name} ({sum(a == b for a, b in combinations(rates, 2))} true nulls)"
        for measure in ("c@1", "accuracy"):
            false, hold, plain = zip(*each(partial(family, rates, measure, "auto"), count, jobs), strict=True)
            yield Cell("families", systems, measure, "exact, Holm", count, *share(false), *share(plain), *share(hold))
        fewer = max(1, count // 4)
        false, hold, _ = zip(*each(partial(family, rates, "c@1", "tukey"), fewer, jobs), strict=True)
        yield Cell("families", systems, "c@1", "Tukey", fewer, *share(false), math.nan, math.nan, *share(hold))


def cluster_sizes(count: int, jobs: int) -> Iterator[Cell]:
    """Size of the naive and of the clustered test."""
    for correlation in (0.0, 0.1, 0.3):
        for measure, test in CLUSTERED:
            naive, moved = zip(*each(partial(clustered, measure, correlation, test), count, jobs), strict=True)
            name = "permutation" if test == "auto" else test
            systems = f"two equal, stories of {SIZE}, correlation {correlation:g}"
            yield Cell("clusters", systems, measure, f"{name}, clustered", count, *share(moved), *share(naive))


def unequal_sizes(count: int, jobs: int) -> Iterator[Cell]:
    """Size of the exact test at equal c@1."""
    for value, one, other in UNEQUAL:
        (found,) = zip(*each(partial(unequal, value, one, other), 2 * count, jobs), strict=True)
        yield Cell(
            "silence",
            f"c@1 of {value:g}, silent on {one:.0%} and {other:.0%}",
            "c@1",
            "exact",
            2 * count,
            *share(found),
        )


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting of c@1; of clusters those with the highest correlation (the CSV has all)."""
    return [
        "| systems | test | false alarms | plain |",
        "| --- | --- | ---: | ---: |",
        *(
            f"| {c.systems} | {c.test} | {c.found:.3f} | {'–' if math.isnan(c.plain) else f'{c.plain:.3f}'} |"
            for c in cells
            if c.measure == "c@1" and (c.part != "clusters" or c.systems.endswith(" 0.3"))
        ),
    ]


def facts(cells: Sequence[Cell]) -> dict[str, str | list[str]]:
    """Return the table and the figures of the prose."""
    of = {part: [c for c in cells if c.part == part] for part in ("families", "clusters", "silence")}
    clusters = [c for c in of["clusters"] if "bootstrap" not in c.test]
    return {
        "table": table(cells),
        "collections": f"{max(c.collections for c in of['families']):,}",
        "error": f"{max(c.found_error for c in cells):.3f}",
        "family": f"{max(c.found for c in of['families']):.1%}",
        "uncorrected": f"{max(c.plain for c in of['families'] if not math.isnan(c.plain)):.0%}",
        "ranks": f"{min(c.ranks for c in of['families']):.1%}",
        "clustered": f"{max(c.found for c in clusters):.1%}",
        "naive": f"{max(c.plain for c in clusters):.0%}",
        "bootstrap": f"{max(c.found for c in of['clusters'] if 'bootstrap' in c.test):.1%}",
        "silence": f"{max(c.found for c in of['silence']):.1%}",
    }


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV.")
def main(collections: int, jobs: int, page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    path = output / "inference.csv"
    if not page_only:
        parts = (families, cluster_sizes, unequal_sizes)
        write_cells((cell for part in parts for cell in part(collections, jobs)), path)
    text = fill("inference", facts(read_cells(Cell, path)))
    (output / "inference.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
