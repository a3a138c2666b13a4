"""People as a judge: whose answer a verdict is on, what is not judged, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.testing import assert_array_equal

import nescio
from nescio.data.assessors import of_one_answer
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Label, Outcomes
from nescio.errors import MismatchError
from nescio.judging import asked_cells, judge_runs
from nescio.judging.human import asked_of, human, people_on
from tests.campaign import made
from tests.notes import in_words

COLLECTION = Collection(
    "c", (Question("q1", "?", ("x",)), Question("q2", "?", ("y",)), Question("q3", "?", (), (), False))
)


def run(name: str, *answers: str | None) -> Run:
    return Run(name, tuple(Response(f"q{i}", text, text is not None) for i, text in enumerate(answers, 1)))


RUNS = (run("a", "Rome", "Oslo", "Bonn"), run("b", "rome", None, None))


def judged(*labels: Label, runs: tuple[Run, ...] = RUNS) -> list[list[int]]:
    people, _ = human(labels, [one.name for one in runs], ["q1", "q2", "q3"])
    state: list[list[int]] = judge_runs(COLLECTION, runs, people)[0].state.tolist()
    return state


def test_by_run() -> None:
    found = judged(Label("q1", INCORRECT, "a"), Label("q1", CORRECT, "b"))
    assert found == [[INCORRECT, NOT_GRADED, INCORRECT], [CORRECT, SILENT, SILENT]]


def test_by_the_text_of_the_answer_whoever_gave_it() -> None:
    found = judged(Label("q1", CORRECT, answer=" ROME "), Label("q2", SILENT, answer="Oslo"))
    assert found == [[CORRECT, SILENT, INCORRECT], [CORRECT, SILENT, SILENT]]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_by_a_text_however_its_accents_were_typed(form: Literal["NFC", "NFD"]) -> None:
    runs = tuple(run(name, normalize(name, "Dvořák")) for name in ("NFC", "NFD"))
    label = Label("q1", CORRECT, answer=normalize(form, "Dvořák"))
    assert [row[0] for row in judged(label, runs=runs)] == [CORRECT, CORRECT]
    assert judged(replace(label, run="NFC"), replace(label, run="NFD"), runs=runs) == judged(label, runs=runs)
    one, other = (Label("q1", CORRECT, answer=normalize(name, "Dvořák")) for name in ("NFC", "NFD"))
    assert of_one_answer(one) == of_one_answer(other)


def test_by_question_where_there_is_one_run() -> None:
    assert judged(Label("q2", CORRECT), runs=RUNS[:1]) == [[NOT_GRADED, CORRECT, INCORRECT]]
    with pytest.raises(
        MismatchError, match=r"file, row 3: there are . runs, but this verdict names neither a run nor an answer"
    ):
        judged(Label("q2", CORRECT, place="file, row 3"))


def test_a_label_of_another_answer_judges_nothing() -> None:
    people, _ = human([Label("q1", CORRECT, "a", "Paris"), Label("q2", CORRECT, "a", "oslo")], ["a", "b"], ["q1", "q2"])
    assert judge_runs(COLLECTION, RUNS, people)[0].state[0].tolist() == [NOT_GRADED, CORRECT, INCORRECT]
    assert people.stale == {("a", "q1")}


def test_labels_of_others_are_counted() -> None:
    strangers = [Label("q1", CORRECT, "z"), Label("q9", CORRECT, "a"), Label("q1", CORRECT, "a")]
    _, notes = human(strangers, ["a"], ["q1"])
    assert in_words(notes) == (
        "2 judgements are for runs or questions that are not in the data (first: run 'z', question 'q1')",
    )
    with pytest.raises(
        MismatchError, match=r"no judgement is for the runs and questions in the data .*run 'z', question 'q1'"
    ):
        human(strangers[:2], ["a"], ["q1"])
    with pytest.raises(MismatchError, match="no judgement"):
        human([], ["a"], ["q1"])


def test_one_answer_may_be_judged_twice_alike() -> None:
    twice = [Label("q1", NOT_GRADED, "a"), Label("q1", CORRECT, "a", place="here"), Label("q1", CORRECT, "a")]
    assert judged(*twice, Label("q1", NOT_GRADED, "a"))[0][0] == CORRECT
    with pytest.raises(MismatchError, match="question 'q1' has two different verdicts: here, and there"):
        judged(*twice, Label("q1", INCORRECT, "a", place="there"))


def test_what_is_asked_of_a_judge() -> None:
    assert_array_equal(asked_cells(COLLECTION, RUNS), [[True, True, False], [True, False, False]])
    declined = Run(
        "c", (Response("q1", "Rome", False), Response("q2", "Oslo", True), Response("q2", "x", True, rank=2))
    )
    assert_array_equal(asked_cells(COLLECTION, (declined,)), [[False, True, False]])


def test_a_log_that_is_judged_already() -> None:
    state = np.array([[CORRECT, INCORRECT, SILENT, NOT_GRADED, ABSENT, CORRECT, INCORRECT]], dtype=np.int8)
    answerable = np.array([1, -1, 1, 1, 1, 0, 0], dtype=np.int8)  # where there is no answer, silence is right
    log = Outcomes(("a",), tuple("ABCDEFG"), state, answerable=answerable, extra_columns={"f1": np.zeros((1, 7))})
    people, _ = human([Label("A", INCORRECT, "a"), Label("C", CORRECT, "a")], log.runs, log.questions)
    assert_array_equal(asked_of(log), [[True, True, False, True, False, False, False]])
    expected = [[INCORRECT, NOT_GRADED, SILENT, NOT_GRADED, ABSENT, CORRECT, INCORRECT]]
    assert_array_equal(people_on(log, people).state, expected)
    assert not people_on(log, people).extra_columns


@pytest.mark.parametrize("how", ["by people", "beside a judge", "in a log"])
def test_verdicts_that_the_key_overrules_are_counted(how: str, tmp_path: Path) -> None:
    """People call both answers to q2 right, but the key says that it has no answer; b says nothing."""
    rows: list[dict[str, Any]] = [{"id": "q1", "question": "?", "answers": ["x"]}, {"id": "q2", "question": "?"}]
    rows[1] |= {"answers": [], "answerable": False}
    said = {"a": ("x", "Bonn"), "b": ("y", None), "c": ("x", "Oslo")}
    given = [made.lines(tmp_path / "questions.jsonl", rows)]
    for name, answers in said.items():
        run_of = [{"id": f"q{i}", "answer": text} for i, text in enumerate(answers, 1)]
        given.append(made.lines(tmp_path / f"{name}.jsonl", run_of))
    verdicts = "".join(f"{name},q1,{'RW'[name == 'b']}\n{name},q2,R\n" for name in said)
    people, out = made.text(tmp_path / "people.csv", f"run,question,verdict\n{verdicts}"), tmp_path / "out.csv"
    if how == "in a log":
        nescio.judge(given, judge="exact", output=tmp_path / "log.csv")
        given = [tmp_path / "log.csv"]
    judged = nescio.judge(given, judge=None if how == "beside a judge" else "human", against=people, output=out)
    notes = judged.agreement().notes if how == "beside a judge" else judged.notes
    (one,) = [str(note) for note in notes if note.code == "judgements.overruled"]
    assert "2 answers count as wrong, though people say correct" in one
    assert "(q2)" in one
    assert nescio.score(out, "accuracy", ci=None).value("a", "accuracy") == 0.5
    if how != "beside a judge":
        assert {row["judge"] for row in made.rows_of(out)} == {"human"}


def test_people_alone_are_told_of_labels_of_other_answers(tmp_path: Path) -> None:
    given = [
        made.lines(
            tmp_path / "questions.jsonl", [{"id": f"q{i}", "question": "?", "answers": ["x"]} for i in range(2)]
        ),
        made.lines(tmp_path / "a.jsonl", [{"id": f"q{i}", "answer": "new"} for i in range(2)]),
    ]
    people = made.text(tmp_path / "people.csv", "run,question,answer,verdict\na,q0,old,R\na,q1,new,W\n")
    judged = nescio.judge(given, judge="human", against=people, output=tmp_path / "out.csv")
    assert "judgements.stale" in {one.code for one in judged.notes}


@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("1", "0")])
def test_spreadsheets_say_true_and_false_in_their_own_language(tmp_path: Path, yes: str, no: str) -> None:
    """A key decided on the last verdict, in whatever words a spreadsheet says so."""
    rows = [f"q{i},a,correct,{by_key}\n" for i, by_key in enumerate((no, no, yes))]
    labels = tmp_path / "people.csv"
    labels.write_text(f"question,run,verdict,by_key\n{''.join(rows)}", encoding="utf-8")
    outcomes = tmp_path / "run.csv"
    outcomes.write_text("question,run,outcome\nq0,a,correct\nq1,a,correct\nq2,a,incorrect\n", encoding="utf-8")
    (agreed, *_) = nescio.judge(outcomes, against=labels).agreement().rows
    assert (agreed.labels, agreed.agreement) == (2, 1)
    labels.write_text(labels.read_text(encoding="utf-8").replace(yes, "perhaps"), encoding="utf-8")
    with pytest.raises(nescio.FormatError, match=r"line 4.*'by_key' says true or false \(found 'perhaps'\)"):
        nescio.judge(outcomes, against=labels)


def test_a_label_with_a_grade_is_refused(tmp_path: Path) -> None:
    labels = tmp_path / "people.csv"
    labels.write_text("question,run,verdict\nq0,a,correct\nq1,a,half\n", encoding="utf-8")
    with pytest.raises(nescio.UsageError, match="a label has no grade; a verdict is correct, incorrect"):
        nescio.judge(
            [{"question": "q0", "run": "a", "outcome": "correct"}], against=labels, outcome_map={"half": "0.5"}
        )
