"""Check a run's decisions against the rules of a response."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct

from nescio.tasks.ave.exercise import Decision, Exercise, Key, Pair, Validation


class Problem(Struct, frozen=True):
    """A fault in a run: `at` is the index of the decision that breaks `rule`, and `value` the invalid value, if any."""

    at: int
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
            yield Problem(at, rule)
        seen.add(key)
        if item.question_id not in questions:
            yield Problem(at, "the collection has no such question", item.question_id)
        elif key not in answers:
            yield Problem(at, f"question {item.question_id!r} has no such answer", item.answer_id)
        if item.confidence is not None and not math.isfinite(item.confidence):
            yield Problem(at, "confidence must be a finite number", item.confidence)
        if item.confidence is None and sure:
            who = f"answer {item.answer_id!r} of question {item.question_id!r}"
            yield Problem(at, f"{who} has no confidence, but other answers of the run do")
        if item.decision is Decision.SELECTED:
            if item.question_id in chosen:
                rule = f"question {item.question_id!r} already has a SELECTED answer ({chosen[item.question_id]!r})"
                yield Problem(at, rule, key[1])
            chosen.setdefault(item.question_id, item.answer_id)
        elif item.decision is Decision.VALIDATED and item.question_id not in selected:
            rule = f"question {item.question_id!r} has VALIDATED answers, and one of them must be SELECTED"
            yield Problem(at, rule, item.answer_id)


def pair_problems(pairs: Sequence[Pair], validations: Sequence[Validation]) -> Iterator[Problem]:
    """Yield the faults of a run on AVE 2006's pairs: unknown and repeated pairs, and invalid or missing confidences."""
    known = {pair.id for pair in pairs}
    sure = any(item.confidence is not None for item in validations)
    seen: set[str] = set()
    for at, item in enumerate(validations):
        if item.answer_id in seen:
            yield Problem(at, "this pair has two decisions", item.answer_id)
        seen.add(item.answer_id)
        if item.answer_id not in known:
            yield Problem(at, "there is no such pair", item.answer_id)
        if item.confidence is not None and not math.isfinite(item.confidence):
            yield Problem(at, "confidence must be a finite number", item.confidence)
        if item.confidence is None and sure:
            rule = f"the decision on pair {item.answer_id!r} has no confidence, but others of the run have one"
            yield Problem(at, rule)
