"""The study of judges: its page is the one that its command makes, and its figures are those of the data."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.text import normalise

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "nq301" / "runs_human.csv"
PAGE = ROOT / "docs" / "judges.md"
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("judges")

needs_data = pytest.mark.skipif(not DATA.is_file(), reason="the shared data are not beside the checkout")


def row(starting: str) -> list[str]:
    """The cells of the first row of the page that starts so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [cell.strip() for cell in next(line for line in lines if line.startswith(starting)).strip("| ").split("|")]


@needs_data
def test_the_page_has_the_counts_of_the_data() -> None:
    """Exact match against people, straight from the file."""
    with DATA.open(newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["acceptable"]]
    said = np.array([normalise(r["prediction"]) in map(normalise, r["gold_answers"].split(" | ")) for r in rows])
    people = np.array([r["acceptable"] == "Yes" for r in rows])
    assert row("| exact |")[1].startswith(f"{(said == people).mean():.3f} [")
    assert row("| exact |")[3:] == [f"{said[people].mean():.3f}", f"{(~said[~people]).mean():.3f}"]
    dpr = np.array([r["run"] == "NQ_DPR" for r in rows])
    cells = row("| NQ_DPR |")
    assert cells[1:3] == ["262", f"{people[dpr].mean():.3f}"]
    assert cells[3].startswith(f"**{said[dpr].mean():.3f} [")


@needs_data
def test_the_page_has_what_its_command_gives() -> None:
    collection, runs, labels = study.read(DATA)
    seen = study.see("overlap", collection, runs, labels)
    assert study.agreement_table([seen])[2] in PAGE.read_text(encoding="utf-8")
    people, judge = seen.pairs["NQ_EMDR2"]
    cell = study.collection_coverage(people, judge, study.SIZE, 1_000, np.random.default_rng([1, 2, 4, study.SIZE]))
    shown = row("| overlap | NQ_EMDR2 |")
    assert shown[2:6] == [f"{share:.1%}" for share in (cell["same"], *cell["held"])]


def test_what_falls_outside_is_said() -> None:
    assert study._verdict({("exact", "a"): 0.95, ("exact", "b"): 0.97}) == "**met** in all 2"
    verdict = study._verdict({("exact", "a"): 0.95, ("exact", "b"): 0.929})
    assert verdict == "met in 1 of 2, **not met** in 1: exact on b (92.9%)"
