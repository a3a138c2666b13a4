"""Suites and `--suite-by` of score and compare: how benchmarks are given, what is printed, what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import nescio as library

from .conftest import EXAMPLES, Command

SUITE = EXAMPLES / "suite"
FEW = ("--resamples", "200")


def test_benchmarks_are_named_and_files_without_a_name_belong_to_the_one_before(nescio: Command) -> None:
    files = (f"trivia={SUITE / 'trivia.csv'}", f"sums={SUITE / 'sums.jsonl'}", SUITE / "sums" / "*.jsonl")
    found = nescio("score", *files, "-m", "accuracy", "-f", "json", *FEW)
    assert found.status == 0, found.err
    assert set(found.json) == {"nescio", "signature", "suite", "benchmarks", "notes"}
    assert {row["benchmark"] for row in found.json["benchmarks"]} == {"trivia", "sums"}
    assert "|benchmarks:trivia+sums|" in found.json["signature"]
    same = library.score(
        {"trivia": SUITE / "trivia.csv", "sums": [SUITE / "sums.jsonl", *sorted((SUITE / "sums").glob("*"))]},
        "accuracy",
        resamples=200,
    )
    assert found.json["suite"] == same.records()


def test_a_pattern_after_a_name_is_expanded_as_the_shell_would_not(nescio: Command) -> None:
    found = nescio("score", f"sums={SUITE / 'sum*.jsonl'}", SUITE / "sums/model-?.jsonl", "-f", "csv", *FEW)
    assert found.status == 0, found.err
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert {row["run"] for row in rows} == {"model-a", "model-b"}
    assert {"value", "se", "low", "high", "win_rate"} <= {*rows[0]}
    missing = nescio("score", "sums=nowhere/*.csv")
    assert missing.status == 2
    assert "no file matches nowhere/*.csv" in missing.err


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_the_option_of_old_says_that_the_file_is_enough(nescio: Command, command: str) -> None:
    refused = nescio(command, "--suite", SUITE / "suite.toml")
    assert refused.status == 2
    assert f"nescio {command} NAME=FILE NAME=FILE, or nescio {command} suite.toml" in " ".join(refused.err.split())


def test_what_takes_no_suite_takes_a_name_with_an_equals_sign_for_a_file(nescio: Command) -> None:
    refused = nescio("check", f"trivia={SUITE / 'trivia.csv'}")
    assert refused.status == 2
    assert f"trivia={SUITE / 'trivia.csv'}: there is no such file" in " ".join(refused.err.split())


def test_a_file_whose_name_has_an_equals_sign_is_a_file(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "day=1.csv"
    path.write_bytes((SUITE / "trivia.csv").read_bytes())
    assert nescio("score", path, "-f", "json", *FEW).json["scores"]


def test_markdown_and_latex_have_the_leaderboard(nescio: Command) -> None:
    suite = ("score", SUITE / "suite.toml", "-m", "c@1", *FEW)
    markdown = nescio(*suite, "-f", "markdown").out
    assert markdown.startswith("| run | measure | mean | win rate |")
    assert "| trivia | c@1 | 0.924 | 0.785 |" in markdown
    assert "model-b & c@1 & " in nescio(*suite, "-f", "latex").out


def test_a_suite_file_and_a_comparison_over_it(nescio: Command) -> None:
    found = nescio("compare", SUITE / "suite.toml", "--baseline", "model-a", "-f", "json", *FEW)
    assert found.status == 0, found.err
    assert [row["verdict"] for row in found.json["comparisons"]] == ["better", "better"]
    assert len(found.json["benchmarks"]) == 10
    assert found.json["tests"][0]["test"] == "exact"


def test_a_gate_holds_a_suite(nescio: Command, tmp_path: Path) -> None:
    gate = ("compare", SUITE / "suite.toml", "-m", "c@1", "--fail-on-regression", *FEW)
    report = tmp_path / "gate.xml"
    assert nescio(*gate, "--baseline", "model-a", "--junit", report).status == 0
    assert report.exists()
    assert nescio(*gate, "--baseline", "model-b").status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "outcomes.csv", "b=trials.csv"], "NAME=FILES"),
        (["score", "a=outcomes.csv", "--suite-by", "category"], "are a suite already"),
        (["score", "suite/suite.toml", "--suite-by", "category"], "are a suite already"),
        (["score", "outcomes.csv", "--over", "benchmarks"], "--over needs a suite of benchmarks or --suite-by"),
        (["score", "outcomes.csv", "--suite-by", "category", "--by", "story"], "--by cannot be used"),
        (["score", "outcomes.csv", "--suite-by", "category", "--fail-under", "c@1=0.5"], "--fail-under"),
        (["compare", "outcomes.csv", "--suite-by", "category", "--test", "tukey"], "--test cannot be used"),
        (["compare", "outcomes.csv", "--suite-by", "category", "-o", "page.html"], "`nescio report` writes pages"),
        (["report", "outcomes.csv", "--suite-by", "category", "--baseline", "old"], "--baseline cannot be used"),
        (["score", "a=outcomes.csv", "b=trials.csv"], "--incomplete complete-runs"),
        (["score", "a=outcomes.csv", "b=nowhere.csv"], "nowhere.csv"),
        (["score", "a=suite/suite.toml", "b=outcomes.csv"], "suite.toml"),
    ],
)
def test_what_makes_no_sense_is_refused(
    nescio: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(EXAMPLES)
    refused = nescio(*arguments)
    assert refused.status == 2
    assert said in refused.err
    assert "Traceback" not in refused.err


def test_the_leaderboard_of_a_suite(nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    found = nescio("score", "suite/suite.toml", "-m", "c@1", *FEW)
    lines = found.out.splitlines()
    assert lines[0].split() == ["run", "measure", "mean", "win", "rate", "stable", "sure", "benchmarks", "n"]
    assert lines[1].startswith("model-b  c@1      0.801* [")
    assert "* the best mean" in found.out
    assert "not a confidence interval" in found.out
