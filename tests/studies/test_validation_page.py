"""The study of validation: its page is the one that its command makes, and its figures are those of the data."""

from __future__ import annotations

import csv
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.systems.validator import TrainingPlan
from nescio.text import normalise

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "validation.md"
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("validation")
lab: Any = import_module("validation_data")
choice: Any = import_module("validation_selection")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")


def row(starting: str) -> list[str]:
    """The cells of the first row of the page that starts so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [cell.strip() for cell in next(line for line in lines if line.startswith(starting)).strip("| ").split("|")]


def interval(cell: str) -> tuple[float, float, float]:
    """A value and its interval, from a cell of the page."""
    value, low, high = (float(part) for part in cell.replace("[", "").replace("]", "").replace(",", "").split())
    return value, low, high


@needs_data
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # of pysbd, when Python compiles it
def test_a_few_trees_are_above_chance_too_and_silence_is_worth_something() -> None:
    """The page has a hundred trees; the same study with ten must not lose what was reached."""
    found = study.validate(lab.squad(DATA / "squad2"), TrainingPlan(trees=10, folds=3))
    facts = study.facts(found, 500)
    auc, f, tuned = (interval(facts[name]) for name in ("auc", "f", "c"))
    assert auc[0] >= study.AIM
    assert auc[1] > 0.65
    assert f[0] > 0.01  # above accepting everything
    assert tuned[0] > 0.01  # above never being silent
    assert {facts[f"{name} verdict"] for name in ("auc", "f", "c")} == {"**met**"}


def test_trials_with_unlike_chances_on_paper() -> None:
    assert choice.at_least(np.array([0.5, 0.5]), 1) == pytest.approx(0.75)
    assert choice.at_least(np.array([0.2, 0.5]), 2) == pytest.approx(0.1)
    assert choice.at_least(np.array([0.2, 0.5, 1.0]), 1) == pytest.approx(1)


@needs_data
def test_the_collection_is_what_the_files_hold() -> None:
    """Counted from the files alone: articles by title in turn, empty predictions, and the F of accepting everything."""
    gold = json.loads((DATA / "squad2" / "dev-half.json").read_text(encoding="utf-8"))["data"]
    runs = [json.loads(p.read_text(encoding="utf-8")) for p in sorted((DATA / "squad2").glob("pred_*.json"))]
    order = sorted(article["title"] for article in gold)
    for part in (0, 1):
        chosen = [article for article in gold if order.index(article["title"]) % 2 == part]
        ids = [q["id"] for article in chosen for paragraph in article["paragraphs"] for q in paragraph["qas"]]
        assert row("| articles |")[1 + part] == str(len(chosen))
        silent = sum(not run[question].strip() for run in runs for question in ids)
        assert row("| discarded: void |")[1 + part] == f"{silent:,}"
        answered = sum(any(run[question].strip() for run in runs) for question in ids)
        left = int(row("| questions with an answer |")[1 + part].replace(",", ""))
        assert answered - int(row("| discarded: long |")[1 + part]) <= left <= answered
        v, r = (
            int(row(f"| {name} |")[1 + part].replace(",", "")) for name in ("of these VALIDATED", "answers to validate")
        )
        assert row("| F when all are accepted |")[1 + part] == f"{2 * v / (v + r):.3f}"


def test_the_sentences_that_hold_an_answer() -> None:
    context = "It rained in 1945. The war, of 1945, ended. In 19456 it did not."
    data = lab.Squad([], {}, {context: [(0, 19), (19, 44), (44, len(context))]})
    assert lab.support(data, context, "1945") == "It rained in 1945. The war, of 1945, ended."
    assert lab.support(data, context, "rained in") == "It rained in 1945."
    assert lab.support(data, context, "1945. The") == "It rained in 1945. The war, of 1945, ended."
    assert lab.support(data, context, "1946") is None


@needs_data
def test_random_selection_and_the_best_system_are_those_of_the_file() -> None:
    with (DATA / "nq301" / "runs_human.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    said = {(r["question_id"], normalise(r["prediction"])): r["acceptable"] for r in rows if r["acceptable"]}
    shares, systems = [], []
    asked: dict[str, dict[str, list[bool]]] = {}
    for r in rows:
        key = normalise(r["prediction"])
        if word := r["acceptable"] or said.get((r["question_id"], key)):
            asked.setdefault(r["question_id"], {}).setdefault(key, []).append(word == "Yes")
    for words in asked.values():
        shares.append(np.mean([np.mean(each) for each in words.values()]))
        systems.append(np.mean([each for own in words.values() for each in own]))
    assert interval(row("| random selection of a distinct answer (expected) |")[1])[0] == pytest.approx(
        np.mean(shares), abs=5e-4
    )
    assert interval(row("| the answer of a random system (expected) |")[1])[0] == pytest.approx(
        np.mean(systems), abs=5e-4
    )
    judged = [r["acceptable"] for r in rows if r["run"] == "NQ_EMDR2" and r["acceptable"]]
    best = interval(row("| best single system, chosen afterwards |")[1])[0]
    assert best == pytest.approx(judged.count("Yes") / len(judged), abs=5e-3)  # 218 of 272; one more has a twin


@needs_data
def test_selection_beats_random_selection_with_a_few_trees_too() -> None:
    streams = lab.nq301(DATA / "nq301" / "runs_human.csv")
    found = choice.select("nq301", streams, TrainingPlan(trees=10, folds=3), 500)
    assert found.p_exact < 0.05
    assert all(each.difference > 0 and each.p is not None and each.p < 0.05 for each in found.paired.values())
    assert found.bounds["gained"][0] > 0
