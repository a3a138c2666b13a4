"""nescio score, c@1, compare and check as their users meet them."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from .conftest import Command, table, written

# Peñas & Rodrigo, ACL 2011, Table 3: correct, incorrect, unanswered of each run (n = 500).
TABLE3 = {
    "icia091ro": (237, 156, 107),
    "uaic092ro": (236, 264, 0),
    "loga092de": (187, 230, 83),
    "base092de": (189, 311, 0),
}


def test_table3_to_the_last_digit(nescio: Command, table3: Path) -> None:
    found = nescio("score", table3, "-m", "c@1", "-m", "accuracy", "-m", "UF", "-f", "json").json["scores"]
    assert len(found) == 12
    for row in found:
        c, w, u = TABLE3[row["run"]]
        n = Fraction(c + w + u)
        expected = {"c@1": (c + u * c / n) / n, "accuracy": c / n, "UF": (c - w) / n}[row["measure"]]
        assert math.isclose(row["value"], expected, rel_tol=0, abs_tol=1e-12)
        assert row["low"] < row["value"] < row["high"]
        assert row["n"] == 500
    quick = nescio("c@1", 237, 156, 107, "-f", "json").json["scores"]
    assert math.isclose(quick[0]["value"], 0.575436, abs_tol=1e-12)
    assert nescio("c@1", 237, 156, -1).status == nescio("c@1", 237, 156, 1.5).status == 2


def test_silence_is_undefined_for_precision_and_zero_for_c_at_1(nescio: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "silent.csv", "run,correct,incorrect,unanswered\nsilent,0,0,500\n")
    rows = nescio("score", path, "-m", "precision", "-m", "eq6", "-m", "c@1", "-f", "json").json["scores"]
    assert {row["measure"]: row["value"] for row in rows} == {"precision": None, "eq6": None, "c@1": 0.0}


def test_the_shape_that_programs_rely_on(nescio: Command, outcomes: Path) -> None:
    found = nescio("score", outcomes, "--by", "topic", "-f", "json").json
    assert set(found) == {"nescio", "signature", "scores", "notes"}
    assert {"run", "measure", "value", "low", "high", "n", "stratum"} <= set(found["scores"][0])
    assert {row["stratum"] for row in found["scores"]} == {None, "odd", "even"}
    assert found["signature"].startswith(f"nescio:{found['nescio']}|measures:c@1+accuracy+coverage|")


def test_every_format_says_the_same_on_screen_and_in_a_file(nescio: Command, table3: Path, tmp_path: Path) -> None:
    rows = nescio("score", table3, "-f", "json").json["scores"]
    lines = [msgspec.json.decode(line) for line in nescio("score", table3, "-f", "jsonl").out.splitlines()]
    assert lines == rows
    cells = list(csv.DictReader(io.StringIO(nescio("score", table3, "-f", "csv").out)))
    assert [float(row["value"]) for row in cells] == [row["value"] for row in rows]
    for form, shown in {"table": "0.575 [", "markdown": "0.575 [", "latex": "0 & 575 ["}.items():
        assert shown in nescio("score", table3, "-f", form).out
    for suffix in (".json", ".jsonl", ".csv", ".md", ".tex", ".txt", ".parquet"):
        path = tmp_path / f"scores{suffix}"
        assert nescio("score", table3, "-o", path).status == 0
        if suffix == ".parquet":
            import pyarrow.parquet as pq

            columns = pq.read_table(path).to_pylist()
            assert [row["value"] for row in columns] == [row["value"] for row in rows]
        else:
            assert "icia091ro" in path.read_text()
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        path.unlink()


def test_bad_input_leaves_no_file(nescio: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "outcomes.csv", "run,question,outcome\na,q1,correct\na,q2,perhaps\n")
    found = nescio("score", path, "-o", tmp_path / "scores.json")
    found.assert_refused("outcomes.csv, line 3: an outcome is correct, incorrect or unanswered")
    assert [file.name for file in tmp_path.iterdir()] == ["outcomes.csv"]


def test_compare_is_paired(nescio: Command, outcomes: Path) -> None:
    found = nescio("compare", outcomes, "--baseline", "guesser", "-m", "c@1", "-m", "accuracy", "-f", "json").json
    by_measure = {row["measure"]: row for row in found["comparisons"]}
    # guesser 3 right of 6; modest 3 right, 2 silent: c@1 = (3 + 2 · 3/6)/6 = 2/3
    assert math.isclose(by_measure["c@1"]["difference"], 2 / 3 - 1 / 2)
    assert (by_measure["accuracy"]["difference"], by_measure["accuracy"]["p"]) == (0, 1)
    relied_on = "run baseline measure difference low high p p_adjusted test n verdict"
    assert {*relied_on.split(), "detectable", "no_larger_than"} <= set(by_measure["c@1"])


def test_columns_of_the_table_are_chosen_and_counts_stand_beside_scores(
    nescio: Command, table3: Path, outcomes: Path, tmp_path: Path
) -> None:
    """The counts of icia091ro are those of Table 3."""
    chosen = ("-m", "c@1", "-m", "accuracy", "--columns", "run,correct,incorrect,unanswered,c@1")
    first, second = nescio("score", table3, *chosen).out.splitlines()[:2]
    assert first.split() == ["run", "correct", "incorrect", "unanswered", "c@1"]
    assert second.split()[:5] == ["icia091ro", "237", "156", "107", "0.575"]
    counts = nescio("score", table3, *chosen, "-f", "json").json["counted"][0]
    assert counts == {"run": "icia091ro", "stratum": None, "correct": 237, "incorrect": 156, "unanswered": 107}
    path = tmp_path / "table.tex"
    assert nescio("score", outcomes, "-m", "c@1", "--columns", "n,run,c@1", "-o", path).status == 0
    assert "n & run & \\multicolumn{2}{c}{c@1}" in path.read_text()
    assert all(f"$^{{{letter}}}$" in path.read_text().split("\\midrule")[1] for letter in "ab")  # beside the names


def test_check_counts_and_points(nescio: Command, tmp_path: Path) -> None:
    rows = "a,q1,correct\na,q2,incorrect\nb,q1,unanswered\n"
    found = nescio("check", written(tmp_path / "o.csv", f"run,question,outcome\n{rows}"), "-f", "json").json
    assert (found["format"], found["questions"]) == ("outcomes", 2)
    counts = {"run": "a", "correct": 1, "incorrect": 1, "unanswered": 0, "declined": 0}
    assert found["runs"][0] | {"n": 2} == {**counts, "n": 2}
    assert any("lacks 1 of 2 questions" in problem for problem in found["problems"])


def test_judge_writes_what_score_reads(nescio: Command, tmp_path: Path) -> None:
    questions = written(
        tmp_path / "questions.jsonl",
        '{"id": "1", "question": "Capital of France?", "answers": ["Paris"]}\n'
        '{"id": "2", "question": "2 + 2?", "answers": ["4", "four"]}\n'
        '{"id": "3", "question": "Who?", "answers": [], "answerable": false}\n',
    )
    answers = written(
        tmp_path / "mine.jsonl",
        '{"id": "1", "answer": "the Paris!", "confidence": 0.9}\n'
        '{"id": "2", "answer": "5", "answered": false, "confidence": 0.2}\n'
        '{"id": "3", "answer": null}\n',
    )
    outcomes, measures = tmp_path / "outcomes.csv", ("-m", "c@1", "-m", "coverage", "-m", "validation", "-f", "json")
    assert nescio("judge", questions, answers, "-o", outcomes).status == 0
    direct = nescio("score", questions, answers, *measures).json["scores"]
    assert direct == nescio("score", outcomes, *measures).json["scores"]
    # right, declined with a wrong candidate, rightly silent: c@1 = (2 + 1 · 2/3)/3, coverage 1/3, validation 1
    assert [row["value"] for row in direct] == pytest.approx([8 / 9, 1 / 3, 1])


def test_marks_that_are_left_out_are_said_with_the_reason(nescio: Command, outcomes: Path) -> None:
    """By default clusters have no marks; --mark makes them, and --no-mark needs no reason."""
    said = "Ties not marked (clustered tests are slow); use --mark."
    command = ("score", outcomes, "-m", "c@1", "--cluster", "topic", "--resamples", "100")
    assert said in nescio(*command).out.splitlines()
    for more in (("--no-mark",), ("--mark",), ("--mark", "--no-mark")):
        assert "Ties not marked" not in nescio(*command, *more).out
    plain = nescio("score", outcomes, "-m", "c@1").out
    assert "Ties not marked" not in plain
    assert "* the best" in plain


PAIRS = "intervals are not adjusted for multiple comparisons; verdicts are adjusted for"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-m accuracy", [f"{PAIRS} all 3 comparisons (holm)"]),
        (
            "-m accuracy -m c@1 --correction bh",
            [f"{PAIRS} the 3 by accuracy, the 3 by c@1, each family separately (bh)"],
        ),
        ("-m accuracy --test tukey", [f"{PAIRS} all pairs of runs (tukey)"]),
        ("-m accuracy --correction none", []),
        ("-m accuracy --baseline a --run b", []),
    ],
)
def test_intervals_and_verdicts_of_several_comparisons(
    nescio: Command, tmp_path: Path, words: str, said: list[str]
) -> None:
    """Three runs are three pairs under a measure, and six under two; two runs are one, and nothing is corrected."""
    runs = table(tmp_path / "t.csv", a="C" * 9, b="W" * 9, c="C" * 9)
    found = nescio("compare", runs, "--resamples", "100", *words.split()).out.splitlines()
    assert [line for line in found if line.startswith("intervals are ")] == said
