"""The study of draws, looks and older runs: its page has the figures of its table, and few replications agree."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("draws")
CELLS = study.read_cells(study.Cell, ROOT / "docs" / "draws.csv")


def error(count: int, share: float = 0.95) -> float:
    return float((share * (1 - share) / count) ** 0.5)


def test_the_page_is_made_of_its_table() -> None:
    assert (ROOT / "docs" / "draws.md").read_text(encoding="utf-8") == study.fill("draws", study.facts(CELLS))


def test_each_setting_has_the_replications_that_are_said() -> None:
    assert {(one.part, one.replications) for one in CELLS} == set(study.REPLICATIONS.items())


@pytest.mark.parametrize("part", study.PARTS)
def test_what_is_offered_keeps_its_word(part: str) -> None:
    """Intervals hold in 93% or more, and looks are ever wrong in 6% at most, up to two Monte Carlo errors."""
    offered = [one for one in CELLS if one.part == part and one.how not in ("each alone", "once", "without")]
    least = 0.94 if part in ("looks", "differences") else 0.93
    assert {one.how: one for one in offered}
    assert [one for one in offered if one.held < least - 2 * error(one.replications)] == []


@pytest.mark.parametrize("part", study.PARTS)
def test_few_replications_agree_with_the_table(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first setting of each part: within four Monte Carlo errors of the table's share."""
    monkeypatch.setattr(study, "LAWS", study.LAWS[:1])
    monkeypatch.setattr(study, "COUPLES", study.COUPLES[:1])
    monkeypatch.setattr(study, "SIZES", study.SIZES[:1])
    monkeypatch.setattr(study, "SHARED", study.SHARED[:1])
    monkeypatch.setattr(study, "ASKED", study.ASKED[:1])
    shown = {(one.setting, one.how, one.about, one.size): one for one in CELLS if one.part == part}
    found = list(study.PARTS[part](40))
    assert len(found) >= 2
    for one in found:
        page = shown[one.setting, one.how, one.about, one.size]
        assert one.held == pytest.approx(page.held, abs=4 * error(40, min(max(page.held, 0.05), 0.95))), one
        assert one.width == pytest.approx(page.width, rel=0.15), one


def test_intervals_of_one_look_are_no_intervals_of_ten() -> None:
    """What looks are for: each look alone is wrong far more often than 5%."""
    alone = [one for one in CELLS if one.how == "each alone"]
    assert alone
    assert all(one.held < 0.9 for one in alone)
