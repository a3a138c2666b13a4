"""Pack the texts of questions and answers into parts of a page, each unpacked when a reader looks at it."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from msgspec import Struct, field

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.outcomes import Outcomes
from nescio.data.repeats import Repeats
from nescio.data.texts import AnswerTexts
from nescio.formats import Unjudged
from nescio.pipeline import Loaded
from nescio.text import sanitize

MOST_TEXT = 120_000_000  # characters of questions and answers in a page: packed, some 20 to 40 MB
MOST_SEARCHED = 20_000_000  # with more characters, the search covers only questions
LIMITS = (4_000, 1_000, 300, 100)  # characters kept of each text: the first limit with which all texts fit
QUESTIONS, ANSWERS = 4096, 256  # number of questions in one part, for questions and for answers

Key = tuple[str, str | None]  # a question, and the label of its repeat


class ShownAnswer(Struct, frozen=True):
    """A run's answer to a question, the part of it that was graded (if not all of it), and the reason for the grade."""

    answer: str = ""
    graded: str = ""
    reason: str = ""


class Texts(Struct, frozen=True):
    """The texts of questions and answers, each keyed by (question, repeat).

    `asked` has each question with its gold answer, and `said` the answers of each run. `reasons` is a heading for the
    reasons beside the answers, such as "why it was graded so".
    """

    asked: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    said: Mapping[str, Mapping[Key, ShownAnswer]] = field(default_factory=dict)
    reasons: str = "why it was graded so"

    def __bool__(self) -> bool:
        return bool(self.asked)


class Parts(Struct, frozen=True):
    """Texts of questions (`asked`) and answers (`said`) as a page holds them, each cut into parts.

    Each part is base64 of gzip of JSON.
    """

    asked: tuple[str, ...]
    said: tuple[str, ...]
    searched: bool


def texts_of(loaded: Loaded) -> Texts | None:
    """Return the texts of questions and answers from the loaded data, or None without any."""
    if not isinstance(loaded.data, Evidence):
        return None
    if loaded.in_words is not None:
        return _of_log(loaded.in_words, loaded.data.origins, loaded.data.runs)
    return None if loaded.texts is None else _of_collection(loaded.texts, loaded.data)


def keys(questions: Sequence[str], repeats: Repeats | None) -> list[Key]:
    """Return the question and the repeat of each row; the repeat is None if no question was asked several times."""
    if repeats is None:
        return [(question, None) for question in questions]
    return [(question, str(label)) for question, label in zip(questions, repeats.label, strict=True)]


def _of_log(outcomes: Outcomes, origins: Mapping[str, str], runs: Sequence[str]) -> Texts:
    asked: dict[Key, tuple[str, str]] = {}
    answers_of: dict[str, dict[Key, ShownAnswer]] = {}
    names = keys(outcomes.questions, outcomes.repeats)
    assert outcomes.texts is not None
    nothing = AnswerTexts()
    made: dict[int, ShownAnswer | None] = {id(None): None}  # many answers may share one text
    for run, row in zip(outcomes.runs, outcomes.texts.tolist(), strict=True):
        of_run = answers_of.setdefault(run, {})
        for key, text in zip(names, row, strict=True):
            if id(text) not in made:
                made[id(text)] = None if text == nothing else ShownAnswer(text.answer, text.graded, text.reason)
            if (answer := made[id(text)]) is None:
                continue
            of_run[key] = answer
            if not (known := asked.get(key)) or not known[0]:
                asked[key] = (text.question, text.gold)
    return Texts(asked, {run: answers_of.get(origins.get(run, run), {}) for run in runs})


def _of_collection(texts: Unjudged, data: Evidence) -> Texts:
    """Return the texts of questions and answers, for answers that nescio itself judged.

    `texts` holds the collection and the answers, and `data` says which rows were kept.
    """
    labels = {label for _, label in keys(data.questions, data.repeats)} if data.repeats is not None else {None}
    asked: dict[Key, tuple[str, str]] = {}
    for question in texts.collection.questions:
        options = [f"{i}. {option}" for i, option in enumerate(question.options, 1)]
        shown = "\n".join([question.text, *options]), " | ".join(question.answers)
        asked |= {(question.id, label): shown for label in labels}
    by_name = {run.name: run for run in texts.runs}
    answers_of = {}
    for name in data.runs:
        run = by_name.get(data.origins.get(name, name))
        answers_of[name] = {
            (response.question_id, None if data.repeats is None else str(response.repeat or "1")): ShownAnswer(
                response.answer, "", response.support or ""
            )
            for response in (run.responses if run else ())
            if response.rank == 1 and response.answer is not None
        }
    return Texts(asked, answers_of, "supporting text")


def packed_texts(texts: Texts, rows: Sequence[Key], runs: Sequence[str]) -> tuple[Parts | None, tuple[Note, ...]]:
    """Return the texts of these rows and runs as a page holds them, and notes on texts that were cut.

    Texts are cut if all of them together do not fit into a page.
    """
    asked = [texts.asked.get(row, ("", "")) for row in rows]
    none: Mapping[Key, ShownAnswer] = {}
    by_run = [list(map(texts.said.get(run, none).get, rows)) for run in runs]
    # for example, letters of options are equal for many answers
    times = Counter(id(cell) for cells in by_run for cell in cells)
    distinct = {id(cell): cell for cells in by_run for cell in cells if cell}
    parts_of = [
        (len(part), times[at]) for at, cell in distinct.items() for part in (cell.answer, cell.graded, cell.reason)
    ]
    counted = [*((len(text), 1) for pair in asked for text in pair), *parts_of]
    lengths, often = np.array(counted, dtype=np.int64).reshape(-1, 2).T
    limit = next((limit for limit in LIMITS if np.minimum(lengths, limit) @ often <= MOST_TEXT), None)
    if limit is None:
        left_out = note(
            "page.texts_left_out",
            "questions and answers are too long for one page, so the page leaves them out; it has all outcomes",
        )
        return None, (left_out,)
    cut = int((lengths > limit) @ often)
    shortened = note(
        "page.texts_cut",
        "{texts:n text} of questions and answers {texts:is/are} cut to {characters:,} characters in this page",
        texts=cut,
        characters=limit,
    )

    @cache
    def shown(text: str) -> str:
        return sanitize(text, limit, target="page")

    def answer(one: ShownAnswer) -> str | list[str]:
        if not one.graded and not one.reason:
            return shown(one.answer)
        return [shown(one.answer), shown(one.graded), shown(one.reason)]

    questions = [[shown(question), shown(gold)] for question, gold in asked]
    packed = {id(None): None, **{at: answer(cell) for at, cell in distinct.items()}}
    answers = (
        list(zip(*([packed[id(cell)] for cell in cells] for cells in by_run), strict=True))
        if runs
        else [()] * len(rows)
    )
    parts = Parts(
        tuple(_packed(questions[i : i + QUESTIONS]) for i in range(0, len(rows), QUESTIONS)),
        tuple(_packed(answers[i : i + ANSWERS]) for i in range(0, len(rows), ANSWERS)),
        bool(np.minimum(lengths, limit) @ often <= MOST_SEARCHED),
    )
    return parts, (shortened,) if cut else ()


def _packed(values: Sequence[object]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
