"""What a notebook shows: the scores of one run, and a report in a frame of its own in which its scripts run."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

import nescio
from nescio.data.signature import sign
from nescio.reporting.numbers import with_interval
from nescio.reporting.svg import Chart
from tests.reporting.files import EXAMPLES, THREE, assert_inside, outcome_table


def test_the_scores_of_a_run_are_named_by_it_and_a_report_needs_no_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
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


def tips(chart: Chart) -> list[str]:
    """What the marks of a chart say under the mouse, from the top."""
    return [mark.tip for mark in chart.marks if mark.tip]


def test_scores_are_drawn_with_their_intervals_the_best_on_top(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "three.csv", THREE, confidence=True)
    scores = nescio.score(table, ["accuracy", "Brier"], resamples=100)
    assert scores.plot().height == scores.plot("accuracy").height + scores.plot("Brier").height
    for measure, best in (("accuracy", max), ("Brier", min)):
        chart = scores.plot(measure)
        assert_inside(chart)
        rows = {row.run: row for row in scores if row.measure == measure}
        shown = [
            f"{run}: {measure} {with_interval(row.value, row.low, row.high)}, n = {row.n}" for run, row in rows.items()
        ]
        assert sorted(tips(chart)) == sorted(shown)
        assert tips(chart)[0].startswith(f"{best(rows, key=lambda run: rows[run].value)}: ")
        middles = sorted({mark.attributes["cx"] for mark in chart.marks if mark.tip})
        values = sorted({row.value for row in rows.values()})
        gaps = [(b - a) / (d - c) for (a, b), (c, d) in zip(pairwise(middles), pairwise(values), strict=True)]
        assert gaps == pytest.approx([gaps[0]] * len(gaps))  # one scale
    with pytest.raises(nescio.NescioError, match="did you mean accuracy"):
        scores.plot("acuracy")


def test_differences_curves_and_odd_names_are_drawn(tmp_path: Path) -> None:
    compared = nescio.compare(outcome_table(tmp_path / "three.csv", THREE), "accuracy", resamples=100)
    assert [tip.partition(":")[0] for tip in tips(compared.plot())] == [
        f"{row.run} − {row.baseline}" for row in compared
    ]
    tuned = nescio.tune(EXAMPLES / "outcomes.csv", run="mine", resamples=100)
    (line,) = [mark for mark in tuned.plot().marks if mark.line]
    assert line.attributes["d"].count("L") + 1 == len(tuned.tables["curve"])
    rows = tuple(nescio.Score(name, "accuracy", 0.5, 0.4, 0.6, 9) for name in ("constructor", "<b>", "a\x00b"))
    empty = nescio.Score("x", "precision", float("nan"), None, None, 0)
    scores = nescio.Scores((*rows, empty), sign(of="s"))
    assert len(tips(scores.plot("accuracy"))) == 3
    assert not {"\x00", "<b>"} & {*re.findall(r"\x00|<b>", scores.plot("accuracy").svg())}
    with pytest.raises(nescio.NescioError, match="no defined value to draw"):
        scores.plot("precision")


def test_a_chart_is_shown_and_saved(tmp_path: Path) -> None:
    """A page that a notebook is exported to fetches nothing; marks say their figures."""
    chart = nescio.score(EXAMPLES / "outcomes.csv", "accuracy", resamples=100).plot()
    shown = chart._repr_svg_()
    assert "<title>mine: accuracy 0.586 [" in shown
    assert not re.search(r"<script|(?:src|href)=", shown)
    assert chart.save(tmp_path / "chart.svg").read_text(encoding="utf-8") == shown
