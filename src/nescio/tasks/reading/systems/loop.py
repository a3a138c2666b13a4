"""Answer questions with a validator in the loop, as the AVE 2007 overview concludes.

If the validator rejects a system's candidate, the next one is tried, until one is accepted or none is left.

A candidate is an option or a sentence of the story, with its supporting sentence. All candidates of a collection form a
collection for validators (`exercise`), so that `nescio ave validate train` can learn from stories.
"""

from __future__ import annotations

from collections.abc import Mapping

from nescio.data.model import Collection, Question, Response
from nescio.errors import MismatchError
from nescio.tasks.ave.exercise import Candidate, Exercise, Key, Value
from nescio.tasks.ave.validator import Model
from nescio.tasks.reading.marks import answer_sentences
from nescio.tasks.reading.systems._system import Scored
from nescio.text import content_stems


def exercise(collection: Collection) -> Exercise:
    """Return a collection for validators, with the candidates of every question as its answers.

    The candidates are the options, or else the sentences of the story. The right candidates are the options in the key,
    and the sentences that people accept, or else those that AutSent accepts. Without a key, it is unknown which are
    right. Raises MismatchError for a question without a story.
    """
    questions = tuple(
        Question(question.id, question.text, cluster=question.cluster) for question in collection.questions
    )
    candidates = [candidate for question in collection.questions for candidate in _candidates(question)]
    return Exercise(collection.name, questions, tuple(candidates))


def _candidates(question: Question) -> list[Candidate]:
    if not question.story:
        raise MismatchError(f"question {question.id!r} has no story")
    right = _right(question)
    texts = question.options or question.story
    return [
        Candidate(
            question.id,
            str(at + 1),
            text,
            question.story[_support(question, text)] if question.options else text,
            value=None if right is None else Value.VALIDATED if at in right else Value.REJECTED,
        )
        for at, text in enumerate(texts)
    ]


def _right(question: Question) -> frozenset[int] | None:
    """Return the indices of the right candidates of a question, or None if it is unknown which are right."""
    if question.answerable is False:
        return frozenset()
    if question.options:
        known = {answer.strip().lower() for answer in question.answers}
        right_options = frozenset(i for i, text in enumerate(question.options) if text.strip().lower() in known)
        return right_options if known else None
    if question.accepted is not None:
        return frozenset(question.accepted)
    return answer_sentences(question.story, question.answers) if question.answers else None


def _support(question: Question, option: str) -> int:
    """Return the index of the sentence of the story that has the most stems of an option.

    At a tie, the sentence with the most stems of the question is taken.
    """
    option_stems, asked = {*content_stems(option)}, {*content_stems(question.text)}
    shared = [{*content_stems(sentence)} for sentence in question.story]
    return max(range(len(shared)), key=lambda i: (len(option_stems & shared[i]), len(asked & shared[i]), -i))


def confidences(collection: Collection, model: Model) -> dict[Key, float]:
    """Return the validator's confidence in every candidate of a collection.

    The key of a confidence is the question's id and the number of the candidate, from 1, as a text.
    """
    made = exercise(collection)
    sure = model.confidence(made)
    return {candidate.key: float(p) for candidate, p in zip(made.candidates, sure, strict=True)}


def validated(question: Question, scored: Scored, sure: Mapping[Key, float], threshold: float | None) -> Response:
    """Return the candidate that the validator accepts, as a response with the validator's confidence from `sure`.

    A candidate is accepted if its confidence is at least `threshold`; if that is None, none is accepted. If several are
    accepted, the one that the system scores highest is the response. If none is accepted, the response is an abstention
    that withholds the system's own choice.
    """
    texts = question.options or question.story
    order = sorted(range(len(texts)), key=lambda i: (i != scored.best, -scored.scores[i], i))
    accepted = [i for i in order if threshold is not None and sure[question.id, str(i + 1)] >= threshold]
    at = (accepted or order)[0]
    support = question.story[_support(question, texts[at])] if question.options else None
    return Response(question.id, texts[at], bool(accepted), sure[question.id, str(at + 1)], support=support)
