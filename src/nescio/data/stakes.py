"""Handle stakes: ids of questions that carry a stake through a harness, and the sentence for a system.

A stake is the price λ of an error; a right answer earns 1 and an abstention 0. Equivalently it is the target t = λ/(1 +
λ): answer only if you are more than t sure. An answer at a stake is a repeat labelled `stake=3` or `t=0.75`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import UNCHANGED, Array, Column, declare
from nescio.data.outcomes import Outcomes
from nescio.data.repeats import repeats_of
from nescio.data.stake_labels import LABEL, STAKE, TARGETS, are_stated, penalties, penalty
from nescio.errors import MissingColumnError, UsageError

_MARKED = re.compile(rf"(.+)@({LABEL.pattern})")


def marked(question: str, stake: str) -> str:
    """Return the id of a question asked at a stake, such as "q1@stake=3" or "q1@t=0.75"; any test harness keeps such
    ids."""
    return f"{question}@{stake if '=' in stake else f'{STAKE}={stake}'}"


def is_marked(question: object) -> TypeGuard[str]:
    """Return whether a question's id ends in a stake, as `q1@stake=3` does."""
    return isinstance(question, str) and "@" in question and _MARKED.fullmatch(question) is not None


def unmarked(outcomes: Outcomes) -> Outcomes:
    """Return outcomes in which a question asked at several stakes is one question with repeats.

    For example, `q1@stake=1` and `q1@stake=3` become two answers to q1. If some id does not have this form, the
    outcomes are unchanged.
    """
    if not outcomes.questions or "@" not in outcomes.questions[0]:
        return outcomes
    parts = [_MARKED.fullmatch(name) for name in outcomes.questions]
    if not all(parts):
        return outcomes
    questions = tuple(part[1] for part in parts if part)
    return replace(outcomes, questions=questions, repeats=repeats_of(questions, [part[2] for part in parts if part]))


def sentence(price: Fraction) -> str:
    """Return the sentence of a prompt that tells a system how a right answer, a wrong answer and "I don't know" are
    scored."""
    loses = "costs nothing" if not price else f"loses {_number(price)} point{'' if price == 1 else 's'}"
    sure = _number(100 * price / (1 + price))
    return (
        f'Scoring: a right answer earns 1 point, "I don\'t know" earns 0 points, and a wrong answer {loses}. Answer '
        f'only if you are more than {sure}% sure; otherwise reply exactly "I don\'t know".'
    )


def _number(value: Fraction) -> str:
    return f"{float(value):.4g}"


def stakes_of(words: Sequence[str]) -> list[tuple[str, Fraction]]:
    """Return the stakes as text and as λ, each once. Raises UsageError for a word that is not a stake."""
    made: dict[Fraction, str] = {}
    for word in words:
        name, equals, value = word.strip().rpartition("=")
        if equals and name not in (STAKE, *TARGETS):
            raise UsageError(f"{word!r} is not a stake: write the price of an error (3), or a target (t=0.75)")
        made.setdefault(penalty(value, target=name in TARGETS), word.strip())
    return [(word, price) for price, word in made.items()]


def _penalty(evidence: Any) -> Array:
    """Return the penalty λ of each answer, from the label of its repeat, which is a stake."""
    repeats = getattr(evidence, "repeats", None)
    labels = [] if repeats is None else [str(label) for label in repeats.label]
    known = penalties(labels) if labels and are_stated(labels) else None
    if repeats is None or known is None:
        raise MissingColumnError(
            "this measure needs stated stakes: ask questions at several stakes, and name the price of an error in "
            "a column 'stake'"
        )
    prices = np.array([float(known[str(label)]) for label in repeats.label])
    return np.broadcast_to(prices, evidence.present.shape)


declare(
    Column(
        "stakes.penalty",
        "the stated price of an error (a right answer earns 1, an abstention 0)",
        "score",
        when_missing="a stated stake",
        when_declined=UNCHANGED,
        derive=_penalty,
    )
)
