"""Response files in blocks, and their keys with alternatives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio import score
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.benchmarks.cbc import files_in
from nescio.pipeline import read_collection

from .encodings import evidence, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "cbc4kids"
KEY = """\
QuestionID: s-1-1
Question: Where is the school?
Answer: Liverpool, Nova Scotia | Canada
Difficulty: Moderate

QuestionID: s-1-2
Question: Who is the principal?
Answer: Betty Jean
Difficulty: easy

QuestionID: t-1
Question: How big?
Answer: 12,000 square feet
Difficulty: Easy
"""
MINE = """\
QuestionID: s-1-1
Answer: in Canada

QuestionID: s-1-2
Answer: betty jean

QuestionID: t-1
Answer:
"""


def given_files(folder: Path, key: str = KEY, mine: str = MINE) -> list[Path]:
    """A key and the responses of one run."""
    return write_files(folder, {"dev.answers": key, "mine.response": mine})


def test_what_files_hold(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(given_files(tmp_path))
    assert (found.runs, found.questions, notes) == (("mine",), ("s-1-1", "s-1-2", "t-1"), ())
    assert_array_equal(found.columns["correct"], [[0, 1, 0]])
    assert_array_equal(found.columns["incorrect"], [[1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1]])
    assert list(found.strata["difficulty"]) == ["moderate", "easy", "easy"]
    assert list(found.strata["story"]) == ["s-1", "s-1", "t"]
    assert found.clusters is not None
    assert list(found.clusters) == [0, 0, 1]


def test_alternatives_are_apart(tmp_path: Path) -> None:
    for answer, right in (("CANADA!", 1), ("Liverpool Nova Scotia", 1), ("Liverpool, Nova Scotia | Canada", 0)):
        paths = given_files(tmp_path, mine=MINE.replace("in Canada", answer))
        assert evidence(paths).columns["correct"][0, 0] == right


def test_answers_may_go_on_and_hold_colons(tmp_path: Path) -> None:
    mine = MINE.replace("betty jean", "Betty\n   Jean").replace("in Canada", "Canada: a country")
    found = evidence(given_files(tmp_path, mine=mine))
    assert_array_equal(found.columns["correct"], [[0, 1, 0]])


def test_blocks_need_no_blank_lines_between_them(tmp_path: Path) -> None:
    paths = given_files(
        tmp_path, KEY.replace("\n\n", "\n"), "\ufeff" + MINE.replace("\n\n", "\n\n\n").replace("\n", "\r\n")
    )
    assert_array_equal(evidence(paths).columns["correct"], [[0, 1, 0]])


def test_files_are_told_apart_by_what_is_in_them(tmp_path: Path) -> None:
    questions = "".join(line for line in KEY.splitlines(keepends=True) if not line.startswith("Answer"))
    bare = "".join(line for line in KEY.splitlines(keepends=True) if not line.startswith("Question:"))
    paths = write_files(tmp_path, {"k.txt": KEY, "r.txt": MINE, "q.txt": questions})
    found = evidence(paths)
    assert found.runs == ("r",)
    assert_array_equal(found.columns["correct"], [[0, 1, 0]])
    paths = write_files(tmp_path, {"bare.answers": bare, "r.txt": MINE, "q.txt": questions})
    assert list(evidence(paths).strata["difficulty"]) == ["moderate", "easy", "easy"]


def test_keys_in_several_files_and_runs(tmp_path: Path) -> None:
    first, _, last = KEY.partition("\n\n")
    paths = write_files(
        tmp_path, {"a.answers": first, "b.answers": last, "all.answers": KEY, "x.response": MINE, "y.response": MINE}
    )
    assert evidence(paths).runs == ("x", "y")


def test_two_keys_to_one_question(tmp_path: Path) -> None:
    again = f"{KEY}\nQuestionID: s-1-2\nAnswer: Ann\n"
    paths = given_files(tmp_path, again)
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]}, line 16: question 's-1-2' appears again with a different answer")
    assert "it was 'Betty Jean' in" in message
    for which, right in (("first", 1), ("last", 0)):
        found, notes = evidence_and_notes(paths, choose={"key": which})
        assert found.columns["correct"][0, 1] == right
        assert notes == (f"1 question has two different keys: the {which} is taken, as requested",)
    refusal(paths, UsageError, choose={"key": "both"})
    assert evidence(given_files(tmp_path, f"{KEY}\nQuestionID: s-1-2\nAnswer: Betty Jean\n")).columns["correct"][0, 1]


def test_a_question_without_a_response(tmp_path: Path) -> None:
    paths = given_files(tmp_path, mine=MINE.partition("\n\n")[0])
    assert "lacks 2 of 3 questions (first: 's-1-2')" in str(refusal(paths, MismatchError))
    assert_array_equal(evidence(paths, missing="unanswered").columns["unanswered"], [[0, 1, 1]])


def test_responses_to_other_questions(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(given_files(tmp_path, mine=f"{MINE}\nQuestionID: z-1\nAnswer: x\n"))
    assert notes == ("run 'mine': 1 answer to questions that the key does not hold: left out",)
    rule = "answers none of the questions that the key holds"
    assert rule in str(refusal(given_files(tmp_path, mine="QuestionID: z-1\nAnswer: x\n"), MismatchError))


def test_confidence_and_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    mine = MINE.replace("in Canada", "in Canada\nConfidence: 0.25").replace("betty jean", "I do not know")
    found = evidence(given_files(tmp_path, mine=mine), declined_pattern=("i do not know",))
    assert_array_equal(found.columns["confidence"], [[0.25, np.nan, np.nan]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 1]])


BROKEN: dict[str, tuple[str, str, str]] = {
    "an empty id": ("QuestionID:\nAnswer: x\n", "line 9", "the QuestionID is empty"),
    "no answer": ("QuestionID: s-1-9\n", "line 9", "this block has no line Answer:"),
    "twice": (
        "QuestionID: t-1\nAnswer: x\n",
        "line 9",
        "the question appears twice; first on line 7 (found 't-1')",
    ),
    "two answers": ("QuestionID: s-1-9\nAnswer: x\nAnswer: y\n", "line 11", "Answer appears twice in the block of"),
    "words after a blank line": ("\nwords\n", "line 10", "a line must begin with QuestionID:, Question:, Answer:"),
    "words after the id": (
        "QuestionID: s-1-9\nwords\n",
        "line 10",
        "a line must begin with QuestionID:, Question:, Answer:",
    ),
    "confidence": (
        "QuestionID: s-1-9\nAnswer: x\nConfidence: 9e999\n",
        "line 11",
        "Confidence must be a finite number",
    ),
    "confidence in words": ("QuestionID: s-1-9\nAnswer: x\nConfidence: high\n", "line 11", "(found 'high')"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_response(twin: str, tmp_path: Path) -> None:
    block, where, rule = BROKEN[twin]
    paths = given_files(tmp_path, mine=MINE + block)
    message = str(refusal(paths))
    assert message.startswith(f"{paths[1]}, {where}: "), message
    assert rule in message


def test_broken_keys_and_files_that_do_not_belong_together(tmp_path: Path) -> None:
    key, mine = given_files(tmp_path, KEY.replace("Betty Jean", " | "))
    assert str(refusal([key, mine])) == f"{key}, line 8: a key must have an answer (found '|')"
    key, mine = given_files(tmp_path)
    assert str(refusal(key, MismatchError)) == f"{key} is a key; give the responses of the runs with it"
    assert "needs a key with it" in str(refusal(mine, MismatchError))


@pytest.mark.fuzz("cbc")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    sample = {"dev.answers": KEY, "mine.response": MINE}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), sample, missing="unanswered")


@pytest.mark.skipif(not DATA.exists(), reason="the CBC files are not beside the checkout")
def test_the_sums_of_the_course_scorer() -> None:
    """The course scorer on the student run: recall 243.70/504 = .4835, precision 148.48/416 = .3569, 88 answers
    empty."""
    paths = [str(DATA / "developset" / "expected.answers"), str(DATA / "student-run.response")]
    figures = score(paths, ["mean(overlap.recall)", "mean(overlap.precision)"], ci=None, judge="overlap")
    assert figures.value("student-run", "mean(overlap.recall)") * 504 == pytest.approx(243.70, abs=0.005)
    assert figures.value("student-run", "mean(overlap.precision)") * 416 == pytest.approx(148.48, abs=0.005)
    found = evidence([Path(path) for path in paths])
    assert (found.columns["answered"] == 0).sum() == 88
    assert found.clusters is not None
    assert len(set(found.clusters)) == 73


STORIES = {
    "s.story": "HEADLINE: A School\nDATE: May 1, 1999\nSTORYID: s-1\n\nTEXT:\n\nThe school is in\nCanada. Betty "
    "Jean leads it.\n",
    "t.story": "STORYID: t\nTEXT:\nIt covers 12,000 square feet.\n",
}
FILES = {"dev.answers": KEY, "mine.response": MINE, **STORIES}


def test_stories_mark_the_sentences(tmp_path: Path) -> None:
    """Word recall of "in Canada" by its key Canada 1, of "betty jean" 1, of silence 0; each answer stands in the
    best sentence."""
    found, notes = evidence_and_notes(write_files(tmp_path, FILES))
    assert_array_equal(found.columns["reading.word_recall"], [[1, 1, 0]])
    assert_array_equal(found.columns["reading.word_precision"], [[1, 1, np.nan]])
    assert_array_equal(found.columns["reading.aut_sent"], [[1, 1, 0]])
    assert np.isnan(found.columns["reading.hum_sent"]).all()  # nobody listed sentences
    assert_array_equal(found.columns["correct"], [[1, 1, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1]])
    assert list(found.strata["question_word"]) == ["where", "who", "how"]
    assert notes == ()


def test_a_collection_is_read_without_a_key_or_a_run(tmp_path: Path) -> None:
    questions = "".join(line for line in KEY.splitlines(keepends=True) if not line.startswith("Answer:"))
    paths = write_files(tmp_path, {"q.questions": questions, **STORIES})
    collection, _ = read_collection(paths)
    assert [question.answers for question in collection.questions] == [(), (), ()]
    assert collection.questions[0].story == ("The school is in Canada.", "Betty Jean leads it.")


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"c/a.answers": "", "c/expected.answers": "", "c/a.questions": "", "c/a.story": "", "c/x.txt": ""}
    )
    assert [path.name for path in files_in(tmp_path / "c")] == ["expected.answers", "a.questions", "a.story"]
    (tmp_path / "c" / "expected.answers").unlink()
    assert [path.name for path in files_in(tmp_path / "c")] == ["a.answers", "a.questions", "a.story"]
    with pytest.raises(FormatError, match=r"holds no \.story file"):
        files_in(tmp_path)


def test_broken_stories(tmp_path: Path) -> None:
    for name, text, rule in (
        ("t.story", "STORYID: u\nTEXT:\nx\n", "there is no story 't' for question 't-1'"),
        ("t.story", "STORYID: s-1\nTEXT:\nx\n", "a story with this STORYID was already given (found 's-1')"),
        ("t.story", "STORYID: t\nHEADLINE: x\n", "a story must have a line TEXT:"),
        ("t.story", "HEADLINE: x\nTEXT:\nx\n", "a story must have a STORYID: before its TEXT:"),
        ("t.story", "STORYID: t\nTEXT:\n\n", "line 2: there is nothing after TEXT:"),
    ):
        paths = write_files(tmp_path, FILES | {name: text})
        kind = MismatchError if "no story" in rule else FormatError
        assert rule in str(refusal(paths, kind))
    only = write_files(tmp_path, {"s.story": STORIES["s.story"]})
    assert "needs a key with it" in str(refusal(only, MismatchError))


@pytest.mark.skipif(not DATA.exists(), reason="the CBC files are not beside the checkout")
def test_the_real_stories() -> None:
    """73 stories and 504 keyed questions, as the data's own README says; every question finds its story."""
    collection, _ = read_collection(files_in(DATA / "developset"))
    assert len(collection.questions) == 504
    assert len({question.cluster for question in collection.questions}) == 73
    assert all(len(question.story) > 3 for question in collection.questions)
