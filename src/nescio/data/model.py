"""Define the nouns of the field: questions and collections, responses and runs, and assessors' verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from nescio.data.notes import Note, note
from nescio.errors import UsageError

# All questions without strata share an object, and all responses without numbers, because there may be millions.
NOTHING: Mapping[str, str] = {}
NO_NUMBERS: Mapping[str, float] = {}


class Question(Struct, frozen=True):
    """One question of a collection.

    `answerable` says whether it has an answer, and is None if the collection does not say. `strata` holds the
    question's other properties (language, type, topic). `story` is the text that the question is about, sentence by
    sentence. `accepted` has the numbers (from 0) of the sentences that people accept as an answer; it is None if
    unknown.
    """

    id: str
    text: str
    answers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    answerable: bool | None = None
    cluster: str | None = None
    strata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    story: tuple[str, ...] = ()
    accepted: tuple[int, ...] | None = None

    @property
    def asked(self) -> list[str]:
        """Return all that a system reads: the question, its options in order, and the story."""
        return [self.text, *self.options, *self.story]

    @property
    def gold(self) -> list[str]:
        """Return all that decides whether an answer is right: the gold answers and the accepted sentences."""
        return [*self.answers, *(f"sentence {number}" for number in self.accepted or ())]


class Collection(Struct, frozen=True):
    """Questions with their gold answers, in file order."""

    name: str
    questions: tuple[Question, ...]


class Response(Struct, frozen=True):
    """A run's response to one question.

    A response is identified by (question_id, rank), and by `repeat` if the question was asked several times. If
    `answered` is false but there is an `answer`, the answer is a candidate that the run declined to give, and that some
    measures grade. `why` is a short reason for the lack of an answer, if the file states one; beside an answer, it says
    that the text may stand for a call that failed. `support` is a text that supports the answer, and `document` names
    the source of that text. `numbers` holds further numbers of the file that measures read, such as a cost.
    """

    question_id: str
    answer: str | None
    answered: bool
    confidence: float | None = None
    rank: int = 1
    support: str | None = None
    why: str | None = None
    document: str | None = None
    repeat: str | None = None
    numbers: Mapping[str, float] = field(default_factory=lambda: NO_NUMBERS)


class Run(Struct, frozen=True):
    """One system's responses to a collection.

    `responses` are a tuple, or a sequence that reads a large file again on each iteration. `gold` holds the run's own
    gold answers, keyed by question, if they differ from the collection's. The run is judged against its own gold
    answers.
    """

    name: str
    responses: Sequence[Response]
    metadata: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Verdict(StrEnum):
    """An assessor's verdict on an answer: right, wrong, inexact, unsupported."""

    RIGHT = "R"
    WRONG = "W"
    INEXACT = "X"
    UNSUPPORTED = "U"


def first_of_each(questions: Sequence[Question], column: str) -> tuple[tuple[Question, ...], Note]:
    """Return the first question with each value of `column`, and a note on how many questions these are.

    Every question without a value is returned as well. Raises UsageError if no question has the column.
    """
    if not any(column in question.strata for question in questions):
        known = dict.fromkeys(name for question in questions for name in question.strata)
        raise UsageError(f"no question has a column {column!r}; the questions have {', '.join(known) or 'none'}")
    firsts: dict[str, Question] = {}
    for question in questions:
        firsts.setdefault(question.strata.get(column, f"\0{question.id}"), question)
    return tuple(firsts.values()), note(
        "questions.first_of",
        "only the first question of each {column} is asked: {kept} of {total:n question}",
        kept=len(firsts),
        total=len(questions),
        column=column,
    )
