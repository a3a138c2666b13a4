"""Find the option of a question that an answer names, by its text, its letter or its number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nescio.data.model import Question
from nescio.judging.choice import option

NUMBER = re.compile(r"[0-9]{1,4}")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def option_at(question: Question, answer: str, first: int) -> int | str:
    """Return the position of the option that an answer names, or a text on the rule that the answer breaks.

    Numbers of options count from `first`; if `first` is -1, they name no options. A number that is also the text of
    another option breaks a rule.
    """
    at = option(question, answer)
    number = NUMBER.fullmatch(answer.strip())
    is_text = any(answer.strip() == text.strip() for text in question.options)
    if number is None or (is_text and first < 0):
        return "is not one of its options" if at is None else at
    if is_text and at is not None and int(answer) - first != at:
        return (
            "is the text of one option, but could be the number of another; name the option by its letter, "
            f"{_ALPHABET[at]}"
        )
    if first < 0:
        return f"is a number, which could count from 0 or from 1; name options by {naming(question.options, first)}"
    at = int(answer) - first
    last = len(question.options) - 1 + first
    return at if 0 <= at < len(question.options) else f"is not one of its options, which count from {first} to {last}"


def is_text_of_another(question: Question, answer: str) -> bool:
    """Return whether an answer is the letter of one option, but the text of another, which it names."""
    letter = answer.strip(" \t().").upper()
    at = option(question, answer) if letter in _ALPHABET and len(letter) == 1 else None
    return at is not None and at != _ALPHABET.index(letter) < len(question.options)


def naming(options: Sequence[str], first: int) -> str:
    """Return a phrase on how an answer may name an option; numbers count from `first` (negative: name no option)."""
    last = chr(ord("A") + len(options) - 1) if len(options) <= len(_ALPHABET) else "…"
    numbers = f", or by a number from {first} to {len(options) - 1 + first}" if first >= 0 else ""
    return f"their text or by a letter from A to {last}{numbers}"
