"""Collect the texts of a collection for validators, for people who examine single decisions. No number depends on
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nescio.data.columns import Array
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.texts import texts_of
from nescio.formats.registry import Unjudged
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Pair, Runs, Value


def of_selections(exercise: Exercise, runs: Runs) -> Array:
    """Return, for each question and run, the texts to show to people: the right answers and the run's SELECTED answer.

    The shape is (runs, questions).
    """
    candidates = {(candidate.question_id, candidate.id): candidate for candidate in exercise.candidates}
    right: dict[str, list[str]] = {}
    for candidate in exercise.candidates:
        if candidate.value is Value.VALIDATED:
            right.setdefault(candidate.question_id, []).append(candidate.answer)
    grid = np.empty((len(runs), len(exercise.questions)), dtype=object)
    for r, validations in enumerate(runs.values()):
        chosen = {
            candidate.question_id: candidate.answer_id
            for candidate in validations
            if candidate.decision is Decision.SELECTED
        }
        for q, question in enumerate(exercise.questions):
            selected = candidates.get((question.id, chosen.get(question.id, "")))
            answer, support = (selected.answer, selected.text) if selected else (None, None)
            grid[r, q] = texts_of(question.text, right.get(question.id, []), answer, reason=support)
    return grid


def of_answers(exercise: Exercise, runs: Runs) -> Unjudged:
    """Return the questions, a further question for each answer, and the decisions of each run on the answers.

    The question for an answer shows the answer and its supporting text, so that people can check the decision on it.
    """
    asked = {question.id: question.text for question in exercise.questions}
    rows = [Question(question.id, question.text) for question in exercise.questions]
    rows += [
        Question(_name(candidate), _shown(asked[candidate.question_id], candidate), _gold(candidate.value))
        for candidate in exercise.candidates
    ]
    names = {(candidate.question_id, candidate.id): _name(candidate) for candidate in exercise.candidates}
    return _decided(rows, names, runs)


def of_pairs(pairs: Sequence[Pair], runs: Runs) -> Unjudged:
    """Return each pair as a question, with each run's decision on the pair as its response."""
    rows = [
        Question(pair.id, f"Hypothesis: {pair.hypothesis}\n\nText: {pair.text}", _gold(pair.value)) for pair in pairs
    ]
    return _decided(rows, {}, runs)


def _decided(rows: Sequence[Question], names: Mapping[tuple[str, str], str], runs: Runs) -> Unjudged:
    """Return the decisions of runs as responses to `rows`, which has a question for each answer or pair.

    `names` has the id of an answer's row, keyed by the ids of question and answer. Other answers keep their ids.
    """
    decided = []
    for name, validations in runs.items():
        responses = [
            Response(
                names.get((validation.question_id, validation.answer_id), validation.answer_id),
                validation.decision.value,
                True,
                validation.confidence,
            )
            for validation in validations
        ]
        decided.append(Run(name, tuple(responses)))
    return Unjudged(Collection("ave", tuple(rows)), tuple(decided))


def _name(candidate: Candidate) -> str:
    return f"{candidate.question_id} {candidate.id}"


def _shown(asked: str, candidate: Candidate) -> str:
    return f"{asked}\n\nAnswer: {candidate.answer}\n\nText: {candidate.text}"


def _gold(value: Value | None) -> tuple[str, ...]:
    return () if value is None else (value.value,)
