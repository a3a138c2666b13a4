"""What a notebook shows: the scores of one run, and a report in a frame of its own in which its scripts run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from tests.reporting.conftest import THREE, outcome_table


def test_the_scores_of_a_run_are_named_by_it(tmp_path: Path) -> None:
    scores = nescio.score(outcome_table(tmp_path / "three.csv", THREE), ["c@1", "accuracy"], ci=None)
    own = scores["modest"]
    assert [(row.run, row.measure) for row in own] == [("modest", "c@1"), ("modest", "accuracy")]
    assert own["modest", "accuracy"].value == pytest.approx(150 / 300)  # C C U U C W: 3 of 6
    with pytest.raises(nescio.NescioError, match="did you mean modest"):
        scores["modst"]


def test_a_report_is_shown_inline_and_its_scripts_run(tmp_path: Path, visit: Any) -> None:
    table = outcome_table(tmp_path / "three.csv", THREE)
    report = nescio.report(table, output=tmp_path / "page.html", resamples=100)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>notebook</title>{report._repr_html_()}", encoding="utf-8")
    frame = visit(notebook).page.frame_locator("iframe")
    assert frame.locator("#f-count").inner_text() == "All 300 questions"
    frame.locator("#f-search").fill("q007")
    frame.locator("#f-count", has_text="1 of 300 questions").wait_for()
