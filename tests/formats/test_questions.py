"""Questions and runs in JSON Lines: what is read, and one refusal for each rule that a line can break."""

import json
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.data.model import Question, Response
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.reasons import CountsAs, NoAnswer, settle
from nescio.errors import MismatchError
from nescio.formats import ReadOptions, Unjudged
from nescio.pipeline import Options, judge, load, open_files, recognise
from nescio.pipeline import read as read_files
from tests.notes import in_words
from tests.rings import together

from .encodings import evidence, read, refusal
from .fuzz import evidence_and_notes, write_files

Q1: dict[str, Any] = {"id": "q1", "question": "Who?", "answers": ["Ann"], "options": ["Ann", "Bob"]}
Q2: dict[str, Any] = {"id": "q2", "question": "Where?", "answers": ["Rome"], "options": ["Paris", "Rome"]}
A1: dict[str, Any] = {"id": "q1", "answer": "A", "confidence": 0.5}
A2: dict[str, Any] = {"id": "q2", "answer": "Paris"}


def lines(path: Path, *rows: Any) -> Path:
    """A file of these objects, or of lines as they are."""
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return path


def questions_and_run(
    folder: Path, questions: tuple[Any, ...] = (Q1, Q2), answers: tuple[Any, ...] = (A1, A2)
) -> list[Path]:
    """A file of questions and a run that answers them."""
    return [lines(folder / "questions.jsonl", *questions), lines(folder / "mine.jsonl", *answers)]


def unjudged(paths: list[Path]) -> Unjudged:
    """What the reader finds before anything is judged."""
    format_, parts = recognise(open_files(paths)[0])
    found = format_.read(parts, ReadOptions()).data
    assert isinstance(found, Unjudged)
    return found


def test_every_key_of_a_question(tmp_path: Path) -> None:
    whole = Q1 | {"answerable": True, "cluster": "s", "topic": "x", "level": 2, "tags": ["a"], "none": None}
    silent = {"id": 7, "question": "Why?", "answerable": False}
    found = unjudged(questions_and_run(tmp_path, (whole, silent), (A1,))).collection
    strata = {"topic": "x", "level": "2", "tags": '["a"]', "none": ""}
    assert found.name == "questions"
    assert found.questions == (
        Question("q1", "Who?", ("Ann",), ("Ann", "Bob"), True, "s", strata),
        Question("7", "Why?", answerable=False),
    )


def test_every_key_of_an_answer(tmp_path: Path) -> None:
    answers = (
        A1 | {"rank": 1, "support": "line 3"},
        {"id": "q1", "answer": 7, "rank": 2.0, "answered": True, "confidence": 1},
        {"id": " q2 ", "answer": "B", "answered": False, "confidence": None},
    )
    found = unjudged(questions_and_run(tmp_path, answers=answers)).runs
    assert [run.name for run in found] == ["mine"]
    assert found[0].responses == (
        Response("q1", "A", True, 0.5, 1, "line 3"),
        Response("q1", "7", True, 1.0, 2),
        Response("q2", "B", False),
    )


@pytest.mark.parametrize("nothing", [None, "", "  \n"])
def test_an_answer_of_nothing_is_no_answer(nothing: str | None, tmp_path: Path) -> None:
    found = evidence(questions_and_run(tmp_path, answers=(A1, {"id": "q2", "answer": nothing})))
    assert_array_equal(found.columns["unanswered"], [[0, 1]])


def test_a_run_is_named_by_its_file_or_in_its_rows(tmp_path: Path) -> None:
    rows = [answer | {"run": run} for run in ("x", "y") for answer in (A1, A2)]
    assert evidence(questions_and_run(tmp_path, answers=tuple(rows))).runs == ("x", "y")
    assert evidence(questions_and_run(tmp_path)).runs == ("mine",)


def test_runs_of_one_file_name_are_named_by_their_folders(tmp_path: Path) -> None:
    questions = questions_and_run(tmp_path)[0]
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    runs = [lines(tmp_path / name / "run.jsonl", A1, A2) for name in ("old", "new")]
    assert evidence([questions, *runs]).runs == ("old", "new")


BROKEN = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
DIGITS = json.dumps(A2 | {"confidence": 10**400})
BROKEN["answers"]["confidence of 400 digits"] = [DIGITS, "confidence must be a finite number, or null"]


@together("twin", BROKEN["answers"])
def test_a_broken_answer(twin: str, tmp_path: Path) -> None:
    row, rule = BROKEN["answers"][twin]
    paths = questions_and_run(tmp_path, answers=(A1, row))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[1]}, line 2: {rule}"), message


@together("twin", BROKEN["questions"])
def test_a_broken_question(twin: str, tmp_path: Path) -> None:
    row, rule = BROKEN["questions"][twin]
    paths = questions_and_run(tmp_path, questions=(Q1, row))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]}, line 2: {rule}"), message


def test_questions_and_runs_belong_together(tmp_path: Path) -> None:
    questions, run = questions_and_run(tmp_path)
    other = lines(tmp_path / "other.jsonl", Q1)
    assert (
        str(refusal(questions, MismatchError))
        == f"{questions} holds only questions; give the runs that answer these questions too"
    )
    assert "one file of questions beside the answers; none was given" in str(refusal(run, MismatchError))
    told = f"one file of questions beside the answers; 2 were given: {questions} and {other}"
    assert told in str(refusal([questions, other, run], MismatchError))


def test_rows_that_hold_their_gold_answers_need_no_questions(tmp_path: Path) -> None:
    rows = [{"id": "q1", "gold": "Ann", "answer": "ann"}, {"id": "q2", "gold": "Rome", "answer": "Paris"}]
    run = lines(tmp_path / "run.jsonl", *rows)
    assert evidence(run, judge="exact").columns["correct"].tolist() == [[1, 0]]
    asked = lines(tmp_path / "q.jsonl", Q1, Q2)
    assert evidence([asked, run], judge="exact").columns["correct"].tolist() == [[1, 0]]


def test_the_answers_of_a_run_may_have_another_name(tmp_path: Path) -> None:
    """Where nothing else in the lines has a name that is not nescio's own; else the error says what a run is."""
    said, silent = {"id": "q1", "prediction": "A", "confidence": 0.5}, {"id": "q2", "prediction": None}
    found = unjudged(questions_and_run(tmp_path, answers=(said, silent))).runs[0].responses
    assert found == (Response("q1", "A", True, 0.5), Response("q2", None, False))
    message = str(refusal(questions_and_run(tmp_path, answers=(said | {"question": "Who?"},)), MismatchError))
    assert "mine.jsonl is a table of answers" in message
    assert message.endswith("runs that answer questions must be JSON Lines with id and answer")


def test_a_run_in_two_files(tmp_path: Path) -> None:
    questions, run = questions_and_run(tmp_path, answers=(A1 | {"run": "x"}, A2 | {"run": "x"}))
    other = lines(tmp_path / "other.jsonl", A1 | {"run": "x"})
    assert str(refusal([questions, run, other], MismatchError)) == f"run 'x' is in both {run} and {other}"


def test_a_run_lacks_a_question(tmp_path: Path) -> None:
    paths = questions_and_run(tmp_path, answers=(A1,))
    assert str(refusal(paths, MismatchError)).startswith(f"{paths[1]}: run 'mine' lacks 1 of 2 questions (first: 'q2')")
    found = read(paths, missing="unanswered")
    assert in_words(found.notes) == ("run 'mine': 1 of 2 questions is missing and counted as unanswered",)


def test_strata_are_kept_or_chosen(tmp_path: Path) -> None:
    paths = questions_and_run(tmp_path, questions=(Q1 | {"topic": "x", "level": 1}, Q2))
    assert {name: list(values) for name, values in evidence(paths).strata.items()} == {
        "topic": ["x", ""],
        "level": ["1", ""],
    }
    assert set(evidence(paths, strata=("topic",)).strata) == {"topic"}


STORY_FILES = {
    "q.jsonl": '{"id": "a", "story": "s", "question": "Who ran?", "answers": ["Ann"], "sentences": [1], "level": 2}\n',
    "stories.jsonl": '{"id": "s", "sentences": ["Ann ran.", "She won."]}\n',
    "one.jsonl": '{"id": "a", "answer": "She won."}\n',
}


def story_files(folder: Path, **changed: str) -> list[Path]:
    """A question, its story and a run, with some of the files changed."""
    return write_files(folder, STORY_FILES | {f"{name}.jsonl": text for name, text in changed.items()})


def test_questions_with_stories_are_marked_by_sentence(tmp_path: Path) -> None:
    found = evidence(story_files(tmp_path))
    assert [int(found.columns[name][0, 0]) for name in ("reading.hum_sent", "reading.aut_sent", "correct")] == [1, 0, 1]
    assert {name: list(values) for name, values in found.strata.items()} == {
        "story": ["s"],
        "level": ["2"],
        "question_word": ["who"],
    }
    assert found.clusters is not None
    nobody = evidence(story_files(tmp_path, q=STORY_FILES["q.jsonl"].replace(', "sentences": [1]', "")))
    assert nobody.columns["correct"][0, 0] == 0  # by AutSent, where people listed none


@together("old, new, rule", BROKEN["unfit"]["cases"])
def test_a_question_that_does_not_fit_its_story_is_refused(tmp_path: Path, old: str, new: str, rule: str) -> None:
    paths = story_files(tmp_path, q=STORY_FILES["q.jsonl"].replace(old, new))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]}, line 1: ")
    assert rule in message


@together("second, rule", BROKEN["stories"]["cases"])
def test_a_broken_story_is_named_with_its_line(tmp_path: Path, second: str, rule: str) -> None:
    paths = story_files(tmp_path, stories=STORY_FILES["stories.jsonl"] + second + "\n")
    message = str(refusal(paths))
    assert message.startswith(f"{paths[1]}, line 2: ")
    assert rule in message


def test_stories_say_that_they_make_clusters(tmp_path: Path) -> None:
    """A folder brings its stories along, and the intervals are then others than those of the same questions without
    them."""
    asked = [{"id": i, "question": "Who?", "answers": ["x"], "story": "s"} for i in (1, 2)]
    files = write_files(
        tmp_path,
        {
            "questions.jsonl": "".join(json.dumps(row) + "\n" for row in asked),
            "stories.jsonl": '{"id": "s", "sentences": ["It is x."]}\n',
            "runs/a.jsonl": '{"id": 1, "answer": "x"}\n{"id": 2, "answer": "y"}\n',
        },
    )
    whole, said = evidence_and_notes(tmp_path)
    plain, nothing = evidence_and_notes([files[0], files[2]])
    assert (whole.clusters is None, plain.clusters is None, nothing) == (False, True, ())
    assert said == (
        f"{files[1]}: the 2 questions are about 1 story; questions about the same story are resampled together",
    )


def test_what_answers_rest_on_is_left_out_only_where_nobody_looks_at_it(tmp_path: Path) -> None:
    paths = questions_and_run(tmp_path, answers=(A1 | {"support": "a passage"}, A2))
    for supports, support in ((True, "a passage"), (False, None)):
        found = read_files(paths, Options(), supports=supports).data
        assert isinstance(found, Unjudged)
        assert found.runs[0].responses[0].support == support


@together(
    "fields, state",
    [
        ({"error": "HTTP 429"}, NOT_GRADED),
        ({"error": {"code": 500}}, NOT_GRADED),
        ({"exception": True}, NOT_GRADED),
        ({"status": 503}, NOT_GRADED),
        ({"finish_reason": "timeout"}, NOT_GRADED),
        ({"status": "RateLimitError"}, NOT_GRADED),
        ({"status": "HTTP 503"}, NOT_GRADED),
        ({"error_type": "openai.APITimeoutError"}, NOT_GRADED),
        ({"error_type": "api_error"}, NOT_GRADED),
        ({"is_timeout": 1}, NOT_GRADED),
        ({"error_type": "retrieval failure"}, SILENT),
        ({"tool_error": "TimeoutError"}, SILENT),
        ({"error_count": 404}, SILENT),
        ({"failed_attempts": 1}, SILENT),
        ({"length": 1}, SILENT),
        ({"status": "recovered from error"}, SILENT),
        ({"status": "parse_error"}, INCORRECT),
        ({"answered": False, "error": "timeout"}, NOT_GRADED),
        ({"answer": "", "error": "timeout"}, NOT_GRADED),
        ({"answer": "Paris", "answered": False, "error": "timeout"}, NOT_GRADED),
        ({"error": None}, SILENT),
        ({"error": ""}, SILENT),
        ({"error": {"code": 0, "message": None}}, SILENT),
        ({"error": False}, SILENT),
        ({"error": "none"}, SILENT),
        ({"status": 200}, SILENT),
        ({"finish_reason": "stop"}, SILENT),
        ({"answer": "Paris", "error": "the first attempt timed out"}, CORRECT),
        ({"finish_reason": "content_filter"}, NOT_GRADED),
        ({"finishReason": "FinishReason.SAFETY"}, NOT_GRADED),
        ({"status": "blocked"}, NOT_GRADED),
        ({"answered": False, "answer": "Paris", "finish_reason": "content_filter"}, NOT_GRADED),
        ({"response": {"choices": [{"finish_reason": "error"}]}}, NOT_GRADED),
        ({"incomplete_details": {"finish_reason": "max_output_tokens"}}, INCORRECT),
        ({"incomplete_details": {"reason": "max_output_tokens"}}, INCORRECT),
        ({"incomplete_details": {"reason": "content_filter"}}, NOT_GRADED),
        ({"truncated": True}, INCORRECT),
        ({"response": {"is_truncated": True}}, INCORRECT),
        ({"truncated": False}, SILENT),
        ({"timed_out": True}, NOT_GRADED),
        ({"answer": "", "refusal": True}, SILENT),
        ({"answer": "Error code: 503 - {'error': 'overloaded'}"}, NOT_GRADED),
        ({"answer": "Error 404"}, INCORRECT),
        ({"reason": "length"}, SILENT),
        ({"answer": "Paris", "truncated": True}, CORRECT),
        ({"tools": [{"name": "search", "status": "error"}]}, SILENT),
        ({"metadata": {"previous": {"error": "timeout"}}}, SILENT),
        ({"answered": False, "stop_reason": "tool_use"}, SILENT),
        ({"stop_reason": "refusal"}, SILENT),
        ({"answered": False, "answer": ""}, SILENT),
        ({"answered": False, "answer": " ", "finish_reason": "stop"}, SILENT),
        ({"answered": False, "answer": "Paris", "finish_reason": "length"}, SILENT),
        ({"answer": ""}, INCORRECT),
        ({"answer": "", "finish_reason": "length"}, INCORRECT),
        ({"finish_reason": "length"}, INCORRECT),
        ({"stop_reason": "max_tokens"}, INCORRECT),
        ({"status": "incomplete"}, INCORRECT),
        ({"answered": False, "finish_reason": "MAX_TOKENS"}, INCORRECT),
        ({"answer": "Paris", "finish_reason": "length"}, CORRECT),
    ],
)
def test_only_a_decision_is_an_abstention(tmp_path: Path, fields: dict[str, Any], state: int) -> None:
    for answerable in (True, False):
        question = Q2 if answerable else {"id": "q2", "question": "Where?", "answerable": False}
        gold = {"answers": ["Paris"], "options": []} if answerable else {}
        paths = questions_and_run(tmp_path, (Q1, question | gold), (A1, {"id": "q2", "answer": None} | fields))
        found = judge(read_files(paths, Options()))
        assert isinstance(found.data, Outcomes)
        assert settle(found.data, NoAnswer())[0].state[0, 1] == (state if answerable or state != CORRECT else INCORRECT)


@together("answered, reason", [*product((None, True, False), (None, "length", "content_filter"))])
def test_a_table_says_of_an_answer_what_a_run_says(tmp_path: Path, answered: bool | None, reason: str | None) -> None:
    for answer in (None, "Rome", "Paris"):
        if answer is None and answered:
            continue  # a run that contradicts itself is refused, and a table asks
        said = {"answered": answered, "finish_reason": reason}
        last = {name: value for name, value in said.items() if value is not None}
        first = {name: {"answered": True, "finish_reason": "stop"}[name] for name in last}
        asked = (
            {"id": "q1", "question": "Who?", "answers": ["Ann"]},
            {"id": "q2", "question": "Where?", "answers": ["Rome"]},
        )
        run = questions_and_run(
            tmp_path, asked, ({"id": "q1", "answer": "Ann"} | first, {"id": "q2", "answer": answer} | last)
        )
        whole = (
            {"question": "Who?", "gold": "Ann", "prediction": "Ann"},
            {"question": "Where?", "gold": "Rome", "prediction": answer},
        )
        table = lines(tmp_path / "table.jsonl", whole[0] | first, whole[1] | last)
        # null in a run is an abstention; in a table it is an empty cell, on which the option decides
        empty: CountsAs | None = None if answer is answered is reason is None else "incorrect"
        found = [
            nescio.score(files, ["c@1", "coverage"], judge="exact", empty=empty, ungraded="exclude", ci=None).rows
            for files in (run, [table])
        ]
        values = [[(row.measure, row.value, row.n) for row in rows] for rows in found]
        assert values[0] == values[1], (answer, values)


def test_fields_that_nobody_reads_are_named(tmp_path: Path) -> None:
    more = {"latency": 3, "status": 200, "error": None}
    paths = questions_and_run(tmp_path, answers=(A1, A2 | more | {"model": "m"}))
    noted = [remark.text for remark in read_files(paths, Options()).notes]
    assert noted == ["the runs have fields that nescio does not read: 'latency' and 'model'"]
    paths = questions_and_run(tmp_path, answers=({"id": "q1", "prediction": "A"}, {"id": "q2", "prediction": "B"}))
    assert not read_files(paths, Options()).notes


@pytest.mark.parametrize(
    "text", ["Error 404: Not Found", "[Error bars] show it", "ERROR: no relation", "Error: 451 ml"]
)
def test_an_answer_that_is_right_is_no_failed_call(tmp_path: Path, text: str) -> None:
    """A wrong answer that begins as a failed call has no grade, unless the gold answer begins alike."""
    questions = [{"id": f"q{i}", "question": "?", "answers": [gold]} for i, gold in enumerate([text, "blue", "blue"])]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    answers = [text, "Error: 429 Too Many Requests", "red"]
    run = "".join(json.dumps({"id": f"q{i}", "answer": answer}) + "\n" for i, answer in enumerate(answers))
    (tmp_path / "run.jsonl").write_text(run)
    found = load([*sorted(tmp_path.glob("*.jsonl"))], Options(judge="exact", written=True, ungraded="exclude")).whole
    assert found is not None
    assert isinstance(found.data, Outcomes)
    assert found.data.state.tolist() == [[CORRECT, NOT_GRADED, INCORRECT]]
