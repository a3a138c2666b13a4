"""The answer names the right option: by its letter, its index or its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from nescio.data.model import Collection, Question, Run
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.judging._judge import judge
from nescio.text import answer_key, in_one_form, normalise

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_INDEX = re.compile(r"[0-9]{1,4}")


def remarks(collection: Collection, runs: Sequence[Run]) -> Iterator[Note]:
    """Yield notes on questions with several right options, and on answers of each run that name no option.

    Such answers count as wrong; if most answers of a run name no option, the run may belong to another test. Raises
    MismatchError for a run that counts its options from 1, because each number would name the next option.
    """
    questions = {question.id: question for question in collection.questions if question.options}
    if several := [q.id for q in questions.values() if len(_gold(q.options, q.answers) - {None}) > 1]:
        yield note(
            "choice.several_right",
            "{questions:n question} {questions:has/have} several right options, and each of these counts as right "
            "({named:list 5})",
            questions=len(several),
            named=several,
        )
    for run in runs:
        texts = [r for r in run.responses if r.answer is not None and r.question_id in questions]
        _no_count_from_one(run, [(questions[r.question_id].options, str(r.answer).strip()) for r in texts])
        answered = [r for r in texts if r.answered]  # A withheld answer is not wrong.
        if strange := sum(option(questions[r.question_id], str(r.answer)) is None for r in answered):
            yield note(
                "choice.no_option",
                "run {subject!r}: {answers} of {total:n answer} name no option of their question and count as wrong"
                "{doubtful:; does the run belong to this test?/}",
                run.name,
                answers=strange,
                total=len(answered),
                doubtful=strange > len(answered) / 2,
            )


def _no_count_from_one(run: Run, answers: Sequence[tuple[tuple[str, ...], str]]) -> None:
    """Raise MismatchError if the run counts the options from 1, while an index must count from 0.

    A run counts from 1 if its numbers range from 1 to the number of options, and no number is 0.
    """
    numbers = [
        (int(text), len(options))
        for options, text in answers
        if _INDEX.fullmatch(text) and not any(text in written for written in _written(options))
    ]
    beyond = sum(number == size for number, size in numbers)
    if beyond and all(0 < number <= size for number, size in numbers):
        raise MismatchError(
            f"run {run.name!r}: its option numbers count from 1 ({beyond} of {len(numbers)} equal the number of "
            "options, none is 0), but they must count from 0; write letters (A is the first option), or subtract 1"
        )


@judge("choice", suits=lambda question: bool(question.options), remarks=remarks)
def choice(question: Question, answer: str) -> bool:
    """Call an answer right if answer and gold name the same option. An answer that names no option is wrong.

    An option may be named by its text, its letter (A, (a), B., C)) or its index from 0. Case, spacing, punctuation and
    articles matter only if they distinguish options. A text that is itself an option means that option.
    """
    if not question.options:
        raise MismatchError(
            f"question {question.id!r} has no options, so the judge `choice` cannot judge an answer to it; use `exact`"
        )
    gold = _gold(question.options, question.answers)
    if None in gold:
        raise MismatchError(
            f"question {question.id!r}: the gold answer names none of its options (found {list(question.answers)!r})"
        )
    return option(question, answer) in gold


def option(question: Question, text: str) -> int | None:
    """Return the position, from 0, of the option that a text names (the first of equal options), or None."""
    return _named(question.options, text)


def _named(options: tuple[str, ...], text: str) -> int | None:
    for form, written in zip(_FORMS, _written(options), strict=True):
        words = form(text)
        if words and words in written:
            return written[words]
    position: int | None = None
    if letter := _LETTER.fullmatch(text.strip()):
        position = ord(letter[1].upper()) - ord("A")
    elif _INDEX.fullmatch(text.strip()):
        position = int(text)
    if position is None or position >= len(options):
        return None
    return _written(options)[0].get(options[position].strip(), position)


_FORMS: tuple[Callable[[str], str], ...] = (str.strip, answer_key, lambda text: normalise(in_one_form(text)))


@lru_cache(maxsize=1 << 16)
def _written(options: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Return for each spelling in `_FORMS` a dict from an option's text in this spelling to the option's position.

    A text that several different options share is left out, because it does not identify an option.
    """
    ways = []
    for form in _FORMS:
        texts: dict[str, set[str]] = {}
        for option_ in options:
            texts.setdefault(form(option_), set()).add(option_.strip())
        first = {option_.strip(): i for i, option_ in reversed(list(enumerate(options)))}
        ways.append({words: first[min(those)] for words, those in texts.items() if len(those) == 1})
    return tuple(ways)


@lru_cache(maxsize=1 << 16)
def _gold(options: tuple[str, ...], answers: tuple[str, ...]) -> frozenset[int | None]:
    return frozenset(_named(options, answer) for answer in answers)
