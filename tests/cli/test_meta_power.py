"""nescio meta power, agreement, and sizes of sub-collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """The exact example of the specification: differences of .1, .2 and .3."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,low,high\n1,0,0.1\n2,0,0.2\n3,0,0.3\n")
    return path


def test_power_of_every_resample(nescio: Command, scores: Path) -> None:
    found = nescio("meta", "power", scores, "--resamples", "all", "--alpha", "0.05,0.1", "-f", "json")
    assert found.status == 0, found.err
    assert {*found.json} == {"nescio", "signature", "power", "asl_curve", "notes"}
    assert [row["significant"] for row in found.json["power"]] == [0, 1]
    assert found.json["asl_curve"] == [
        {"measure": "mean(ap)", "rank": 1, "run": "high", "baseline": "low", "asl": 2 / 27}
    ]
    assert "resamples:all" in found.json["signature"]


def test_a_long_curve_is_left_to_json(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "ap.csv"
    runs = [f"r{i}" for i in range(15)]
    rows = [",".join(str((3 * q + r * r) % 11 / 10) for r in range(15)) for q in range(5)]
    path.write_text("\n".join([",".join(["topic", *runs]), *(f"{q},{row}" for q, row in enumerate(rows))]) + "\n")
    for form in ("table", "markdown", "latex"):
        shown = nescio("meta", "power", path, "--resamples", 20, "-f", form).out
        assert "105" in shown
        assert len(shown.splitlines()) < 20
    written = tmp_path / "power.json"
    assert nescio("meta", "power", path, "--resamples", 20, "-o", written).status == 0
    assert written.read_text().count('"baseline"') == 105


def test_agreement_shows_table_3_from_its_counts(nescio: Command, table3: Path) -> None:
    found = nescio("meta", "agreement", table3, "-m", "accuracy", "-m", "c@1")
    assert found.status == 0, found.err
    lines = [line.split() for line in found.out.splitlines()]
    assert ["accuracy", "c@1", "0.6667", "0.7778", "0.973", "4", "1"] in lines
    assert ["accuracy", "c@1", "1", "alike", "icia091ro", "0.474", "0.5754", "237", "156", "107"] in lines


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["power", "--resamples", "few"], "--resamples takes a whole number, 1 or more, or all (found 'few')"),
        (["power", "--alpha", "5%"], "--alpha takes numbers between 0 and 1, separated by commas (found '5%')"),
        (["power", "--alpha", "0"], "--alpha takes numbers between 0 and 1, separated by commas (found '0')"),
        (["stability", "--size", "0"], "--size takes whole numbers from 1, separated by commas (found '0')"),
        (["stability", "--fuzziness", "0.1,1"], "--fuzziness takes numbers between 0 and 1"),
        (["swap", "--confidence", "30"], "--confidence takes a level in percent, from 50 to below 100"),
        (["agreement", "-m", "c@1"], "two measures or more"),
        (["agreement", "--rbo-p", "2"], "--rbo-p takes a number between 0 and 1"),
    ],
)
def test_bad_usage_is_one_message(nescio: Command, outcomes: Path, arguments: list[str], says: str) -> None:
    found = nescio("meta", arguments[0], outcomes, *arguments[1:])
    assert (found.status, found.out) == (2, "")
    assert says in found.err
    assert len(found.err.splitlines()) == 1


def test_power_refuses_counts(nescio: Command, table3: Path) -> None:
    assert "which questions each run got right" in nescio("meta", "power", table3).err


def test_sizes_given_one_by_one_and_together_are_all_studied(nescio: Command) -> None:
    matrix = Path(__file__).parents[2] / "examples" / "ap.csv"
    done = nescio("meta", "stability", matrix, "--size", "10", "--size", "20,25", "--trials", "5", "-f", "json")
    assert done.status == 0, done.err
    assert {row["size"] for row in done.json["stability"]} == {10, 20, 25}
