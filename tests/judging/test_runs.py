"""From answers to outcomes: what is judged, what is kept of a declined candidate, and which judge is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nescio import score
from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, SILENT, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.errors import FormatError
from nescio.judging import REGISTRY, default_judge, judge, judge_runs
from nescio.judging._judge import SUITING, AnswerToJudge, Grade, Silent
from nescio.registry import Registry

Q1 = Question("q1", "Who?", ("Ann",), ("Ann", "Bob"), strata={"topic": "people"})
Q2 = Question("q2", "Where?", ("Rome",), ("Rome", "Oslo"))
NONE = Question("q3", "Why?", (), ("x", "y"), answerable=False)


class AllSilent:
    """A judge to whom every answer declines."""

    record, scores = JudgeRecord("all silent"), dict[str, Silent]()

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        return [Grade(SILENT) for _ in answers]

    def remarks(self, *_: object) -> tuple[Note, ...]:
        return ()


def judged(*responses: Response, questions: tuple[Question, ...] = (Q1, Q2, NONE), name: str = "choice") -> Outcomes:
    """The outcomes of one run."""
    return judge_runs(Collection("c", questions), [Run("mine", responses)], name, ("mine.jsonl",))[0]


def response(question: str, answer: str | None, answered: bool = True, **more: Any) -> Response:
    """A response."""
    return Response(question, answer, answered, **more)


def test_answers_are_right_wrong_silent_or_not_there() -> None:
    found = judged(response("q1", "A"), response("q2", "Oslo"))
    assert_array_equal(found.state, [[CORRECT, INCORRECT, ABSENT]])
    assert_array_equal(judged(response("q1", None, False)).state, [[SILENT, ABSENT, ABSENT]])
    assert (found.runs, found.questions, found.files) == (("mine",), ("q1", "q2", "q3"), ("mine.jsonl",))


def test_a_declined_candidate_is_judged_and_kept() -> None:
    found = judged(response("q1", "Ann", False), response("q2", "B", False), response("q3", None, False))
    assert_array_equal(found.state, [[SILENT] * 3])
    assert_array_equal(found.candidate, [[1, 0, -1]])
    evidence, _ = apply_policies(found, Policies())
    assert_array_equal(evidence.columns["candidate_correct"], [[1, 0, 0]])
    assert_array_equal(evidence.columns["candidate_incorrect"], [[0, 1, 0]])
    assert_array_equal(evidence.columns["answered"], [[0, 0, 0]])


def test_only_given_answers_that_name_no_option_are_said_to_be_wrong() -> None:
    withheld = Run("mine", (response("q1", "Carl", False), response("q2", "Carl")))
    _, (remark,) = judge_runs(Collection("c", (Q1, Q2)), [withheld], "choice")
    assert (remark.code, remark["answers"], remark["total"]) == ("choice.no_option", 1, 1)


def test_a_question_with_two_right_options_is_named_and_one_that_names_an_option_twice_is_not() -> None:
    both = Question("q4", "Who?", ("Ann", "B"), ("Ann", "Ben", "Carl"))
    again = Question("q5", "Who?", ("Ann", "A", "ann"), ("Ann", "Ben", "Carl"))
    run = Run("mine", tuple(response(name, "Ben") for name in ("q4", "q5")))
    found, (remark,) = judge_runs(Collection("c", (both, again)), [run], "choice")
    assert (remark.code, remark["named"]) == ("choice.several_right", ("q4",))
    assert_array_equal(found.state, [[CORRECT, INCORRECT]])


def test_where_there_is_no_answer_every_answer_is_wrong_and_no_judge_asked() -> None:
    found = judged(response("q3", "A"), questions=(NONE,))
    assert_array_equal(found.state, [[INCORRECT]])
    assert_array_equal(judged(response("q3", "A", False), questions=(NONE,)).candidate, [[0]])
    assert_array_equal(found.answerable, [0])


def test_an_answer_that_stands_for_nothing_is_an_empty_output_with_the_scores_of_a_wrong_answer() -> None:
    said = [response(one, "N/A") for one in ("q1", "q2", "q3")]
    made = judged(*said, name="token_f1")
    assert made.why is not None
    assert made.why.tolist() == [["empty"] * 3]
    assert_array_equal(made.extra_columns["token_f1.f1"], [[0, 0, 0]])


def test_an_answer_that_stands_for_nothing_is_no_decision_though_the_judge_calls_it_one() -> None:
    """But it is one if it is the gold answer of some question."""
    run = Run("mine", (response("q1", "N/A"), response("q2", "none")))
    of_none = Question("q2", "Where?", ("None",))
    made, _ = judge_runs(Collection("c", (Q1, of_none)), [run], AllSilent())
    assert made.why is not None
    assert (made.state.tolist(), made.why.tolist()) == (
        [[SILENT, SILENT]],
        [["empty (said to abstain)", "declined in words"]],
    )


def test_what_the_questions_say_goes_along() -> None:
    clustered = tuple(Question(q.id, q.text, q.answers, q.options, True, "s", q.strata) for q in (Q1, Q2))
    found = judged(response("q1", "A"), questions=clustered)
    assert found.clusters is not None
    assert found.clusters.tolist() == ["s", "s"]
    assert {name: list(values) for name, values in found.strata.items()} == {"topic": ["people", ""]}
    assert found.answerable is None
    assert judged(response("q1", "A"), questions=(Q1, clustered[1])).clusters is None


def test_a_question_with_gold_answers_is_answerable_where_another_is_not() -> None:
    assert_array_equal(judged(response("q1", "A"), questions=(Q1, Q2, NONE)).answerable, [1, 1, 0])
    assert judged(response("q1", "A"), questions=(Q1, Q2)).answerable is None


def test_confidence_is_kept_for_answers_and_candidates() -> None:
    found = judged(
        response("q1", "A", confidence=0.5), response("q2", "A", False, confidence=0.25), response("q3", None, False)
    )
    assert_array_equal(found.confidence, [[0.5, 0.25, np.nan]])


def test_lower_ranks_are_counted_and_give_the_rank_of_the_first_right_answer() -> None:
    responses = [response("q1", "B"), response("q1", "A", rank=3), response("q1", "x", rank=2), response("q2", "A")]
    found, notes = judge_runs(Collection("c", (Q1, Q2)), [Run("mine", tuple(responses))], "choice")
    assert [note.code for note in notes] == ["choice.no_option", "judging.lower_ranks"]
    assert (notes[0]["answers"], notes[0]["total"], notes[1]["n"]) == (1, 4, 2)
    assert_array_equal(found.state, [[INCORRECT, CORRECT]])
    assert_array_equal(found.first_right, [[3, 1]])


@pytest.mark.parametrize(
    ("questions", "name"), [((Q1, Q2), "choice"), ((Q1, Question("q9", "?", ("x",))), "fitting"), ((NONE,), "choice")]
)
def test_the_default_judge_is_choice_where_every_question_has_options(
    questions: tuple[Question, ...], name: str
) -> None:
    assert default_judge(Collection("c", questions)) == name


def test_a_judge_is_in_the_file_of_its_name_and_those_that_suit_are_listed() -> None:
    own = {name: declared for name, declared in REGISTRY.items() if declared.function.__module__.startswith("nescio.")}
    of_tasks = {"deep_read": "nescio.tasks.reading.judge"}
    assert {name: declared.function.__module__ for name, declared in own.items()} == {
        name: of_tasks.get(name, f"nescio.judging.{name}") for name in own
    }
    assert {name for name, declared in own.items() if declared.suits} == {*SUITING}


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(ValueError, match="a judge named 'exact' is already registered"):
        judge("exact")(lambda question, answer: True)  # noqa: ARG005


def test_a_name_is_taken_before_the_module_that_has_it_is_imported() -> None:
    """Else a user's judge would stand for nescio's own, without a word."""
    registry: Registry[object] = Registry("judge", {"far": "nescio.judging.that_nobody_imported"})
    with pytest.raises(ValueError, match="a judge named 'far' is already registered"):
        registry.add("far", object())
    registry.add("near", object())
    assert len(registry) == 2


def test_the_first_of_several_answers_has_its_repeat_said_or_not(tmp_path: Path) -> None:
    """An answer without a repeat, and one of repeat 1, are two answers in one place: the later must not win."""
    (tmp_path / "questions.jsonl").write_text('{"id": "q", "question": "?", "answers": ["x"]}\n')
    said = '{"id": "q", "answer": "y"}\n{"id": "q", "answer": "x", "repeat": "1"}\n'
    (tmp_path / "run.jsonl").write_text(said)
    with pytest.raises(FormatError, match=r"line 2: the answer of rank 1 to question 'q' appears twice"):
        score([tmp_path / "questions.jsonl", tmp_path / "run.jsonl"], "accuracy")


def test_a_missing_row_counted_as_silence_earns_what_silence_earns(tmp_path: Path) -> None:
    """The graded score of a run with half of its rows is that of the same run with silence in their place."""
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(f'{{"id": "{i}", "question": "?", "answers": ["x y"]}}\n' for i in range(4)))
    half, whole = tmp_path / "half.jsonl", tmp_path / "whole.jsonl"
    said = ['{"id": "0", "answer": "x y"}\n', '{"id": "1", "answer": "x"}\n']
    half.write_text("".join(said))
    whole.write_text("".join([*said, '{"id": "2", "answer": null}\n', '{"id": "3", "answer": null}\n']))
    values = {
        path: score([str(questions), str(path)], ["mean(f1)"], ci=None, judge="token_f1", missing="unanswered")
        .rows[0]
        .value
        for path in (half, whole)
    }
    assert values[half] == values[whole] == pytest.approx((1 + 2 / 3) / 4)
