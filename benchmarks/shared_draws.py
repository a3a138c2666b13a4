"""What shares its draws: PAN's nine runs, answers to validate, and many runs of few questions.

Rows for `inference.py`. The measure of the first rows is the time of drawing the weights of PAN's problems once,
which no way of resampling can do without.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import Row, seconds

import nescio
from nescio.data.evidence import Evidence
from nescio.data.patterns import by_unit
from nescio.measures import parse
from nescio.pipeline import Loaded, load
from nescio.scoring.resampled import resamples_at_once
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats import resampling
from nescio.stats.streams import Stream

RESAMPLES = 10_000
ONE_PASS = ("AUROC", "AURC", "AP", "CWS")


def pan(folder: Path) -> list[Row]:
    """Return PAN 2020's nine runs, scored and compared by their default measures."""
    loaded = load([str(folder / "truth.jsonl"), *sorted(map(str, folder.glob("runs/*/answers.jsonl")))])
    units = len(loaded.data.questions)
    drawing = seconds(lambda: draw(units), 5)
    against = f"drawing weights of {units:,} problems once"
    rows = [
        Row("score PAN, 9 runs, default measures", seconds(lambda: nescio.score(loaded), 5), against, drawing, "3x"),
        Row(
            "compare PAN, 36 pairs, default measures",
            seconds(lambda: nescio.compare(loaded), 3),
            against,
            drawing,
            "20x",
        ),
    ]
    return [*rows, *one_pass(loaded)]


def draw(units: int) -> None:
    """Draw the weights of so many questions, table by table."""
    for _ in tables(units):
        pass


def tables(units: int) -> list[resampling.Table]:
    """Return the weights of so many questions, in tables of the size in which they are used."""
    blocks = resampling.blocks(RESAMPLES, 0)
    at_once = resamples_at_once(units, 1)
    return list(resampling.tables(resampling.picks, units, blocks, Stream.INTERVALS, at_once=at_once))


def one_pass(loaded: Loaded) -> list[Row]:
    """Return an ordered measure of one run under all weights, against a bare compiled loop over the same arrays."""
    try:
        from numba import njit
    except ImportError:
        print("one pass is not compared with a compiled loop: numba is not installed (the extra `fast`)")
        return []
    columns = {name: values[:1] for name, values in loaded.data.columns.items()}
    columns["confidence"] = np.abs(columns["verification.value"] - 0.5)
    data = Evidence(("run",), loaded.data.questions, columns, loaded.data.absence[:1])
    made = tables(len(data.questions))
    rows_first = [np.ascontiguousarray(table.T) for table in made]

    @njit
    def auroc(weights, order, right):  # type: ignore[no-untyped-def]
        values = np.empty(len(weights))
        for b in range(len(weights)):
            above = counted = wrong = 0.0
            for i in order:
                if right[i]:
                    above += weights[b, i]
                else:
                    counted += weights[b, i] * above
                    wrong += weights[b, i]
            values[b] = counted / (above * wrong)
        return values

    rows = []
    for name in ONE_PASS:
        sample = measure_inputs(data, [parse(name)])[0][0]
        order, right = np.argsort(-columns["confidence"][0], kind="stable"), columns["correct"][0]
        loop = seconds(lambda order=order, right=right: [auroc(w, order, right) for w in rows_first], 5)
        mine = seconds(lambda sample=sample: under(sample, made), 5)
        rows.append(
            Row(f"{name} of one run under {RESAMPLES:,} weights", mine, "a compiled loop for AUROC, no ties", loop)
        )
    return rows


def under(sample: MeasureInput, made: list[resampling.Table]) -> None:
    """Compute a measure under all weights."""
    patterns = by_unit(sample.patterns)
    for table in made:
        sample.measure.under(patterns, table)


def alone() -> list[Row]:
    """Return work that has a time to keep."""
    few, single, clustered = made_up(1_000, 100), made_up(1_000_000, 1), made_up(20, 1_000, clusters=200)
    work: list[tuple[str, Callable[[], object], int, str]] = [
        ("score 1,000 runs x 100 questions by AUROC", lambda: nescio.score(few, "AUROC"), 3, "5 s"),
        ("score 1,000,000 runs x 1 question by c@1", lambda: nescio.score(single, "c@1"), 3, "5 s"),
        ("compare 20 runs x 1,000 clustered questions by AUROC", lambda: nescio.compare(clustered, "AUROC"), 3, "15 s"),
    ]
    rows = [Row(name, seconds(action, repeat), "", 0.0, asked) for name, action, repeat, asked in work]
    with tempfile.TemporaryDirectory() as folder:
        files = validations(Path(folder), 100_000)
        rows.append(
            Row("ave score, 100,000 answers, 2 runs", seconds(lambda: nescio.ave.score(files), 3), "", 0.0, "10 s")
        )
    return rows


def made_up(runs: int, questions: int, clusters: int | None = None) -> Evidence:
    """Make runs that are silent on a tenth of the questions, and somewhat surer of what is right."""
    rng, shape = np.random.default_rng(0), (runs, questions)
    right, silent = rng.random(shape) < rng.uniform(0.4, 0.8, (runs, 1)), rng.random(shape) < 0.1
    cells = {"correct": right & ~silent, "incorrect": ~right & ~silent, "unanswered": silent, "answered": ~silent}
    columns = {name: cell.astype(np.int8) for name, cell in cells.items()}
    columns["confidence"] = np.where(silent, np.nan, 0.3 * right + 0.7 * rng.random(shape))
    return Evidence(
        tuple(f"run {i:07}" for i in range(runs)),
        tuple(f"q{i:06}" for i in range(questions)),
        columns,
        np.zeros(shape, dtype=np.uint8),
        clusters=None if clusters is None else np.arange(questions) % clusters,
    )


def validations(folder: Path, answers: int) -> list[str]:
    """Write a collection of answers, 5 to 15 to a question, and the responses of two validators."""
    rng = random.Random(0)
    collection, responses = ["<ave>"], ([], [])
    question = done = 0
    while done < answers:
        question += 1
        many = min(answers - done, rng.randint(5, 15))
        values = [rng.random() < 0.25 for _ in range(many)]
        collection.append(f'<q id="{question}" lang="EN"><q_str>Question {question}?</q_str>')
        collection += [
            f'<a id="{question}_{i}" value="{"VALIDATED" if right else "REJECTED"}"><a_str>Answer {i}</a_str>'
            f'<t_str doc="d{i}.txt">Answer {i} to question {question}.</t_str></a>'
            for i, right in enumerate(values)
        ]
        collection.append("</q>")
        for lines in responses:
            sure = [min(1.0, max(0.0, rng.gauss(0.6 if right else 0.4, 0.2))) for right in values]
            best = max(range(many), key=sure.__getitem__)
            for i, one in enumerate(sure):
                said = "SELECTED" if i == best and one > 0.5 else "VALIDATED" if one > 0.5 else "REJECTED"
                lines.append(f"{question} {question}_{i} {said} {one:.4f}")
        done += many
    files = {"collection.xml": [*collection, "</ave>"], "one.txt": responses[0], "two.txt": responses[1]}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / name) for name in files]
