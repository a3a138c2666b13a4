"""--labels as its users meet it: in tables and JSON, with gates, and where labels and answers do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ANSWERED, EXAMPLES, PEOPLE, Command, written

TEXT = PEOPLE.read_text(encoding="utf-8")
HEAD, *ROWS = TEXT.splitlines()


OTHER = "run,question_id,answer,verdict\nmine,lighthouse-what,Elsewhere,correct\n"
EMPTY = "\n".join([HEAD, *(row.rpartition(",")[0] + "," if i % 3 == 0 else row for i, row in enumerate(ROWS))])
MOVED = TEXT.replace("A roof on the boathouse", "A roof on the barn")  # of mine and of old
GONE = "for an answer that the run no longer"


@pytest.mark.parametrize(
    ("labels", "status", "says"),
    [
        (MOVED, 0, f"2 judgements are {GONE} gives"),
        (
            OTHER,
            2,
            f"people's verdicts cover none of these answers; check runs, questions and texts: 1 judgement is {GONE}",
        ),
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


def test_labels_without_a_run_are_found_by_the_text(nescio: Command, tmp_path: Path) -> None:
    """Two runs that give one answer share its label."""
    rows = [line.split(",", 1)[1] for line in TEXT.splitlines()]
    verdict = {row.rpartition(",")[0]: row.rpartition(",")[2] for row in rows}  # the last, where two runs' differ
    labels = written(tmp_path / "texts.csv", "\n".join(map(",".join, verdict.items())))
    by_text = nescio("score", *ANSWERED, "--labels", labels, "-m", "accuracy", "-f", "json").json["labels"]
    by_run = nescio("score", *ANSWERED, "--labels", PEOPLE, "-m", "accuracy", "-f", "json").json["labels"]
    assert all(one["labels"] >= other["labels"] for one, other in zip(by_text, by_run, strict=True))
    assert "add a column run" in nescio("score", EXAMPLES / "outcomes.csv", "--labels", labels).err


def test_a_loss_that_only_the_judge_sees_stops_no_corrected_gate(tmp_path: Path, nescio: Command) -> None:
    """The judge calls every fourth right answer of the new run wrong; people find both runs alike."""
    header, judged, labelled = "run,question,outcome", tmp_path / "t.csv", tmp_path / "labels.csv"
    truth = [("correct", "correct", "incorrect")[i % 3] for i in range(400)]
    seen = {"old": truth, "new": ["incorrect" if i % 4 == 0 else own for i, own in enumerate(truth)]}
    judged.write_text("\n".join([header, *(f"{run},q{i},{own[i]}" for run, own in seen.items() for i in range(400))]))
    labelled.write_text("\n".join([header, *(f"{run},q{i},{truth[i]}" for run in seen for i in range(0, 400, 5))]))
    gate = ("-m", "accuracy", "--baseline", "old", "--fail-on-regression", "--margin", "0.1")
    assert nescio("compare", judged, *gate).status == 1
    done = nescio("compare", judged, "--labels", labelled, *gate)
    assert (done.status, "right answers fell" in done.err) == (0, False)
