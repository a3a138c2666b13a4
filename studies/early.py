"""May one look as often as one likes? The study behind `nescio compare --looks`, in docs/evidence/early.md.

    python studies/early.py            writes docs/evidence/early.md (a few minutes on two cores)

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
from typing import Any

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
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
    def how(self) -> _looks.Sequence:
        return _looks.Sequence("guaranteed" if self.method == "A" else "asymptotic", ALPHA, self.planned)

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

    setting: Setting
    collections: int
    sequence: float
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
    return Kept(setting, collections, *(float(share) for share in found.mean(axis=0)))


def _each(
    function: Callable[[Setting, Sequence[int]], tuple[Any, ...]],
    setting: Setting,
    seeds: Sequence[Sequence[int]],
    jobs: int,
) -> Iterator[tuple[Any, ...]]:
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, repeat(setting), seeds, chunksize=20)


class Race(Struct, frozen=True):
    """How many questions the sequence takes where a fixed design of `fixed` has a power of 0.8."""

    setting: Setting
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
        setting,
        collections,
        fixed,
        float((found[:, 0] > 0).mean()),
        float((found[:, 1] * np.sign(setting.truth) < 0).mean()),
        float(after.mean()),
        float(np.median(after)),
    )


def prices(collections: int) -> list[str]:
    """How much wider than the interval of one look at n questions: rows of a table."""
    t = np.array(SIZES)
    lines = [
        "| sequence | n = 100 | n = 1,000 | n = 10,000 |",
        "| --- | ---: | ---: | ---: |",
    ]
    for planned in (100, PLANNED, 10_000):
        ratio = sequences.asymptotic_half_width(t, 1.0, ALPHA, planned) * np.sqrt(t) / Z
        lines.append(f"| asymptotic, `--planned {planned}` | " + " | ".join(f"{one:.2f}" for one in ratio) + " |")
    for share in (0.3, 0.1):
        rng = np.random.default_rng([42, int(100 * share)])
        x = rng.choice([0.0, 0.5, 1.0], p=[share / 2, 1 - share, share / 2], size=(collections, LOOKS))
        low, high = sequences.bernstein(x, ALPHA)
        half = ((high - low) / 2).mean(axis=0)[t - 1]
        ratio = half / (Z * np.sqrt(share / 4) / np.sqrt(t))
        lines.append(
            f"| guaranteed, accuracy, {share:.0%} discordant | " + " | ".join(f"{one:.2f}" for one in ratio) + " |"
        )
    return lines


def rows(found: Sequence[Kept]) -> list[str]:
    """Return a line a setting."""
    lines = [
        "| sequence | planned | measure | systems | true difference | ever wrong | by question 200 |"
        " 1.96 rule, every look | 1.96 rule, ten looks |",
        "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {'guaranteed' if k.setting.method == 'A' else 'asymptotic'} | "
        f"{'' if k.setting.method == 'A' else f'{k.setting.planned:,}'} | {k.setting.measure} | {k.setting.name} | "
        f"{k.setting.truth:+.4f} | {k.sequence:.2%} ± {error(k.sequence, k.collections):.2%} | {k.first:.2%} | "
        f"{k.every_look:.1%} | {k.ten_looks:.1%} |"
        for k in found
    ]
    return lines


def race_rows(found: Sequence[Race]) -> list[str]:
    """Return a line a race."""
    lines = [
        "| sequence | measure | true difference | planned for | fixed n (power 0.8) | decided by 3 n |"
        " in the wrong direction | mean | median |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {'guaranteed' if r.setting.method == 'A' else 'asymptotic'} | {r.setting.measure} | "
        f"{r.setting.truth:+.4f} | {r.setting.hoped * r.setting.truth:+.4f} | {r.fixed:,} | "
        f"{r.decided:.1%} ± {error(r.decided, r.collections):.1%} | {r.wrong:.2%} | {r.mean:,.0f} | {r.median:,.0f} |"
        for r in found
    ]
    return lines


def page(found: Sequence[Kept], races: Sequence[Race], price: Sequence[str], collections: int) -> str:
    """docs/evidence/early.md: fixed prose around the figures of this run."""
    by_method = {method: [k for k in found if k.setting.method == method] for method in "AB"}
    broken = [k for k in found if k.sequence > ALPHA]
    names = "; ".join(f"{k.setting.measure}, {k.setting.name}: {k.sequence:.2%}" for k in broken)
    parts = {
        "promises": rows(found),
        "races": race_rows(races),
        "prices": price,
        "collections": f"{collections:,}",
        "looks": f"{LOOKS:,}",
        "worst_a": f"{max(k.sequence for k in by_method['A']):.2%}",
        "worst_b": f"{max(k.sequence for k in by_method['B']):.2%}",
        "broken": names or "none",
        "naive": f"{min(k.every_look for k in found):.0%} to {max(k.every_look for k in found):.0%}",
        "naive_ten": f"{min(k.ten_looks for k in found):.0%} to {max(k.ten_looks for k in found):.0%}",
    }
    return fill("early", parts)


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for early.md.")
def main(collections: int, jobs: int, output: Path) -> None:
    """Follow, race, and write the page."""
    found, races = [], []
    for number, setting in enumerate(PROMISES):
        begun = time.perf_counter()
        found.append(kept(setting, collections, number, jobs))
        print(f"{rows(found[-1:])[-1]} {time.perf_counter() - begun:.1f} s", flush=True)
    for number, setting in enumerate(RACES):
        begun = time.perf_counter()
        races.append(race(setting, collections, number, jobs))
        print(f"{race_rows(races[-1:])[-1]} {time.perf_counter() - begun:.1f} s", flush=True)
    price = prices(min(collections, 200))
    print("\n".join(price))
    (output / "early.md").write_text(page(found, races, price, collections), encoding="utf-8")


if __name__ == "__main__":
    main()
