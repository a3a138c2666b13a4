"""Studies of the measures in the report, and the critical-difference diagram."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from nescio.cli.app import run
from nescio.meta_evaluation import stability, swap
from nescio.reporting import charts, diagrams, page
from nescio.reporting.page.figures import all_figures
from nescio.reporting.page.pairs import _bars, _lanes, rank_figure
from tests.reporting.conftest import THREE, outcome_table


def test_a_bar_joins_neighbours_that_are_not_told_apart(tmp_path: Path) -> None:
    # The twin differs from modest in one question of 300; guesser is 50 questions worse by c@1 (0.667 against
    # 0.5), weak far behind.
    runs = {**THREE, "twin": "W" + THREE["modest"][1:]}
    facts = page.gather([outcome_table(tmp_path / "runs.csv", runs)], resamples=200)
    figure = rank_figure(facts)
    assert figure is not None
    assert figure.words == "1 bar over 4 runs: modest to twin. 2 runs without a bar."
    bars = {row["run"]: row["bars"] for row in figure.rows}
    assert bars["modest"] == bars["twin"]
    assert len({bars["modest"], bars["guesser"], bars["weak"]}) == 3
    for width in (320, 760):
        figure.draw(width).to_dict()  # raises where the specification breaks the schema
    assert rank_figure(page.gather([outcome_table(tmp_path / "two.csv", {"a": "CW", "b": "CC"})], resamples=50)) is None


def test_bars_that_overlap_have_lanes_of_their_own() -> None:
    # Runs 0-2, 1-3 and 4-5: the first two overlap, the third fits below the first. A run alone under a bar has no bar.
    bars = _bars(["1", "1 2", "1 2", "2", "3", "3", "4"])
    assert bars == [(0, 2), (1, 3), (4, 5)]
    assert _lanes(bars) == [0, 1, 0]


@pytest.mark.parametrize("many", [3, 30, 60])
def test_many_runs_keep_their_distance(many: int) -> None:
    rows = [{"label": f"{i} run with a long name {i}", "value": 0.9 - i / 1000, "tip": "t"} for i in range(many)]
    bars = [{"first": i, "last": i + 1, "lane": i % 2, "tip": "b"} for i in range(many - 1)]
    for width in (320, 760):
        drawn = charts.unpacked(diagrams.critical_difference(rows, bars, width, "c@1").to_dict())
        labels = next(held for held in drawn["datasets"].values() if held and "at" in held[0])
        places = sorted(label["y"] for label in labels)
        assert len(places) == many
        assert min(b - a for a, b in pairwise(places)) >= 15  # a line of 12 pixel type
        assert max(places) < drawn["height"]
        assert labels[0]["x"] < 0.75 * width


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.31, 0.33, [0.31, 0.315, 0.32, 0.325, 0.33]), (0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0.5, 0.5, [0.5])],
)
def test_the_axis_has_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert diagrams._ticks(high, low, 6) == pytest.approx(expected)


def test_studies_are_those_of_the_commands(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "runs.csv", THREE)
    facts = page.gather([table], ["c@1", "accuracy"], resamples=50, studies=("swap", "stability"))
    figures = {figure.name: figure for figure in all_figures(facts)[0]}
    for name, expected, fields in (
        ("stability", stability([table], ["c@1", "accuracy"]), ("error_rate", "ties")),
        ("ties", stability([table], ["c@1", "accuracy"]), ("error_rate", "ties")),
        ("swap", swap([table], ["c@1", "accuracy"]), ("comparisons", "swaps")),
    ):
        rows = figures[name].rows
        assert len(rows) == len(expected)
        for row, other in zip(rows, expected, strict=True):
            assert [row[field] for field in fields] == [getattr(other, field) for field in fields]
        figures[name].draw(320).to_dict()
        assert figures[name].command.startswith(f"nescio meta {'swap' if name == 'swap' else 'stability'} FILES -m c@1")
    assert "--resamples" not in figures["swap"].command


def test_command_draws_the_studies_that_are_asked_for(three_runs_page: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    asked = ["-m", "c@1", "--resamples", "50", "--seed", "3", "--study", "swap"]
    with pytest.raises(SystemExit) as stopped:
        run(["report", str(three_runs_page.parent / "three.csv"), *asked, "-o", str(out)])
    assert not stopped.value.code
    for text, names in ((out.read_text(), {"swap"}), (three_runs_page.read_text(), set())):
        assert set(re.findall(r'id="figure-(stability|ties|swap)"', text)) == names
        assert ('id="measures"' in text) == bool(names)
        assert ("-m c@1 --seed 3</code>" in text) == bool(names)


def test_a_study_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    one = outcome_table(tmp_path / "one.csv", {"alone": "CWU" * 10})
    text = page.page(page.gather([one], ["c@1"], resamples=50, studies=("stability",)))
    assert "no study of stability: there is one run" in text
