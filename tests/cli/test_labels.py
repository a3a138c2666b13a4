"""--labels as its users meet it: in tables and JSON, with gates, and refused where it makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import EXAMPLES, Command

FILES = [EXAMPLES / "questions.jsonl", *sorted((EXAMPLES / "runs").glob("*.jsonl"))]
PEOPLE = EXAMPLES / "people.csv"


def test_scores_in_a_table(nescio: Command) -> None:
    done = nescio("score", *FILES, "--labels", PEOPLE, "-m", "accuracy")
    assert done.status == 0
    assert "0.565 [0.437, 0.694]" in done.out  # people alone .5633, the judge .5857
    assert "No marks: nescio compare --labels tests corrected differences." in done.out
    assert "corrected by 90 labels of people" in done.err
    assert "the corrected difference of two runs is not the difference of their corrected scores" in done.err


def test_scores_in_json(nescio: Command) -> None:
    found = nescio("score", *FILES, "--labels", PEOPLE, "-f", "json", "--ci", "none").json
    assert {row["low"] for row in found["scores"]} == {None}
    how = {(row["run"], row["measure"]): row for row in found["labels"]}
    assert how["mine", "accuracy"]["judge"] == pytest.approx(41 / 70)
    assert (how["mine", "accuracy"]["labels"], how["mine", "accuracy"]["answers"]) == (28, 40)
    assert "|labels:90|people:" in found["signature"]
    assert "|drawn:simple|target:population|" in found["signature"]


def test_differences(nescio: Command) -> None:
    done = nescio("compare", *FILES, "--labels", PEOPLE, "--baseline", "old", "-m", "accuracy", "-f", "json")
    rows = {row["run"]: row for row in done.json["comparisons"]}
    assert rows["mine"]["low"] < rows["mine"]["difference"] < rows["mine"]["high"]
    assert 0 < rows["mine"]["p"] < 1
    assert rows["mine"]["test"] == "t"
    assert rows["mine"]["verdict"] == "too few questions to tell"
    assert "Student's t" in done.json["tests"][0]["exact_for"]


def test_a_gate_rests_on_the_corrected_interval(nescio: Command) -> None:
    """The judge's own interval of mine, .469 to .694, is above .45; the corrected one, .437 to .694, spans it."""
    gate = ("score", *FILES, "-m", "accuracy", "--fail-under", "accuracy=0.44")
    alone = nescio(*gate)
    assert "run 'mine'" not in alone.err
    assert "accuracy of run 'mine' is not significantly different from 0.44" in nescio(*gate, "--labels", PEOPLE).err


def test_labels_of_another_answer_than_the_run_gives_judge_nothing(nescio: Command, tmp_path: Path) -> None:
    labels = tmp_path / "people.csv"
    text = PEOPLE.read_text(encoding="utf-8")
    labels.write_text(text.replace("A roof on the boathouse", "A roof on the barn"), encoding="utf-8")
    said = nescio("score", *FILES, "--labels", labels).err
    assert "2 judgements are for an answer that the run no longer gives" in " ".join(said.split())  # of mine and of old


def test_labels_that_are_all_of_other_answers_say_so(nescio: Command, tmp_path: Path) -> None:
    labels = tmp_path / "people.csv"
    labels.write_text("run,question_id,answer,verdict\nmine,lighthouse-what,Elsewhere,correct\n", encoding="utf-8")
    for command in (("score", "--labels", labels), ("judge", "--judge", "exact", "--against", labels)):
        done = nescio(command[0], *FILES, *command[1:])
        said = " ".join(done.err.split())
        assert done.status == 2
        assert "people judged none of these answers: 1 judgement is for an answer that the run no longer" in said


def test_judgements_without_a_verdict_are_counted(nescio: Command, tmp_path: Path) -> None:
    head, *rows = PEOPLE.read_text(encoding="utf-8").splitlines()
    empty = [row.rpartition(",")[0] + "," if i % 3 == 0 else row for i, row in enumerate(rows)]
    labels = tmp_path / "people.csv"
    labels.write_text("\n".join([head, *empty]), encoding="utf-8")
    said = f"{(len(rows) + 2) // 3} of {len(rows)} judgements have no verdict, and are ignored"
    for command in (("score", "--labels", labels), ("judge", "--judge", "exact", "--against", labels)):
        assert said in " ".join(nescio(command[0], *FILES, *command[1:]).err.split())


def test_the_file_of_a_baseline_has_no_answers_to_label(nescio: Command, tmp_path: Path) -> None:
    baseline = tmp_path / "old.json"
    assert nescio("baseline", *FILES, "--run", "old", "-o", baseline).status == 0
    done = nescio("compare", *FILES, "--baseline", baseline, "--labels", PEOPLE)
    assert done.status == 2
    assert "holds no answers that --labels could be matched to" in " ".join(done.err.split())


def test_labels_without_a_run_are_found_by_the_text(nescio: Command, tmp_path: Path) -> None:
    """Two runs that give one answer share its label."""
    rows = [line.split(",", 1)[1] for line in PEOPLE.read_text(encoding="utf-8").splitlines()]
    labels = tmp_path / "texts.csv"
    verdict = {row.rpartition(",")[0]: row.rpartition(",")[2] for row in rows}  # the last, where two runs' differ
    labels.write_text("\n".join(map(",".join, verdict.items())), encoding="utf-8")
    by_text = nescio("score", *FILES, "--labels", labels, "-m", "accuracy", "-f", "json").json["labels"]
    by_run = nescio("score", *FILES, "--labels", PEOPLE, "-m", "accuracy", "-f", "json").json["labels"]
    assert all(one["labels"] >= other["labels"] for one, other in zip(by_text, by_run, strict=True))
    outcomes = EXAMPLES / "outcomes.csv"
    assert "add a column run" in nescio("score", outcomes, "--labels", labels).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "--labels", PEOPLE, "--mark"), "--mark tests the judge's verdicts"),
        (("score", "--labels", PEOPLE, "-m", "coverage"), "coverage uses more than these"),
        (("compare", "--labels", PEOPLE, "--test", "tukey"), "--test cannot be used with --labels"),
        (
            ("report", "--baseline", "old", "--labels", PEOPLE, "-o", "x.html"),
            "--labels cannot be used with --baseline",
        ),
        (("score", "--target", "collection"), "--target needs --labels"),
        (("compare", "--target", "population"), "--target needs --labels"),
        (("score", "--suite-by", "category", "--target", "population"), "--target needs --labels"),
        (("score", "--suite-by", "category", "--labels", PEOPLE), "--labels cannot be used with a suite of benchmarks"),
        (("compare", "--also-judged", PEOPLE), "--also-judged needs --labels"),
        (("score", "--labels", EXAMPLES / "table3.csv"), "judgements name the question in a column"),
    ],
)
def test_what_makes_no_sense_is_refused(nescio: Command, arguments: tuple[object, ...], message: str) -> None:
    command, *rest = arguments
    done = nescio(command, *FILES, *rest)
    assert done.status == 2
    assert message in " ".join(done.err.split())


def test_labels_are_not_overwritten(nescio: Command, tmp_path: Path) -> None:
    labels = tmp_path / "people.csv"
    labels.write_text(PEOPLE.read_text(encoding="utf-8"), encoding="utf-8")
    assert nescio("score", *FILES, "--labels", labels, "-o", labels).status == 2


def test_a_plan_of_labels(nescio: Command) -> None:
    stated = ("--spread", "0.63245553", "--correlation", "0.7", "--questions", 1000, "--half-width", "0.05")
    assert "labels on 239 of 1,000 answers are enough" in nescio("plan-labels", *stated, "--target", "collection").out
    pilot = ("plan-labels", *FILES, "--run", "mine", "--baseline", "old", "--labels", PEOPLE, "--half-width", "0.16")
    assert "c@1 of mine against old: labels on " in nescio(*pilot).out
    assert "verdicts (mine, old)" in nescio(*pilot).out
    for arguments, message in (
        (("--labels", PEOPLE, *stated), "--labels needs a pilot"),
        ((*FILES, *stated), "--spread cannot be used with a pilot"),
        ((*stated, "--difference", "0.1"), "--half-width cannot be used with --difference"),
        ((*FILES, "--half-width", "0.1"), "give --labels FILE, or the --correlation that you expect"),
    ):
        refused = nescio("plan-labels", *arguments)
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
