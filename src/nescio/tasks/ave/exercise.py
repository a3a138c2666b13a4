"""Answer validation (AVE): candidates with their supporting text, and the decisions of validators.

Source: Peñas, Rodrigo & Verdejo, Overview of the Answer Validation Exercise 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from nescio.data.model import Question

Key = tuple[str, str]  # of an answer: its question's id, and its own


class Value(StrEnum):
    """The assessors' verdict on a candidate. UNKNOWN is neither right nor wrong, and no measure reads it."""

    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"


class Decision(StrEnum):
    """A validator's decision on a candidate. SELECTED is VALIDATED, and also the one answer given to the question."""

    SELECTED = "SELECTED"
    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"

    @classmethod
    def of(cls, *, accepted: bool, selected: bool) -> Decision:
        """Return the decision on an answer that is selected, else accepted, else rejected."""
        return cls.SELECTED if selected else cls.VALIDATED if accepted else cls.REJECTED


class Candidate(Struct, frozen=True):
    """An answer to a question with its supporting text; `value` is None in a test set without its gold.

    `system` names whose answer it was, if that is known.
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
        """Return the ids of its question and its own."""
        return self.question_id, self.id

    @property
    def judged(self) -> bool:
        """Return whether assessors called it right or wrong."""
        return self.value in (Value.VALIDATED, Value.REJECTED)

    @property
    def right(self) -> bool:
        """Return whether assessors called it right."""
        return self.value is Value.VALIDATED


class Exercise(Struct, frozen=True):
    """A collection for validators: questions, and their candidates in the order of the file. `available` is the number
    of answers before any rule, by language, if it is known."""

    name: str
    questions: tuple[Question, ...]
    candidates: tuple[Candidate, ...]
    available: Mapping[str, int] = field(default_factory=dict)


class Validation(Struct, frozen=True):
    """A validator's decision on one candidate; the confidence is in its being right: higher is surer."""

    question_id: str
    answer_id: str
    decision: Decision
    confidence: float | None = None

    @property
    def key(self) -> Key:
        """Return the ids of the question and the answer."""
        return self.question_id, self.answer_id


class Pair(Struct, frozen=True):
    """AVE 2006: a text, and the hypothesis made of a question and an answer; YES is VALIDATED, NO is REJECTED."""

    id: str
    text: str
    hypothesis: str
    value: Value | None = None
    question_id: str | None = None
    document: str | None = None
    language: str = ""


Runs = Mapping[str, Sequence[Validation]]


def by_question(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Return the candidates of each question, in order."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.question_id, []).append(candidate)
    return groups


def groups(exercise: Exercise) -> list[tuple[Question, list[Candidate], list[Candidate]]]:
    """Return each question with all its answers, and with those that are judged."""
    by_id = by_question(exercise.candidates)
    grouped = [(question, by_id.get(question.id, [])) for question in exercise.questions]
    return [(question, answers, [one for one in answers if one.judged]) for question, answers in grouped]


def language(question: Question) -> str:
    """Return the language that a question names as its own; empty if it names none."""
    return question.strata.get("language", "")
