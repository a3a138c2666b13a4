"""Is the planned power met? The study behind `nescio plan`, in docs/evidence/planning.md.

    python studies/planning.py                writes docs/evidence/planning.md and .csv (five minutes on one core)
    python studies/planning.py --page-only    writes the page from the figures that are there

Each setting is planned by `nescio.plan`. Fresh collections of the planned number of questions are then drawn from the
same alternative, by a generator that the plan does not use, and each is tested as `nescio compare` tests it; the power
achieved is the share of them with p at most alpha.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from numpy.typing import NDArray
from pages import fill, write_table

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import PRESENT, Evidence
from nescio.measures import parse
from nescio.meta_evaluation.planning._joint import Joint, from_pilot, from_rates, tilt
from nescio.meta_evaluation.planning.rejections import Aim
from nescio.stats.exact_p_values import exact_p

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
ALPHA = 0.05
TOLERANCE = 0.02
MANY = 50_000  # collections drawn anew for the plan that is furthest off, to tell chance from error
CHECKED = 20  # collections a setting that go through nescio.compare itself
Rates = tuple[float, float, float]

# Two language models on the 11,275 questions of MMLU-Pro (Meta-Llama-3-70B down, Qwen1.5-110B across): how often the
# first ends correct, incorrect or unanswered (the rows) where the second ends correct, incorrect or unanswered (the
# columns).
PILOT = ((4360, 1461, 151), (1106, 3230, 290), (195, 311, 171))


class Setting(Struct, frozen=True):
    """Where a plan starts from (rates of both systems, or None for the pilot), and what is asked of it."""

    measure: str
    power: float
    difference: float | None = None
    questions: int | None = None
    rates: tuple[Rates, Rates] | None = None
    agreement: float = 0.0

    @property
    def start(self) -> str:
        if self.rates is None:
            return "pilot"
        sides = [" ".join(f"{rate:g}" for rate in side) for side in dict.fromkeys(self.rates)]
        return " / ".join(sides) + (f", agreement {self.agreement:g}" if self.agreement else "")


class Checked(Struct, frozen=True):
    """A plan, the number that the normal approximation alone gives, and the power achieved with its Monte Carlo
    error."""

    setting: Setting
    plan: Any
    normal: float
    achieved: float
    error: float

    @property
    def off(self) -> float:
        return self.achieved - self.setting.power

    @property
    def verdict(self) -> str:
        if abs(self.off) <= TOLERANCE:
            return "met"
        return "not met" if self.off < 0 else "more than asked"


def settings() -> list[Setting]:
    """Return the grid."""
    middle, silent = (0.5, 0.3, 0.2), (0.35, 0.15, 0.5)
    sure, poor, guessing = (0.9, 0.08, 0.02), (0.06, 0.88, 0.06), (0.6, 0.4, 0.0)
    found = [
        Setting(measure, power, difference=d * (2 if measure == "UF" else 1), rates=(middle, middle))
        for measure in ("c@1", "accuracy", "UF")
        for d, power in ((0.05, 0.5), (0.05, 0.8), (0.05, 0.9), (0.15, 0.8))
    ]
    found += [
        Setting(measure, 0.8, difference=0.05, rates=rates, agreement=agreement)
        for measure in ("c@1", "accuracy")
        for rates, agreement in (((sure, sure), 0.3), ((poor, poor), 0.0), ((middle, middle), 0.6))
    ]
    found += [Setting(measure, 0.8, rates=(guessing, silent)) for measure in ("c@1", "accuracy")]
    found += [Setting("UF", 0.8, difference=0.15, rates=(guessing, silent))]  # by themselves the two are alike in UF
    found += [Setting("c@1", power, difference=0.03) for power in (0.5, 0.8, 0.9)]
    found += [Setting(measure, 0.8) for measure in ("c@1", "accuracy", "UF")]
    found += [Setting("precision", 0.8, difference=0.25, rates=(middle, middle))]
    found += [
        Setting("accuracy", 0.8, difference=0.6, rates=(guessing, guessing)),
        Setting("c@1", 0.8, difference=0.5, rates=(middle, middle)),
        Setting("UF", 0.9, difference=1.2, rates=(middle, middle)),
    ]
    resolving = [
        Setting("c@1", 0.8, questions=11_275),
        Setting("UF", 0.9, questions=2_000),
        Setting("c@1", 0.8, questions=500, rates=(middle, middle)),
        Setting("accuracy", 0.5, questions=500, rates=(sure, sure), agreement=0.3),
        Setting("c@1", 0.9, questions=100, rates=(guessing, silent)),
        Setting("accuracy", 0.8, questions=25, rates=(guessing, guessing)),
    ]
    return found + resolving


def evidence(one: NDArray[np.int64], other: NDArray[np.int64]) -> Evidence:
    """Two runs, `run` and `baseline`, from the number of each question's outcome in OUTCOMES."""
    both = np.stack([other, one])
    columns = {name: (both == i).astype(np.int8) for i, name in enumerate(OUTCOMES)}
    columns["answered"] = 1 - columns["unanswered"]
    questions = tuple(map(str, range(both.shape[1])))
    return Evidence(("baseline", "run"), questions, columns, np.full(both.shape, PRESENT, dtype=np.uint8))


def pilot() -> Evidence:
    """Return the pilot's questions."""
    one, other = np.indices((3, 3)).reshape(2, 9)
    return evidence(np.repeat(one, np.ravel(PILOT)), np.repeat(other, np.ravel(PILOT)))


def study(setting: Setting, collections: int, rng: np.random.Generator) -> Checked:
    """Plan, draw, test."""
    asked: dict[str, Any] = {
        "difference": setting.difference,
        "questions": setting.questions,
        "power": setting.power,
        "alpha": ALPHA,
    }
    if setting.rates is None:
        found = nescio.plan(pilot(), setting.measure, **asked)
    else:
        found = nescio.plan(rates=setting.rates, measures=setting.measure, agreement=setting.agreement, **asked)
    solved = "questions" if setting.questions is None else "difference"
    row = next(row for row in found if row.solved == solved)
    table = tilt(_start(setting), row.difference)
    assert row.questions is not None
    drawn = rng.multinomial(row.questions, table.probabilities, size=collections)
    rejected = [_p(table, counts) <= ALPHA for counts in drawn]
    for counts in drawn[:CHECKED]:
        _check(table, counts)
    achieved = float(np.mean(rejected))
    aim = Aim(setting.power, ALPHA, 0)
    exchanged, sampled = table.spreads()
    normal = ((aim.critical * exchanged + (aim.distance - aim.critical) * sampled) / table.difference) ** 2
    return Checked(setting, row, normal, achieved, float((achieved * (1 - achieved) / collections) ** 0.5))


def _start(setting: Setting) -> Joint:
    measure = parse(setting.measure)
    if setting.rates is not None:
        return from_rates(measure, *setting.rates, setting.agreement)
    data = pilot()
    return from_pilot(measure, {name: (column[1], column[0]) for name, column in data.columns.items()})


def _p(table: Joint, counts: NDArray[np.int64]) -> float:
    """Return the exact p-value of a collection, by the functions that `compare` calls."""
    pair = replace(table.pair, counts=counts)
    exchanges = pair.exchanges()
    assert exchanges is not None
    p = exact_p(*exchanges, float(pair.resampled(counts)))
    assert p is not None, "a measure that cannot be tested exactly needs a smaller setting"
    return p


def _check(table: Joint, counts: NDArray[np.int64]) -> None:
    """`nescio.compare` itself gives the same p-value."""
    outcome = np.argmax([table.pair.patterns.columns[name] for name in OUTCOMES], axis=0)
    one, other = (np.repeat(side, counts) for side in np.split(outcome, 2))
    data = evidence(one, other)
    found = nescio.compare(data, table.pair.measure.label, baseline="baseline", test="exact", resamples=1).rows[0].p
    p = _p(table, counts)
    assert found is not None
    assert np.isnan(p) or abs(found - p) <= 1e-9, (found, p)


def approximated(collections: int, rng: np.random.Generator) -> Iterator[str]:
    """Graded scores and clustered questions, which are planned by the normal approximation: rows of a table."""
    for name, measure, difference, draw in (
        ("graded scores", "mean(score)", 0.03, _graded),
        ("stories of 5 questions", "c@1", 0.1, _stories),
    ):
        row = next(iter(nescio.plan(draw(4_000, 0.0, rng), measure, difference=difference, power=0.8)))
        units = row.questions if row.clusters is None else row.clusters
        assert units is not None
        hits = 0
        for i in range(collections):
            data = draw(units, difference, rng)
            p = nescio.compare(data, measure, baseline="baseline", test="permutation", resamples=999, seed=i).rows[0].p
            assert p is not None
            hits += p <= ALPHA
        share = hits / collections
        error = (share * (1 - share) / collections) ** 0.5
        yield line(
            Checked(Setting(measure, 0.8, difference), row, float("nan"), share, error),
            "by the normal approximation",
            name,
        )


def _graded(questions: int, difference: float, rng: np.random.Generator) -> Evidence:
    """Scores that share the difficulty of their question, the run's better by `difference` on average."""
    hard = rng.normal(0.0, 0.2, questions)
    scores = 0.5 + hard + np.array([[0.0], [difference]]) + rng.normal(0.0, 0.15, (2, questions))
    names = tuple(map(str, range(questions)))
    return Evidence(("baseline", "run"), names, {"score": scores}, np.full(scores.shape, PRESENT, dtype=np.uint8))


def _stories(stories: int, difference: float, rng: np.random.Generator) -> Evidence:
    """Stories of five questions; each system finds some stories easy and others hard, and is silent on a fifth of all.

    c@1 is a (1 + u), so the run's chance of a right answer is raised by difference/(1 + u).
    """
    silence = 0.2
    rates = 0.45 + np.array([0.0, difference / (1 + silence)])
    # Of each system on each story: a chance with the mean wanted and a standard deviation of about 0.15.
    chance = np.clip(rates[:, None] / (1 - silence) + rng.uniform(-0.25, 0.25, (2, stories)), 0, 1)
    right = rng.random((2, stories, 5)) < chance[:, :, None]
    outcome = np.where(rng.random((2, stories, 5)) < silence, 2, np.where(right, 0, 1)).reshape(2, -1)
    return replace(evidence(outcome[1], outcome[0]), clusters=np.repeat(np.arange(stories), 5))


def line(c: Checked, solved: str, start: str) -> str:
    """Return the row of a plan: what it was solved for, and where it starts from."""
    normal, off = "" if np.isnan(c.normal) else f"{c.normal:,.0f}", f"{round(c.off, 3) + 0.0:+.3f}"
    return (
        f"| {solved} | {c.setting.measure} | {start} | {c.plan.difference:.4g} | {c.setting.power:.2f} | "
        f"{c.plan.questions:,} | {normal} | {c.achieved:.3f} ± {c.error:.3f} | {off} | {c.verdict} |"
    )


HEADS = (
    "solved for",
    "measure",
    "from",
    "difference",
    "power asked",
    "questions",
    "by the normal approximation",
    "achieved",
    "off by",
    "verdict",
)
SHOWN = ("from", "difference", "power asked", "questions", "achieved")  # on the page
AGAIN = "drawn again"


def worst(found: Sequence[Checked]) -> Checked:
    """Return the plan of more than 30 questions that is furthest off."""
    return max((c for c in found if c.plan.questions > 30), key=lambda c: abs(c.off))


def page(folder: Path, collections: int) -> str:
    """Return docs/evidence/planning.md, the prose around the figures of planning.csv."""
    with (folder / "planning.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    exact = [row for row in rows if row["solved for"] in ("questions", "difference")]
    missed = [row for row in exact if row["verdict"] != "met"]
    furthest = max((row for row in exact if _number(row["questions"]) > 30), key=lambda row: abs(float(row["off by"])))
    shown = [row for row in exact if (row["measure"], row["solved for"]) == ("c@1", "questions")]
    parts = {
        "table": [
            f"| {' | '.join(SHOWN)} |",
            f"| --- |{' ---: |' * (len(SHOWN) - 1)}",
            *(f"| {' | '.join(row[head].split(' ±')[0] for head in SHOWN)} |" for row in shown),
        ],
        "met": str(len(exact) - len(missed)),
        "plans": str(len(exact)),
        "missed": "; ".join(
            f"{row['measure']}, {row['questions']} questions: {row['achieved'].split()[0]} for {row['power asked']}"
            for row in missed
        ),
        "questions": furthest["questions"],
        "again": next(row["achieved"] for row in rows if row["solved for"] == AGAIN),
        "collections": f"{collections:,}",
        "many": f"{MANY:,}",
        "approximate": " and ".join(
            row["achieved"].split()[0] for row in rows if row["solved for"] == "by the normal approximation"
        ),
    }
    return fill("planning", parts)


def _number(cell: str) -> int:
    return int(cell.replace(",", ""))


@click.command()
@click.option("--collections", default=10_000, show_default=True, help="Simulated collections a setting.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV.")
def main(collections: int, page_only: bool, output: Path) -> None:
    """Plan, simulate, test, and write the figures and the page."""
    found: list[Checked] = []
    table = [f"| {' | '.join(HEADS)} |", ""]
    for i, setting in enumerate(settings() if not page_only else ()):
        begun = time.perf_counter()
        # Enumerated one by one, precision takes a hundred times as long as the others.
        some = min(collections, 2_000) if setting.measure == "precision" else collections
        found.append(study(setting, some, np.random.default_rng([20, i])))
        table.append(line(found[-1], "questions" if setting.questions is None else "difference", setting.start))
        print(f"{table[-1]} {time.perf_counter() - begun:.1f} s", flush=True)
    if not page_only:
        table += approximated(min(collections, 2_000), np.random.default_rng(21))
        again = worst(found).setting
        table.append(line(study(again, MANY, np.random.default_rng(22)), AGAIN, again.start))
        write_table(table, output / "planning.csv")
    (output / "planning.md").write_text(page(output, collections), encoding="utf-8")


if __name__ == "__main__":
    main()
