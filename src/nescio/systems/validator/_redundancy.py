"""Redundancy: how far the answers to one question agree. AVE removes this clue on purpose; multi-stream selection lives
on it.

Nothing here knows a system by its name: only how many gave the same answer, and how like it the others are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from nescio.systems.validator._lexical import Row, share
from nescio.tasks.ave.exercise import Candidate, by_question
from nescio.text import normalised_words

Votes = Mapping[tuple[str, str], int]  # how many systems gave an answer, by question and answer id


class Group(Struct, frozen=True):
    """The answers to one question, each in normalised words, with how many systems gave it."""

    answers: tuple[tuple[str, ...], ...]
    votes: tuple[int, ...]


def group(answers: Sequence[str], votes: Sequence[int]) -> Group:
    """Return the answers to one question; those of the same normalised words share their votes."""
    keys = [tuple(normalised_words(answer)) for answer in answers]
    sums: Counter[tuple[str, ...]] = Counter()
    for key, many in zip(keys, votes, strict=True):
        sums[key] += many
    return Group(tuple(keys), tuple(sums[key] for key in keys))


def redundant(candidates: Sequence[Candidate], votes: Votes) -> list[Row]:
    """`redundancy` of every candidate among the answers to its question; `votes` is 1 for those that it does not
    name."""
    row_of: dict[tuple[str, str], Row] = {}
    for those in by_question(candidates).values():
        together = group(
            [candidate.answer for candidate in those],
            [votes.get((candidate.question_id, candidate.id), 1) for candidate in those],
        )
        for at, candidate in enumerate(those):
            row_of[candidate.question_id, candidate.id] = redundancy(together, at)
    return [row_of[candidate.question_id, candidate.id] for candidate in candidates]


def redundancy(one: Group, at: int) -> Row:
    """Votes for the answer at this place, its likeness to the other votes, and how divided they are."""
    distinct = dict(zip(one.answers, one.votes, strict=True))
    own, mine = one.answers[at], one.votes[at]
    total = sum(distinct.values())
    others = {key: many for key, many in distinct.items() if key != own}
    left = sum(others.values())
    like = math.fsum(many * overlap(own, key) for key, many in others.items())
    within = sum(many for key, many in others.items() if _within(own, key))
    around = sum(many for key, many in others.items() if _within(key, own))
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
        "words": math.log1p(len(own)),
    }


def overlap(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """Token F1, as SQuAD's: 2·shared / (words of both)."""
    shared = sum((Counter(first) & Counter(second)).values())
    return share(2 * shared, len(first) + len(second))


def _within(inner: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    n = len(inner)
    return 0 < n < len(outer) and any(outer[i : i + n] == inner for i in range(len(outer) - n + 1))
