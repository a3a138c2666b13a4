"""The study of automatic nugget matching: its page is the one that its command makes, and its figures are those of
the data."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.tasks.nuggets import pourpre

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "nuggets.md"
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("nuggets")

needs_data = pytest.mark.skipif(not (DATA / "cone_rag").is_dir(), reason="the shared data are not beside the checkout")


def test_a_threshold_is_the_best_by_kappa_of_the_training_part() -> None:
    """Scores .9 .8 .3 .2 with yes, yes, no, no: calling from .8 on agrees with all."""
    assert study.threshold(np.array([0.2, 0.9, 0.3, 0.8]), np.array([0.0, 1.0, 0.0, 1.0])) == 0.8


def test_calls_do_not_look_at_their_own_part() -> None:
    """Turning the verdicts of one group round changes the calls of other groups only."""
    rng = np.random.default_rng(0)
    groups = np.repeat([f"g{i}" for i in range(20)], 10)
    people = rng.integers(0, 2, 200).astype(float)
    scores = people + rng.normal(0, 1, 200)
    own = groups == "g3"
    before = study.cross_fitted(study.Pairs(scores, people, groups))
    after = study.cross_fitted(study.Pairs(scores, np.where(own, 1 - people, people), groups))
    assert (before[own] == after[own]).all()


def test_labels_whose_responses_are_there_are_measured_directly() -> None:
    labels = [study.Label("1_2", "[1]", "nii-1", True), study.Label("1_2", "[2]", "rali-3", False)]
    nuggets = {"1_2": {"[1]": "a tall tower", "[2]": "a lake"}}
    cone = study.Cone(nuggets, {}, labels, {"1_2": {"NII_USI_UCL": "It has a tall tower. It is old."}})
    pairs = study.direct(cone, pourpre.by_count)
    assert (pairs.scores.tolist(), pairs.people.tolist()) == ([1.0], [1.0])


@needs_data
def test_the_page_has_the_counts_of_the_labels() -> None:
    """Straight from the file: 1,086 lines, 154 of them 1, and no label names a run whose responses are there."""
    lines = (DATA / "cone_rag" / "human-study-matching-labels.txt").read_text().split("\n")
    rows = [line.split() for line in lines if line]
    found = study.link(study.read_cone(DATA / "cone_rag"))
    assert (found["labels"], found["yes"]) == (len(rows), sum(label == "1" for _, label in rows)) == (1086, 154)
    assert found["with response"] == 0
    assert "1,086 labels by people" in PAGE.read_text(encoding="utf-8")


@needs_data
def test_the_page_has_what_its_command_gives() -> None:
    rows = study.read_answers(DATA / "nq301" / "runs_human.csv")
    assert study.match_table({"count": study.answers(rows, pourpre.by_count)})[-1] in PAGE.read_text(encoding="utf-8")
