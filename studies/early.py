"""May I look early? The study behind `nescio compare --looks`, in docs/evidence/early.md.

    python studies/early.py                writes docs/evidence/early.md, early.csv, early_races.csv and
                                           early_widths.csv (half an hour on two cores)
    python studies/early.py --page-only    writes the page from the figures that are there

Two systems answer questions that are drawn one after the other from a joint table of outcomes, and the interval of
their difference is looked at after each. A sequence keeps its promise if the true difference is ever outside it, at
any of 10,000 looks, in at most 5% of all collections.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from cells import read_cells, write_cells
from numpy.typing import NDArray
from pages import fill

from nescio.comparison import _looks
from nescio.comparison._looks import follow, on_counts, spreads
from nescio.measures import parse
from nescio.stats import sequences

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
ALPHA, PLANNED, LOOKS = 0.05, 1000, 10_000
Z, Z_POWER = 1.959963984540054, 0.8416212335729143
TEN = np.linspace(LOOKS / 10, LOOKS, 10).astype(int) - 1  # ten looks, evenly apart
SIZES = (100, 1_000, 10_000)
CAP = 3  # times the questions of a fixed design, after which one gives up

Floats = NDArray[np.float64]


class Setting(Struct, frozen=True):
    """Two systems: how often the run ends correct, incorrect or unanswered (rows) where the baseline does (columns)."""

    name: str
    measure: str
    method: str
    table: tuple[tuple[float, float, float], ...]
    planned: int = PLANNED
    hoped: float = 1.0  # the difference that a fixed design is made for, as a share of the true one

    @property
    def chances(self) -> Floats:
        return np.array(self.table).ravel()

    @property
    def truth(self) -> float:
        one, other = np.array(self.table).sum(axis=1), np.array(self.table).sum(axis=0)
        measure = parse(self.measure)
        return float(on_counts(measure, one) - on_counts(measure, other))

    @property
    def sequence(self) -> Literal["guaranteed", "asymptotic"]:
        return "guaranteed" if self.method == "A" else "asymptotic"

    @property
    def how(self) -> _looks.Sequence:
        return _looks.Sequence(self.sequence, ALPHA, self.planned)

    def collection(self, questions: int, seed: Sequence[int]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Draw the outcomes of the run and of the baseline, one question after the other."""
        cells = np.random.default_rng(seed).choice(9, size=questions, p=self.chances / self.chances.sum())
        return (cells // 3).astype(np.int8), (cells % 3).astype(np.int8)


ALIKE_30 = ((0.45, 0.12, 0.01), (0.12, 0.15, 0.02), (0.01, 0.02, 0.10))  # 30% discordant, no difference
ALIKE_10 = ((0.65, 0.04, 0.005), (0.04, 0.195, 0.005), (0.005, 0.005, 0.055))  # 10% discordant, no difference
BETTER = ((0.45, 0.16, 0.02), (0.08, 0.15, 0.02), (0.01, 0.02, 0.09))  # 31% discordant, the run is better
SILENT = ((0.30, 0.02, 0.02), (0.10, 0.10, 0.02), (0.10, 0.16, 0.18))  # the run is silent where the other guesses
HARD = ((0.04, 0.04, 0.01), (0.04, 0.70, 0.06), (0.01, 0.06, 0.04))  # few right answers

PROMISES = (
    Setting("alike, 30% discordant", "accuracy", "A", ALIKE_30),
    Setting("alike, 10% discordant", "accuracy", "A", ALIKE_10),
    Setting("better", "accuracy", "A", BETTER),
    Setting("alike, 30% discordant", "UF", "A", ALIKE_30),
    Setting("alike, 30% discordant", "c@1", "B", ALIKE_30),
    Setting("alike, 10% discordant", "c@1", "B", ALIKE_10),
    Setting("better", "c@1", "B", BETTER),
    Setting("silent where the other guesses", "c@1", "B", SILENT),
    Setting("hard questions", "c@1", "B", HARD),
    Setting("alike, 10% discordant", "precision", "B", ALIKE_10),
    *(
        Setting(name, "c@1", "B", table, planned=100)
        for name, table in (
            ("alike, 10% discordant", ALIKE_10),
            ("better", BETTER),
            ("silent where the other guesses", SILENT),
            ("hard questions", HARD),
        )
    ),
)
RACES = (
    Setting("better", "accuracy", "A", BETTER),
    Setting("better", "accuracy", "B", BETTER),
    Setting("better", "c@1", "B", BETTER),
    Setting("better", "c@1", "B", BETTER, hoped=0.5),
    Setting("better", "accuracy", "A", BETTER, hoped=0.5),
)


class Kept(Struct, frozen=True):
    """How often the truth was ever outside: of the sequence, and of the 1.96 rule at all looks and at ten."""

    sequence: str
    planned: int
    measure: str
    systems: str
    difference: float
    collections: int
    wrong: float
    wrong_error: float
    first: float  # wrong among the first 200 questions already
    every_look: float
    ten_looks: float


def error(share: float, collections: int) -> float:
    """Return the Monte Carlo standard error of a share."""
    return float((share * (1 - share) / collections) ** 0.5)


def one_collection(setting: Setting, seed: Sequence[int]) -> tuple[bool, bool, bool, bool]:
    """Follow one collection, and say where the truth was outside."""
    measure = parse(setting.measure)
    run, baseline = setting.collection(LOOKS, seed)
    path = follow(measure, run, baseline, setting.how)
    outside = (path.low > setting.truth) | (path.high < setting.truth)
    t = np.arange(1, LOOKS + 1)
    if setting.method == "A":
        spread = spreads(measure, run, baseline)[0]
    else:  # it is what the half width is made of; NaN before the first look
        spread = (path.high - path.low) / 2 / sequences.asymptotic_half_width(t, 1.0, ALPHA, setting.planned)
    naive = Z * spread / np.sqrt(t)
    beyond = np.abs(path.difference - setting.truth) > naive
    beyond[: sequences.FIRST_LOOK - 1] = False
    return bool(outside.any()), bool(outside[:200].any()), bool(beyond.any()), bool(beyond[TEN].any())


def kept(setting: Setting, collections: int, number: int, jobs: int) -> Kept:
    """Follow many collections."""
    found = np.array(list(_each(one_collection, setting, [(40, number, i) for i in range(collections)], jobs)))
    wrong, *others = (float(share) for share in found.mean(axis=0))
    names = (setting.sequence, setting.planned, setting.measure, setting.name, setting.truth)
    return Kept(*names, collections, wrong, error(wrong, collections), *others)


def _each(
    function: Callable[[Setting, Sequence[int]], tuple[Any, ...]],
    setting: Setting,
    seeds: Sequence[Sequence[int]],
    jobs: int,
) -> Iterator[tuple[Any, ...]]:
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, repeat(setting), seeds, chunksize=20)


class Race(Struct, frozen=True):
    """How many questions the sequence takes where a fixed design of `fixed` has a power of 0.8 for the difference that
    is planned for; and which share is decided by three times as many, and wrongly."""

    sequence: str
    measure: str
    difference: float
    planned_for: float
    collections: int
    fixed: int
    decided: float
    wrong: float
    mean: float
    median: float


def _decided_after(setting: Setting, seed: Sequence[int]) -> tuple[int, int]:
    """Return the question at which 0 is excluded (0: never, up to the cap), and on which side."""
    fixed = fixed_design(setting)
    run, baseline = setting.collection(CAP * fixed, seed)
    how = _looks.Sequence(setting.how.method, ALPHA, fixed)
    path = follow(parse(setting.measure), run, baseline, how)
    beyond = (path.running_low > 0) | (path.running_high < 0)
    if not beyond.any():
        return 0, 0
    at = int(np.argmax(beyond))
    return at + 1, 1 if path.running_low[at] > 0 else -1


@lru_cache
def fixed_design(setting: Setting) -> int:
    """Return the questions of a fixed design with a power of 0.8 for what is hoped, by the normal approximation."""
    cells = np.repeat(np.arange(9), np.rint(setting.chances * 100_000).astype(int))
    spread = spreads(parse(setting.measure), (cells // 3).astype(np.int8), (cells % 3).astype(np.int8))[0][-1]
    return int(np.ceil(((Z + Z_POWER) * spread / (setting.hoped * setting.truth)) ** 2))


def race(setting: Setting, collections: int, number: int, jobs: int) -> Race:
    """Let the sequence and the fixed design run."""
    found = np.array(list(_each(_decided_after, setting, [(41, number, i) for i in range(collections)], jobs)))
    fixed = fixed_design(setting)
    after = np.where(found[:, 0] > 0, found[:, 0], CAP * fixed)
    return Race(
        setting.sequence,
        setting.measure,
        setting.truth,
        setting.hoped * setting.truth,
        collections,
        fixed,
        float((found[:, 0] > 0).mean()),
        float((found[:, 1] * np.sign(setting.truth) < 0).mean()),
        float(after.mean()),
        float(np.median(after)),
    )


class Width(Struct, frozen=True):
    """How much wider than the interval of one look at so many questions."""

    sequence: str
    questions: int
    ratio: float


def widths(collections: int) -> Iterator[Width]:
    """Yield the widths of both sequences at all sizes."""
    t = np.array(SIZES)
    for planned in SIZES:
        ratio = sequences.asymptotic_half_width(t, 1.0, ALPHA, planned) * np.sqrt(t) / Z
        for n, one in zip(SIZES, ratio, strict=True):
            yield Width(f"asymptotic, planned {planned}", n, float(one))
    for share in (0.3, 0.1):
        rng = np.random.default_rng([42, int(100 * share)])
        x = rng.choice([0.0, 0.5, 1.0], p=[share / 2, 1 - share, share / 2], size=(collections, LOOKS))
        low, high = sequences.bernstein(x, ALPHA)
        half = ((high - low) / 2).mean(axis=0)[t - 1]
        for n, one in zip(SIZES, half / (Z * np.sqrt(share / 4) / np.sqrt(t)), strict=True):
            yield Width(f"guaranteed, accuracy, {share:.0%} discordant", n, float(one))


def table(found: Sequence[Kept]) -> list[str]:
    """Return a row a setting."""
    lines = ["| sequence | measure | systems | ever wrong | 1.96 rule |", "| --- | --- | --- | ---: | ---: |"]
    for k in found:
        sequence = k.sequence + (f", planned {k.planned:,}" if k.sequence == "asymptotic" else "")
        lines.append(f"| {sequence} | {k.measure} | {k.systems} | {k.wrong:.2%} | {k.every_look:.1%} |")
    return lines


def page(found: Sequence[Kept], races: Sequence[Race], wide: Sequence[Width]) -> str:
    """docs/evidence/early.md: fixed prose around the figures."""
    worst = {name: max(k.wrong for k in found if k.sequence == name) for name in ("guaranteed", "asymptotic")}
    as_hoped = {
        race.sequence: race for race in races if race.measure == "accuracy" and race.planned_for == race.difference
    }
    twice = next(race for race in races if race.sequence == "asymptotic" and race.planned_for < race.difference)
    at_plan = [one.ratio for one in wide if one.sequence == f"asymptotic, planned {one.questions}"]
    sure = [one.ratio for one in wide if one.sequence.startswith("guaranteed")]
    parts = {
        "table": table(found),
        "collections": f"{found[0].collections:,}",
        "looks": f"{LOOKS:,}",
        "guaranteed": f"{worst['guaranteed']:.2%}",
        "asymptotic": f"{worst['asymptotic']:.2%}",
        "error": f"{max(k.wrong_error for k in found):.2%}",
        "naive": f"{min(k.every_look for k in found):.0%} to {max(k.every_look for k in found):.0%}",
        "naive ten": f"{min(k.ten_looks for k in found):.0%} to {max(k.ten_looks for k in found):.0%}",
        "at plan": f"{max(at_plan):.2f}",
        "sure": f"{min(sure):.1f} to {max(sure):.1f}",
        "fixed": f"{as_hoped['asymptotic'].fixed:,}",
        "mean asymptotic": f"{as_hoped['asymptotic'].mean:,.0f}",
        "mean guaranteed": f"{as_hoped['guaranteed'].mean:,.0f}",
        "twice fixed": f"{twice.fixed:,}",
        "twice mean": f"{twice.mean:,.0f}",
    }
    return fill("early", parts)


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV files that are there.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV files."
)
def main(collections: int, jobs: int, page_only: bool, output: Path) -> None:
    """Follow, race, and write the figures and the page."""
    if not page_only:
        found, races = [], []
        for number, setting in enumerate(PROMISES):
            begun = time.perf_counter()
            found.append(kept(setting, collections, number, jobs))
            print(f"{found[-1]} {time.perf_counter() - begun:.1f} s", flush=True)
        for number, setting in enumerate(RACES):
            begun = time.perf_counter()
            races.append(race(setting, collections, number, jobs))
            print(f"{races[-1]} {time.perf_counter() - begun:.1f} s", flush=True)
        write_cells(found, output / "early.csv")
        write_cells(races, output / "early_races.csv")
        write_cells(widths(min(collections, 200)), output / "early_widths.csv")
    found, races = read_cells(Kept, output / "early.csv"), read_cells(Race, output / "early_races.csv")
    text = page(found, races, read_cells(Width, output / "early_widths.csv"))
    (output / "early.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
