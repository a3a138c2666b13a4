"""Check a run's decisions against the rules of a response."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from nescio.data.model import Question
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Key, Pair, Validation


class Fault(StrEnum):
    """The kinds of faults that a validator's decision can have."""

    REPEATED = "repeated"
    NO_QUESTION = "no question"
    NO_ANSWER = "no answer"
    NOT_FINITE = "not finite"
    NO_CONFIDENCE = "no confidence"
    TWO_SELECTED = "two selected"
    NONE_SELECTED = "none selected"


class Problem(Struct, frozen=True):
    """A fault in a run: `at` is the index of the decision that breaks the rule, and `value` the invalid value, if
    any."""

    at: int
    fault: Fault
    rule: str
    value: object = None


def problems(exercise: Exercise, validations: Sequence[Validation]) -> Iterator[Problem]:
    """Yield the faults of a run against the rules of AVE, in order.

    Faults are unknown and repeated answers, invalid confidences, confidences on only some decisions, two SELECTED
    answers to one question, and accepted answers to a question without a SELECTED one.
    """
    questions = {question.id for question in exercise.questions}
    answers = {item.key for item in exercise.candidates}
    selected = {item.question_id for item in validations if item.decision is Decision.SELECTED}
    sure = any(item.confidence is not None for item in validations)
    seen: set[Key] = set()
    chosen: dict[str, str] = {}
    for at, item in enumerate(validations):
        key = item.key
        if key in seen:
            rule = f"answer {item.answer_id!r} of question {item.question_id!r} has two decisions"
            yield Problem(at, Fault.REPEATED, rule)
        seen.add(key)
        if item.question_id not in questions:
            yield Problem(at, Fault.NO_QUESTION, "the collection has no such question", item.question_id)
        elif key not in answers:
            yield Problem(at, Fault.NO_ANSWER, f"question {item.question_id!r} has no such answer", item.answer_id)
        if item.confidence is not None and not math.isfinite(item.confidence):
            yield Problem(at, Fault.NOT_FINITE, "confidence must be a finite number", item.confidence)
        if item.confidence is None and sure:
            who = f"answer {item.answer_id!r} of question {item.question_id!r}"
            yield Problem(at, Fault.NO_CONFIDENCE, f"{who} has no confidence, but other answers of the run do")
        if item.decision is Decision.SELECTED:
            if item.question_id in chosen:
                rule = f"question {item.question_id!r} already has a SELECTED answer ({chosen[item.question_id]!r})"
                yield Problem(at, Fault.TWO_SELECTED, rule, key[1])
            chosen.setdefault(item.question_id, item.answer_id)
        elif item.decision is Decision.VALIDATED and item.question_id not in selected:
            rule = f"question {item.question_id!r} has VALIDATED answers, and one of them must be SELECTED"
            yield Problem(at, Fault.NONE_SELECTED, rule, item.answer_id)


def pair_problems(pairs: Sequence[Pair], validations: Sequence[Validation]) -> Iterator[Problem]:
    """Yield the faults of a run on AVE 2006's pairs, where no answer is selected.

    A pair is treated as a question with a single answer, and both have the id of the pair.
    """
    questions = tuple(Question(pair.id, "") for pair in pairs)
    candidates = tuple(Candidate(pair.id, pair.id, "", "") for pair in pairs)
    known = {pair.id for pair in pairs}
    for problem in problems(Exercise("", questions, candidates), validations):
        identity = validations[problem.at].question_id
        if problem.fault is Fault.REPEATED:
            yield Problem(problem.at, Fault.REPEATED, "this pair has two decisions", identity)
        elif identity not in known:
            yield Problem(problem.at, Fault.NO_ANSWER, "there is no such pair", identity)
        elif problem.fault is Fault.NO_CONFIDENCE:
            rule = f"the decision on pair {identity!r} has no confidence, but others of the run have one"
            yield Problem(problem.at, Fault.NO_CONFIDENCE, rule)
        elif problem.fault not in (Fault.TWO_SELECTED, Fault.NONE_SELECTED):
            yield problem
