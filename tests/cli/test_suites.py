"""Suites and `--suite-by` of score and compare: how benchmarks are given, and what is printed."""

from __future__ import annotations

import csv
import io
from pathlib import Path

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


def test_a_file_whose_name_has_an_equals_sign_is_a_file(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "day=1.csv"
    path.write_bytes((SUITE / "trivia.csv").read_bytes())
    assert nescio("score", path, "-f", "json", *FEW).json["scores"]
