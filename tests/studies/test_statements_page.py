"""The study of sentences: every kind with a level is on its page and keeps it, and a small run of it does too."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from nescio.reporting.page.statements import KINDS

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("statements")
PAGE = ROOT / "docs" / "statements.md"
LEAST = 0.93


def test_every_kind_with_a_level_keeps_it_on_the_page() -> None:
    pooled = re.findall(
        r"^\| ([a-z ]+) \| (\d+) \| ([\d,]+) \| ([\d.]+)% ± [\d.]+% \|", PAGE.read_text(encoding="utf-8"), re.M
    )
    assert {kind for kind, *_ in pooled} == {name for name, kind in KINDS.items() if kind.simulated}
    assert {int(runs) for _, runs, *_ in pooled} == {1, 3, 30}
    assert min(float(true) for *_, true in pooled) >= 100 * LEAST


def test_every_kind_is_declared_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, kind in KINDS.items():
        assert f"| {name} | {kind.claim} | {kind.given} | {kind.method} |" in text


def test_few_collections_keep_the_level() -> None:
    """40 of each system, of 3 runs and 60 questions: pooled, each kind is true in 93% at least, and a plain bound or
    prediction is not."""
    true, plain = defaultdict(list), defaultdict(list)
    for number in range(len(study.SYSTEMS)):
        for i in range(40):
            for kind, held, usual in study.claims(number, 60, 3, (7, number, i)):
                true[kind].append(held)
                plain[kind].append(usual)
    assert set(true) == set(study.SIMULATED)
    for kind, held in true.items():
        assert sum(held) / len(held) >= LEAST, kind
    for kind in ("wrong", "another sample"):
        assert sum(plain[kind]) / len(plain[kind]) < LEAST, kind


def test_the_truth_of_a_threshold_is_that_of_many_answers() -> None:
    import numpy as np

    system = study.SYSTEMS[-1]
    states, sure = system.draw(400_000, 2, np.random.default_rng(3))
    for run, quality in enumerate(system.qualities(2)):
        for threshold in (0.0, 0.5, 0.9):
            drawn = states[run][sure[run] >= threshold].mean()
            assert system.risk(quality, threshold) == pytest.approx(drawn, abs=0.004)
