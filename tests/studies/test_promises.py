"""The study of every statistic by every method: what it counts, and when a promise is broken."""

from __future__ import annotations

import csv
import math
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "studies"))

promised, promises = import_module("promised"), import_module("promises")

CELL = promises.Cell("kind", "c@1", "t", "30", 0.95, 0.005, 0.0, 0.05, 0.005, 0.0, 1_000)


def test_intervals_tests_and_collections_without_one_are_counted() -> None:
    figures = [
        promised.Figure("c@1", "t", 0.5, 0.4, 0.6, 0.45, 0.04),
        promised.Figure("c@1", "t", 0.5, 0.4, 0.6, 0.65, 0.3),
        promised.Figure("c@1", "t", 0.5, math.nan, math.nan, 0.45, 0.05, warned=True),
        promised.Figure("c@1", "t", math.nan, math.nan, math.nan, 0.45),  # undefined: no promise
    ]
    (cell,) = promises.summed("kind", "30", figures)
    assert (cell.coverage, cell.without, cell.size, cell.warned) == pytest.approx((1 / 2, 1 / 3, 2 / 3, 1 / 3))
    # Of so few, that of one more or less: √(½ / 2), and √(⅓ / 3). Of a hundred, √(.9 · .1 / 100).
    assert (cell.coverage_error, cell.size_error) == pytest.approx((1 / 2, 1 / 3))
    assert promises.error(0.9, 100) == pytest.approx(0.03)
    assert cell.replications == 3


@pytest.mark.parametrize(
    ("share", "of", "broken"), [(0.93, 0.005, True), (0.93, 0.015, False), (0.942, 0.002, False), (0.97, 0.001, False)]
)
def test_a_promise_is_broken_by_a_point_and_two_errors(share: float, of: float, broken: bool) -> None:
    assert promises.too_low(replace(CELL, coverage=share, coverage_error=of)) is broken
    assert promises.too_large(replace(CELL, size=1 - share, size_error=of)) is broken


def test_systems_have_the_shares_that_their_law_says() -> None:
    """Right on 50% and silent on 20%: c@1 is .5 · 1.2, precision .5/.8, UF .5 - .3."""
    law = promised.LAWS["half right"]
    assert [promised.truth(law, name) for name in promised.OUTCOMES] == pytest.approx([0.6, 0.5, 0.625, 0.2])
    data = promised.draw(np.random.default_rng(1), promised.World((law, law), (5,) * 8_000))
    shares = [data.columns[name].mean() for name in ("correct", "incorrect", "unanswered")]
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.01)
    right = data.columns["correct"].astype(float)
    # Both systems share 60% of the variance of how hard a question is: 1/4 + arcsin(0.6)/2π are right in both.
    assert (right[0] * right[1]).mean() == pytest.approx(0.25 + math.asin(0.6) / (2 * math.pi), abs=0.01)


def test_the_page_counts_what_the_table_has() -> None:
    with (ROOT / "docs" / "evidence" / "promises.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["group"] != promised.IGNORED]
    rows = [row for row in rows if int(row["replications"]) >= 100]
    others = [cell for counted in promises.ELSEWHERE for cell in counted() if cell.replications >= 100]
    held = [(float(row["coverage"]), float(row["coverage_error"])) for row in rows if row["coverage"] != "nan"]
    held += [(cell.coverage, cell.coverage_error) for cell in others if not math.isnan(cell.coverage)]
    tested = [(float(row["size"]), float(row["size_error"])) for row in rows if row["size"] != "nan"]
    tested += [(cell.size, cell.size_error) for cell in others if not math.isnan(cell.size)]
    low = sum(0.95 - share > max(0.01, 2 * error) for share, error in held)
    large = sum(share - 0.05 > max(0.01, 2 * error) for share, error in tested)
    text = " ".join((ROOT / "docs" / "evidence" / "promises.md").read_text(encoding="utf-8").split())
    found = re.search(r"(\d+) of (\d+) intervals and (\d+) of (\d+) tests", text)
    assert found is not None
    assert [*map(int, found.groups())] == [low, len(held), large, len(tested)]
