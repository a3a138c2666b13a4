"""A validator in the loop with the generation of candidates: each candidate in the system's order, until one is
accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.model import Collection, Question
from nescio.errors import FormatError, MismatchError
from nescio.tasks.ave.exercise import Value
from nescio.tasks.reading.systems._system import Scored
from nescio.tasks.reading.systems.loop import exercise, validated
from tests.cli.conftest import EXAMPLES

STORY = ("Anna made a kite.", "She sold it in Rome.", "Ben cried in Oslo.")
QUESTION = Question("q", "Where was the kite sold?", ("Rome",), ("Oslo", "Rome", "Paris"), story=STORY)
SURE = {("q", "1"): 0.2, ("q", "2"): 0.7, ("q", "3"): 0.4}


@pytest.mark.parametrize(
    ("scores", "threshold", "answer", "answered", "confidence"),
    [
        ((3.0, 2.0, 1.0), 0.3, "Rome", True, 0.7),  # Oslo is rejected, Rome is asked for and accepted
        ((3.0, 1.0, 2.0), 0.3, "Paris", True, 0.4),  # the first that is accepted, not the surest
        ((3.0, 2.0, 1.0), 0.1, "Oslo", True, 0.2),
        ((3.0, 2.0, 1.0), 0.7, "Rome", True, 0.7),  # at the threshold is accepted
        ((3.0, 2.0, 1.0), 0.8, "Oslo", False, 0.2),  # none is left: silence, with the system's own candidate
        ((3.0, 2.0, 1.0), None, "Oslo", False, 0.2),
        ((1.0, 1.0, 1.0), 0.3, "Rome", True, 0.7),  # of equal scores the earlier
    ],
)
def test_the_next_candidate_is_asked_for(
    scores: tuple[float, ...], threshold: float | None, answer: str, answered: bool, confidence: float
) -> None:
    response = validated(QUESTION, Scored(scores, 0), SURE, threshold)
    assert (response.answer, response.answered, response.confidence) == (answer, answered, confidence)


def test_a_systems_own_choice_among_ties_comes_first() -> None:
    assert validated(QUESTION, Scored((1.0, 1.0, 1.0), 0, chosen=2), SURE, 0.3).answer == "Paris"


def test_candidates_are_options_with_their_sentences() -> None:
    made = exercise(Collection("c", (QUESTION,)))
    assert [(one.answer, one.text, one.value) for one in made.candidates] == [
        ("Oslo", STORY[2], Value.REJECTED),
        ("Rome", STORY[1], Value.VALIDATED),
        ("Paris", STORY[0], Value.REJECTED),  # in no sentence: the one with most of the question
    ]


def test_without_options_they_are_sentences() -> None:
    accepted = Question("q", QUESTION.text, ("Rome",), story=STORY, accepted=(0, 1))
    by_key = Question("r", QUESTION.text, ("Rome",), story=STORY)
    unknown, none = (
        Question("s", QUESTION.text, story=STORY),
        Question("t", QUESTION.text, story=STORY, answerable=False),
    )
    made = exercise(Collection("c", (accepted, by_key, unknown, none)))
    values = [one.value for one in made.candidates]
    right, wrong = Value.VALIDATED, Value.REJECTED
    assert values == [right, right, wrong, wrong, right, wrong, None, None, None, wrong, wrong, wrong]
    with pytest.raises(MismatchError, match="has no story"):
        exercise(Collection("c", (Question("q", "Where?", ("Rome",)),)))


FILES = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"]


def test_a_reading_system_asks_a_validator(tmp_path: Path) -> None:
    candidates, model = tmp_path / "candidates.xml", tmp_path / "model.json"
    written = nescio.read.candidates(FILES, candidates)
    assert (written.candidates, written.right, written.questions) == (280, 58, 70)
    nescio.ave.validate.train(candidates, model, trees=5, folds=2, resamples=100)

    def answered(name: str, **options: Any) -> int:
        return nescio.read.answer(FILES, tmp_path / f"{name}.jsonl", "word-distance", **options).answered

    counts = [answered(f"at{threshold}", validate=model, threshold=threshold) for threshold in (1.0, None, 0.0)]
    assert counts[0] < counts[1] < counts[2] == answered("plain") == 70
    runs = [tmp_path / "at0.0.jsonl", tmp_path / "plain.jsonl"]
    first, second = (row.value for row in nescio.score([FILES[0], *runs], measures=["accuracy"], ci=None))
    assert first == second  # what accepts everything changes nothing
    model.write_text("{}")
    with pytest.raises(FormatError, match="not a saved model"):
        answered("none", validate=model)
