"""Read files of questions and of stories in JSON Lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.model import NOTHING, Collection, Question
from nescio.errors import FormatError
from nescio.formats.registry import ReadOptions
from nescio.sources import elements
from nescio.sources.json import as_text
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES, Source
from nescio.sources.text_files import WHITE
from nescio.text import composed, question_word

OWN_KEYS = ("id", "question", "answers", "options", "answerable", "cluster")


Stories = Mapping[str, tuple[str, ...]]


def read_stories(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the sentences of each story, keyed by its name.

    Raises FormatError with the line of the first unsound story.
    """
    if source.suffix not in LINES:
        raise FormatError(
            source.label, f"stories are JSON Lines, in a file that ends in {' or '.join(LINES)}", value=source.suffix
        )
    stories: dict[str, tuple[str, ...]] = {}
    for row, line in json_lines(source):
        name, sentences = identifier(source, row, line), row.get("sentences")
        if name in stories:
            raise FormatError(source.path, "the story appears twice", where=f"line {line}", value=name)
        sound = isinstance(sentences, list) and all(isinstance(s, str) and s.strip() for s in sentences)
        if not sentences or not sound:
            raise FormatError(source.path, "sentences must be a list of texts", where=f"line {line}", value=sentences)
        stories[name] = tuple(sentences)
    return stories


def read_collection(source: Source, options: ReadOptions | None = None, stories: Stories | None = None) -> Collection:
    """Return the questions in a file. Raises FormatError with the line of the first unsound question.

    `stories` has the sentences of the stories that the questions name.
    """
    wanted, gold = (options.strata, options.gold) if options else (None, True)
    questions: dict[str, Question] = {}
    for row, line in json_lines(source):
        listed = stories is not None and row.get("sentences") is not None  # a key of sentences has no answers
        question = _question(source, row, line, wanted, gold=gold and not listed)
        if stories is not None:
            question = _told(source, row, line, question, stories=stories, wanted=wanted)
        if question.id in questions:
            raise FormatError(source.path, "the question appears twice", where=f"line {line}", value=question.id)
        questions[question.id] = question
    if not questions:
        raise FormatError(source.path, "there are no questions")
    return Collection(source.stem, tuple(questions.values()))


def _question(source: Source, row: dict[str, Any], line: int, wanted: Sequence[str] | None, *, gold: bool) -> Question:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.path, rule, where=f"line {line}", value=value)

    if not isinstance(row.get("question"), str):
        raise fail("question must be a text", row.get("question"))
    answerable = elements.flag(row, "answerable", source.path, f"line {line}")
    answers, choices = (_texts(row.get(name), name, fail) for name in ("answers", "options"))
    if gold and not answers and answerable is not False:
        raise fail("a question needs answers, or answerable: false", row.get("answers"))
    strata = {
        name: as_text(value) or ""
        for name, value in row.items()
        if name not in OWN_KEYS and (wanted is None or name in wanted)
    }
    cluster = row.get("cluster")
    return Question(
        identifier(source, row, line),
        row["question"],
        answers,
        choices,
        answerable,
        as_text(cluster),
        strata or NOTHING,
    )


def _told(
    source: Source,
    row: dict[str, Any],
    line: int,
    question: Question,
    *,
    stories: Stories,
    wanted: Sequence[str] | None,
) -> Question:
    """Return the question with the sentences of its story, and with the sentences that people accept as answers.

    The questions about one story form a cluster. `wanted` names the strata to keep; None keeps all.
    """
    name, accepted = as_text(row.get("story")), row.get("sentences")
    if name is None or name not in stories:
        rule = "there is no such story" if name is not None else "the question must name its story"
        raise FormatError(source.path, rule, where=f"line {line}", value=name)
    story = stories[name]
    if accepted is not None:
        sound = isinstance(accepted, list) and all(type(i) is int and 0 <= i < len(story) for i in accepted)
        if not sound:
            rule = f"sentences must be a list of whole numbers from 0 to {len(story) - 1} (sentences of the story)"
            raise FormatError(source.path, rule, where=f"line {line}", value=accepted)
    strata = {key: value for key, value in question.strata.items() if key != "sentences"}
    if wanted is None or "question_word" in wanted:
        strata.setdefault("question_word", question_word(question.text))
    return replace(
        question,
        cluster=question.cluster or name,
        strata=strata,
        story=story,
        accepted=None if accepted is None else tuple(accepted),
    )


def _texts(value: Any, name: str, fail: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in items):
        raise fail(f"{name} must be a list of texts", value)
    return tuple(as_text(item) or "" for item in items)


def identifier(source: Source, row: dict[str, Any], line: int) -> str:
    """Return the `id` of a line as text. Raises FormatError if it is not a text or a whole number, or is blank."""
    return composed(elements.identifier(row, "id", source.path, line).strip(WHITE)) or ""
