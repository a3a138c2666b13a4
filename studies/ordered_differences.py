"""Do intervals and tests of differences between measures of confidence keep their word? The third part of the study in
docs/coverage.md.

    python studies/ordered_differences.py             writes docs/coverage_of_differences.csv (minutes on two cores)
    python studies/interval_coverage.py --page-only   writes the page from it

Two of the systems of `ordered_coverage.py` answer the same number of questions, and nescio compares them. Rejections
are at a nominal level of 5%, without correction.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from cells import write_cells
from ordered_coverage import SYSTEMS, evidence

import nescio

SIZES = (100, 300)
PAIRS = (("medium", "medium"), ("medium", "sharp"), ("calibrated", "medium"))
MEASURES = ("AUROC", "AURC", "PRR", "coverage@risk(0.1)", "ECE", "Brier")
RESAMPLES = 500
MANY = 300_000
CSV = Path(__file__).parents[1] / "docs" / "coverage_of_differences.csv"


class Cell(Struct, frozen=True):
    """How often the interval of a difference holds the true one, and how often the paired test rejects; with errors."""

    first: str
    second: str
    n: int
    measure: str
    coverage: float
    coverage_error: float
    rejected: float
    rejected_error: float
    defined: int
    truth: float


def true_values(system: str) -> dict[str, float]:
    """Return each measure of many questions; the ECE of a calibrated system is 0."""
    data = evidence([SYSTEMS[system](MANY, np.random.default_rng(0))])
    values = {row.measure: row.value for row in nescio.score(data, list(MEASURES), ci=None)}
    return values | ({"ECE": 0.0} if system == "calibrated" else {})


def study(pair: tuple[str, str], n: int, runs: int) -> list[Cell]:
    """Compare two systems so many times."""
    rng = np.random.default_rng([n, PAIRS.index(pair)])
    first, second = map(true_values, pair)
    held: dict[str, list[bool]] = {name: [] for name in MEASURES}
    rejected: dict[str, list[bool]] = {name: [] for name in MEASURES}
    for seed in range(runs):
        data = evidence([SYSTEMS[system](n, rng) for system in pair])
        for row in nescio.compare(
            data,
            list(MEASURES),
            baseline="run 0",
            test="permutation",
            correction="none",
            resamples=RESAMPLES,
            seed=seed,
        ):
            if np.isnan(row.difference) or row.p is None or row.low is None or row.high is None:
                continue
            true = second[row.measure] - first[row.measure]
            held[row.measure].append(bool(row.low - 1e-9 <= true <= row.high + 1e-9))
            rejected[row.measure].append(row.p <= 0.05)
    cells = []
    for name in MEASURES:
        m = len(held[name])
        shares = [float(np.mean(found)) for found in (held[name], rejected[name])]
        errors = [float(np.sqrt(max(share * (1 - share), 1 / m) / m)) for share in shares]
        true = second[name] - first[name]
        cells.append(Cell(*pair, n, name, shares[0], errors[0], shares[1], errors[1], m, true))
    return cells


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a measure: the coverage of the difference for each pair and size, and the share rejected."""
    columns = [(pair, n) for pair in PAIRS for n in SIZES]
    heads = [f"{first} and {second}, n = {n}" for (first, second), n in columns]
    lines = ["| measure | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(columns)]
    for name in MEASURES:
        shown = []
        for (first, second), n in columns:
            (c,) = (c for c in cells if (c.first, c.second, c.n, c.measure) == (first, second, n, name))
            shown.append(f"{c.coverage:.3f} ± {c.coverage_error:.3f}; {c.rejected:.3f} ± {c.rejected_error:.3f}")
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return lines


@click.command()
@click.option("--runs", default=300, show_default=True, help="Simulated comparisons a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=CSV, help="The CSV file.")
def main(runs: int, jobs: int, output: Path) -> None:
    """Simulate, and write the figures."""
    work = (joblib.delayed(study)(pair, n, runs) for n in reversed(SIZES) for pair in PAIRS)
    write_cells((cell for part in joblib.Parallel(n_jobs=jobs, verbose=1)(work) for cell in part), output)


if __name__ == "__main__":
    main()
