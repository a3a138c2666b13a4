"""Handle stakes: labels of answers, ids of questions that carry a stake through a harness, and the sentence for a
system.

A stake is the price λ of an error; a right answer earns 1 and an abstention 0. Equivalently it is the target t = λ/(1 +
λ): answer only if you are more than t sure. An answer at a stake is a repeat labelled `stake=3` or `t=0.75`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeGuard

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import UNCHANGED, Array, Column, declare
from nescio.data.outcomes import Outcomes
from nescio.data.repeats import repeats_of
from nescio.errors import MissingColumnError, UsageError

STAKE = "stake"
SIMPLE = 1_000  # A fraction with a larger denominator is written with all digits of a float.
TARGETS = ("t", "target", "threshold", "confidence_target")  # columns that hold t, and not the price of an error
_LABEL = re.compile(rf"({'|'.join((STAKE, 'lambda', 'penalty', *TARGETS))})=(.+)")
_MARKED = re.compile(rf"(.+)@({_LABEL.pattern})")


@cache
def label(column: str, stake: str) -> str:
    """Return the label of an answer that was asked at a stake, such as "t=0.75" for the column `t` and the stake
    "0.75".

    If the column's name does not name a stake, the label is the stake alone.
    """
    made = f"{column.lower()}={stake}"
    return made if _LABEL.fullmatch(made) else stake


def are_stated(labels: Iterable[str]) -> bool:
    """Return whether each label is a stake and names its scale, as `stake=3` (a penalty) and `t=0.75` (a target) do."""
    try:
        return penalties(labels) is not None
    except UsageError:  # The column has this name, but other content.
        return False


def penalty(text: str, *, target: bool) -> Fraction:
    """Return the penalty λ that a text states, as an exact fraction (1/3 for 0.3333333333333333).

    If `target` is true, the text is a confidence target t, for which λ = t/(1 − t). Raises UsageError for a text that
    is not a stake.
    """
    try:
        value = Fraction(text)
        simple = value.limit_denominator(SIMPLE)
        value = simple if float(simple) == float(value) else value
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"{text!r} is not a stake: write the price of an error, or a target from 0 to 1") from None
    if value < 0 or (target and value >= 1):
        rule = "a target must be at least 0 and below 1" if target else "the price of an error must be at least 0"
        raise UsageError(f"{text!r} is not a stake: {rule}")
    return value / (1 - value) if target else value


def penalties(labels: Iterable[str], scale: str = "auto") -> dict[str, Fraction] | None:
    """Return the penalty λ of each label, keyed by label; None if a label does not name its scale and `scale` is
    "auto".

    `scale` is "penalty", "target", or "auto", which takes the scale from the name before the equals sign. Raises
    UsageError for a label that is not a stake.
    """
    prices = {}
    for text in dict.fromkeys(labels):
        stated = _LABEL.fullmatch(text)
        if stated is None and scale == "auto":
            return None
        name, value = stated.groups() if stated else ("", text)
        prices[text] = penalty(value, target=scale == "target" or (scale == "auto" and name in TARGETS))
    return prices


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
    return replace(
        outcomes, questions=questions, repeats=repeats_of(questions, [part[2] for part in parts if part], single=True)
    )


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
