"""nescio score, c@1, check, judge and compare as their users meet them."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from .conftest import Command

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


def test_silence_is_undefined_for_precision_and_zero_for_c_at_1(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "silent.csv"
    path.write_text("run,correct,incorrect,unanswered\nsilent,0,0,500\n")
    rows = nescio("score", path, "-m", "precision", "-m", "eq6", "-m", "c@1", "-f", "json").json["scores"]
    assert {row["measure"]: row["value"] for row in rows} == {"precision": None, "eq6": None, "c@1": 0.0}


def test_the_shape_that_programs_rely_on(nescio: Command, outcomes: Path) -> None:
    found = nescio("score", outcomes, "--by", "topic", "-f", "json").json
    assert set(found) == {"nescio", "signature", "scores", "notes"}
    assert {"run", "measure", "value", "low", "high", "n", "stratum"} <= set(found["scores"][0])
    assert {row["stratum"] for row in found["scores"]} == {None, "odd", "even"}
    assert found["signature"].startswith(f"nescio:{found['nescio']}|measures:c@1+accuracy+coverage|")


def test_every_format_says_the_same(nescio: Command, table3: Path) -> None:
    rows = nescio("score", table3, "-f", "json").json["scores"]
    lines = [msgspec.json.decode(line) for line in nescio("score", table3, "-f", "jsonl").out.splitlines()]
    assert lines == rows
    table = list(csv.DictReader(io.StringIO(nescio("score", table3, "-f", "csv").out)))
    assert [float(row["value"]) for row in table] == [row["value"] for row in rows]
    for form, shown in {"table": "0.575 [", "markdown": "0.575 [", "latex": "0 & 575 ["}.items():
        assert shown in nescio("score", table3, "-f", form).out


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".md", ".tex", ".txt", ".parquet"])
def test_output_is_written_in_the_format_of_its_suffix(
    nescio: Command, table3: Path, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"scores{suffix}"
    assert nescio("score", table3, "-o", path).status == 0
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(path).to_pylist()
        assert [row["run"] for row in rows if row["value"] > 0.57] == [
            "icia091ro",
            "icia091ro",
            "uaic092ro",
            "loga092de",
            "base092de",
        ]
    else:
        assert "icia091ro" in path.read_text()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-m", "c@2"), "did you mean c@1"),
        (("-m", "AURC"), "needs a confidence"),
        (("-m", "penalty(t=1)"), "below 1"),
        (("-m", "penalty(q=1)"), "no parameter 'q'"),
        (("--by", "topic"), "counts table"),
        (("--interval", "wilson", "-m", "UF"), "wilson is for simple proportions"),
        (("--ci", "high"), "level in percent"),
        (("--fail-under", "c@1"), "MEASURE=VALUE"),
        (("--outcome-map", "yes=right"), "an outcome must be one of"),
        (("--format-in", "pam"), "did you mean pan"),
        (("-o", "scores.doc"), "written to"),
        (("-o", "no/such/folder/scores.json"), "no folder"),
    ],
)
def test_a_bad_option_is_one_message_and_status_2(
    nescio: Command,
    table3: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = nescio("score", table3, *arguments)
    assert found.status == 2
    assert says in found.err
    assert "Traceback" not in found.err
    assert not list(tmp_path.iterdir())


def test_bad_input_leaves_no_file(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("run,question,outcome\na,q1,correct\na,q2,perhaps\n")
    found = nescio("score", path, "-o", tmp_path / "scores.json")
    assert (found.status, found.out) == (2, "")
    assert "outcomes.csv, line 3: an outcome is correct, incorrect or unanswered" in found.err
    assert found.err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["outcomes.csv"]


@pytest.mark.parametrize(("floor", "status"), [("0.3", 0), ("0.9", 1), ("0.46", 3)])
def test_a_gate_passes_fails_or_cannot_tell(nescio: Command, tmp_path: Path, floor: str, status: int) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("run,correct,incorrect,unanswered\na,236,264,0\n")
    found = nescio("score", path, "--fail-under", f"c@1={floor}")
    assert found.status == status
    assert ("gate:" in found.err) == (status != 0)


def test_the_quick_one(nescio: Command) -> None:
    found = nescio("c@1", 237, 156, 107, "-f", "json").json["scores"]
    assert math.isclose(found[0]["value"], 0.575436, abs_tol=1e-12)
    assert nescio("c@1", 237, 156, -1).status == 2
    assert nescio("c@1", 237, 156, 1.5).status == 2


def test_compare_is_paired(nescio: Command, outcomes: Path) -> None:
    found = nescio("compare", outcomes, "--baseline", "guesser", "-m", "c@1", "-m", "accuracy", "-f", "json").json
    by_measure = {row["measure"]: row for row in found["comparisons"]}
    # guesser 3 right of 6; modest 3 right, 2 silent: c@1 = (3 + 2 · 3/6)/6 = 2/3
    assert math.isclose(by_measure["c@1"]["difference"], 2 / 3 - 1 / 2)
    assert (by_measure["accuracy"]["difference"], by_measure["accuracy"]["p"]) == (0, 1)
    relied_on = "run baseline measure difference low high p p_adjusted test n verdict"
    assert {*relied_on.split(), "detectable", "no_larger_than"} <= set(by_measure["c@1"])
    assert nescio("compare", outcomes, "--baseline", "guessr").err.strip().endswith("did you mean guesser?")


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
    for columns, says in (
        ("run,crrect", "unknown column of this table 'crrect'; did you mean correct"),
        ("c@1,n", "--columns: a row needs its run"),
        ("run,accuracy", "unknown column of this table 'accuracy'"),
    ):
        found = nescio("score", outcomes, "-m", "c@1", "--columns", columns)
        assert (found.status, found.out) == (2, "")
        assert says in found.err
    graded = Path(__file__).parents[2] / "examples" / "ap.csv"
    assert "nothing to count" in nescio("score", graded, "-m", "mean(ap)", "--columns", "run,correct").err


def test_compare_refuses_counts(nescio: Command, table3: Path) -> None:
    found = nescio("compare", table3)
    assert found.status == 2
    assert "cannot be compared" in found.err


def test_check_counts_and_points(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("run,question,outcome\na,q1,correct\na,q2,incorrect\nb,q1,unanswered\n")
    found = nescio("check", path, "-f", "json").json
    assert found["format"] == "outcomes"
    assert found["questions"] == 2
    assert found["runs"][0] | {"n": 2} == {
        "run": "a",
        "correct": 1,
        "incorrect": 1,
        "unanswered": 0,
        "declined": 0,
        "n": 2,
    }
    assert any("lacks 1 of 2 questions" in problem for problem in found["problems"])


def test_judge_writes_what_score_reads(nescio: Command, tmp_path: Path) -> None:
    questions, answers, table = tmp_path / "questions.jsonl", tmp_path / "mine.jsonl", tmp_path / "outcomes.csv"
    questions.write_text(
        '{"id": "1", "question": "Capital of France?", "answers": ["Paris"]}\n'
        '{"id": "2", "question": "2 + 2?", "answers": ["4", "four"]}\n'
        '{"id": "3", "question": "Who?", "answers": [], "answerable": false}\n'
    )
    answers.write_text(
        '{"id": "1", "answer": "the Paris!", "confidence": 0.9}\n'
        '{"id": "2", "answer": "5", "answered": false, "confidence": 0.2}\n'
        '{"id": "3", "answer": null}\n'
    )
    assert nescio("judge", questions, answers, "-o", table).status == 0
    direct = nescio("score", questions, answers, "-m", "c@1", "-m", "coverage", "-m", "validation", "-f", "json").json[
        "scores"
    ]
    by_table = nescio("score", table, "-m", "c@1", "-m", "coverage", "-m", "validation", "-f", "json").json["scores"]
    assert direct == by_table
    # right, declined with a wrong candidate, rightly silent: c@1 = (2 + 1 · 2/3)/3, coverage 1/3, validation 1
    assert [row["value"] for row in direct] == pytest.approx([8 / 9, 1 / 3, 1])


def test_marks_that_are_left_out_are_said_with_the_reason(nescio: Command, outcomes: Path) -> None:
    """By default clusters have no marks; --mark makes them, and --no-mark needs no reason."""
    said = "Ties not marked (clustered tests are slow); use --mark."
    command = ("score", outcomes, "-m", "c@1", "--cluster", "topic", "--resamples", "100")
    assert said in nescio(*command).out.splitlines()
    assert "Ties not marked" not in nescio(*command, "--no-mark").out
    for more in (("--mark",), ("--mark", "--no-mark")):
        assert "Ties not marked" not in nescio(*command, *more).out
    plain = nescio("score", outcomes, "-m", "c@1").out
    assert "Ties not marked" not in plain
    assert "* the best" in plain


def test_intervals_and_verdicts_of_several_comparisons(nescio: Command, tmp_path: Path) -> None:
    """Three runs are three pairs under a measure, and six under two; two runs are one, and nothing is corrected."""
    table = tmp_path / "t.csv"
    rows = [f"{run},q{i},{word}" for run, word in zip("abc", ("1", "0", "1"), strict=True) for i in range(9)]
    table.write_text("\n".join(["run,question,outcome", *rows]) + "\n")

    def interval_lines(*more: str) -> list[str]:
        found = nescio("compare", table, "--resamples", "100", *more).out.splitlines()
        return [line for line in found if line.startswith("intervals are ")]

    words = "intervals are not adjusted for multiple comparisons; verdicts are adjusted for"
    assert interval_lines("-m", "accuracy") == [f"{words} all 3 comparisons (holm)"]
    two = f"{words} the 3 by accuracy, the 3 by c@1, each family separately (bh)"
    assert interval_lines("-m", "accuracy", "-m", "c@1", "--correction", "bh") == [two]
    assert interval_lines("-m", "accuracy", "--test", "tukey") == [f"{words} all pairs of runs (tukey)"]
    assert interval_lines("-m", "accuracy", "--correction", "none") == []
    assert interval_lines("-m", "accuracy", "--baseline", "a", "--run", "b") == []
