"""The answer names the right option: by its letter, its index or its text."""

from __future__ import annotations

import re

from nescio.errors import MismatchError
from nescio.judging._judge import judge
from nescio.model import Question
from nescio.text import normalise, squeeze

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


@judge("choice")
def choice(question: Question, answer: str) -> bool:
    """Right if answer and gold name the same option. An answer that names no option is wrong.

    An option is named by its text (case and spacing do not matter), by its letter (A, (a), B., C)) or by its index from 0.
    """
    if not question.options:
        raise MismatchError(
            f"question {question.id!r} has no options, so the judge `choice` cannot read an answer; use `exact`"
        )
    gold = {option(question, text) for text in question.answers}
    if None in gold:
        raise MismatchError(
            f"question {question.id!r}: the gold answer names none of its options (found {list(question.answers)!r})"
        )
    return option(question, answer) in gold


def option(question: Question, text: str) -> int | None:
    """The position, from 0, of the option that a text names, or None."""
    for form in (str.strip, squeeze, normalise):
        written = [form(option) for option in question.options]
        if form(text) in written:
            return written.index(form(text))
    letter = _LETTER.fullmatch(text.strip())
    if letter:
        position = ord(letter[1].upper()) - ord("A")
    elif text.strip().isdecimal():
        position = int(text)
    else:
        return None
    return position if position < len(question.options) else None
