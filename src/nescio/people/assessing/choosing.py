"""Read answers with known verdicts and a judge's grades, and draw the questions for a database."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from nescio.data.judge_record import UNCHECKED
from nescio.data.model import Run, Verdict
from nescio.data.notes import Note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import FormatError, UsageError
from nescio.judging.human import human
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.pooling import named_by
from nescio.people.campaigns.sheet_reading import table
from nescio.stats.drawing import inclusion
from nescio.tables.judgements import read_judgements
from nescio.text import sanitize

GRADES = {CORRECT: "correct", INCORRECT: "incorrect"}
COLUMNS = ("question", "answer", "verdict")
LIKELY, UNLIKELY = 1.5, 0.1  # weights of questions whose answers the judge grades differently, and with one answer


def known_answers(
    path: Path | str, part: str, secret: str, languages: Collection[str]
) -> list[tuple[Item, str, str, str]]:
    """Return (item, verdict, reason, grade) for each row of the file `path`, a table of answers with known verdicts.

    The columns are question, answer, verdict, and optionally question_id, document, support, language, why, grade.
    `part` is "training" or "control". Ids of items are computed from the `secret`. Raises FormatError for an unknown
    verdict or grade, and for a language that is not among the `languages` of the other questions, if these have any.
    """
    place, rows = Path(path), []
    if not place.is_file():
        raise UsageError(f"there is no file {place}")
    for row, line in table(place, COLUMNS):
        verdict = row["verdict"].strip().upper()
        if verdict not in {*Verdict}:
            words = ", ".join(Verdict)
            raise FormatError(place, f"a known verdict is one of {words}", where=f"line {line}", value=row["verdict"])
        grade = (row.get("grade") or "").strip().lower() if part == "control" else ""
        if grade not in ("", *GRADES.values()):
            words = ", ".join(GRADES.values())
            raise FormatError(place, f"a grade is one of {words}, or empty", where=f"line {line}", value=row["grade"])
        language = sanitize((row.get("language") or "").strip(), 100, target="page")
        if language and languages and language not in languages:
            rule = f"no question is in this language; the questions are in {', '.join(sorted(languages))}"
            raise FormatError(place, rule, where=f"line {line}", value=language)
        name = named_by(secret, part, row["question"], row["answer"], language)
        support = (row.get("document") or None, row.get("support") or None)
        topic = row.get("question_id", "").strip() or f"q{named_by(secret, part, row['question'])[:6]}"
        item = Item(name, topic, row["question"], row["answer"], (support,) * any(support), language)
        rows.append((item, verdict, row.get("why", "").strip(), grade))
    if not rows or len({item.id for item, *_ in rows}) < len(rows):
        raise FormatError(place, "the table must have at least one answer, and no answer twice")
    return rows


def grades_of(
    path: Path | str, runs: Sequence[Run], questions: Sequence[str], names: Mapping[tuple[str, str], str]
) -> tuple[dict[str, str], int, tuple[Note, ...]]:
    """Return the grades in a judge's file, keyed by item; the number of items with two different grades; and notes.

    An item is a distinct answer, which several runs may give. An item that the judge graded differently in two runs is
    left out. `names` maps a question's id and the text of an answer to the item. The notes count grades that fit no
    answer.
    """
    given, _ = read_judgements(path, by_key=True)
    judge, notes = human(given, [run.name for run in runs], questions)
    grades: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        for response in run.responses:
            item = names.get((response.question_id, response.answer or ""))
            label = (
                judge.label(run.name, response.question_id, response.answer, rank=response.rank)
                if item and response.answer
                else None
            )
            if item and label is not None and label.state in GRADES:
                grades[item].add(GRADES[label.state])
    if not grades:
        raise judge.none_judged()
    alike = {item: min(words) for item, words in grades.items() if len(words) == 1}
    left_out = [note for note in (*notes, *judge.said_of_stale()) if note.code != UNCHECKED]
    return alike, len(grades) - len(alike), tuple(left_out)


def drawn(topics: Mapping[str, Sequence[Item]], grades: Mapping[str, str], wanted: int) -> dict[str, float]:
    """Draw about `wanted` questions independently; return each drawn question's probability, keyed by question.

    Questions whose answers the judge grades differently are the likeliest. Questions with a single answer, on which
    runs cannot differ, are the least likely. The draw cannot be repeated, because its random source has no seed.
    """
    dice = secrets.SystemRandom()
    odds = inclusion(np.array([telling(items, grades) for items in topics.values()]), wanted)
    return {topic: chance for topic, chance in zip(topics, odds.tolist(), strict=True) if dice.random() < chance}


def telling(answers: Sequence[Item], grades: Mapping[str, str]) -> float:
    """Return the weight in the draw of the question with these `answers`.

    The weight is largest if the judge's `grades` of the answers differ, and smallest if there is only one answer.
    """
    if len(answers) < 2:
        return UNLIKELY
    return LIKELY if len({grades.get(item.id) for item in answers}) > 1 else 1.0
