"""Do intervals and tests of macro means keep their word? docs/evidence/suites.md.

    python studies/suites.py                writes docs/evidence/suites.md and suites.csv (some minutes on two cores)
    python studies/suites.py --page-only    writes the page from the figures that are there

Two systems answer questions that are drawn from a joint table of outcomes of each benchmark. An interval keeps its
promise if it holds the true macro mean in 95% of all suites, a test if p is at most 0.05 in 5% of the suites in which
the systems are alike.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from cells import read_cells, write_cells
from numpy.typing import NDArray
from pages import fill

from nescio.comparison.resampled_pairs import TestPlan
from nescio.data.evidence import Evidence
from nescio.estimating.means import mean
from nescio.measures import parse
from nescio.pipeline import Loaded
from nescio.stats import resampling
from nescio.suites.definition import Benchmark, Suite
from nescio.suites.macro_differences import pairs_over_suite, see
from nescio.suites.resampled import draw
from nescio.suites.scoring import macro_mean

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
LEVEL, RESAMPLES = 0.95, 1_000
RUNS = ("a", "b")
MEASURES = ("accuracy", "c@1")
Floats = NDArray[np.float64]

# How often run a ends correct, incorrect or unanswered (rows) where b does (columns); each is symmetric.
ALIKE = np.array([[0.45, 0.10, 0.02], [0.10, 0.20, 0.02], [0.02, 0.02, 0.07]])
HARD = np.array([[0.05, 0.06, 0.01], [0.06, 0.66, 0.05], [0.01, 0.05, 0.05]])
SILENT = np.array([[0.30, 0.04, 0.06], [0.04, 0.15, 0.08], [0.06, 0.08, 0.19]])
TABLES = (ALIKE, HARD, SILENT)
EASY = np.array([[0.88, 0.03, 0.01], [0.03, 0.02, 0.00], [0.01, 0.00, 0.02]])  # few errors
ALIKE_IN_CLUSTER = 0.3  # the chance that a question of a cluster ends as the cluster does


class Setting(Struct, frozen=True):
    """A suite: the questions of each benchmark; `spread` is the concentration of a Dirichlet law that the tables of
    benchmarks are drawn from, None where the benchmarks are fixed; `easy` have few errors, and `cluster` is how many
    questions belong together."""

    name: str
    sizes: tuple[int, ...]
    spread: float | None = None
    easy: bool = False
    cluster: int = 1

    @property
    def over(self) -> str:
        return "questions" if self.spread is None else "benchmarks"

    def tables(self, rng: np.random.Generator) -> list[Floats]:
        """Return the joint table of each benchmark, symmetric, so that the systems are alike (over benchmarks: on
        average)."""
        if self.spread is None:
            tables = (EASY,) if self.easy else TABLES
            return [tables[i % len(tables)] for i in range(len(self.sizes))]
        return [rng.dirichlet(self.spread * ALIKE.ravel()).reshape(3, 3) for _ in self.sizes]

    def truth(self, measure: str) -> float:
        """Return the macro mean of either system: over these benchmarks, or over all that the law gives."""
        if self.spread is None:
            return float(np.mean([value(table, measure) for table in self.tables(np.random.default_rng(0))]))
        right, silent = ALIKE.sum(axis=1)[0], ALIKE.sum(axis=1)[2]
        # E[CU] of a Dirichlet law with concentration s: s/(s + 1) times the product of the means.
        return float(right + (0.0 if measure == "accuracy" else right * silent * self.spread / (self.spread + 1)))


def value(table: Floats, measure: str) -> float:
    """Return a measure of run a under a joint table."""
    right, _, silent = table.sum(axis=1)
    return float(right if measure == "accuracy" else right * (1 + silent))


SETTINGS = (
    Setting("4 benchmarks of 100 to 1,000", (100, 250, 400, 1000)),
    Setting("4 of 30", (30,) * 4),
    Setting("10 of 20", (20,) * 10),
    Setting("14 of 50", (50,) * 14),
    Setting("2 of 30, one of 500", (30, 30, 500)),
    Setting("4 of 30, few errors", (30,) * 4, easy=True),
    Setting("3 of 6 clusters of 5", (30,) * 3, cluster=5),
    Setting("2 of 10 clusters of 5, few errors", (50,) * 2, easy=True, cluster=5),
    Setting("4 of 100, themselves a sample", (100,) * 4, 30.0),
    Setting("6 of 100, themselves a sample", (100,) * 6, 30.0),
    Setting("10 of 100, themselves a sample", (100,) * 10, 30.0),
    Setting("20 of 100, very different", (100,) * 20, 4.0),
    Setting("one of 30, one of 1,000, few errors", (30, 1000), easy=True),
)


def evidence(table: Floats, questions: int, rng: np.random.Generator, cluster: int = 1) -> Evidence:
    """Draw the outcomes of both runs."""
    cells = rng.choice(9, size=questions, p=table.ravel() / table.sum())
    clusters = np.arange(questions) // cluster
    if cluster > 1:
        shared = rng.choice(9, size=questions // cluster, p=table.ravel() / table.sum())[clusters]
        cells = np.where(rng.random(questions) < ALIKE_IN_CLUSTER, shared, cells)
    states = np.stack([cells // 3, cells % 3])
    columns = {name: (states == i).astype(np.int8) for i, name in enumerate(("correct", "incorrect", "unanswered"))}
    columns |= {"answered": (states != 2).astype(np.int8)}
    columns |= {"candidate_correct": np.zeros_like(states, dtype=np.int8)}
    columns |= {"candidate_incorrect": np.zeros_like(states, dtype=np.int8)}
    names = tuple(f"q{i:05}" for i in range(questions))
    absence = np.zeros(states.shape, dtype=np.uint8)
    return Evidence(RUNS, names, columns, absence, clusters=clusters if cluster > 1 else None)


def one_suite(setting: Setting, seed: Sequence[int]) -> Iterator[tuple[bool, float, float]]:
    """Say, measure by measure, whether the interval of run a holds the truth, how wide it is, and the p of the pair."""
    rng = np.random.default_rng(seed)
    made = [
        evidence(table, n, rng, setting.cluster) for table, n in zip(setting.tables(rng), setting.sizes, strict=True)
    ]
    suite = Suite(tuple(Benchmark(f"b{i}", Loaded(data, (), MEASURES)) for i, data in enumerate(made)))
    plan = TestPlan(LEVEL, resampling.blocks(RESAMPLES, 0), 1, "auto")
    for name in MEASURES:
        measure = parse(name)
        drawn = [draw(one, [measure], 1, seed[-1], 1)[0] for one in suite.benchmarks]  # no interval is of resamples
        macro = macro_mean(measure, "a", drawn, setting.over, LEVEL)
        if setting.over == "questions":
            pair = next(pairs_over_suite(see(suite, measure), [RUNS], plan, sampled=True))
            p = float("nan") if pair is None or pair.p is None else pair.p
        else:
            differences = np.array([of.values["a"] - of.values["b"] for of in drawn])
            p = mean(differences, LEVEL).p
        truth = setting.truth(name)
        yield macro.low <= truth <= macro.high, macro.high - macro.low, p


def replicate(setting: Setting, which: int, suites: range) -> NDArray[np.float64]:
    """Return what came of these suites, shape (suites, measures, 3)."""
    return np.array([list(one_suite(setting, (which, seed))) for seed in suites], dtype=float)


def error(share: float, suites: int) -> float:
    """Return the Monte Carlo standard error of a share."""
    return float((share * (1 - share) / suites) ** 0.5)


class Cell(Struct, frozen=True):
    """What came of one setting by one measure: the share of intervals that hold the truth, their mean width, and the
    share of suites in which the test finds a difference that is none; with Monte Carlo errors."""

    setting: str
    over: str
    measure: str
    suites: int
    held: float
    held_error: float
    width: float
    found: float
    found_error: float


def cells_of(setting: Setting, results: NDArray[np.float64]) -> Iterator[Cell]:
    """Sum up the suites of a setting."""
    width, suites = np.nanmean(results[..., 1], axis=0), len(results)
    for i, name in enumerate(MEASURES):
        held, found = float(results[:, i, 0].mean()), float((results[:, i, 2] <= 1 - LEVEL).mean())
        shares = (held, error(held, suites), float(width[i]), found, error(found, suites))
        yield Cell(setting.name, setting.over, name, suites, *shares)


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting."""
    heads = [f"{measure}: {what}" for what in ("interval holds", "false alarm") for measure in MEASURES]
    lines = [f"| benchmarks, questions | over | {' | '.join(heads)} |", f"| --- | --- |{' ---: |' * len(heads)}"]
    for setting in SETTINGS:
        own = [cell for cell in cells if cell.setting == setting.name]
        shares = [*(cell.held for cell in own), *(cell.found for cell in own)]
        lines.append(f"| {setting.name} | {setting.over} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    return lines


def page(cells: Sequence[Cell]) -> str:
    """Return the page, its figures put in."""
    parts = {
        "table": table(cells),
        "suites": f"{cells[0].suites:,}",
        "held": f"{min(cell.held for cell in cells):.1%}",
        "most held": f"{max(cell.held for cell in cells):.1%}",
        "found": f"{max(cell.found for cell in cells):.1%}",
        "found error": f"{max(cell.found_error for cell in cells):.1%}",
    }
    return fill("suites", parts)


@click.command()
@click.option("--suites", default=1_000, show_default=True, help="Simulated suites a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV.")
def main(suites: int, jobs: int, page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    begun = time.perf_counter()
    cells: list[Cell] = []
    with ProcessPoolExecutor(jobs) as pool:
        for number, setting in enumerate(SETTINGS if not page_only else ()):
            blocks = [range(at, min(at + 50, suites)) for at in range(0, suites, 50)]
            made = pool.map(replicate, [setting] * len(blocks), [number] * len(blocks), blocks)
            cells += cells_of(setting, np.concatenate(list(made)))
            write_cells(cells, output / "suites.csv")
            click.echo(f"{setting.name}: {time.perf_counter() - begun:.0f} s")
    (output / "suites.md").write_text(page(read_cells(Cell, output / "suites.csv")), encoding="utf-8")


if __name__ == "__main__":
    main()
