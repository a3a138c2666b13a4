"""The study of reading: its page is the one that its command makes, and a figure of it is that of the data."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.formats.benchmarks.cbc import files_in

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "cbc4kids"
PAGE = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")
def test_the_real_run_stands_on_the_page() -> None:
    files = [*files_in(DATA / "developset"), DATA / "student-run.response"]
    found = nescio.score(files, ["read.recall", "read.AutSent"], ci=None)
    row = next(line for line in PAGE.splitlines() if line.startswith("| the real student run"))
    recall, _, aut_sent = (cell.split("[")[0].strip() for cell in row.strip("| ").split("|")[1:4])
    assert recall == f"{found.value('student-run', 'read.recall'):.3f}"
    assert aut_sent == f"{found.value('student-run', 'read.AutSent'):.3f}"
