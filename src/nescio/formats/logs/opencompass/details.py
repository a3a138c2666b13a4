"""The items of an OpenCompass file of results: what each says of its answers, which may be several, and why an answer
is none.

Evaluators write them in five ways: by number with `correct`, or with `predictions` and `references` alone; as a list
that has a list of answers for each example (`example_abbr`), one a replica of the data set; with `cascade_correct`,
where rules and a judge decide together; with `grade_letter`; and, where a judge alone decides, with the judge's text as
`prediction`, its prompt as `origin_prompt`, and no word of the answer. A is right, B wrong, and C not attempted, as a
whole: the tool looks for a letter anywhere in the text. What is none of these is a judge that failed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.data.outcomes import CORRECT, INCORRECT, SAID_SO, SILENT
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import declined
from nescio.formats.logs.grading import number
from nescio.formats.logs.simpleqa import GRADES
from nescio.formats.registry import ReadOptions
from nescio.sources.elements import part_of
from nescio.sources.source import Source
from nescio.tables.lexicon import roles_of

EXAMPLE = "example_abbr"
VERDICTS = ("correct", "is_correct", "cascade_correct")
LETTER, JUDGED = "grade_letter", {"prediction", "gold"}
NOT_ATTEMPTED = "not attempted"
# The tool's own names in an item; and its names for what was said and for what is right, which others have too.
OWN = {LETTER, EXAMPLE, "origin_prediction", "origin_prompt", "cascade_correct"}
SAID, EXPECTED = {"pred", "predictions", "prediction"}, {"answer", "references", "gold", "refr", *VERDICTS}
Item = Mapping[str, Any]


class Answer(Struct, frozen=True):
    """One answer: the number of its item, which of several answers to it this is (None where there is one), its
    verdict (NaN where there is none), and why it is silence."""

    number: str
    repeat: int | None
    verdict: float
    silent: str | None
    texts: AnswerTexts | None = None


def details_of(document: Item) -> list[tuple[str, Any]]:
    """Return the details by number, in order."""
    held = document.get("details")
    if isinstance(held, list):
        return [(str(i), one) for i, one in enumerate(held)]
    if isinstance(held, dict):
        return [(str(name), one) for name, one in held.items() if str(name).isdecimal()]
    return []


def are_details(document: Item) -> bool:
    """Say whether the details of a document are those of the tool: its names for what was said and what is right, no
    column for the run, the question or silence, and no texts beside them; an accuracy is in percent."""
    items = details_of(document)
    item = items[0][1] if items else None
    if not isinstance(item, dict) or any(isinstance(value, str) for value in document.values()):
        return False
    known = {role for name in item for role in roles_of(name)}
    if known & {"run", "abstained", "answered"} or (
        isinstance(document["details"], list) and known & {"question", "row"}
    ):
        return False
    own = {*item} & OWN or ({*item} & SAID and {*item} & EXPECTED)
    return bool(own) and not _is_a_fraction(document.get("accuracy"), items)


def _is_a_fraction(accuracy: Any, items: Sequence[tuple[str, Any]]) -> bool:
    """Say whether an accuracy is the share of the items that are right, where the tool would have written percent."""
    right = [number(first_of(item.get(name) for name in VERDICTS)) for _, item in items if isinstance(item, dict)]
    own, share = number(accuracy), sum(mark == 1 for mark in right) / len(items)
    return own is not None and share > 0 and abs(own - share) < 1e-3


def first_of(values: Iterable[Any]) -> Any:
    """Return the first value that is not None."""
    return next((value for value in values if value is not None), None)


def has_verdict(source: Source) -> bool:
    """Say whether some item of the results says if it is right."""
    return any(isinstance(item, dict) and _says(item) for _, item in details_of(source.document))


def _says(item: Item) -> bool:
    return any(item.get(name) is not None for name in (*VERDICTS, LETTER)) or {*item} >= JUDGED


def answers_of(
    source: Source, items: Sequence[tuple[str, Any]], texts: Sequence[str], options: ReadOptions, *, replicas: bool
) -> Iterator[Answer]:
    """Yield the answers of all items; `texts` are those that the model gave, where they stand in a file of their own,
    and `replicas` says that the items may stand there several times.

    Raises FormatError for an item that is no object, and for a verdict that is neither true nor false.
    """
    for name, item in items:
        if not isinstance(item, dict):
            raise FormatError(source.label, "an item must be an object", where=f"details {name}", value=item)
    size, places = len(items), copies([item for _, item in items]) if replicas else None
    for i, (name, item) in enumerate(items):
        several = _unfolded(item)
        for r, one in enumerate(several):
            text = texts[i + r * size] if i + r * size < len(texts) else None
            verdict, silent = _graded(source, one, f"details {name}", text, options)
            words = _words(item, one, text) if options.texts else None
            if places is not None:
                yield Answer(items[places[i][0]][0], places[i][1], verdict, silent, words)
            else:
                yield Answer(name, r + 1 if len(several) > 1 else None, verdict, silent, words)


def copies(items: Sequence[Item]) -> list[tuple[int, int]] | None:
    """Return which item each is an answer to, and which answer, where the data set stands there several times, one copy
    after the other (`n` of a data set); None where it does not."""
    asked = [_asked(item) for item in items]
    if None in asked:
        return None
    size = len({*asked})
    if not 0 < size < len(asked) or len(asked) % size or asked != asked[:size] * (len(asked) // size):
        return None
    return [(i % size, i // size + 1) for i in range(len(asked))]


def _words(item: Item, one: Item, text: str | None) -> AnswerTexts:
    """Return what was asked, what is right, what was said, what was extracted of it, and the judge's words."""
    held = one.get("origin_prediction")
    asked = item.get("prompt", item.get("origin_prompt", item.get("question")))
    gold = one.get("references", one.get("answer", one.get("gold", one.get("refr"))))
    drawn = one.get("predictions", one.get("pred"))
    alone = LETTER not in one and drawn is None and {*one} >= JUDGED  # a judge's words, and none of the answer
    answer = text if text is not None else None if alone or isinstance(held, dict) else held
    reason = one.get("prediction") if alone else one.get(LETTER)
    return texts_of(asked, gold if isinstance(gold, list) else [gold], answer, drawn, reason)


def _asked(item: Item) -> str | None:
    """Return the prompt of an item with its gold answer; None where it has no prompt."""
    held = item.get("origin_prediction")
    prompt = item.get("prompt", item.get("origin_prompt", part_of(held, "origin_prompt")))
    gold = item.get("references", item.get("gold"))
    return None if not prompt or EXAMPLE in item else json.dumps([prompt, gold], sort_keys=True, default=str)


def _unfolded(item: Item) -> list[Item]:
    """Return the answers of an item, each as an item of its own."""
    if EXAMPLE not in item:
        return [item]
    many = max((len(value) for value in item.values() if isinstance(value, list)), default=1)
    return [
        {name: value[r] for name, value in item.items() if isinstance(value, list) and len(value) == many}
        for r in range(many)
    ]


def _graded(source: Source, item: Item, where: str, text: str | None, options: ReadOptions) -> tuple[float, str | None]:
    """Return the verdict of an answer, NaN for none, and why it is silence."""
    silent = _silence(item, text, options)
    letter = item.get(LETTER)
    if letter is None and not any(item.get(name) is not None for name in VERDICTS) and {*item} >= JUDGED:
        letter = item["prediction"]
    if letter is None:
        return _verdict(source, item, where), silent
    state = GRADES.get(str(letter).strip().strip("().*: ").upper())
    if state == SILENT:
        return 0.0, silent or NOT_ATTEMPTED
    return {CORRECT: 1.0, INCORRECT: 0.0}.get(-1 if state is None else state, math.nan), silent


def _verdict(source: Source, item: Item, where: str) -> float:
    """Return what an item says of its answer: true, a number, or a list of one; NaN where it says nothing."""
    value = first_of(item.get(name) for name in VERDICTS)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    mark = number(value)
    if value is not None and mark is None:
        raise FormatError(source.label, "correct must be true or false", where=where, value=value)
    return math.nan if mark is None else mark


def _silence(item: Item, text: str | None, options: ReadOptions) -> str | None:
    """Say why an item has no answer: nothing was said, nothing was extracted of it, or that the model does not know."""
    rule = item.get("rule_evaluation")
    if isinstance(rule, dict):
        item = rule
    answer = text if text is not None else item.get("origin_prediction")
    drawn = item.get("predictions", item.get("pred")) if LETTER not in item else None
    if isinstance(answer, dict):  # perplexities of the options
        return None
    answer, drawn = first(answer), first(drawn)
    if any(declined(options, one) for one in (drawn, answer)):
        return SAID_SO
    if answer is not None and not answer.strip():
        return EMPTY
    if drawn is not None and drawn.strip() in ("", "None", "[]"):
        return NO_FORM if answer else EMPTY
    return None


def first(value: Any) -> str | None:
    """Return a text, or the only one of a list."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else " ".join(str(one) for one in value)
    return value if isinstance(value, str) else None
