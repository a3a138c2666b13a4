"""Stakes, factors and cascades at the sizes that were asked for: `python benchmarks/decisions.py [FOLDER]`.

100,000 questions of 20 runs at 5 stakes; a million answers to 10,000 questions with 20 prompts and 5 judges; three
systems on 100,000 questions in turn. Processor seconds (of all threads, without starting Python), once; the tables
stay in FOLDER, if one is named.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Row, show

import nescio

SEED = 32
OUTCOMES = np.array(["correct", "incorrect", "unanswered"])


def write(path: Path, columns: dict[str, object]) -> Path:
    """Write a table, unless it is there."""
    if not path.exists():
        pq.write_table(pa.table(columns), path)
    return path


def names(kind: str, many: int) -> np.ndarray:
    """Return names by number."""
    return np.array([f"{kind}{i}" for i in range(many)])


def crossed(*sizes: int) -> list[np.ndarray]:
    """Return the places of all cells, the last factor the fastest."""
    return [axis.ravel() for axis in np.indices(sizes)]


def stakes(folder: Path) -> Path:
    """20 systems that answer where they are sure enough of a price, the later ones the less."""
    rng = np.random.default_rng(SEED)
    run, question, stake = crossed(20, 100_000, 5)
    price = np.array([0.25, 0.5, 1.0, 3.0, 9.0])[stake]
    sure = rng.beta(2, 1.2, 100_000)[question]
    answers = sure + rng.normal(0, 0.02 * (1 + run)) > price / (1 + price)
    outcome = np.where(answers, (rng.random(len(run)) >= sure).astype(int), 2)
    columns = {"run": names("r", 20)[run], "question": names("q", 100_000)[question], "stake": price}
    return write(folder / "stakes.parquet", {**columns, "outcome": OUTCOMES[outcome]})


def factors(folder: Path) -> Path:
    """One system, asked with 20 prompts and graded by five judges."""
    rng = np.random.default_rng(SEED)
    question, prompt, judge = crossed(10_000, 20, 5)
    latent = rng.normal(0, 1.2, 10_000)[question] + rng.normal(0, 0.3, 20)[prompt] + rng.normal(0, 0.2, 5)[judge]
    outcome = np.where(rng.random(len(question)) < 1 / (1 + np.exp(-latent)), 0, rng.integers(1, 3, len(question)))
    columns = {"run": names("r", 1)[0 * question], "question": names("q", 10_000)[question]}
    columns |= {"prompt": names("p", 20)[prompt], "grader": names("j", 5)[judge], "outcome": OUTCOMES[outcome]}
    return write(folder / "factors.parquet", columns)


def cascades(folder: Path) -> Path:
    """Three systems, each better and dearer than the one before."""
    rng = np.random.default_rng(SEED)
    run, question = crossed(3, 100_000)
    chance = np.clip(rng.beta(1.2, 1, 100_000)[question] + 0.12 * run, 0.02, 0.98)
    sure = np.clip(chance + rng.normal(0, 0.1, len(run)), 0, 1)
    outcome = (rng.random(len(run)) >= chance).astype(int)
    columns = {"run": names("r", 3)[run], "question": names("q", 100_000)[question], "outcome": OUTCOMES[outcome]}
    return write(folder / "cascades.parquet", {**columns, "confidence": sure, "cost": np.array([0.01, 0.1, 0.5])[run]})


def took(action: Callable[[], object]) -> float:
    """Return the processor seconds of an action."""
    start = time.process_time()
    action()
    return time.process_time() - start


def main() -> None:
    """Make the tables, and time what is asked of them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        asked, crossing, in_turn = stakes(folder), factors(folder), cascades(folder)
        show(
            (
                Row(
                    "stakes: 100,000 questions, 20 runs, 5 stakes",
                    took(lambda: nescio.lab.stakes(asked)),
                    "",
                    0,
                    "10 s",
                ),
                Row(
                    "components: a million answers, 20 prompts, 5 judges",
                    took(lambda: nescio.lab.components(crossing, factor=["prompt", "grader"])),
                    "",
                    0,
                    "20 s",
                ),
                Row(
                    "cascade: 3 systems, 100,000 questions",
                    took(lambda: nescio.lab.cascade(in_turn, cost="cost", right=1.0)),
                    "",
                    0,
                    "20 s",
                ),
            )
        )


if __name__ == "__main__":
    main()
