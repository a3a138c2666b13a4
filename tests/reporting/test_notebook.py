"""What a notebook shows: the scores of one run, and a report in a frame of its own in which its scripts run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.signature import sign
from tests.reporting.files import THREE, outcome_table


def test_the_scores_of_a_run_are_named_by_it(tmp_path: Path) -> None:
    scores = nescio.score(outcome_table(tmp_path / "three.csv", THREE), ["c@1", "accuracy"], ci=None)
    own = scores["modest"]
    assert [(row.run, row.measure) for row in own] == [("modest", "c@1"), ("modest", "accuracy")]
    assert own["modest", "accuracy"].value == pytest.approx(150 / 300)  # C C U U C W: 3 of 6
    with pytest.raises(nescio.NescioError, match="did you mean modest"):
        scores["modst"]


def test_a_report_needs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = outcome_table(tmp_path / "three.csv", THREE)
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


def test_scores_are_drawn_with_their_intervals(tmp_path: Path) -> None:
    scores = nescio.score(outcome_table(tmp_path / "three.csv", THREE), ["c@1", "accuracy"], resamples=100)
    chart = scores.plot("accuracy")
    assert chart.to_dict()  # altair holds it to the schema
    drawn = {row["run"]: (row["value"], row["low"], row["high"]) for row in rows_of(chart, "low")}
    assert drawn == {row.run: (row.value, row.low, row.high) for row in scores if row.measure == "accuracy"}
    assert drawn["modest"][0] == pytest.approx(150 / 300)  # C C U U C W: 3 of 6
    assert len(scores.plot().to_dict()["vconcat"]) == 2
    with pytest.raises(nescio.NescioError, match="did you mean accuracy"):
        scores.plot("acuracy")


def test_the_best_run_is_on_top_whichever_way_is_better(tmp_path: Path) -> None:
    scores = nescio.score(outcome_table(tmp_path / "three.csv", THREE, confidence=True), ["accuracy", "Brier"], ci=None)
    for measure, best in (("accuracy", max), ("Brier", min)):
        shown = [row["value"] for row in rows_of(scores.plot(measure), "value")]
        assert len({*shown}) > 1
        assert shown[0] == best(shown)


def test_differences_and_curves_are_drawn(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "three.csv", THREE)
    compared = nescio.compare(table, "accuracy", resamples=100)
    drawn = {row["measure"]: row["difference"] for row in rows_of(compared.plot(), "difference")}
    assert drawn == {f"{row.run} − {row.baseline}": row.difference for row in compared}
    tuned = nescio.tune(Path(__file__).parents[2] / "examples" / "outcomes.csv", run="mine", resamples=100)
    curve = [(row["coverage"], row["risk"]) for row in rows_of(tuned.plot(), "line")]
    assert curve == [(point.coverage, point.risk) for point in tuned.tables["curve"]]


def test_names_that_charts_take_for_their_own_are_drawn() -> None:
    rows = tuple(nescio.Score(name, "accuracy", 0.5, 0.4, 0.6, 9) for name in ("constructor", "<b>", "a\x00b"))
    empty = nescio.Score("x", "precision", float("nan"), None, None, 0)
    scores = nescio.Scores((*rows, empty), sign(of="s"))
    assert len(rows_of(scores.plot("accuracy"), "low")) == 3
    assert "\x00" not in scores.plot("accuracy").to_json()
    with pytest.raises(nescio.NescioError, match="no defined value to draw"):
        scores.plot("precision")
