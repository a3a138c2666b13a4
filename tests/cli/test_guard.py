"""`nescio lab guard` and `nescio labels shift` as their users meet them: exit statuses, gates and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ANSWERED, EXAMPLES, PEOPLE, Command, written

HEAD = "run,question,outcome\n"


def stream(path: Path, outcomes: str, first: int = 0) -> Path:
    words = {"C": "correct", "W": "incorrect", "U": "unanswered"}
    return written(path, HEAD + "".join(f"a,q{first + i},{words[word]}\n" for i, word in enumerate(outcomes)))


@pytest.mark.parametrize(
    ("limits", "status", "says"),
    [
        (
            ("--at-most-wrong", 0.2),
            1,
            "gate failed: the share of wrong answers of run 'a' is above 0.2, first at row 5",
        ),
        (
            ("--at-most-silent", 0.9),
            0,
            "gate passed: the share of unanswered questions of run 'a' is not surely above 0.9",
        ),
        ((), 0, "silent 0.400"),
        (("--at-most-wrong", 1.5), 2, "--at-most-wrong"),
        (("--baseline", "zork"), 2, "zork"),
        (("--junit", "gates.xml"), 2, "this command sets no gate"),
    ],
)
def test_an_alarm_is_a_gate_that_fails(
    nescio: Command, tmp_path: Path, limits: tuple[object, ...], status: int, says: str
) -> None:
    """Three wrong answers beside two silent ones: by hand in tests/stats/test_streams_of_bets.py."""
    done = nescio("lab", "guard", stream(tmp_path / "a.csv", "UWWUW"), *limits)
    assert (done.status, says in done.flat) == (status, True), done.flat
    if status == 2:
        done.assert_refused()


@pytest.mark.parametrize("outcomes", ["C" * 200 + "W" * 200, "C" * 200 + "W" * 120])
def test_a_share_above_its_limit_that_no_constant_rate_fits_is_no_pass(
    nescio: Command, tmp_path: Path, outcomes: str
) -> None:
    done = nescio("lab", "guard", stream(tmp_path / "a.csv", outcomes), "--at-most-wrong", 0.3)
    assert (done.status, "gate cannot tell: the share of wrong answers" in done.flat) == (3, True), done.flat
    assert "it rose over time" in done.flat
    assert nescio("lab", "guard", tmp_path / "a.csv", "--at-most-wrong", 0.6).status == 0


def test_a_guard_writes_what_continuous_integration_reads(nescio: Command, tmp_path: Path) -> None:
    junit, summary = tmp_path / "gates.xml", tmp_path / "summary.md"
    files = stream(tmp_path / "1.csv", "UWW"), stream(tmp_path / "2.csv", "UW", first=3)
    reports = ("--junit", junit, f"--step-summary={summary}")
    done = nescio("lab", "guard", *files, "--at-most-wrong", 0.2, *reports, "-f", "json")
    assert (done.status, done.json["guard"][0]["alarm"], done.json["guard"][0]["question"]) == (1, 5, "q4")
    assert 'failures="1"' in junit.read_text(encoding="utf-8")
    assert "| failed | a | wrong at most 0.2 |" in summary.read_text(encoding="utf-8")


def test_no_alarm_is_no_pass_where_answers_have_no_grade_or_nobody_named_the_reading(
    nescio: Command, tmp_path: Path
) -> None:
    """60 of 100 answers have no grade on the second night."""
    first, second = stream(tmp_path / "1.csv", "C" * 100), stream(tmp_path / "2.csv", "C" * 100, first=100)
    rows = second.read_text().splitlines()
    second.write_text("\n".join(row.replace("correct", "ungraded") if at > 40 else row for at, row in enumerate(rows)))
    done = nescio("lab", "guard", first, second, "--at-most-wrong", 0.2, "--ungraded", "exclude")
    assert done.status == 3
    assert "60 of a's 100 answers are left out" in done.flat
    written(tmp_path / "1.csv.reading.toml", '[column]\nrun="run"\nquestion="question"\noutcome="outcome"\n')
    nescio("lab", "guard", first, "--at-most-wrong", 0.2).assert_refused("a file that the command does not name")


def test_a_row_that_was_exported_twice_is_refused(nescio: Command, tmp_path: Path) -> None:
    first, second = stream(tmp_path / "1.csv", "CWC"), stream(tmp_path / "2.csv", "CC", first=2)
    nescio("lab", "guard", first, second).assert_refused("run 'a' answers question 'q2' in this file and in an earlier")
    nescio("lab", "guard", EXAMPLES / "table3.csv").assert_refused("no questions")
    nescio("lab", "guard", EXAMPLES / "trials.csv").assert_refused("a stream cannot hold")


def test_an_audit_prints_an_answer_for_each_run(nescio: Command) -> None:
    done = nescio("labels", "shift", *ANSWERED, "--labels", PEOPLE, "--margin", 0.1, "-f", "json")
    assert [(row["run"], row["answer"]) for row in done.json["shift"]] == [
        ("mine", "inconclusive"),
        ("old", "inconclusive"),
        ("other", "inconclusive"),
    ]
    assert {row["error"] for row in done.json["errors"]} == {"bias", "false-positives", "false-negatives"}
    nescio("labels", "shift", *ANSWERED).assert_refused("--labels")
    nescio("labels", "shift", *ANSWERED, "--labels", PEOPLE, "--margin", 0).assert_refused("--margin")
    nescio("labels", "shift", *ANSWERED, "--labels", PEOPLE, "--learned-on", "zork").assert_refused("zork")


def test_a_rate_of_no_answers_is_not_passed(tmp_path: Path, nescio: Command) -> None:
    path = tmp_path / "silent.csv"
    path.write_text("run,question,outcome\na,1,unanswered\na,2,unanswered\n")
    done = nescio("lab", "guard", path, "--at-most-wrong", "0.05")
    assert done.status == 3
    assert "gate cannot tell: the share of wrong answers of run 'a' is unknown" in done.flat
