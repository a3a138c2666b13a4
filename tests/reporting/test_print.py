"""A page on paper: whose it is on every sheet, the thresholds, the errors to read; and names without what all share."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.reporting.page.rendering import _in_css
from nescio.reporting.page.shown_text import run_names
from tests.reporting.conftest import outcome_table

OUTCOMES = Path(__file__).parents[2] / "examples" / "outcomes.csv"


@pytest.mark.parametrize(
    ("runs", "shown", "left_out"),
    [
        (["exp-2025/llama-3-8b-seed1", "exp-2025/qwen-2-7b-seed1"], ["llama-3-8b", "qwen-2-7b"], "exp-2025/…-seed1"),
        (["mine", "mine-2"], ["mine", "mine-2"], ""),  # short names keep all
        (["a-model-of-some-size-", "a-model-of-some-size-2"], None, ""),  # nothing of the first would be left
        (["first-model-with-a-name", "second-model-with-a-name"], ["first", "second"], "…-model-with-a-name"),
        (["only-one-run-of-this-very-long-name"], None, ""),
        (["runs/gpt-4o-2024-08-06", "runs/gpt-4o-2024-11-20"], ["08-06", "11-20"], "runs/gpt-4o-2024-…"),
    ],
)
def test_names_leave_out_what_all_share(runs: list[str], shown: list[str] | None, left_out: str) -> None:
    assert run_names(runs) == (shown or runs, left_out)


def test_a_title_in_a_style_sheet_is_only_a_text() -> None:
    assert _in_css('a"; } * { } </style>') == (
        '"a\\000022\\00003b\\000020\\00007d\\000020\\00002a\\000020\\00007b\\000020\\00007d\\000020\\00003c\\00002fstyle\\00003e"'
    )


def test_a_print_has_thresholds_and_the_errors_to_read_first(tmp_path: Path, visit: Any) -> None:
    written = nescio.report(OUTCOMES, output=tmp_path / "page.html", resamples=100)
    page = visit(written.page).page
    assert not page.locator("#h-errors").is_visible()
    page.emulate_media(media="print")
    first = nescio.advise(OUTCOMES)
    rows = page.locator("section:has(> #h-errors) tbody tr").all()
    assert len(rows) == min(10, len(first))
    assert [row.locator("bdi").first.inner_text() for row in rows] == [row.question for row in first][:10]
    tuned = nescio.tune(OUTCOMES, run="mine", resamples=100).threshold
    assert tuned is not None
    assert f"from {tuned:.3f} on" in page.locator("#thresholds").inner_text()
    assert not page.locator("#thresholds input").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert re.search(r"@page \{ @top-left \{ content: \"outcomes\\00002ecsv", page.content())
    page.emulate_media(media="null")


def test_every_sheet_says_whose_it_is(tmp_path: Path, visit: Any) -> None:
    pdftotext = shutil.which("pdftotext") or pytest.skip("pdftotext is not installed")
    written = nescio.report(OUTCOMES, output=tmp_path / "page.html", resamples=100)
    paper = tmp_path / "page.pdf"
    visit(written.page).page.pdf(path=paper, format="A4", prefer_css_page_size=True)
    text = subprocess.run([pdftotext, "-layout", paper, "-"], capture_output=True, text=True, check=True).stdout
    sheets = text.split("\f")[:-1]
    assert len(sheets) >= 3
    for number, sheet in enumerate(sheets, 1):
        assert "outcomes.csv – mine, other and old" in sheet
        assert f"{number} of {len(sheets)}" in sheet


def test_a_table_over_several_sheets_has_its_head_on_each_and_nothing_lies_over_it(tmp_path: Path, visit: Any) -> None:
    pdftotext = shutil.which("pdftotext") or pytest.skip("pdftotext is not installed")
    names = [f"r{i:02}" for i in range(60)]
    table = outcome_table(tmp_path / "many.csv", {name: "CWU" * i + "CWC" * (60 - i) for i, name in enumerate(names)})
    page = visit(nescio.report(table, output=tmp_path / "page.html", ci=None, resamples=10).page).page
    page.pdf(path=tmp_path / "page.pdf", format="A4", prefer_css_page_size=True)
    command = [pdftotext, "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    row = re.compile(r"^\s*(?:\d+(?:–\d+)? ?●?\s+)?(r\d\d)\s+[\d.]+\s+[\d.]+\s.*\d$")
    sheets = [[found[1] for line in sheet.splitlines() if (found := row.match(line))] for sheet in text.split("\f")]
    with_rows = [i for i, found in enumerate(sheets) if found]
    assert sorted(name for i in with_rows for name in sheets[i]) == names
    assert len(with_rows) > 1
    for i in with_rows:
        assert re.search(r"\brun\s+c@1\s+accuracy\b", text.split("\f")[i])
    last, after = (
        page.locator("#board tbody tr").last,
        page.locator("#leaderboard .figure, #leaderboard + section").first,
    )
    page.emulate_media(media="print")
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= after.bounding_box()["y"] + 1
