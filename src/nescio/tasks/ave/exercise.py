"""Define answer validation (AVE): candidates with their supporting text, the decisions of validators, and the rules of
a response.

Source: Peñas, Rodrigo & Verdejo, Overview of the Answer Validation Exercise 2007.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from nescio.data.model import Question

Key = tuple[str, str]  # of an answer: the id of its question, and its own id


class Value(StrEnum):
    """The assessors' verdict on a candidate. UNKNOWN is neither right nor wrong, and no measure reads it."""

    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"


class Decision(StrEnum):
    """A validator's decision on a candidate. At most one answer per question is SELECTED, which includes VALIDATED."""

    SELECTED = "SELECTED"
    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"

    @classmethod
    def of(cls, *, accepted: bool, selected: bool) -> Decision:
        """Return SELECTED if the answer is selected, else VALIDATED if it is accepted, else REJECTED."""
        return cls.SELECTED if selected else cls.VALIDATED if accepted else cls.REJECTED


class Candidate(Struct, frozen=True):
    """An answer to a question, with its supporting text. `value` is the assessors' verdict, or None if omitted.

    `system` is the name of the QA system that gave the answer, if known.
    """

    question_id: str
    id: str
    answer: str
    text: str
    document: str | None = None
    value: Value | None = None
    system: str | None = None

    @property
    def key(self) -> Key:
        """Return the pair that identifies the candidate: its question's id and its own id."""
        return self.question_id, self.id

    @property
    def judged(self) -> bool:
        """Return whether assessors judged the answer right or wrong."""
        return self.value in (Value.VALIDATED, Value.REJECTED)

    @property
    def right(self) -> bool:
        """Return whether assessors judged the answer right."""
        return self.value is Value.VALIDATED


class Exercise(Struct, frozen=True):
    """A collection for validators: questions, and the candidate answers to them in file order.

    `available` is the number of answers that the QA systems gave, keyed by language; it is empty if unknown.
    """

    name: str
    questions: tuple[Question, ...]
    candidates: tuple[Candidate, ...]
    available: Mapping[str, int] = field(default_factory=dict)


class Validation(Struct, frozen=True):
    """A validator's decision on one candidate, with its confidence that the candidate is right: higher is surer."""

    question_id: str
    answer_id: str
    decision: Decision
    confidence: float | None = None

    @property
    def key(self) -> Key:
        """Return the pair that identifies the validated candidate: the id of its question and its own id."""
        return self.question_id, self.answer_id


class Pair(Struct, frozen=True):
    """A pair of AVE 2006: a text, and a hypothesis that states an answer to a question as a sentence.

    AVE 2006 says YES for VALIDATED, and NO for REJECTED.
    """

    id: str
    text: str
    hypothesis: str
    value: Value | None = None
    question_id: str | None = None
    document: str | None = None
    language: str = ""


Runs = Mapping[str, Sequence[Validation]]


def by_question(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Return the candidates of each question, in order, keyed by question."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.question_id, []).append(candidate)
    return groups


def groups(exercise: Exercise) -> list[tuple[Question, list[Candidate], list[Candidate]]]:
    """Return each question with two lists of its answers: all answers, and only the judged ones."""
    by_id = by_question(exercise.candidates)
    grouped = [(question, by_id.get(question.id, [])) for question in exercise.questions]
    return [(question, answers, [answer for answer in answers if answer.judged]) for question, answers in grouped]


def language(question: Question) -> str:
    """Return the language that a question states in its strata, or an empty text if it states none."""
    return question.strata.get("language", "")


# ---- the rules of a response ----


class Problem(Struct, frozen=True):
    """A fault in a run: `at` is the index of the decision that breaks `rule`, and `value` the invalid value, if any."""

    at: int
    rule: str
    value: object = None


def problems(exercise: Exercise, validations: Sequence[Validation]) -> Iterator[Problem]:
    """Yield the faults of a run against the rules of AVE, in order.

    Faults are unknown or repeated answers, and invalid confidences or confidences on only some decisions. A question
    with two SELECTED answers is a fault, and so is one with accepted answers but none SELECTED.
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


def upside_down(validations: Sequence[Validation]) -> bool:
    """Return whether rejected answers have a higher mean confidence than accepted ones."""
    sides: tuple[list[float], list[float]] = ([], [])
    for validation in validations:
        if validation.confidence is not None:
            sides[validation.decision is Decision.REJECTED].append(validation.confidence)
    accepted, rejected = sides
    return bool(accepted and rejected) and sum(rejected) * len(accepted) > sum(accepted) * len(rejected)
