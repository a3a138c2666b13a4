"""Do intervals and tests of differences between measures of confidence keep their word? The third part of the study in
docs/evidence/coverage.md.

    python studies/ordered_differences.py  writes docs/evidence/coverage_of_differences.csv (half an hour on one core)
    python studies/interval_coverage.py --page-only   writes the page from it

Two of the systems of `ordered_coverage.py` answer the same questions, or two systems that find the same questions hard
and do not answer all of them: `high` is right on 81% with 5.6% wrong, `mid` on half with 30% wrong; `sharp` tells its
errors apart better. nescio compares them. Rejections are at a nominal level of 5%, without correction.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from cells import write_cells
from numpy.typing import NDArray
from ordered_coverage import SYSTEMS, evidence
from scipy.special import ndtri

import nescio
from nescio.data.evidence import Evidence

PAIRS = (
    ("medium", "medium"),
    ("medium", "sharp"),
    ("calibrated", "medium"),
    ("high", "high"),
    ("high", "high sharp"),
    ("mid", "mid"),
    ("mid", "mid sharp"),
)
# Clusters, and the questions of each; clusters of one are single questions.
SIZES = ((50, 1), (100, 1), (300, 1), (6, 10), (10, 10))
MEASURES = ("AUROC", "AURC", "AUGRC", "PRR", "AP", "CWS", "risk@coverage(0.8)", "Brier", "ECE")
RESAMPLES = 500
MANY = 300_000
RIGHT, WRONG = {"high": 0.81, "mid": 0.5}, {"high": 0.056, "mid": 0.3}
OF_CLUSTER, OF_QUESTION = 0.3, 0.3  # of the variance of how hard a question is
ENOUGH = 100  # intervals below which a coverage is not shown
CSV = Path(__file__).parents[1] / "docs" / "evidence" / "coverage_of_differences.csv"


class Cell(Struct, frozen=True):
    """How often the interval of a difference holds the true one, and how often the paired test rejects; with errors.
    Of so many `defined` differences `given` have an interval; `width` is its median."""

    first: str
    second: str
    clusters: int
    size: int
    measure: str
    coverage: float
    coverage_error: float
    rejected: float
    rejected_error: float
    defined: int
    given: int
    width: float
    truth: float


def runs(pair: tuple[str, str], clusters: int, size: int, rng: np.random.Generator) -> Evidence:
    """Draw what two systems do on clusters of so many questions."""
    n = clusters * size
    if pair[0] in SYSTEMS:
        return evidence([SYSTEMS[system](n, rng) for system in pair])
    groups = np.repeat(np.arange(clusters), size)
    shared = OF_CLUSTER**0.5 * rng.normal(size=clusters)[groups] + OF_QUESTION**0.5 * rng.normal(size=n)
    made = []
    for system in pair:
        kind, *sharp = system.split()
        right = shared + (1 - OF_CLUSTER - OF_QUESTION) ** 0.5 * rng.normal(size=n) < ndtri(RIGHT[kind])
        silent = ~right & (rng.random(n) > WRONG[kind] / (1 - RIGHT[kind]))
        logit = rng.normal(np.where(right, 1.2, -1.3 if sharp else -0.3), 1.2) - 0.3 * shared
        made.append((1 / (1 + np.exp(-logit)), np.where(silent, np.nan, right)))
    data = evidence(made)
    return data if size == 1 else replace(data, clusters=groups)


def true_values(pair: tuple[str, str]) -> dict[str, float]:
    """Return the difference by each measure of many questions; the ECE of a calibrated system is 0."""
    scores = nescio.score(runs(pair, MANY, 1, np.random.default_rng(0)), list(MEASURES), ci=None)
    values = {(row.run, row.measure): row.value for row in scores}
    if pair[0] == "calibrated":
        values["run 0", "ECE"] = 0.0
    same = pair[0] == pair[1]
    return {name: 0.0 if same else values["run 1", name] - values["run 0", name] for name in MEASURES}


def study(pair: tuple[str, str], clusters: int, size: int, times: int) -> list[Cell]:
    """Compare two systems so many times."""
    rng = np.random.default_rng([clusters, size, PAIRS.index(pair)])
    truth = true_values(pair)
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    rejected: dict[str, list[bool]] = {name: [] for name in MEASURES}
    for seed in range(times):
        for row in nescio.compare(
            runs(pair, clusters, size, rng),
            list(MEASURES),
            baseline="run 0",
            test="permutation",
            correction="none",
            resamples=RESAMPLES,
            seed=seed,
        ):
            if np.isnan(row.difference) or row.p is None or row.low is None or row.high is None:
                continue
            ends[row.measure].append((row.low, row.high))
            rejected[row.measure].append(row.p <= 0.05)
    cells = []
    for name in MEASURES:
        low, high = np.array(ends[name]).reshape(-1, 2).T
        given = ~np.isnan(low)
        held = (low - 1e-9 <= truth[name]) & (truth[name] <= high + 1e-9)
        width = float(np.median((high - low)[given])) if given.any() else float("nan")
        coverage, rejects = _share(held[given]), _share(np.array(rejected[name]))
        counts = (len(low), int(given.sum()))
        cells.append(Cell(*pair, clusters, size, name, *coverage, *rejects, *counts, width, truth[name]))
    return cells


def _share(held: NDArray[np.bool_]) -> tuple[float, float]:
    """Return a share and its Monte Carlo standard error."""
    if not len(held):
        return float("nan"), float("nan")
    share = float(held.mean())
    return share, float(np.sqrt(max(share * (1 - share), 1 / len(held)) / len(held)))


def least(cells: Sequence[Cell]) -> str:
    """Return the lowest coverage."""
    c = min((c for c in cells if c.given >= ENOUGH), key=lambda c: c.coverage)
    return f"{c.coverage:.1%} ± {c.coverage_error:.1%}"


@click.command()
@click.option("--times", default=500, show_default=True, help="Simulated comparisons a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=CSV, help="The CSV file.")
def main(times: int, jobs: int, output: Path) -> None:
    """Simulate, and write the figures."""
    settings = [(pair, *sizes) for sizes in SIZES for pair in PAIRS if sizes[1] == 1 or pair[0] not in SYSTEMS]
    work = (joblib.delayed(study)(*setting, times) for setting in settings)
    write_cells((cell for part in joblib.Parallel(n_jobs=jobs, verbose=1)(work) for cell in part), output)


if __name__ == "__main__":
    main()
