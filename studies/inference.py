"""Do the tests keep their promises? Family-wise error, clustered questions, and what the exact test is exact for.

    python studies/inference.py           writes docs/evidence/inference.md

Systems are simulated, and nescio itself compares them; what is counted is how often it sees a difference that is not
there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
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


def share(rejected: Sequence[bool]) -> tuple[float, float]:
    """Return a share and its Monte Carlo standard error."""
    p = float(np.mean(rejected))
    return p, float(np.sqrt(max(p * (1 - p), 1 / len(rejected)) / len(rejected)))


def shown(rejected: Sequence[bool]) -> str:
    """Return the share with its error."""
    return "{:.3f} ± {:.3f}".format(*share(rejected))


def holds(rejected: Sequence[bool]) -> str:
    """Whether the share is at most 5% and two errors of a true 5%."""
    return "yes" if share(rejected)[0] <= 0.05 + 2 * (0.05 * 0.95 / len(rejected)) ** 0.5 else "**no**"


def each(function: Callable[[int], object], count: int, jobs: int) -> list[tuple[bool, ...]]:
    """Return the function of every seed."""
    parts = np.array_split(np.arange(count), 20 * jobs)
    found = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_part)(function, part.tolist()) for part in parts)
    return [row if isinstance(row, tuple) else (row,) for part in found for row in part]


def _part(function: Callable[[int], object], seeds: Sequence[int]) -> list[object]:
    return [function(seed) for seed in seeds]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; numbers to the right."""
    rule = ["---"] * 2 + ["---:"] * (len(head) - 2)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *rows))


def _columns(rows: Sequence[tuple[bool, ...]]) -> list[list[bool]]:
    return [list(column) for column in zip(*rows, strict=True)]


def families(count: int, jobs: int) -> str:
    """Family-wise error of Holm's correction and of Tukey's test, and of no correction."""
    rows = []
    for name, rates in FAMILIES.items():
        pairs = sum(a == b for a, b in combinations(rates, 2))
        for measure in ("c@1", "accuracy"):
            false, hold, uncorrected = _columns(each(partial(family, rates, measure, "auto"), count, jobs))
            cells = [shown(false), holds(false), shown(hold), shown(uncorrected)]
            rows.append([f"{name} ({pairs} true nulls)", measure, "exact, Holm", *cells])
        false, hold, _ = _columns(each(partial(family, rates, "c@1", "tukey"), max(1, count // 4), jobs))
        rows.append([f"{name} ({pairs} true nulls)", "c@1", "Tukey", shown(false), holds(false), shown(hold), "–"])
    head = ["systems", "measure", "test", "family-wise error", "holds", "rank intervals", "uncorrected"]
    return table(head, rows)


def cluster_sizes(count: int, jobs: int) -> str:
    """Size of the naive and of the clustered test."""
    rows = []
    for correlation in (0.0, 0.1, 0.3):
        for measure, test in CLUSTERED:
            found = each(partial(clustered, measure, correlation, test), count, jobs)
            naive, moved = _columns(found)
            name = "permutation" if test == "auto" else test
            rows.append(
                [f"{correlation:g}", f"{measure}, {name}", shown(naive), holds(naive), shown(moved), holds(moved)]
            )
    return table(["correlation", "measure, test", "naive", "holds", "clustered", "holds"], rows)


def unequal_sizes(count: int, jobs: int) -> str:
    """Size of the exact test at equal c@1."""
    rows = []
    for value, one, other in UNEQUAL:
        (found,) = _columns(each(partial(unequal, value, one, other), 2 * count, jobs))
        right = f"{rate_for(value, one):.2f} and {rate_for(value, other):.2f}"
        rows.append([f"{value:g}", f"{one:g} and {other:g}", right, shown(found)])
    return table(["c@1 of both", "silence", "right when answering", "size at 5%"], rows)


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for inference.md.")
def main(collections: int, jobs: int, output: Path) -> None:
    """Simulate, and write the page."""
    started = time.monotonic()
    parts = {
        "family": families(collections, jobs),
        "clusters": cluster_sizes(collections, jobs),
        "unequal": unequal_sizes(collections, jobs),
        "collections": f"{collections:,}",
    }
    minutes = f"{(time.monotonic() - started) / 60:.0f} minutes with --jobs {jobs} on a busy machine"
    (output / "inference.md").write_text(fill("inference", parts | {"minutes": minutes}), encoding="utf-8")


if __name__ == "__main__":
    main()
