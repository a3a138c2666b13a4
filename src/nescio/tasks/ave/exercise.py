"""Answer validation (AVE): candidates with their supporting text, and the decisions of validators.

Source: Peñas, Rodrigo & Verdejo, Overview of the Answer Validation Exercise 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from nescio.data.model import Question


class Value(StrEnum):
    """What a candidate is worth by its assessors: UNKNOWN is neither, and no measure reads it."""

    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"


class Decision(StrEnum):
    """What a validator says of a candidate: SELECTED is VALIDATED, and the one answer given for the question."""

    SELECTED = "SELECTED"
    VALIDATED = "VALIDATED"
    REJECTED = "REJECTED"


class Candidate(Struct, frozen=True):
    """An answer to a question with the text that is said to support it; `value` is None in a test set without its gold.

    `system` names whose answer it was, where that is known.
    """

    question_id: str
    id: str
    answer: str
    text: str
    document: str | None = None
    value: Value | None = None
    system: str | None = None


class Exercise(Struct, frozen=True):
    """A collection for validators: questions, and their candidates in the order of the file."""

    name: str
    questions: tuple[Question, ...]
    candidates: tuple[Candidate, ...]


class Validation(Struct, frozen=True):
    """A validator's decision on one candidate; the confidence is in its being right: higher is surer."""

    question_id: str
    answer_id: str
    decision: Decision
    confidence: float | None = None


class Pair(Struct, frozen=True):
    """AVE 2006: a text, and the hypothesis that was made of a question and an answer; VALIDATED is YES, REJECTED is
    NO."""

    id: str
    text: str
    hypothesis: str
    value: Value | None = None
    question_id: str | None = None
    document: str | None = None
    language: str = ""


Runs = Mapping[str, Sequence[Validation]]
Key = tuple[str, str]


def by_question(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Return the candidates of each question, in order."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.question_id, []).append(candidate)
    return groups
