"""Make runs from letters for the tests of this folder."""

from __future__ import annotations

import numpy as np

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, PRESENT, Evidence

WORDS = {"C": (1, 0, 0), "W": (0, 1, 0), "U": (0, 0, 1)}


def evidence(**runs: str) -> Evidence:
    """Return runs given as C, W and U, one letter for each question, and - for a missing answer."""
    cells = np.array([[WORDS.get(letter, (0, 0, 0)) for letter in letters] for letters in runs.values()])
    columns = {name: cells[:, :, i].astype(np.int8) for i, name in enumerate(OUTCOMES)}
    columns["answered"] = columns["correct"] + columns["incorrect"]
    questions = tuple(f"q{i}" for i in range(cells.shape[1]))
    lacking = np.array([[letter == "-" for letter in letters] for letters in runs.values()])
    return Evidence(tuple(runs), questions, columns, np.where(lacking, NO_ROW, PRESENT).astype(np.uint8))


def numbered(letters: list[str]) -> Evidence:
    """Return the runs 0, 1, … given in the same way."""
    return evidence(**{f"run {i}": run for i, run in enumerate(letters)})


def matrix(*topics: tuple[float, ...], clusters: list[int] | None = None) -> Evidence:
    """Return graded scores, given as one row for each topic and one number for each run; use mean(score)."""
    cells = np.array(topics).T
    runs = tuple(f"r{i + 1}" for i in range(len(cells)))
    questions = tuple(f"t{i}" for i in range(cells.shape[1]))
    units = None if clusters is None else np.array(clusters)
    return Evidence(runs, questions, {"score": cells}, np.zeros(cells.shape, dtype=np.uint8), {}, units)
