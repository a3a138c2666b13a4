"""Columns whose names or paths say whose they are: of the key, of a judge, of another system; and what is in no row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.tables.asking import AskedError
from nescio.tables.lexicon import fold
from tests.tables.reading import counted

Counts = tuple[tuple[int, ...], ...]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON Lines."""
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def table(path: Path, text: str) -> Path:
    """Write a table whose rows are separated by slashes."""
    path.write_text(text.replace("/", "\n") + "\n", encoding="utf-8")
    return path


def asked(path: Path) -> list[Counts]:
    """Return the counts of each answer to the question about a file."""
    with pytest.raises(AskedError) as question:
        counted(path)
    return [tuple(sorted(tuple(own[1:]) for own in way.counts)) for way in question.value.executed]


@pytest.mark.parametrize("parent", ["expected", "ground_truth", "reference", "target"])
def test_what_should_be_declined_is_of_the_question(tmp_path: Path, parent: str) -> None:
    """One of four answers is right, and none was declined."""
    pairs = [(True, False), (False, True), (True, False), (False, False)]
    rows = [{"id": i, "model": "a", parent: {"refused": r}, "correct": c} for i, (r, c) in enumerate(pairs)]
    assert counted(lines(tmp_path / "t.jsonl", rows)) == ((1, 3, 0, 0),)


@pytest.mark.parametrize("parent", ["dataset", "example", "human", "baseline", "oracle"])
def test_what_others_declined_is_asked_about(tmp_path: Path, parent: str) -> None:
    pairs = [(True, False), (False, True), (True, False), (False, False)]
    rows = [{"id": i, "model": "a", parent: {"refused": r}, "correct": c} for i, (r, c) in enumerate(pairs)]
    assert ((1, 3, 0, 0),) in asked(lines(tmp_path / "t.jsonl", rows))


def test_a_judge_has_a_verdict_and_no_confidence_or_run_of_the_system(tmp_path: Path) -> None:
    rows = [
        {"id": i, "prediction": f"p{i}", "judge": {"model": model, "verdict": verdict, "confidence": 0.9 - i / 10}}
        for i, (model, verdict) in enumerate(zip("abab", ("correct", "incorrect") * 2, strict=True))
    ]
    path = lines(tmp_path / "t.jsonl", rows)
    assert counted(path) == ((2, 2, 0, 0),)
    with pytest.raises(nescio.NescioError, match="no confidences"):
        nescio.score(path, "AURC")


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("gold_verdict", "verdict"),
        ("expected_verdict", "judgment"),
        ("reference_judgment", "judgment"),
        ("expected_outcome", "outcome"),
        ("gold_correct", "correct"),
        ("should_pass", "passed"),
        ("fact", "verdict"),
        ("statement_true", "verdict"),
    ],
)
def test_a_verdict_of_the_key_beside_another_may_be_its_right_answer(tmp_path: Path, key: str, verdict: str) -> None:
    """They agree on one of four; three of four verdicts say yes."""
    path = table(tmp_path / "t.csv", f"id,{key},{verdict}/1,true,true/2,false,true/3,true,false/4,false,true")
    assert {((1, 3, 0, 0),), ((3, 1, 0, 0),)} == {*asked(path)}


def test_no_answer_may_be_said_of_the_question(tmp_path: Path) -> None:
    path = table(
        tmp_path / "t.csv",
        "model,id,no_answer,prediction,correct/a,1,0,Paris,1/a,2,1,London,0/a,3,1,Rome,0/a,4,0,Bern,0",
    )
    assert {((1, 1, 2, 0),), ((1, 3, 0, 0),)} <= {*asked(path)}


def test_an_act_in_an_unknown_word_is_asked_about(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "model,id,action,correct/a,1,answer,1/a,2,escalate,0/a,3,answer,0")
    assert asked(path)[0] == ((1, 1, 1, 0),)


def test_an_empty_answer_to_a_question_without_one_is_asked_about(tmp_path: Path) -> None:
    """Whatever the columns are called, but for nescio's own table, in which an empty prediction is an abstention."""
    path = table(tmp_path / "t.csv", "model,id,gold,prediction/a,1,Paris,Paris/a,2,,/a,3,,Rom")
    assert asked(path)[0] == ((2, 1, 0, 0),)
    own = table(tmp_path / "own.csv", "run,question,gold,prediction/a,1,Paris,Paris/a,2,,/a,3,,Rom")
    assert counted(own) == ((2, 1, 0, 0),)


def test_a_list_of_gold_answers_in_a_text_is_read_alike_in_all_kinds_of_files(tmp_path: Path) -> None:
    cells = [("['Paris', 'Lutetia']", "Lutetia"), ("['Bern']", "Bern"), ("['Rome', 'Roma']", "Oslo")]
    rows = [{"id": i, "gold": gold, "prediction": said} for i, (gold, said) in enumerate(cells)]
    assert counted(lines(tmp_path / "t.jsonl", rows)) == ((2, 1, 0, 0),)
    text = "id,gold,prediction/" + "/".join(f'{i},"{gold}",{said}' for i, (gold, said) in enumerate(cells))
    assert counted(table(tmp_path / "t.csv", text)) == ((2, 1, 0, 0),)


def test_a_list_of_what_was_skipped_is_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rows = [{"id": 1, "correct": True}, {"id": 2, "correct": False}]
    path.write_text(json.dumps({"model": "a", "results": rows, "skipped": [{"id": 3}, {"id": 4}]}))
    assert asked(path)[0] == ((1, 1, 2, 0),)
    assert counted(path, total=4, rest="unanswered") == ((1, 1, 2, 0),)


def test_texts_that_are_asked_again_under_other_ids_show_a_run(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "id,question,sut,correct/1,Who?,a,1/2,Where?,a,0/3,Who?,b,1/4,Where?,b,1")
    assert ((1, 1, 0, 0), (2, 0, 0, 0)) in asked(path)


def test_outcomes_in_words_under_any_name_are_offered(tmp_path: Path) -> None:
    """By the words alone two are right; by the gold answers one is."""
    text = "question,answer,gold,zustand/1,Paris,Paris,correct/2,Rome,Roma,correct/3,Oslo,Bern,incorrect/4,?,Bern,abstained"
    assert asked(table(tmp_path / "t.csv", text))[0] == ((2, 1, 1, 0),)


def test_codes_beside_texts_are_no_gold_answers(tmp_path: Path) -> None:
    text = "qid,label,answer/1,1,Paris/2,0,Lake Titicaca/3,-1,It may be a lamp."
    assert asked(table(tmp_path / "t.csv", text))[0] == ((1, 1, 1, 0),)


def test_a_verdict_that_may_be_on_form_and_denies_the_key_is_asked_about(tmp_path: Path) -> None:
    """The third answer is the gold answer, and the column says 0 of it: whether it is valid, perhaps."""
    path = table(tmp_path / "t.csv", "model,id,valid,gold,pred/a,1,1,x,x/a,2,1,y,z/a,3,0,z,z/a,4,1,w,q")
    assert asked(path)[:2] == [((3, 1, 0, 0),), ((2, 2, 0, 0),)]


def test_the_same_number_in_two_collections_is_two_questions(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "model,dataset,id,correct/old,squad,1,1/old,squad,2,0/new,nq,1,1/new,nq,2,1")
    assert len(asked(path)) == 2
    with pytest.raises(AskedError) as question:
        counted(path)
    assert {way.questions for way in question.value.executed} == {2, 4}


@pytest.mark.parametrize(
    ("column", "cells"), [("gave_no_answer", "010"), ("response_label", ("answer", "no_answer", "answer"))]
)
def test_a_name_that_ends_in_words_for_silence_is_asked_about(tmp_path: Path, column: str, cells: str) -> None:
    rows = "/".join(f"{i},{cell},{right}" for i, (cell, right) in enumerate(zip(cells, (1, 0, 0), strict=True)))
    assert asked(table(tmp_path / "t.csv", f"id,{column},correct/{rows}"))[0] == ((1, 1, 1, 0),)


def test_a_cell_of_millions_of_letters_is_no_word(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", f"id,correct,notes/1,1,{'a' * 5_000_000}/2,0,")
    assert counted(path) == ((1, 1, 0, 0),)
    assert fold("A" * 5_000_000) == "A" * 5_000_000


def test_what_a_judges_object_says_of_refusals_and_errors_is_asked_about(tmp_path: Path) -> None:
    """A judge's object may say that the answer is a refusal, or that the judge refused; so may its error."""
    rows: list[dict[str, Any]] = [
        {
            "question_id": i,
            "model": "a",
            "response": answer,
            "grader": {"correct": verdict, "is_refusal": int(answer is None)},
        }
        for i, (answer, verdict) in enumerate([("x", True), ("y", False), (None, None), ("z", True)])
    ]
    assert ((2, 1, 1, 0),) in asked(lines(tmp_path / "refusal.jsonl", rows))
    rows = [
        {
            "question_id": i,
            "model": "a",
            "correct": verdict,
            "judge": {"error": "timeout after 60 s" if i == 2 else None},
        }
        for i, verdict in enumerate([True, False, False, True])
    ]
    assert {((2, 1, 0, 1),), ((2, 2, 0, 0),)} == {*asked(lines(tmp_path / "error.jsonl", rows))}


def test_a_column_of_verdicts_is_not_also_the_prediction(tmp_path: Path) -> None:
    """ "judgement" may name a system's decision. Here it is the verdict, so an empty answer is asked about."""
    path = table(
        tmp_path / "t.csv",
        "id,answer,judgement,answer_key/1,Paris,correct,Paris/2,,incorrect,Rome/3,Oslo,incorrect,Bern",
    )
    assert {((1, 1, 1, 0),), ((1, 2, 0, 0),), ((1, 1, 0, 1),)} == {*asked(path)}
