"""A page that opens, and drawings as files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from nescio.errors import FormatError, offer, opt

from .conftest import EXAMPLES, Command

TABLE = EXAMPLES / "outcomes.csv"


def test_a_report_without_a_name_is_report_html(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    found = nescio("report", TABLE, "-m", "c@1", "--resamples", 100, "--open")
    assert found.status == 0, found.err
    assert opened == [(tmp_path / "report.html").as_uri()]
    assert "wrote report.html" in found.err


def test_an_error_names_its_ways_out() -> None:
    ways = f"{opt('missing', 'common')}, {opt('column', {'run': 'model'})} or {opt('judge')}"
    error = FormatError("x", f"use {ways}{offer('column', {'run': 'name'})}")
    assert error.offers == (("missing", "common"), ("column", {"run": "model"}), ("column", {"run": "name"}))
    assert "name" not in str(error).split("or ")[1]


# ---- figures as files ----

PAPERS = EXAMPLES / "papers"
STABLE = ("meta", "stability", TABLE, "-m", "c@1", "-m", "UF", "--trials", "5", "--figure")
FIGURES: list[tuple[tuple[object, ...], set[str]]] = [
    (
        (*("ave", "score", PAPERS / "ave2007-de.xml"), *(PAPERS / f"iglockner_{i}.txt" for i in (1, 2)), "--roc"),
        {"iglockner_1", "iglockner_2", "right answers accepted (share)"},
    ),
    (
        ("read", "score", EXAMPLES / "developset", EXAMPLES / "student-run.response", "--ci", "none", "--figure"),
        {"read.recall", "read.precision", "read.AutSent", "student-run"},
    ),
    (STABLE, {"c@1", "UF", "proportion of ties", "error rate"}),
]


@pytest.mark.parametrize(("words", "shown"), FIGURES, ids=["a curve", "a series over the runs", "ties"])
def test_a_figure_of_a_paper_is_drawn(
    words: tuple[object, ...], shown: set[str], nescio: Command, tmp_path: Path
) -> None:
    path = tmp_path / "drawn.svg"
    said = nescio(*words, path)
    assert (said.status, f"wrote {path}" in said.flat) == (0, True)
    assert shown <= {"".join(node.itertext()) for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.slow
def test_figures_bring_no_report_of_their_own(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert nescio("report", TABLE, "-m", "c@1", "--resamples", 100, "--figures", "drawn").status == 0
    assert not (tmp_path / "drawn" / "report.html").exists()
