"""The distinct answers that people judge."""

from __future__ import annotations

from msgspec import Struct


class Item(Struct, frozen=True):
    """A distinct answer. `id` is computed from question, answer and secret, so that judgements fit every later pool.

    `supports` has the documents and texts with which runs support the answer. `version` is that of the first pool with
    the answer. `current` says whether a run gives the answer now; other answers are kept for their judgements.
    """

    id: str
    question: str
    text: str
    answer: str
    supports: tuple[tuple[str | None, str | None], ...] = ()
    language: str = ""
    version: int = 1
    current: bool = True
