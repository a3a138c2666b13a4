"""How fast, as ratios within one run: `python benchmarks/speed.py [DATA]`.

DATA is a folder with `mmlu_pro/outcomes.parquet` and `pan20/` (default: `../shared/data` beside the checkout); what is
not there is skipped, and said so. Times are medians on this machine, now; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from timing import Row, over, process, seconds, show

from nescio.pipeline import load
from nescio.scoring.score import compute_scores
from nescio.stats.resampling import blocks

ROOT = Path(__file__).parents[1]


def start_up() -> list[Row]:
    """--version and --help against starting Python."""
    nothing = seconds(process(sys.executable, "-c", "pass"), 15)
    command = str(Path(sys.executable).parent / "nescio")
    return [
        Row(f"nescio {option}", seconds(process(command, option), 15), "python -c pass", nothing)
        for option in ("--version", "--help")
    ]


def leaderboard(data: Path) -> list[Row]:
    """All runs, three measures, 95% intervals from 10,000 resamples, against starting Python and reading the file."""
    path = str(data / "mmlu_pro" / "outcomes.parquet")
    command = str(Path(sys.executable).parent / "nescio")
    read = f"import duckdb; duckdb.sql(\"SELECT * FROM read_parquet('{path}')\").fetchnumpy()"
    reading = seconds(process(sys.executable, "-c", read))
    return [
        Row(
            f"nescio score, 22 runs, {interval} intervals",
            seconds(process(command, "score", path, "--interval", interval)),
            "python reading the file",
            reading,
        )
        for interval in ("auto", "percentile")
    ]


def gathered_aurc(right: np.ndarray, confidence: np.ndarray, resamples: int) -> np.ndarray:
    """Return the slow obvious bootstrap of AURC: gather the drawn rows, sort them, score them. Ties fall as they
    come."""
    found = np.empty(resamples)
    positions = np.arange(1, len(right) + 1)
    for block in blocks(resamples, 0):
        rng = block.generator()
        for i in range(block.size):
            drawn = rng.integers(0, len(right), len(right))
            order = np.argsort(-confidence[drawn], kind="stable")
            found[block.start + i] = np.mean(np.cumsum(1 - right[drawn][order]) / positions)
    return found


def ordered(data: Path) -> list[Row]:
    """AURC intervals on PAN's runs: patterns in order, against gathering and sorting every resample (timed on 200,
    scaled)."""
    files = [data / "pan20" / "truth.jsonl", *sorted((data / "pan20" / "runs").glob("*/answers.jsonl"))]
    loaded = load([str(file) for file in files])
    evidence, resamples, few = loaded.data, 10_000, 200
    mine = seconds(lambda: compute_scores(loaded, ["AURC"], resamples=resamples), 1)

    def slow() -> None:
        for run in range(len(evidence.runs)):
            use = np.isfinite(evidence.column("right")[run]) & np.isfinite(evidence.column("confidence")[run])
            gathered_aurc(evidence.column("right")[run][use], evidence.column("confidence")[run][use], few)

    theirs = seconds(slow, 1) * resamples / few
    return [
        Row(
            f"AURC, {len(evidence.runs)} runs of 14,311 problems, 10,000 resamples",
            mine,
            "the same by gathered rows",
            theirs,
        )
    ]


def main() -> None:
    """Print the table."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    show([*start_up(), *over(data, (("mmlu_pro/outcomes.parquet", leaderboard), ("pan20/truth.jsonl", ordered)))])


if __name__ == "__main__":
    main()
