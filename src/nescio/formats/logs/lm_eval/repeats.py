"""Several responses to one document: which rows are repeats, and what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.formats.logs.lm_eval.rows import Item


def numbered(items: list[Item]) -> list[Item]:
    """Return the rows, those of one document numbered as its repeats, where all documents have as many.

    Where the model said the same each time they are one row twice, which is refused further on.
    """
    rows = Counter(item.doc for item in items)
    if any(item.repeat for item in items) or max(rows.values(), default=1) < 2 or len({*rows.values()}) > 1:
        return items
    if len({(item.doc, item.said) for item in items}) == len(rows):
        return items
    seen: Counter[str] = Counter()
    numbered = []
    for item in items:
        seen[item.doc] += 1
        numbered.append(replace(item, repeat=seen[item.doc]))
    return numbered


def repeats_notes(file: str, items: Sequence[Item]) -> list[Note]:
    """Say how many responses each document has, or that the log grades only one of several."""
    if repeats := max((item.repeat or 0 for item in items), default=0):
        return [
            note(
                "lm_eval.repeats",
                "{subject}: {repeats} responses to each document, each graded, are its repeats",
                file,
                repeats=repeats,
            )
        ]
    if several := [item for item in items if item.ungraded]:
        return [
            note(
                "lm_eval.one_graded",
                "{subject}: {documents:n document} {documents:has/have} several responses, and one grade for all of "
                "them (of the first, or of what a filter made of them): they are no repeats",
                file,
                documents=len(several),
            )
        ]
    return []
