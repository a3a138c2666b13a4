"""Files of several formats given together: their runs are joined on the questions that they share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.data.notes import Note
from nescio.data.outcomes import CORRECT
from nescio.data.policy_notes import ONE_SIDED
from nescio.errors import MismatchError, UsageError
from nescio.formats.answers import Answer, outcomes_of
from nescio.formats.registry import ReadOptions
from nescio.pipeline import Options, load

TABLE = """run,question,outcome,confidence,cluster,topic
mine,Who?,correct,0.9,a,people
mine,Where?,incorrect,0.4,b,places
mine,Why?,unanswered,,a,people
"""
LOG = """problem,target,predicted_answer,grade
Where?,Oslo,Rome,C
Who?,Ann,"Ann, I think",A
When?,1880,1800,B
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "log.csv").write_text(LOG)
    return [tmp_path / "table.csv", tmp_path / "log.csv"]


@pytest.mark.parametrize("turned", [False, True])
def test_runs_are_joined_by_the_names_of_questions(files: list[Path], turned: bool) -> None:
    given = files[::-1] if turned else files
    loaded = load(given, Options(missing="common"))
    scores = nescio.score(given, measures=["accuracy", "c@1"], missing="common")
    found = {(score.run, score.measure): score.value for score in scores}
    # both answered Who? rightly; on Where? mine was wrong and log did not attempt it
    assert (found["mine", "accuracy"], found["mine", "c@1"]) == (0.5, 0.5)
    assert (found["log", "accuracy"], found["log", "c@1"]) == (0.5, 0.75)
    assert {*loaded.data.questions} == {"Who?", "Where?"}
    with pytest.raises(MismatchError, match="lacks 1 of 4 questions"):
        nescio.score(given)


def test_what_one_file_says_of_a_question_holds_for_the_runs_of_all(files: list[Path]) -> None:
    data = load(files, Options(missing="unanswered", missing_confidence="exclude")).data
    topics = dict(zip(data.questions, data.strata["topic"], strict=True))
    assert topics == {"Who?": "people", "Where?": "places", "Why?": "people", "When?": ""}
    assert data.clusters is not None
    clusters = dict(zip(data.questions, data.clusters, strict=True))
    assert clusters["Who?"] == clusters["Why?"]
    assert len({*clusters.values()}) == 3  # a question that only the log has is a cluster of its own
    assert np.isnan(data.columns["confidence"]).sum() == 8 - 2


def test_files_without_a_common_question_or_with_one_run_twice_are_refused(files: list[Path]) -> None:
    table, log = files
    log.write_text(LOG.replace("Where?", "1").replace("Who?", "2"))
    with pytest.raises(MismatchError, match=r"share no question; they begin with 'Who\?' and '1'"):
        nescio.score(files)
    log.write_text(LOG)
    table.write_text(TABLE.replace("mine", "log"))
    with pytest.raises(MismatchError, match="run 'log' appears in two files"):
        nescio.score(files)


def test_files_that_disagree_on_whether_a_question_has_an_answer_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(
        "run,question,outcome,answerable\nmine,q_abs,correct,true\nmine,q1,correct,true\n"
    )
    rows = [{"question_id": name, "hypothesis": "no", "autoeval_label": {"label": True}} for name in ("q_abs", "q1")]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(MismatchError, match="disagree on whether question 'q_abs' has an answer"):
        nescio.score([tmp_path / "table.csv", tmp_path / "log.jsonl"])


def test_a_run_of_one_format_does_not_say_alone_which_questions_have_an_answer(files: list[Path]) -> None:
    """It would be silent where it is wrong, and say that silence is right there: nobody else's rows say so."""
    table, log = files
    says = (
        TABLE.replace("cluster", "part")
        .replace("topic", "answerable")
        .replace("people", "true")
        .replace("places", "false")
    )
    table.write_text(says)
    loaded = load([log, table], Options(missing="common"))
    (remark,) = [remark for remark in loaded.notes if remark.code == ONE_SIDED]
    assert (remark["runs"], remark["questions"]) == (("mine",), 2)  # Who? and Where?, of which the log has a row too
    with pytest.raises(UsageError, match="no gate can be decided by this: only the rows of 'mine' say"):
        nescio.compare(
            [log, table], "accuracy", baseline="log", run="mine", missing="unanswered", fail_on_regression=True
        )


def test_runs_of_logs_do_not_say_alone_which_questions_have_an_answer() -> None:
    rows = [("old", "q1", -1), ("old", "q2", -1), ("new", "q1", 0), ("new", "q2", -1), ("new", "q3", 0)]
    notes: list[Note] = []
    read = outcomes_of([Answer(run, q, CORRECT, answerable=says) for run, q, says in rows], "log", ReadOptions(), notes)
    assert read.answerable is not None
    assert read.answerable.tolist() == [0, -1, 0]
    (remark,) = [remark for remark in notes if remark.code == ONE_SIDED]
    assert (remark["runs"], remark["questions"]) == (("new",), 1)  # the old run has no row of q3
    with pytest.raises(
        MismatchError,
        match=r"question 'q1' is unanswerable according to run 'new', but answerable according to run 'old' \(such questions in all: 1",
    ):
        outcomes_of(
            [Answer(run, "q1", CORRECT, answerable=run == "old") for run in ("old", "new")], "log", ReadOptions(), []
        )
