"""Can a cheap judge and a hundred labels stand in for people? The study behind docs/evidence/judges.md.

    python studies/judges.py [DATA]        writes docs/evidence/judges.md (about half a minute)

DATA holds nq301/runs_human.csv: nine systems' answers to 301 questions, judged by people; it is no part of this
project, and by default `../shared/data` beside the checkout. Each judge is held against people on all their labels;
then 1,000 times a random sample of the labels of a run is all that the estimates get, and what people said of all its
answers is the truth to be covered.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from pages import fill, write_table

from nescio.data.columns import Array
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, Label, Outcomes
from nescio.data.results import Results
from nescio.judging import asked_cells, judge_runs
from nescio.judging.human import human
from nescio.scoring.agreement_tables import ALL
from nescio.scoring.judge_agreement import against
from nescio.stats import bias_correction
from nescio.stats.bias_correction import Estimate, superpopulation
from nescio.stats.intervals import wilson

ROOT = Path(__file__).parents[1]
JUDGES = ("exact", "token_f1", "overlap", "contains")
SIZES = (50, 100, 200)
SIZE = 100
WAYS = ("people alone", "PPI++", "Rogan-Gladen")
_STATES = {"Yes": CORRECT, "No": INCORRECT, "": NOT_GRADED}


class Seen(Struct, frozen=True):
    """One judge: what it says of every answer, how that agrees with people, and verdicts of both on the labelled
    answers by run."""

    name: str
    results: Results
    judged: Outcomes
    pairs: Mapping[str, tuple[Array, Array]]  # people's y and the judge's f


def read(path: Path) -> tuple[Collection, list[Run], list[Label]]:
    """Return the questions, the runs, and what people said."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    questions = {
        r["question_id"]: Question(r["question_id"], r["question"], tuple(r["gold_answers"].split(" | "))) for r in rows
    }
    runs: dict[str, list[Response]] = {}
    for r in rows:
        runs.setdefault(r["run"], []).append(Response(r["question_id"], r["prediction"], True))
    labels = [Label(r["question_id"], _STATES[r["acceptable"]], r["run"]) for r in rows]
    return Collection("nq301", tuple(questions.values())), [Run(n, tuple(a)) for n, a in runs.items()], labels


def see(name: str, collection: Collection, runs: Sequence[Run], labels: Sequence[Label]) -> Seen:
    """Return a judge held against people on all labels."""
    people, _ = human(labels, [run.name for run in runs], [question.id for question in collection.questions])
    judged, said = (judge_runs(collection, runs, judge)[0] for judge in (name, people))
    results = against(judged, said, asked_cells(collection, runs), judge=name)
    pairs = {}
    for r, run in enumerate(judged.runs):
        use = said.state[r] != NOT_GRADED
        pairs[run] = (said.state[r][use] == CORRECT).astype(float), (judged.state[r][use] == CORRECT).astype(float)
    return Seen(name, results, judged, pairs)


def estimates(people: Array, judge: Array, share: float, answers: int) -> list[Estimate]:
    """Return the three estimates from a sample."""
    told = people, judge, share, answers
    return [
        bias_correction.human_sample_mean(people, answers),
        bias_correction.prediction_powered(*told),
        bias_correction.rogan_gladen(*told),
    ]


def of_population(way: int, estimate: Estimate, told: tuple[Array, Array, float, int]) -> Estimate:
    """Return an estimate about all answers of this kind, as `nescio judge --target population` gives it."""
    if WAYS[way] == "PPI++":
        return bias_correction.prediction_powered_population(*told)
    return superpopulation(estimate, told[-1])


def collection_coverage(
    people: Array, judge: Array, size: int, samples: int, rng: np.random.Generator
) -> dict[str, Any]:
    """How often intervals from `size` labels hold what people say of all these answers, and how wide they are."""
    answers, truth = len(people), float(people.mean())
    held, width, same = np.zeros(3), np.zeros(3), 0
    defined = np.zeros(3)
    for _ in range(samples):
        chosen = rng.permutation(answers)[:size]
        found = estimates(people[chosen], judge[chosen], float(judge.mean()), answers)
        for k, one in enumerate(found):
            defined[k] += np.isfinite(one.value)
            held[k] += one.low <= truth <= one.high
            width[k] += one.high - one.low if np.isfinite(one.value) else 0.0
        alone = bias_correction.human_sample_mean(judge[chosen], answers)
        same += alone.low <= truth <= alone.high
    low, high = wilson(float(judge.sum()), answers, 0.95)
    return {
        "truth": truth,
        "answers": answers,
        "judge": float(judge.mean()),
        "interval": (low, high),
        "judge holds": low <= truth <= high,
        "held": held / samples,
        "width": width / np.maximum(defined, 1),
        "same": same / samples,
    }


def population_coverage(people: Array, judge: Array, samples: int, rng: np.random.Generator) -> Array:
    """Return how often intervals for questions of this kind hold the share under the law that these answers are taken
    for; each collection is drawn anew."""
    answers, truth, held = len(people), float(people.mean()), np.zeros(3)
    for _ in range(samples):
        drawn = rng.integers(0, answers, size=answers)
        y, f = people[drawn], judge[drawn]
        told = y[:SIZE], f[:SIZE], float(f.mean()), answers
        for k, one in enumerate(estimates(*told)):
            far = of_population(k, one, told)
            held[k] += far.low <= truth <= far.high
    return held / samples


Cells = dict[tuple[str, str, int], dict[str, Any]]
Far = Mapping[tuple[str, str], Array]


def simulate(seen: Sequence[Seen], samples: int) -> tuple[Cells, Far]:
    """Coverage for each judge, run and size; and under the law of each run."""
    near: Cells = {}
    far = {}
    for j, one in enumerate(seen):
        for r, (run, (people, judge)) in enumerate(one.pairs.items()):
            for size in SIZES:
                rng = np.random.default_rng([1, j, r, size])
                near[one.name, run, size] = collection_coverage(people, judge, size, samples, rng)
            far[one.name, run] = population_coverage(people, judge, samples, np.random.default_rng([2, j, r]))
    return near, far


def agreement_table(seen: Sequence[Seen]) -> list[str]:
    """Return a row a judge and run, and for all runs together."""
    lines = [
        "| judge | run | agreement | Cohen's kappa | sensitivity | specificity |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for one in seen:
        lines += [
            f"| {one.name} | {row.run} | {row.agreement:.3f} [{row.low:.3f}, {row.high:.3f}] | {row.kappa:.3f} "
            f"[{row.kappa_low:.3f}, {row.kappa_high:.3f}] | {row.sensitivity:.3f} | {row.specificity:.3f} |"
            for row in one.results
        ]
    return lines


def coverage_table(near: Cells, far: Far) -> list[str]:
    """Return a row a judge, run and number of labels: how often the intervals hold the figure, and how wide they
    are."""
    head = ["judge", "run", "labels", "answers", "by people", "by the judge", "judge on the labelled answers", *WAYS]
    head += [f"width: {way}" for way in WAYS] + [f"questions of this kind: {way}" for way in WAYS]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for (judge, run, size), cell in near.items():
        low, high = cell["interval"]
        shown = [judge, run, str(size), str(cell["answers"]), f"{cell['truth']:.3f}"]
        shown += [f"{cell['judge']:.3f} [{low:.3f}, {high:.3f}]", f"{cell['same']:.1%}"]
        shown += [f"{share:.1%}" for share in cell["held"]] + [f"{width:.3f}" for width in cell["width"]]
        shown += [f"{share:.1%}" for share in far[judge, run]] if size == SIZE else ["–"] * len(WAYS)
        lines.append(f"| {' | '.join(shown)} |")
    return lines


def judge_table(seen: Sequence[Seen], near: Cells) -> list[str]:
    """Return a row a judge, over all runs: its agreement, whether its own interval holds people's figure, and what
    labels make of it."""
    lines = [
        "| judge | agreement | Cohen's kappa | judge's own interval right: runs | PPI++ right: samples | "
        "width: PPI++ | people alone | Rogan-Gladen |",
        "| --- |" + " ---: |" * 7,
    ]
    for one in seen:
        row = next(row for row in one.results if row.run == ALL)
        own = [near[one.name, run, SIZE] for run in one.pairs]
        width = np.mean([cell["width"] for cell in own], axis=0)
        lines.append(
            f"| {one.name} | {row.agreement:.3f} [{row.low:.3f}, {row.high:.3f}] | {row.kappa:.3f} "
            f"[{row.kappa_low:.3f}, {row.kappa_high:.3f}] | {sum(cell['judge holds'] for cell in own)} of {len(own)} | "
            f"{_range([float(cell['held'][1]) for cell in own])} | {width[1]:.3f} | {width[0]:.3f} | {width[2]:.3f} |"
        )
    return lines


def facts(near: Cells, far: Far, samples: int) -> dict[str, str]:
    """Return the figures that the prose names."""
    own = [cell for (_, _, size), cell in near.items() if size == SIZE]
    least = {size: min(float(cell["held"][1]) for (_, _, n), cell in near.items() if n == size) for size in SIZES}
    gain = [(cell["width"][0] / cell["width"][1]) ** 2 for cell in own]
    return {
        "samples": f"{samples:,}",
        "size": str(SIZE),
        "cells": str(len(own)),
        "error": f"{100 * (0.95 * 0.05 / samples) ** 0.5:.1f}",
        "range": _range([float(cell["held"][1]) for cell in own]),
        "holds": str(sum(cell["judge holds"] for cell in own)),
        "least": f"{least[SIZES[0]]:.1%}",
        "law": _range([float(held[1]) for held in far.values()]),
        "gain": f"{min(gain):.2f} to {max(gain):.2f}",
    }


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.1%} to {max(shares):.1%}"


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option(
    "--samples", default=1_000, show_default=True, help="Random samples of labels for each judge, run and size."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for the page and its tables.",
)
def main(data: Path, samples: int, output: Path) -> None:
    """Hold the judges against people, and write the page."""
    start = perf_counter()
    collection, runs, labels = read(data / "nq301" / "runs_human.csv")
    seen = [see(name, collection, runs, labels) for name in JUDGES]
    near, far = simulate(seen, samples)
    write_table(coverage_table(near, far), output / "judges.csv")
    write_table(agreement_table(seen), output / "judges-agreement.csv")
    words = np.mean([len((response.answer or "").split()) for run in runs for response in run.responses])
    parts = {**facts(near, far, samples), "words": f"{words:.1f}", "judges": judge_table(seen, near)}
    (output / "judges.md").write_text(fill("judges", parts), encoding="utf-8")
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
