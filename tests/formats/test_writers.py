"""Folders of files as the writers write them are read back to the same thing, but for what a note counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from msgspec.structs import replace
from numpy.testing import assert_array_equal

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, UsageError
from nescio.formats import WRITERS, Unjudged
from nescio.pipeline import Options, read, read_collection
from tests import strategies
from tests.notes import in_words


def files_in(folder: Path) -> list[Path]:
    """All files of a folder, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def data_of(paths: Sequence[Path]) -> Any:
    """What is read of files."""
    return read(paths, Options()).data


def read_folder(folder: Path) -> Any:
    """What is read of all files in a folder."""
    return data_of(files_in(folder))


def notes_of_writing(found: Any, to: str, folder: Path) -> tuple[str, ...]:
    """The notes of writing."""
    return in_words(WRITERS.find(to).write(found, folder).notes)


def by_name(runs: Sequence[Run]) -> dict[str, tuple[Response, ...]]:
    return {run.name: tuple(run.responses) for run in runs}


QUESTIONS = (
    Question("1", "Who?", ("Ann", "Anne"), ("Ann", "Bob"), True, "s1", {"topic": "people"}),
    Question("2", "What?", ("a cat",), (), None, None, {"topic": "things"}),
    Question("3", "Why?", (), (), False, None, {"topic": "things"}),
)
RUNS = (
    Run(
        "one/two",
        (
            Response("1", "Ann", True, 0.75, 1, "page 3"),
            Response("1", "Bob", True, 0.5, 2),
            Response("2", "a dog", False, 0.25),
            Response("3", None, False),
        ),
    ),
    Run(
        "plain", (Response("1", "Bob", True, 0.5), Response("2", "a cat", True, -2.0), Response("3", "why", True, 3.0))
    ),
)
FOUND = Unjudged(Collection("questions", QUESTIONS), RUNS)


# ---- nescio's own questions and runs ----


def test_questions_and_runs_are_written_whole(tmp_path: Path) -> None:
    assert notes_of_writing(FOUND, "questions", tmp_path / "out") == ()
    assert [str(path.relative_to(tmp_path / "out")) for path in files_in(tmp_path / "out")] == [
        "questions.jsonl",
        "runs/one_two.jsonl",
        "runs/plain.jsonl",
    ]
    found = read_folder(tmp_path / "out")
    assert found.collection == FOUND.collection
    assert by_name(found.runs) == by_name(RUNS)


@pytest.mark.sampled
@given(found=strategies.unjudged())
def test_whatever_questions_and_runs_hold_is_read_back(
    found: Unjudged, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("written") / "out"
    notes = notes_of_writing(found, "questions", folder)
    assert notes == ()
    if found.runs:
        read = read_folder(folder)
        assert by_name(read.runs) == by_name(found.runs)
        assert read.collection == found.collection
    else:
        assert read_collection(files_in(folder))[0] == found.collection


def test_stories_are_written_beside_their_questions(tmp_path: Path) -> None:
    told = [("The cat sat.", "It slept."), ("A dog ran.",)]
    questions = tuple(
        Question(
            f"q{i}", "What?", ("cat",), (), None, f"tale {i}", {"story": f"tale {i}", "question_word": "what"}, *rest
        )
        for i, rest in enumerate([(told[0], (1,)), (told[1], ())])
    )
    run = Run("mine", (Response("q0", "It slept.", True), Response("q1", None, False)))
    found = Unjudged(Collection("questions", questions), (run,))
    assert notes_of_writing(found, "questions", tmp_path / "out") == ()
    read = read_folder(tmp_path / "out")
    assert read.collection == found.collection
    assert read.runs == (run,)


def test_columns_that_mean_something_else_are_left_out_and_counted(tmp_path: Path) -> None:
    """`outcome` makes an outcome table of a line, and `value` beside an id an answer of PAN."""
    strata = {"outcome": "o", "value": "v", "answer": "a", "topic": "t"}
    question = Question("1", "Who?", ("Ann",), strata=strata)
    found = Unjudged(Collection("questions", (question,)), (), extra_columns={"f1": np.zeros((0, 1))})
    assert notes_of_writing(found, "questions", tmp_path / "out") == (
        "left out, because nescio's questions and runs cannot hold this: 3 columns of questions (outcome, "
        "value, answer), "
        "1 column of scores (f1)",
    )
    assert read_collection(files_in(tmp_path / "out"))[0].questions[0].strata == {"topic": "t"}


def test_runs_whose_names_are_no_file_names(tmp_path: Path) -> None:
    """Names that one file system or another would not take, or not tell apart, are kept in the lines."""
    names = ("a/b", "a:b", "A_B", "..", "", "x" * 300, "漢" * 60)
    runs = tuple(Run(name or " ", (Response("1", "Ann", True),)) for name in names if name)
    notes_of_writing(replace(FOUND, runs=runs), "questions", tmp_path / "out")
    stems = [path.stem for path in files_in(tmp_path / "out" / "runs")]
    assert len({stem.lower() for stem in stems}) == len(runs)
    assert all(len(stem.encode()) <= 102 and not stem.startswith(".") for stem in stems)
    assert {run.name for run in read_folder(tmp_path / "out").runs} == {name for name in names if name}


# ---- SQuAD ----

LOST = (
    "left out, because SQuAD cannot hold this: 1 question with options, 1 cluster mark, 1 declined candidate, "
    "1 answer below rank 1, 1 support, 1 column of questions (topic)"
)
SAID = {
    "one_two": {"1": "Ann", "2": None, "3": None},
    "plain": {"1": "Bob", "2": "a cat", "3": "why"},
}


def answers_by_run(found: Any) -> dict[str, dict[str, str | None]]:
    """What each run answers."""
    return {run.name: {one.question_id: one.answer for one in run.responses} for run in found.runs}


def gold(found: Any) -> list[tuple[str, str, tuple[str, ...], bool]]:
    """The questions with their answers, and whether they have any."""
    return [(one.id, one.text, one.answers, one.answerable is not False) for one in found.collection.questions]


def test_squad(tmp_path: Path) -> None:
    """Confidence comes back from odds bit for bit; silence has none in SQuAD."""
    assert notes_of_writing(FOUND, "squad2", tmp_path / "out") == (
        LOST,
        "1 run is named after its file: 'one/two' as one_two",
    )
    found = read_folder(tmp_path / "out")
    assert (answers_by_run(found), gold(found)) == (SAID, gold(FOUND))
    odds = json.loads((tmp_path / "out" / "na_odds_one_two.json").read_text())
    assert odds == {"1": -0.75, "2": -0.75, "3": -0.75}  # silence has the highest there is, as its own is not known
    sure = {run.name: [one.confidence for one in run.responses] for run in found.runs}
    assert sure == {"one_two": [0.75, None, None], "plain": [0.5, -2.0, 3.0]}


def test_squad_says_that_an_answer_that_failed_becomes_an_abstention(tmp_path: Path) -> None:
    lacking = tuple(Response(q, None, False, why=why) for q, why in (("1", "errored"), ("2", "empty"), ("3", None)))
    (note,) = notes_of_writing(replace(FOUND, runs=(Run("mine", lacking),)), "squad2", tmp_path / "out")
    assert "2 reasons for the lack of an answer, which becomes an abstention" in note


def test_odds_that_would_be_read_otherwise_are_not_written(tmp_path: Path) -> None:
    """Odds from 0 to 1 are read as probabilities: of confidence -0.5 would come 0.5. And some ids make a report of
    odds."""
    runs = (Run("low", (Response("1", "Ann", True, -0.5), Response("2", "x", True))),)
    notes = notes_of_writing(replace(FOUND, runs=runs), "squad2", tmp_path / "low")
    assert notes[-1] == "run 'low': no file of odds is written, because its confidences could not be read back exactly"
    runs = (Run("some", (Response("1", "Ann", True, 0.5), Response("2", "x", True))),)
    notes = notes_of_writing(replace(FOUND, runs=runs), "squad2", tmp_path / "some")
    assert notes[-1] == "run 'some': 1 answer without confidence, so without odds"
    question = replace(QUESTIONS[0], id="a:1")
    found = Unjudged(Collection("c", (question,)), (Run("run", (Response("a:1", "Ann", True, 0.5),)),))
    assert "no file of odds" in notes_of_writing(found, "squad2", tmp_path / "colon")[-1]


@pytest.mark.parametrize("to", ["questions", "squad2"])
def test_a_question_without_gold_is_refused(to: str, tmp_path: Path) -> None:
    found = Unjudged(Collection("c", (QUESTIONS[0], Question("9", "When?"))), RUNS[:0])
    with pytest.raises(
        MismatchError, match="question '9' has no answer: give an answer, or mark the question with answerable: false"
    ):
        notes_of_writing(found, to, tmp_path / "out")
    assert not list(tmp_path.iterdir())


# ---- PAN ----

TRUTHS = {
    "2020": (
        '{"id": "a", "same": true, "authors": ["x", "x"]}\n{"id": "b", "same": false}\n{"id": "c", "same": true}\n'
    ),
    "2025": ('{"id": "a", "label": 1, "genre": "news"}\n{"id": "b", "label": 0}\n{"id": "c", "label": 1}\n'),
    "2014": "EN001 Y\nEN002 N\nEN003 Y\n",
}
ANSWERS = {
    "2020": '{"id": "a", "value": 0.9}\n{"id": "b", "value": 0.7}\n{"id": "c", "value": 0.5}\n',
    "2025": '{"id": "a", "label": 0.9}\n{"id": "b", "label": 1.7}\n{"id": "c", "label": 0.5}\n',
    "2014": "EN001 0.9\nEN002 0.7\nEN003 0.5\n",
}


@pytest.mark.parametrize("year", TRUTHS)
def test_pan_of_any_year_is_written_as_that_of_2020(year: str, tmp_path: Path) -> None:
    suffix = "txt" if year == "2014" else "jsonl"
    truth, answers = tmp_path / f"truth.{suffix}", tmp_path / f"mine.{suffix}"
    truth.write_text(TRUTHS[year])
    answers.write_text(ANSWERS[year])
    before = data_of([truth, answers])
    assert isinstance(before, Outcomes)
    notes = notes_of_writing(before, "pan", tmp_path / "out")
    lost = "PAN's truth of 2020 cannot hold these, so they are left out: corpus"
    clipped = "run 'mine': 1 scores outside [0, 1], clipped to [0, 1]"
    assert notes == {"2014": (lost,), "2025": (clipped,)}.get(year, ())
    assert (tmp_path / "out" / "runs" / "mine" / "answers.jsonl").exists()
    after = read_folder(tmp_path / "out")
    assert (after.runs, after.questions) == (before.runs, before.questions)
    for name in ("state", "confidence"):
        assert_array_equal(getattr(after, name), getattr(before, name))
    for name in ("verification.same", "verification.value"):
        assert_array_equal(after.extra_columns[name], np.clip(before.extra_columns[name], 0, 1))
    assert {name: list(values) for name, values in after.strata.items()} == (
        {"genre": ["news", "", ""]} if year == "2025" else {}
    )


def test_a_letter_of_2013_against_its_score_cannot_be_written_as_a_score(tmp_path: Path) -> None:
    """EN01 Y 0.3 says that the answer is Y, and 0.3 alone would say N; silence (-) with a score is 0.5, which a note
    counts."""
    (tmp_path / "truth.txt").write_text("EN01 Y\nEN02 N\n")
    for name, line in (("against", "EN01 Y 0.3\nEN02 N 0.1\n"), ("half", "EN01 Y 0.5\nEN02 N 0.1\n")):
        (tmp_path / f"{name}.txt").write_text(line)
        found = data_of([tmp_path / "truth.txt", tmp_path / f"{name}.txt"])
        with pytest.raises(MismatchError, match=f"run '{name}': 1 decision .Y or N. did not follow the score"):
            notes_of_writing(found, "pan", tmp_path / "out")
    (tmp_path / "silent.txt").write_text("EN01 - 0.9\nEN02 N 0.1\n")
    found = data_of([tmp_path / "truth.txt", tmp_path / "silent.txt"])
    assert "run 'silent': 1 scores of abstentions (-) are written as 0.5" in notes_of_writing(
        found, "pan", tmp_path / "out"
    )
    assert_array_equal(read_folder(tmp_path / "out").state, found.state)


# ---- what all writers of folders promise ----


@pytest.mark.parametrize("to", [name for name, writer in WRITERS.items() if writer.takes is Unjudged])
def test_a_folder_that_holds_something_is_left_alone(to: str, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(UsageError, match="already exists; give a new or empty folder"):
        notes_of_writing(FOUND, to, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
    empty = tmp_path / "empty"
    empty.mkdir()
    notes_of_writing(FOUND, to, empty)
    assert not [path for path in empty.iterdir() if path.name.startswith(".")]
    assert by_name(read_folder(empty).runs)
