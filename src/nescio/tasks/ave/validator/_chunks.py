"""Examine the edges of the answer, to distinguish a whole phrase of its text from a part of one."""

from __future__ import annotations

from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.ave.validator._words import Words, is_number
from nescio.text import ARTICLES, STOP_WORDS, word_set

_LINKS = word_set(
    "of in on at to from by for with about into over after before between under during through as than since until"
)
_VERBS = word_set(
    "is are was were be been being am has have had do does did can could will would shall should may might must"
)
_CLASSES = ("name", "number", "content", "article", "link", "other")


def _class(words: Words, i: int) -> str:
    word = words.lower[i]
    if is_number(word):
        return "number"
    if word in ARTICLES:
        return "article"
    if word in _LINKS:
        return "link"
    if word in STOP_WORDS:
        return "other"
    return "name" if words.surface[i][0].isupper() else "content"


def _neighbour(words: Words, i: int, inside: int) -> str:
    """Return the class of the i-th word, which is a neighbour of an answer's first or last word, given by the index
    `inside`.

    It is "edge" if punctuation separates the two words, or if the text has no i-th word.
    """
    if not 0 <= i < len(words) or abs(words.place[i] - words.place[inside]) > 1:
        return "edge"
    return _class(words, i)


def chunks(case: Case) -> Row:
    """Return features of the boundaries of the answer: the classes of its first and last word, and of the two words of
    the text right before and after the answer."""
    answer, text, (first, end) = case.answer, case.text, case.span
    begins, ends = (_class(answer, 0), _class(answer, len(answer) - 1)) if len(answer) else ("other", "other")
    before = _neighbour(text, first - 1, first) if first < end else "edge"
    after = _neighbour(text, end, end - 1) if first < end else "edge"
    inner = answer.lower[1:-1]
    raw = answer.text
    return {
        **{f"begins with {kind}": float(begins == kind) for kind in _CLASSES},
        **{f"ends with {kind}": float(ends == kind) for kind in _CLASSES},
        **{f"after {kind}": float(before == kind) for kind in (*_CLASSES, "edge")},
        **{f"before {kind}": float(after == kind) for kind in (*_CLASSES, "edge")},
        "cuts a name": float((before == begins == "name") or (after == ends == "name")),
        "of follows": float(end < len(text) and after == "link" and text.lower[end] == "of"),
        "holds a verb": float(any(word in _VERBS for word in answer.lower)),
        "holds a link": float(any(word in _LINKS for word in inner)),
        "holds and": float("and" in inner or "or" in inner),
        "holds a comma": float("," in raw),
        "holds a stop": float(any(mark in raw.rstrip(".") for mark in (". ", ";", ":"))),
        "unbalanced": float(raw.count("(") != raw.count(")") or raw.count('"') % 2 == 1),
        "quoted": float('"' in raw or "“" in raw),
    }
