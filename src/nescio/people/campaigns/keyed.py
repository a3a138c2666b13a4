"""Join the questions that teams and assessors see with the answers in the key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from nescio.data.model import Question
from nescio.errors import MismatchError, shorten
from nescio.formats import ReadOptions
from nescio.people.campaigns.folder import KEY, TOPICS
from nescio.pipeline import read_collection


def keyed(questions: Iterable[Question], files: Sequence[Path]) -> list[Question]:
    """Return questions as the topics state them, with the gold answers and the sentences of the key.

    The key's own texts and options do not count, because nobody saw them. Raises MismatchError for questions that the
    key lacks, and for one whose gold answer is not among its options.
    """
    questions = list(questions)
    collection, _ = read_collection(list(files), ReadOptions(gold=False))
    keys = {question.id: question for question in collection.questions}
    if lacking := [question.id for question in questions if question.id not in keys]:
        more = f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        raise MismatchError(
            f"{KEY}/ has no answer to {lacking[0]!r}{more} of {TOPICS}/; add them to the key, or drop these topics"
        )
    for question in questions:
        key = keys[question.id]
        if question.options != key.options and not {*key.answers} <= {*question.options} & {*key.options}:
            raise MismatchError(
                f"{TOPICS}/ and {KEY}/ state other options for {question.id!r}, and not both have the right answer "
                f"({shorten(', '.join(key.answers))}); state the same options in both"
            )
    return [
        replace(
            keys[question.id],
            text=question.text,
            options=question.options,
            story=question.story or keys[question.id].story,
        )
        for question in questions
    ]
