"""Hold the texts of questions and answers, for people to read. No number depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct


class AnswerTexts(Struct, frozen=True):
    """The texts of one answer: the question, the gold answer, the response, the graded part, and the reason for the
    grade.

    The graded part is empty if the whole response was graded. Other texts are empty if the file does not have them.
    """

    question: str = ""
    gold: str = ""
    answer: str = ""
    graded: str = ""
    reason: str = ""


def texts_of(
    question: Any = None, gold: Iterable[Any] = (), answer: Any = None, graded: Any = None, reason: Any = None
) -> AnswerTexts:
    """Return the texts for people from parts of a log, which may be of any JSON type.

    The graded text is left out if it equals the answer. Several gold answers are joined by " | ".
    """
    answer_text, graded_text = in_words(answer), in_words(graded)
    several = " | ".join(dict.fromkeys(filter(None, map(in_words, gold))))
    return AnswerTexts(
        in_words(question),
        several,
        answer_text or graded_text,
        "" if graded_text == answer_text or not answer_text else graded_text,
        in_words(reason),
    )


def in_words(value: Any) -> str:
    """Return a JSON value as text for people.

    A text is unchanged. The elements of a list and the messages of a chat are put on separate lines.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple)):
        return "\n".join(filter(None, map(in_words, value)))
    if isinstance(value, dict):
        return _members(value)
    return "" if value is None else str(value).strip()


def _members(value: Mapping[str, Any]) -> str:
    if "content" in value:
        role, content = value.get("role"), in_words(value["content"])
        return f"{role}: {content}" if isinstance(role, str) and content else content
    if isinstance(value.get("text"), str):
        return str(value["text"]).strip()
    return "\n".join(f"{name}: {text}" for name, part in value.items() if (text := in_words(part)))
