"""The study of assessors: its page has the figures that its program computes."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "assessors.md").read_text(encoding="utf-8")
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("assessors")


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table that begins so."""
    lines = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_judge_of_a_row_passes_as_often_as_the_page_says() -> None:
    shown = {row[0]: row[1] for row in rows("| judge's accuracy")}
    assert shown["0.75"] == f"{study.passing(0.75, 30, 1000):.3f}"


def test_no_error_rate_is_above_six_percent_where_the_test_is_offered() -> None:
    """One person from 30 questions on, up to the Monte Carlo error of 2,000 replications; the judge throughout."""
    for people, _, _, n, beaten, passed in rows("| people"):
        assert float(passed) <= 0.06, (people, n)
        assert int(n) < 30 or float(beaten) <= 0.06 + 2 * 0.0053, (people, n)


def test_a_small_version_of_the_test_under_its_hypothesis() -> None:
    beaten, passed = study.sizes_of_the_test(2, 1, 0.2, 30, 150)
    assert beaten < 0.05 + 3 * 0.018
    assert passed < 0.06 + 3 * 0.018


def test_labels_of_the_page_are_as_good_from_sixty_answers_on() -> None:
    for assessors, copied, *cells in rows("| assessors"):
        model, votes = zip(*((float(x) for x in cell.rstrip(")").split(" (")) for cell in cells), strict=True)
        if copied == "0%":
            assert all(m > v for m, v in zip(model[1:], votes[1:], strict=True)), assessors
            assert model[0] < votes[0]
