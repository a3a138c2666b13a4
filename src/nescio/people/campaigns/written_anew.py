"""Recognise runs by their answers, whatever the names and formats of their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.people.campaigns.entries import ACCEPTED, Receipt
from nescio.people.campaigns.folder import RUNS, Campaign
from nescio.people.campaigns.log import digest
from nescio.people.campaigns.runs import examine
from nescio.people.campaigns.settings import Task
from nescio.people.campaigns.topics import Topics
from nescio.tasks.pan.columns import SILENCE
from nescio.text import answer_key

Answers = Mapping[object, object]
_AROUND = " .,;:!?…\"'`“”„‘’«»()[]"  # marks at the ends of an answer, which leave it the same answer


class Version(Struct, frozen=True):
    """An accepted version of a run, with its answers, keyed by topic."""

    run: str
    group: str
    language: str
    answers: Answers


class Likeness(Struct, frozen=True):
    """The likeness of a run to an accepted version: `same` of the run's `of` answers are also those of `version`."""

    version: Version
    same: int
    of: int

    @property
    def whole(self) -> bool:
        """Return whether all answers of the run are the same as those of the version."""
        return self.same == self.of

    def __str__(self) -> str:
        return f"{self.same:,} of {self.of:,} answers, abstentions included, are those of {self.version.run}"


def answers_of(task: Task, said: Any) -> Answers:
    """Return a run's answers, keyed by topic (AVE: by candidate), so that answers of two runs can be compared.

    Confidences, supports, answers below the first, and marks such as a final full stop are left out, because a group
    that submits the same answers again could easily vary them. For definition questions, the order of strings has no
    meaning. For PAN, an answer is -1, 0 or 1: whether the score is below, at or above the score that means no answer.
    For AVE, an answer is the decision on a candidate.
    """
    if task == "ave":
        return {(validation.question_id, validation.answer_id): validation.decision for validation in said}
    if task == "pan":
        _, sides = said
        return dict(enumerate(np.sign(sides - SILENCE).tolist()))
    if task == "nuggets":
        return {target: sorted(map(_bare, response.strings)) for target, response in said.items()}
    first = {
        response.question_id: response for response in sorted(said, key=lambda response: response.rank, reverse=True)
    }
    return {topic: (response.answered, _bare(response.answer or "")) for topic, response in first.items()}


def _bare(answer: str) -> str:
    return answer_key(answer).strip(_AROUND)


def versions(campaign: Campaign, topics: Topics, receipts: Iterable[Receipt]) -> Iterator[Version]:
    """Yield the accepted versions of runs among `receipts`, with their answers.

    A version is left out if its stored file has changed.
    """
    for receipt in receipts:
        path = campaign / RUNS / str(receipt.stored)
        if receipt.status != ACCEPTED or digest(path) != receipt.digest:
            continue
        run = examine(path, topics, campaign.settings, accepted=receipt)
        if run.said is not None:
            answers = answers_of(campaign.settings.task, run.said)
            yield Version(receipt.run, receipt.group, run.language, answers)


def most_alike(language: str, answers: Answers, others: Iterable[Version]) -> Likeness | None:
    """Return the version in `others` that shares the most answers with a run; None if none shares more than half.

    `language` and `answers` are those of the run; only versions in the same language are compared.
    """
    likeness = None
    for other in others:
        if other.language != language:
            continue
        same = sum(topic in other.answers and other.answers[topic] == answer for topic, answer in answers.items())
        if 2 * same > len(answers) and (likeness is None or same > likeness.same):
            likeness = Likeness(other, same, len(answers))
    return likeness
