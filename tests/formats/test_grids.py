"""Grids of verdicts: runs by questions, in rows and columns or in objects within objects, either way about.

Each is made from a known truth. It is read as that truth, or it is asked about: never are runs taken for questions.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from tests.notes import in_words
from tests.rings import many

from .encodings import assert_refused, read

RUNS = ["gpt-4o", "llama-3.1-8b", "bm25", "rag v2", "Claude 3 Opus", "qwen2.5", "ours"]
NUMBERED = [["gpt-3", "gpt-4", "gpt-5"], ["run1", "run2", "run3"], ["system_1", "system_2", "system_3", "system_4"]]
WORDS = {
    "words": ("correct", "incorrect", "abstained"),
    "truths": ("true", "false"),
    "numbers": ("1", "0"),
}
ASKED: list[Callable[[int], str]] = [
    lambda i: f"q{i + 1}",
    lambda i: f"{i + 1}",
    lambda i: f"item_{i}",
    lambda i: f"What is thing number {i}?",
    lambda i: "abcdefghijklmnopqrstuvwxyz"[i] * 3,
]
HEADS = {
    "run": ["model", "system", "run", "Model Name"],
    "question": ["question", "qid", "question_id"],
    "": ["id", "", "name"],
}


def grid(seed: int, folder: Path) -> tuple[Path, dict[str, dict[str, str]], str]:
    """Make a grid; returns its file, the cells of each run by question, and what it is headed by."""
    chance = random.Random(seed)
    runs = chance.choice([*NUMBERED, chance.sample(RUNS, chance.randint(2, 6))])
    ask, words = chance.choice(ASKED), WORDS[chance.choice(list(WORDS))]
    questions = [ask(i) for i in range(chance.randint(4, 24))]
    cells = {run: {question: chance.choice(words) for question in questions} for run in runs}
    rows_are = chance.choice(["run", "question"])
    outer = cells if rows_are == "run" else {q: {run: cells[run][q] for run in runs} for q in questions}
    if chance.random() < 0.4:
        path = folder / f"grid{seed}.json"
        path.write_text(json.dumps(outer))
        return path, cells, ""
    path = folder / f"grid{seed}.csv"
    told = chance.choice([rows_are, rows_are, ""])
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([chance.choice(HEADS[told]), *next(iter(outer.values()))])
        writer.writerows([name, *row.values()] for name, row in outer.items())
    return path, cells, told


@pytest.mark.sampled
def test_runs_are_never_taken_for_questions(tmp_path: Path) -> None:
    seeds, at_once = range(many(30, 400)), 0
    for seed in seeds:
        path, cells, told = grid(seed, tmp_path)
        try:
            found = read(path)
        except NescioError:
            assert told != "question", (seed, path.read_text()[:300])
            continue
        assert isinstance(found.data, Evidence)
        assert sorted(map(str, found.data.runs)) == sorted(cells), (seed, path.read_text()[:300], in_words(found.notes))
        at_once += 1
    assert at_once > 0.6 * len(seeds)


def test_a_grid_that_could_be_either_way_is_asked_about(tmp_path: Path) -> None:
    cells = {run: dict(zip("abcdef", "TFTTFF" if run == "x" else "FTFTTF", strict=True)) for run in ("x", "y", "z")}
    words = {"T": "correct", "F": "incorrect"}
    path = tmp_path / "grid.csv"
    lines = [",".join([run, *(words[cell] for cell in row.values())]) for run, row in cells.items()]
    path.write_text("\n".join([",a,b,c,d,e,f", *lines]) + "\n")
    assert_refused(path, "line 1", "they are runs, with a column for each question")
    path.write_text("\n".join(["id,a,b,c,d,e,f", *lines]) + "\n")
    assert list(map(str, read(path, column={"run": "id"}).data.runs)) == ["x", "y", "z"]
    assert list(map(str, read(path, column={"question": "id"}).data.runs)) == ["a", "b", "c", "d", "e", "f"]
