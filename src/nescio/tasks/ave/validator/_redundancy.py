"""Measure redundancy: the agreement of the answers to one question. AVE hides it, but multi-stream selection needs it.

The features use only the number of systems with the same answer, and the similarity of other answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from nescio.tasks.ave.exercise import Candidate, Key, by_question
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.text import find_words, normalised_words, shared_f1

Votes = Mapping[Key, int]  # the number of systems that gave each answer


class Group(Struct, frozen=True):
    """The answers to one question in normalised form, with the number of systems that gave each answer."""

    answers: tuple[tuple[str, ...], ...]
    votes: tuple[int, ...]


def group(answers: Sequence[str], votes: Sequence[int]) -> Group:
    """Return the normalised answers to one question with their votes.

    Answers that are equal after normalisation get the sum of their votes.
    """
    keys = [tuple(normalised_words(answer)) for answer in answers]
    sums: Counter[tuple[str, ...]] = Counter()
    for key, many in zip(keys, votes, strict=True):
        sums[key] += many
    return Group(tuple(keys), tuple(sums[key] for key in keys))


def redundant(candidates: Sequence[Candidate], votes: Votes) -> list[Row]:
    """Return the features of `redundancy` for each candidate, computed among all answers to its question.

    `votes` has the number of systems that gave each candidate's answer; a missing number counts as 1.
    """
    row_of: dict[Key, Row] = {}
    for those in by_question(candidates).values():
        together = group(
            [candidate.answer for candidate in those], [votes.get(candidate.key, 1) for candidate in those]
        )
        row_of |= {candidate.key: redundancy(together, at) for at, candidate in enumerate(those)}
    return [row_of[candidate.key] for candidate in candidates]


def redundancy(answers: Group, at: int) -> Row:
    """Return features of the agreement with the answer at index `at`: its votes, and those of similar answers."""
    distinct = dict(zip(answers.answers, answers.votes, strict=True))
    answer, mine = answers.answers[at], answers.votes[at]
    total = sum(distinct.values())
    others = {key: many for key, many in distinct.items() if key != answer}
    left = sum(others.values())
    like = math.fsum(many * shared_f1(answer, key) for key, many in others.items())
    within = sum(many for key, many in others.items() if find_words(key, answer))
    around = sum(many for key, many in others.items() if find_words(answer, key))
    shares = [many / total for many in distinct.values()]
    first = max(others.values(), default=0)
    return {
        "votes": share(mine, total),
        "lead": share(mine - first, total),
        "most votes": float(mine >= first),
        "likeness": share(like, left),
        "votes and likeness": share(mine + like, total),
        "within others": share(within, total),
        "holds others": share(around, total),
        "answers": math.log(len(distinct)),
        "division": -math.fsum(part * math.log(part) for part in shares),
        "words": math.log1p(len(answer)),
    }
