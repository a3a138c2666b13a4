"""What a notebook shows: the scores of one run, and a report in a frame of its own in which its scripts run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import altair
import pytest

import nescio
from nescio.data.signature import sign
from tests.reporting.files import EXAMPLES, THREE, outcome_table


def test_the_scores_of_a_run_are_named_by_it_and_a_report_needs_no_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    undrawn: None,  # noqa: ARG001
) -> None:
    monkeypatch.chdir(tmp_path)
    table = outcome_table(tmp_path / "three.csv", THREE)
    scores = nescio.score(table, ["c@1", "accuracy"], ci=None)
    own = scores["modest"]
    assert [(row.run, row.measure) for row in own] == [("modest", "c@1"), ("modest", "accuracy")]
    assert own["modest", "accuracy"].value == pytest.approx(150 / 300)  # C C U U C W: 3 of 6
    with pytest.raises(nescio.NescioError, match="did you mean modest"):
        scores["modst"]
    report = nescio.report(table, resamples=100)
    assert report.page is None
    assert [path.name for path in tmp_path.iterdir()] == ["three.csv"]
    written = nescio.report(table, output="page.html", resamples=100)
    assert report.save("other.html").read_text(encoding="utf-8") == report.html == written.html
    assert written.page is not None
    assert written.page.read_text(encoding="utf-8") == report.html
    with pytest.raises(nescio.NescioError, match=r"the page is written to \.html or \.htm"):
        report.save("page.pdf")


def rows_of(chart: Any, field: str) -> list[dict[str, Any]]:
    """The rows of a chart that have a field."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows if field in row]


def test_scores_are_drawn_with_their_intervals_the_best_on_top(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "three.csv", THREE, confidence=True)
    scores = nescio.score(table, ["accuracy", "Brier"], resamples=100)
    assert len(scores.plot().to_dict()["vconcat"]) == 2  # altair holds it to the schema
    for measure, best in (("accuracy", max), ("Brier", min)):
        shown = rows_of(scores.plot(measure), "low")
        drawn = {row["run"]: (row["value"], row["low"], row["high"]) for row in shown}
        assert drawn == {row.run: (row.value, row.low, row.high) for row in scores if row.measure == measure}
        assert shown[0]["value"] == best(row["value"] for row in shown)
    with pytest.raises(nescio.NescioError, match="did you mean accuracy"):
        scores.plot("acuracy")


def test_differences_curves_and_odd_names_are_drawn(tmp_path: Path) -> None:
    compared = nescio.compare(outcome_table(tmp_path / "three.csv", THREE), "accuracy", resamples=100)
    drawn = {row["measure"]: row["difference"] for row in rows_of(compared.plot(), "difference")}
    assert drawn == {f"{row.run} − {row.baseline}": row.difference for row in compared}
    tuned = nescio.tune(EXAMPLES / "outcomes.csv", run="mine", resamples=100)
    curve = [(row["coverage"], row["risk"]) for row in rows_of(tuned.plot(), "line")]
    assert curve == [(point.coverage, point.risk) for point in tuned.tables["curve"]]
    rows = tuple(nescio.Score(name, "accuracy", 0.5, 0.4, 0.6, 9) for name in ("constructor", "<b>", "a\x00b"))
    empty = nescio.Score("x", "precision", float("nan"), None, None, 0)
    scores = nescio.Scores((*rows, empty), sign(of="s"))
    assert len(rows_of(scores.plot("accuracy"), "low")) == 3
    assert "\x00" not in scores.plot("accuracy").to_json()
    with pytest.raises(nescio.NescioError, match="no defined value to draw"):
        scores.plot("precision")


def test_a_chart_brings_its_drawing_along() -> None:
    """A page that a notebook is exported to takes the SVG, and fetches nothing; its marks say their figures."""
    chart = nescio.score(EXAMPLES / "outcomes.csv", "accuracy", resamples=100).plot()
    shown = chart._repr_mimebundle_()
    assert [kind for kind in shown if not kind.startswith("application/vnd.vegalite.")] == [
        "image/svg+xml",
        "text/plain",
    ]
    assert "<title>mine: accuracy 0.586 [" in shown["image/svg+xml"]
    assert not re.search(r"<script|(?:src|href)=", shown["image/svg+xml"])
    with altair.renderers.enable("json"):
        assert "image/svg+xml" not in str(chart._repr_mimebundle_())  # who chose how charts are shown has it so
