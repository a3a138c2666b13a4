"""Read the gold of SQuAD 2.0: questions with their paragraphs and articles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from nescio.data.model import NOTHING, Question
from nescio.errors import FormatError
from nescio.formats.registry import ReadOptions
from nescio.sources.source import Source
from nescio.tasks.squad.scores import Golds


class _Asked(Struct, frozen=True):
    """A question in the gold, with the title of its article.

    It also has the indices, from 0, of its article, its paragraph and itself.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    article: str
    data: int
    paragraph: int
    qas: int

    @property
    def place(self) -> str:
        """Return the path of the question in the file, for messages."""
        return f"data[{self.data}].paragraphs[{self.paragraph}].qas[{self.qas}]"


class Gold(Struct, frozen=True):
    """The questions of a gold file in order, with their right answers in the form that scoring needs."""

    asked: tuple[_Asked, ...]
    golds: Golds


def read_gold(source: Source) -> Gold:
    """Return the questions of a gold file. Raises FormatError with the place of the first invalid question."""
    by_id: dict[str, _Asked] = {}
    for asked in _listed(source):
        if asked.id in by_id:
            raise FormatError(source.label, "the question appears twice", where=asked.place, value=asked.id)
        by_id[asked.id] = asked
    if not by_id:
        raise FormatError(source.label, "there are no questions")
    return Gold(tuple(by_id.values()), Golds([*by_id], [asked.answers for asked in by_id.values()]))


def questions(gold: Gold, options: ReadOptions) -> tuple[Question, ...]:
    questions, before, strata = [], (-1, -1), NOTHING
    for asked in gold.asked:
        if (asked.data, asked.paragraph) != before:  # All questions of a paragraph share one mapping.
            before = asked.data, asked.paragraph
            labels = {"article": asked.article, "paragraph": f"{asked.article} {asked.paragraph}"}
            strata = options.kept(labels)
        questions.append(
            Question(
                asked.id,
                asked.text,
                tuple(dict.fromkeys(asked.answers)) if asked.answers else (),
                answerable=bool(asked.answers),
                strata=strata,
            )
        )
    return tuple(questions)


def _listed(source: Source) -> Iterator[_Asked]:
    for i, (place, paragraphs, title) in enumerate(_each(source, source.document["data"], "data", "paragraphs")):
        for j, (_, qas, _) in enumerate(_each(source, paragraphs, f"{place}.paragraphs", "qas")):
            for k, question in enumerate(qas):
                yield _question(source, question, title, (i, j, k))


def _each(source: Source, items: Any, what: str, inside: str) -> Iterator[tuple[str, list[Any], str]]:
    """Yield the list `inside` of each object in `items`, with the object's place in the file and its title.

    `what` is the path of `items`, such as "data". Raises FormatError for an object without this list.
    """
    for position, item in enumerate(items):
        place = f"{what}[{position}]"
        members = item.get(inside) if isinstance(item, dict) else None
        if not isinstance(members, list):
            raise FormatError(source.label, f"expected an object with a list of {inside}", where=place, value=item)
        title = item.get("title", "")
        yield place, members, title if isinstance(title, str) else str(title)


def _question(source: Source, question: Any, title: str, at: tuple[int, int, int]) -> _Asked:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=_Asked("", "", (), title, *at).place, value=value)

    if not isinstance(question, dict):
        raise fail("a question must be an object", question)
    name, text, answers = question.get("id"), question.get("question", ""), question.get("answers")
    if isinstance(name, bool) or not isinstance(name, (str, int)) or name == "":
        raise fail("id must be a text or a whole number", name)
    if not isinstance(text, str):
        raise fail("question must be a text", text)
    if not isinstance(answers, list):
        raise fail("answers must be a list, empty if there is no answer", answers)
    stated = [answer.get("text") if isinstance(answer, dict) else None for answer in answers]
    texts = [answer for answer in stated if isinstance(answer, str)]
    if len(texts) < len(stated):
        raise fail("each answer must be an object with a text", answers)
    return _Asked(str(name), text, tuple(texts), title, *at)
