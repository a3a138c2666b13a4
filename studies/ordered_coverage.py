"""How often does a nominal 95% interval of a measure of confidence hold the true value? The second part of the study in
docs/evidence/coverage.md.

    python studies/ordered_coverage.py  writes docs/evidence/coverage_of_confidence.csv (minutes on two cores)
    python studies/interval_coverage.py --page-only   writes the page from it

A simulated system answers every question with a confidence, and is right or wrong. nescio scores the runs as it scores
a user's, with the default intervals and with others. Coverage is the share of runs whose interval holds the true value
of the measure, which is that of a million questions; intervals that cannot be given are counted apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from cells import write_cells
from numpy.typing import NDArray

import nescio
from nescio.data.evidence import PRESENT, Evidence
from nescio.scoring.confidence_intervals import DOUBTS, IntervalMethod

Floats = NDArray[np.float64]
Row = tuple[float, float, float, bool, str]  # value, low, high, warned of, the method that is used
SIZES = (30, 100, 300, 1_000)
MEASURES = (
    "AUROC",
    "AURC",
    "E-AURC",
    "AUGRC",
    "PRR",
    "risk@coverage(0.8)",
    "coverage@risk(0.1)",
    "CWS",
    "AP",
    "ECE",
    "Brier",
    "pearson",
    "K1",
    "BAS",
)
ON_PAGE = (  # measures and methods; the CSV has all
    *((name, method) for name in ("AUROC", "coverage@risk(0.1)", "ECE") for method in ("auto", "percentile")),
    *((name, "auto") for name in ("Brier", "pearson")),
)
METHODS: tuple[IntervalMethod, ...] = ("auto", "percentile", "bca")
MOST_FOR_BCA = 100
AT_ONCE = 25  # runs that share their resamples
RESAMPLES = 1_000
MILLION = 1_000_000
CSV = Path(__file__).parents[1] / "docs" / "evidence" / "coverage_of_confidence.csv"


def _calibrated(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw confidences that are the chances of being right."""
    p = rng.beta(2, 1, n)
    return p, (rng.random(n) < p).astype(float)


def _normal(accuracy: float, right: float, wrong: float, spread: float) -> Callable[..., tuple[Floats, Floats]]:
    """Make a system whose confidence is normal on the logit scale, about one value where it is right and another where
    it is wrong."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        y = rng.random(n) < accuracy
        return 1 / (1 + np.exp(-rng.normal(np.where(y, right, wrong), spread))), y.astype(float)

    return draw


def _spoken(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw confidences in steps of 0.05, as a language model states them, that are too high."""
    p = np.round(rng.beta(4, 1.5, n) * 20) / 20
    p = np.clip(p, 0.05, 0.95)
    return p, (rng.random(n) < 0.25 + 0.6 * p).astype(float)


SYSTEMS: dict[str, Callable[[int, np.random.Generator], tuple[Floats, Floats]]] = {
    "calibrated": _calibrated,
    "medium": _normal(0.7, 1.2, 0.3, 1.2),
    "sharp": _normal(0.85, 2.5, 0.0, 1.4),
    "very sharp": _normal(0.9, 4.0, 0.0, 1.2),
    "stated": _spoken,
}


class Cell(Struct, frozen=True):
    """The coverage of one method for one measure of one system at one size.

    `coverage` is of the intervals that are given, of which there are `given` among `defined` values; `warned` is the
    share that nescio doubts, `silent_misses` the share that misses without a warning; `width` is the median.
    """

    system: str
    n: int
    measure: str
    method: str
    used: str
    coverage: float
    error: float
    defined: int
    given: int
    warned: float
    silent_misses: float
    width: float
    truth: float
    bias: float


def evidence(runs: Sequence[tuple[Floats, Floats]]) -> Evidence:
    """Return runs as nescio reads them: confidences, and whether each is right, NaN where it does not answer."""
    confidence, right = (np.stack(column) for column in zip(*runs, strict=True))
    marks = {"correct": right == 1, "incorrect": right == 0, "unanswered": np.isnan(right), "answered": right >= 0}
    columns = {name: mark.astype(np.int8) for name, mark in marks.items()}
    names = tuple(f"q{i:07}" for i in range(right.shape[1]))
    present = np.full(right.shape, PRESENT, dtype=np.uint8)
    return Evidence(tuple(f"run {i}" for i in range(len(runs))), names, {**columns, "confidence": confidence}, present)


def truths(system: str) -> dict[str, float]:
    """Return each measure of a million questions; the ECE of a calibrated system is 0."""
    data = evidence([SYSTEMS[system](MILLION, np.random.default_rng(0))])
    values = {row.measure: row.value for row in nescio.score(data, list(MEASURES), ci=None)}
    return values | ({"ECE": 0.0} if system == "calibrated" else {})


def study(system: str, n: int, runs: int, true: dict[str, float]) -> list[Cell]:
    """All methods and measures on `runs` simulated runs of a system with these true values."""
    number = list(SYSTEMS).index(system)
    rng = np.random.default_rng([n, number])
    rows: dict[tuple[str, str], list[Row]] = {}
    for batch in range(0, runs, AT_ONCE):
        data = evidence([SYSTEMS[system](n, rng) for _ in range(AT_ONCE)])
        for method in METHODS:
            if method == "bca" and n > MOST_FOR_BCA:
                continue
            scores = nescio.score(data, list(MEASURES), interval=method, resamples=RESAMPLES, seed=batch, mark=False)
            doubted = {
                (name, whose)
                for note in scores.notes
                if note.code in DOUBTS
                for name in note.measures
                for whose in note.whose
            }
            for row in scores:
                warned = (row.measure, f"run {row.run!r}") in doubted
                assert row.low is not None
                assert row.high is not None
                rows.setdefault((row.measure, method), []).append(
                    (row.value, row.low, row.high, warned, str(row.interval))
                )
    return [
        _cell((system, n, measure, method), true[measure], found) for (measure, method), found in sorted(rows.items())
    ]


def _cell(setting: tuple[str, int, str, str], true: float, rows: Sequence[Row]) -> Cell:
    system, n, measure, method = setting
    value, low, high = (np.array([row[i] for row in rows], dtype=float) for i in range(3))
    warned = np.array([row[3] for row in rows])
    defined = ~np.isnan(value)
    given = defined & ~np.isnan(low)
    held = (low - 1e-9 <= true) & (true <= high + 1e-9)
    m = int(given.sum())
    share = float(held[given].mean()) if m else float("nan")
    return Cell(
        system=system,
        n=n,
        measure=measure,
        method=method,
        used=rows[0][4],
        coverage=share,
        error=float(np.sqrt(max(share * (1 - share), 1 / m) / m)) if m else float("nan"),
        defined=int(defined.sum()),
        given=m,
        warned=float(warned[given].mean()) if m else float("nan"),
        silent_misses=float((~held & ~warned)[given].mean()) if m else float("nan"),
        width=float(np.median((high - low)[given])) if m else float("nan"),
        truth=true,
        bias=float(np.nanmean(value) - true),
    )


ENOUGH = 100  # intervals below which a coverage is not reported


def lowest(cells: Sequence[Cell]) -> Iterator[tuple[str, str, list[float]]]:
    """Yield for each measure and method of the page the lowest coverage over the systems at each size."""
    for measure, method in ON_PAGE:
        own = [c for c in cells if (c.measure, c.method) == (measure, method) and c.given >= ENOUGH]
        name = f"**{own[0].used}**" if method == "auto" else method
        yield measure, name, [min(c.coverage for c in own if c.n == n) for n in SIZES]


def fails(cell: Cell) -> bool:
    """Whether a method covers less than 93%, by more than two standard errors."""
    return cell.given >= ENOUGH and cell.coverage < 0.93 - 2 * cell.error


def facts(cells: Sequence[Cell]) -> dict[str, str]:
    """Return the figures of the prose."""
    own = [c for c in cells if c.method == "auto" and c.given >= ENOUGH]
    failing = [c for c in own if fails(c)]
    return {
        "confidence runs": str(max(c.defined for c in cells)),
        "confidence systems": str(len(SYSTEMS)),
        "confidence settings": str(len(own)),
        "confidence fails": str(len(failing)),
        "confidence failing": " and ".join(f"{c.measure} of {c.n:,} questions" for c in failing),
    }


@click.command()
@click.option("--runs", default=400, show_default=True, help="Simulated runs a setting, a multiple of 25.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=CSV, help="The CSV file.")
def main(runs: int, jobs: int, output: Path) -> None:
    """Simulate, and write the figures."""
    parallel = joblib.Parallel(n_jobs=jobs, verbose=1)
    true = dict(zip(SYSTEMS, parallel(joblib.delayed(truths)(system) for system in SYSTEMS), strict=True))
    work = (joblib.delayed(study)(system, n, runs, true[system]) for n in reversed(SIZES) for system in SYSTEMS)
    write_cells((cell for part in parallel(work) for cell in part), output)


if __name__ == "__main__":
    main()
