"""nescio meta as its users meet it, and the same bytes with however many processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import EXAMPLES, Command, written

COMMANDS = [
    ("score", "-m", "AURC", "-m", "c@1", "--resamples", "600"),
    ("compare", "-m", "AURC", "-m", "c@1", "--test", "permutation", "--resamples", "600"),
    ("compare", "-m", "c@1", "--test", "tukey", "--resamples", "600"),
    ("compare", "-m", "c@1", "--test", "bootstrap", "--resamples", "600"),
    ("meta stability", "-m", "c@1", "-m", "AURC", "--trials", "20"),
    ("meta swap", "-m", "c@1", "-m", "AURC", "--trials", "20", "--fresh"),
    ("meta power", "-m", "c@1", "-m", "AURC", "--resamples", "300"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_jobs_change_no_byte(nescio: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"run{run},q{i},{rng.choice(['correct', 'incorrect', 'unanswered'])},{rng.random():.2f}"
        for run in range(3)
        for i in range(50)
    ]
    path = written(tmp_path / "outcomes.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    call = (*command[0].split(), path, *command[1:], "-f", "json", "--seed", 5)
    one, two = nescio(*call, "--jobs", 1), nescio(*call, "--jobs", 2)
    assert (one.status, one.out) == (0, two.out)


def test_power_of_every_resample(nescio: Command, tmp_path: Path) -> None:
    """The exact example of the specification: differences of .1, .2 and .3."""
    scores = written(tmp_path / "ap.csv", "topic,low,high\n1,0,0.1\n2,0,0.2\n3,0,0.3\n")
    found = nescio("meta", "power", scores, "--resamples", "all", "--alpha", "0.05,0.1", "-f", "json")
    assert found.status == 0, found.err
    assert {*found.json} == {"nescio", "signature", "power", "asl_curve", "notes"}
    assert [row["significant"] for row in found.json["power"]] == [0, 1]
    curve = {"measure": "mean(ap)", "rank": 1, "run": "high", "baseline": "low", "asl": 2 / 27}
    assert found.json["asl_curve"] == [curve]
    assert "resamples:all" in found.json["signature"]


def test_a_long_curve_is_left_to_json(nescio: Command, tmp_path: Path) -> None:
    runs = [f"r{i}" for i in range(15)]
    rows = [",".join([str(q), *(str((3 * q + r * r) % 11 / 10) for r in range(15))]) for q in range(5)]
    path = written(tmp_path / "ap.csv", "\n".join([",".join(["topic", *runs]), *rows]) + "\n")
    for form in ("table", "markdown", "latex"):
        shown = nescio("meta", "power", path, "--resamples", 20, "-f", form).out
        assert "105" in shown
        assert len(shown.splitlines()) < 20
    assert nescio("meta", "power", path, "--resamples", 20, "-o", tmp_path / "power.json").status == 0
    assert (tmp_path / "power.json").read_text().count('"baseline"') == 105


def test_agreement_shows_table_3_from_its_counts(nescio: Command, table3: Path) -> None:
    found = nescio("meta", "agreement", table3, "-m", "accuracy", "-m", "c@1")
    assert found.status == 0, found.err
    lines = [line.split() for line in found.out.splitlines()]
    assert ["accuracy", "c@1", "0.6667", "0.7778", "0.973", "4", "1"] in lines
    assert ["accuracy", "c@1", "1", "alike", "icia091ro", "0.474", "0.5754", "237", "156", "107"] in lines


def test_sizes_given_one_by_one_and_together_are_all_studied(nescio: Command) -> None:
    sizes = ("--size", "10", "--size", "20,25", "--trials", "5")
    done = nescio("meta", "stability", EXAMPLES / "ap.csv", *sizes, "-f", "json")
    assert done.status == 0, done.err
    assert {row["size"] for row in done.json["stability"]} == {10, 20, 25}
