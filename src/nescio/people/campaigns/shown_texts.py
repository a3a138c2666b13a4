"""Tell whether a verdict on an item still holds after the item's question or supports changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from nescio.people.campaigns.retyped import plain

SENTENCES, LIST = "sentences", "nuggets"  # begin the ids of items that are no answers, before a colon
MARK = "¶"  # between texts in one cell of a sheet
_NAMED = re.compile(r"^\[[^\]]*\] ")
_DIGITS = 12  # of a digest, enough to tell a few texts apart
CHANGED = "the question or its supports changed after this item was shown: judge the item again by its present texts"


def kind_of_id(item: str) -> str:
    """Return what an assessor judges: "sentences" of a story, "nuggets" of a target, or an "answer"."""
    kind, colon, _ = item.partition(":")
    return kind if colon else "answer"


def texts_key(question: str, supports: Iterable[object]) -> str:
    """Return digests of the question and of each support that an assessor sees with an answer, joined by hyphens."""
    texts = (question, *map(repr, supports))
    return "-".join(hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGITS] for text in texts)


def still_holds(kind: str, verdict: str, then: str, now: str) -> bool:
    """Return whether a verdict on an item with the texts `then` also holds for the texts `now`.

    `then` and `now` are values of `texts_key`; an unknown key is "". No verdict holds for another question. R says that
    a text supports the answer, so it holds while no text is lost. U says that no text supports the answer, so it holds
    while no text is new. Other verdicts on answers are about the answer alone. Numbers of sentences hold only while no
    sentence changes. A list of nuggets always holds, because its author can change it.
    """
    if kind == LIST or not then or then == now:
        return True
    before, *supports_then = then.split("-")
    after, *supports_now = now.split("-")
    if before != after or kind == SENTENCES:
        return False
    if verdict == "R":
        return {*supports_then} <= {*supports_now}
    return verdict != "U" or {*supports_now} <= {*supports_then}


def cells_key(question: str, documents: str, texts: str) -> str:
    """Return the `texts_key` of a sheet's cells, which ignores changes by spreadsheets and names of documents."""
    pieces = [*documents.split("; "), *(_NAMED.sub("", text) for text in texts.split(f" {MARK} "))]
    return texts_key(plain(question), [plain(piece) for piece in pieces if piece])
