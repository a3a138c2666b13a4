"""A run that a command writes has every question of the run, so that no gate passes what it fails on the original."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from .conftest import Command, written

FEW = ("--resamples", "100")
GATE = ("-m", "accuracy", "--fail-under", "accuracy=0.9")
# Every other answer is right; the rest have no grade.
HALF = {
    "tune": "run,question,outcome,confidence",
    "vote": "run,question,repeat,outcome,answer",
    "cascade": "run,question,outcome,confidence",
}
CALLS = {
    "tune": (("tune",), ("--ungraded", "exclude", *FEW), "-o"),
    "vote": (("lab", "vote"), ("--ungraded", "exclude"), "-o"),
    "cascade": (("lab", "cascade"), ("--ungraded", "exclude", "--systems", "r,s"), "--run-output"),
}


def half_graded(command: str, path: Path) -> Path:
    rows = [HALF[command]]
    for i in range(80):
        outcome = "correct" if i % 2 else ""
        if command == "vote":
            rows += [f"r,q{i},{repeat},{outcome},Rome" for repeat in "abc"]
        else:
            rows += [f"{run},q{i},{outcome},{(80 - i) / 100}" for run in ("rs" if command == "cascade" else "r")]
    return written(path, "\n".join(rows) + "\n")


def outcomes(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["question"]: row["outcome"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("command", sorted(CALLS))
def test_questions_without_a_grade_are_written_without_an_outcome(
    nescio: Command, tmp_path: Path, command: str
) -> None:
    table, run = half_graded(command, tmp_path / "half.csv"), tmp_path / "run.csv"
    assert nescio("score", table, "--ungraded", "exclude", *GATE).status == 3
    call, options, output = CALLS[command]
    made = nescio(*call, table, *options, output, run)
    assert made.status == 0, made.flat
    assert "(40 without an outcome)" in made.flat
    assert "run.csv: 40 rows have no outcome, because they rest on answers that are missing or not graded" in made.flat
    in_file = outcomes(run)
    assert sorted(in_file) == sorted(f"q{i}" for i in range(80))
    assert [in_file[f"q{i}"] for i in range(0, 80, 2)] == [""] * 40
    assert nescio("score", run, "--ungraded", "exclude", *GATE).status == 3


def test_answers_without_a_confidence_are_written_as_the_run_gave_them(nescio: Command, tmp_path: Path) -> None:
    rows = [f"r,q{i},{'correct' if i % 2 else 'incorrect'},{(i + 1) / 100 if i % 2 else ''}" for i in range(80)]
    table = written(tmp_path / "half.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    run = tmp_path / "run.csv"
    assert nescio("score", table, *GATE).status == 1
    made = nescio("tune", table, "--missing-confidence", "exclude", *FEW, "-o", run)
    assert "80 questions (40 as the run gave them) to" in made.flat
    assert "run.csv: 40 answers have no confidence, so no threshold applies; they are written as the run" in made.flat
    assert sorted(run.read_text().splitlines()[1:]) == sorted(rows)
    assert nescio("score", run, *GATE).status == 1


def test_a_vote_has_no_outcome_if_an_ungraded_answer_might_have_won(nescio: Command, tmp_path: Path) -> None:
    answers = [("a", "correct", "Rome"), ("b", "", "Oslo"), ("c", "", "Oslo")]
    rows = [f"{run},q1,{outcome},{answer}" for run, outcome, answer in answers]
    rows += [f"{run},q2,correct,Rome" for run in "abc"]
    table = written(tmp_path / "runs.csv", "\n".join(["run,question,outcome,answer", *rows]) + "\n")
    run = tmp_path / "voted.csv"
    nescio("lab", "vote", table, "--ungraded", "exclude", "-o", run)
    assert outcomes(run) == {"q1": "", "q2": "correct"}


def test_a_cascade_has_the_outcome_that_does_not_depend_on_what_is_unknown(nescio: Command, tmp_path: Path) -> None:
    """System a answers from 0.5 on; then b is asked, and answers from 0.3 on."""
    rows = ["a,q1,correct,0.6", "b,q1,,0.9"]  # b is not asked
    rows += ["a,q2,,0.4", "b,q2,incorrect,0.9"]  # a's ungraded answer is not given
    rows += ["a,q3,,0.6", "b,q3,correct,0.9"]  # a's ungraded answer is given
    rows += ["a,q4,,", "b,q4,correct,0.9"]  # nobody knows whether it is given
    rows += ["a,q5,incorrect,0.4"]  # b lacks the question
    rows += ["a,q6,correct,0.5", "b,q6,correct,0.3"]
    table = written(tmp_path / "log.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    steps = '[{"system": "a", "answer_from": 0.5}, {"system": "b", "answer_from": 0.3}]'
    head = '{"policy": "nescio lab cascade", "error": 1, "right": null, "cost": null, "steps": '
    policy, run = written(tmp_path / "policy.json", f"{head}{steps}}}"), tmp_path / "run.csv"
    policies = ("--ungraded", "exclude", "--missing", "own")
    made = nescio("lab", "cascade", table, *policies, "--apply", policy, "--run-output", run)
    assert made.status == 0, made.flat
    known = {"q1": "correct", "q2": "incorrect", "q6": "correct"}
    assert outcomes(run) == known | {"q3": "", "q4": "", "q5": ""}


@pytest.mark.parametrize("command", ["tune", "cascade"])
def test_no_run_is_written_without_the_questions_that_another_run_lacks(
    nescio: Command, tmp_path: Path, command: str
) -> None:
    rows = [f"{run},q{i},correct,{(i + 1) / 100}" for run in "rs" for i in range(40) if run == "r" or i < 30]
    table = written(tmp_path / "runs.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    run, more = tmp_path / "run.csv", ("--run", "r", *FEW) if command == "tune" else ("--systems", "r,s")
    call, _, output = CALLS[command]
    refused = nescio(*call, table, *more, "--missing", "common", output, run)
    refused.assert_refused("30 of 40 questions are common to all runs; the other 10 are left out. Use --missing own")
    assert not run.exists()
    assert nescio(*call, table, *more, "--missing", "own", output, run).status == 0
    assert len(outcomes(run)) == 40


def test_a_written_run_names_its_repeats(nescio: Command, tmp_path: Path) -> None:
    rows = [f"r,q{i},{k},{'correct' if i % 3 else 'incorrect'},{(i + 1) / 100}" for i in range(30) for k in "ab"]
    table = written(tmp_path / "twice.csv", "\n".join(["run,question,repeat,outcome,confidence", *rows]) + "\n")
    run = tmp_path / "run.csv"
    tuned = nescio("tune", table, *FEW, "-f", "json", "-o", run).json
    assert run.read_text().splitlines()[0].split(",")[:4] == ["run", "question", "repeat", "outcome"]
    (row,) = nescio("score", run, "-m", "c@1", "-f", "json").json["scores"]
    assert row["value"] == pytest.approx(tuned["value_in_sample"], abs=1e-12)


@pytest.mark.parametrize("lost", ["PARSE_FAIL", "", None])
def test_a_run_that_a_rule_made_lacks_what_its_answers_lacked(
    tmp_path: Path, nescio: Command, lost: str | None
) -> None:
    """A fifth of the outputs of the new run are empty or cannot be parsed, or its rows are missing."""
    rows = []
    for run, right in (("old", 6), ("new", 7)):
        for q in range(200):
            gone = run == "new" and q % 10 > 7
            word = "unanswered" if gone else "correct" if q % 10 < right else "incorrect"
            if not gone or lost is not None:
                rows.append(f"{run},q{q},{lost if gone else 'x'},{word},{'' if gone else 0.9}")
    path, made = tmp_path / "t.csv", tmp_path / "made.csv"
    path.write_text("\n".join(["run,question,answer,outcome,confidence", *rows]))
    old = tmp_path / "old.csv"
    old.write_text("\n".join(["run,question,answer,outcome,confidence", *(row for row in rows if row[:3] == "old")]))
    how = ("--missing", "unanswered") if lost is None else ()
    gate = ("-m", "c@1", "--baseline", "old", "--fail-on-regression", "--margin", "0.02", *how)
    assert nescio("compare", path, *gate).status == 3
    assert nescio("tune", path, "--run", "new", "-o", made, *how).status == 0
    assert nescio("compare", old, made, *gate).status == 3


@pytest.mark.parametrize("apply", [False, True])
def test_a_cascade_names_the_judges_of_its_systems_alone(nescio: Command, tmp_path: Path, apply: bool) -> None:
    by = {"r": "exact", "s": "contains", "t": "llm"}
    rows = [f"{run},q{i},correct,{(i + 1) / 100},{judge}" for run, judge in by.items() for i in range(60)]
    table = written(tmp_path / "runs.csv", "\n".join(["run,question,outcome,confidence,judge", *rows]) + "\n")
    run, policy = tmp_path / "run.csv", tmp_path / "policy.json"
    if apply:
        assert nescio("lab", "cascade", table, "--systems", "r,s", "-o", policy).status == 0
    how = ("--apply", policy) if apply else ("--systems", "r,s")
    assert nescio("lab", "cascade", table, *how, "--run-output", run).status == 0
    with run.open(encoding="utf-8", newline="") as file:
        assert {row["judge"] for row in csv.DictReader(file)} == {"contains+exact"}


def test_a_run_that_a_cascade_made_keeps_what_its_systems_state(tmp_path: Path, nescio: Command) -> None:
    """Another judge graded the baseline; a fifth of the answers of both systems are calls that failed."""
    head, made = "run,question,outcome,confidence,judge,output_was", tmp_path / "made.csv"
    rows = [
        f"{run},q{q}," + ("unanswered,,ann,errored" if q % 5 == 0 else f"{'in' * (q % 3 == 0)}correct,{q / 200},ann,")
        for run in "ab"
        for q in range(200)
    ]
    table = written(tmp_path / "t.csv", "\n".join([head, *rows, "c,q0,incorrect,0.5,ann,"]))
    old = written(tmp_path / "old.csv", "\n".join([head, *(f"old,q{q},incorrect,0.5,bob," for q in range(200))]))
    call = ("lab", "cascade", table, "--systems", "a,b", "--run-output", made, "--missing", "unanswered")
    assert nescio(*call).status == 0
    gate = ("-m", "accuracy", "--baseline", "old", "--fail-on-regression")
    nescio("compare", made, old, *gate).assert_refused("the runs were judged by different judges (ann, bob)")
    lost = "40 of a > b's 200 answers count as abstentions, though the run did not decline (errored)"
    assert lost in nescio("score", made, "-m", "accuracy").flat


def test_answers_without_a_grade_are_written_as_they_are(tmp_path: Path, nescio: Command) -> None:
    words = ("correct", "correct", "incorrect", "")
    rows = [f"r,q{q},{words[q % 4]},{(q + 1) / 100}" for q in range(80)]
    table = written(tmp_path / "t.csv", "\n".join(["run,question,outcome,confidence", *rows]))
    run = tmp_path / "run.csv"
    made = nescio("tune", table, *FEW, "--ungraded", "incorrect", "-m", "accuracy", "-o", run)
    assert "(20 without an outcome)" in made.flat
    assert [*outcomes(run).values()].count("") == 20
    refused = nescio("tune", table, *FEW, "--ungraded", "bounds", "--run", "r [ungraded right]", "-o", run)
    refused.assert_refused("a written run has one result, but run 'r': 20 of 80 answers", "Use --ungraded exclude")


def test_a_written_run_keeps_what_one_answer_of_several_lacked(tmp_path: Path, nescio: Command) -> None:
    """Each third call failed."""
    rows = [
        f"r,q{q},{k}," + ("unanswered,,errored" if k == 2 else f"{'in' * (q % 3 == 0)}correct,{(q + 1) / 50},")
        for q in range(40)
        for k in range(3)
    ]
    table = written(tmp_path / "t.csv", "\n".join(["run,question,repeat,outcome,confidence,output_was", *rows]))
    run = tmp_path / "run.csv"
    assert nescio("tune", table, *FEW, "-o", run).status == 0
    lost = "40 of r's 120 answers count as abstentions"
    assert all(lost in nescio("score", path, "-m", "accuracy").flat for path in (table, run))
