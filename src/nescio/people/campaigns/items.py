"""The distinct answers that people judge."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from msgspec import Struct

from nescio.data.model import Question
from nescio.people.campaigns.shown_texts import MARK


class Item(Struct, frozen=True):
    """A distinct answer. `id` is computed from question, answer and secret, so that judgements fit every later pool.

    `text` is the `whole_text` of the question. `supports` has the documents and texts with which runs support the
    answer. `version` is that of the first pool with the answer. `current` says whether a run gives the answer now;
    other answers are kept for their judgements.
    """

    id: str
    question: str
    text: str
    answer: str
    supports: tuple[tuple[str | None, str | None], ...] = ()
    language: str = ""
    version: int = 1
    current: bool = True


def pool_version(items: Sequence[Item]) -> int:
    """Return the version of a pool, which increases by one whenever there are new answers; 0 without answers."""
    return max((item.version for item in items), default=0)


def whole_text(question: Question) -> str:
    """Return all that says what an answer to a question means: its text, its options with letters, and its story.

    The story begins a new line, after a mark, because a question may have lines too.
    """
    letters = (f"({letter}) " for letter in ascii_uppercase)
    asked = " ".join([question.text, *(f"{next(letters, '')}{text}" for text in question.options)])
    return "\n".join([asked, *([f"{MARK} {' '.join(question.story)}"] if question.story else [])])
