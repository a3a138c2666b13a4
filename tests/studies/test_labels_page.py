"""The study of labels: its page is the one that its command makes, and its figures are those of the data."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "labels.md"
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("labels")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")


@needs_data
def test_the_page_counts_the_questions_of_the_data() -> None:
    """Straight from the file: the questions of which people judged all of the first four systems."""
    with (DATA / "nq301" / "runs_human.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    runs = list(dict.fromkeys(row["run"] for row in rows))[:4]
    judged = [{r["question_id"] for r in rows if r["run"] == run and r["acceptable"]} for run in runs]
    data = study.nq301(DATA / "nq301" / "runs_human.csv")
    assert data.people.shape == (4, len(set.intersection(*judged)))
    assert f"the\n{data.people.shape[1]} of 301 open questions" in PAGE.read_text(encoding="utf-8")


@needs_data
def test_few_replications_agree_with_the_page() -> None:
    """100 of them, over six pairs: within four Monte Carlo errors of the page's share, were the pairs one."""
    data = study.nq301(DATA / "nq301" / "runs_human.csv")
    cell = study.coverage(data, "exact", 100, "collection", 100)
    rows = PAGE.read_text(encoding="utf-8").splitlines()
    shown = next(row for row in rows if row.startswith("| nq301 | exact | these questions | 100 |"))
    share = float(shown.split("|")[6].strip().strip("*").split("%")[0]) / 100
    assert cell.held[:, 0].mean() == pytest.approx(share, abs=4 * (0.95 * 0.05 / 100) ** 0.5)
    assert float(np.ptp(cell.held[:, 0])) < 0.2


@needs_data
@pytest.mark.slow
def test_the_page_has_what_its_command_gives() -> None:
    data = study.nq301(DATA / "nq301" / "runs_human.csv")
    cell = study.coverage(data, "exact", 100, "collection", study.SAMPLES)
    assert study.table([cell])[2] in PAGE.read_text(encoding="utf-8")
