"""Parts that the rules of every language share: words with punctuation, the place of the answer, kinds of answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nescio.text import word_set

SLOT = "\0"  # marks the place of the answer
_EDGE = re.compile(r"^\W+|\W+$")
_MONTHS = word_set(
    "jan feb mar apr may jun jul aug sep sept oct nov dec ene abr ago dic mär mai okt dez january february march"
    " april june july august september october november december enero febrero marzo abril mayo junio julio agosto"
    " septiembre octubre noviembre diciembre januar februar märz juni juli oktober dezember"
)


def plain(word: str) -> str:
    """Return a word in lower case without the punctuation around it."""
    return _EDGE.sub("", word).lower()


def joined(*parts: Sequence[str] | str) -> str:
    """Return words and lists of words as one text, without empty words."""
    return " ".join(word for part in parts for word in ((part,) if isinstance(part, str) else part) if word)


def cut(stated: str) -> tuple[str, str]:
    """Return the parts of a statement before and after `SLOT`, the place of the answer.

    If the statement has no `SLOT`, all of it comes before the answer.
    """
    before, _, after = stated.partition(SLOT)
    return before.strip(), after.replace(SLOT, "").strip()


def is_year(answer: str) -> bool:
    """Return whether an answer is a year or a decade."""
    return re.fullmatch(r"(?:the )?(?:1\d|20)\d\d(?:s|'s)?", answer.strip().lower()) is not None


def is_day(answer: str) -> bool:
    """Return whether an answer names a day: a month beside a number of one or two digits."""
    words = [plain(word) for word in answer.split()]
    months = any(word in _MONTHS for word in words)
    days = any(re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", word) for word in words)
    return months and days


def measured(answer: str) -> bool:
    """Return whether an answer is a number, with or without a unit."""
    return bool(re.search(r"\d", answer)) and not is_day(answer)


def first_word(answer: str) -> str:
    """Return the first word of an answer, in lower case."""
    return plain(answer.partition(" ")[0])
