"""--labels as its users meet it: in tables and JSON, with gates, and where labels and answers do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ANSWERED, EXAMPLES, PEOPLE, Command, written

TEXT = PEOPLE.read_text(encoding="utf-8")
HEAD, *ROWS = TEXT.splitlines()


def test_scores_in_a_table(nescio: Command) -> None:
    done = nescio("score", *ANSWERED, "--labels", PEOPLE, "-m", "accuracy")
    assert done.status == 0
    assert "0.565 [0.437, 0.694]" in done.out  # people alone .5633, the judge .5857
    assert "No marks: nescio compare --labels tests corrected differences." in done.out
    assert "corrected by 90 labels of people" in done.err
    assert "the corrected difference of two runs is not the difference of their corrected scores" in done.err


def test_scores_in_json(nescio: Command) -> None:
    found = nescio("score", *ANSWERED, "--labels", PEOPLE, "-f", "json", "--ci", "none").json
    assert {row["low"] for row in found["scores"]} == {None}
    how = {(row["run"], row["measure"]): row for row in found["labels"]}
    assert how["mine", "accuracy"]["judge"] == pytest.approx(41 / 70)
    assert (how["mine", "accuracy"]["labels"], how["mine", "accuracy"]["answers"]) == (28, 40)
    assert "|labels:90|people:" in found["signature"]
    assert "|drawn:simple|target:population|" in found["signature"]


def test_differences(nescio: Command) -> None:
    done = nescio("compare", *ANSWERED, "--labels", PEOPLE, "--baseline", "old", "-m", "accuracy", "-f", "json")
    mine = {row["run"]: row for row in done.json["comparisons"]}["mine"]
    assert mine["low"] < mine["difference"] < mine["high"]
    assert 0 < mine["p"] < 1
    assert (mine["test"], mine["verdict"]) == ("t", "too few questions to tell")
    assert "Student's t" in done.json["tests"][0]["exact_for"]


def test_a_gate_rests_on_the_corrected_interval(nescio: Command) -> None:
    """The judge's own interval of mine, .469 to .694, is above .45; the corrected one, .437 to .694, spans it."""
    gate = ("score", *ANSWERED, "-m", "accuracy", "--fail-under", "accuracy=0.44")
    assert "run 'mine'" not in nescio(*gate).err
    assert "accuracy of run 'mine' is not significantly different from 0.44" in nescio(*gate, "--labels", PEOPLE).err


OTHER = "run,question_id,answer,verdict\nmine,lighthouse-what,Elsewhere,correct\n"
EMPTY = "\n".join([HEAD, *(row.rpartition(",")[0] + "," if i % 3 == 0 else row for i, row in enumerate(ROWS))])
MOVED = TEXT.replace("A roof on the boathouse", "A roof on the barn")  # of mine and of old
GONE = "for an answer that the run no longer"


@pytest.mark.parametrize(
    ("labels", "status", "says"),
    [
        (MOVED, 0, f"2 judgements are {GONE} gives"),
        (OTHER, 2, f"people judged none of these answers: 1 judgement is {GONE}"),
        (EMPTY, 0, f"{(len(ROWS) + 2) // 3} of {len(ROWS)} judgements have no verdict, and are ignored"),
    ],
)
def test_labels_that_fit_no_answer_are_counted(
    nescio: Command, tmp_path: Path, labels: str, status: int, says: str
) -> None:
    path = written(tmp_path / "people.csv", labels)
    for command, *words in (("score", "--labels", path), ("judge", "--judge", "exact", "--against", path)):
        done = nescio(command, *ANSWERED, *words)
        assert (done.status, says in done.flat) == (status, True), done.flat


def test_the_file_of_a_baseline_has_no_answers_to_label(nescio: Command, tmp_path: Path) -> None:
    baseline = tmp_path / "old.json"
    assert nescio("baseline", *ANSWERED, "--run", "old", "-o", baseline).status == 0
    done = nescio("compare", *ANSWERED, "--baseline", baseline, "--labels", PEOPLE)
    assert (done.status, "holds no answers that --labels could be matched to" in done.flat) == (2, True)


def test_labels_without_a_run_are_found_by_the_text(nescio: Command, tmp_path: Path) -> None:
    """Two runs that give one answer share its label."""
    rows = [line.split(",", 1)[1] for line in TEXT.splitlines()]
    verdict = {row.rpartition(",")[0]: row.rpartition(",")[2] for row in rows}  # the last, where two runs' differ
    labels = written(tmp_path / "texts.csv", "\n".join(map(",".join, verdict.items())))
    by_text = nescio("score", *ANSWERED, "--labels", labels, "-m", "accuracy", "-f", "json").json["labels"]
    by_run = nescio("score", *ANSWERED, "--labels", PEOPLE, "-m", "accuracy", "-f", "json").json["labels"]
    assert all(one["labels"] >= other["labels"] for one, other in zip(by_text, by_run, strict=True))
    assert "add a column run" in nescio("score", EXAMPLES / "outcomes.csv", "--labels", labels).err


def test_a_plan_of_labels(nescio: Command) -> None:
    stated = ("--spread", "0.63245553", "--correlation", "0.7", "--questions", 1000, "--half-width", "0.05")
    assert "labels on 239 of 1,000 answers are enough" in nescio("plan-labels", *stated, "--target", "collection").out
    pilot = ("--run", "mine", "--baseline", "old", "--labels", PEOPLE, "--half-width", "0.16")
    found = nescio("plan-labels", *ANSWERED, *pilot).out
    assert "c@1 of mine against old: labels on " in found
    assert "verdicts (mine, old)" in found
