"""LongMemEval: the answers of one system with the verdicts of `evaluate_qa.py` (`question_id`, `hypothesis`,
`autoeval_label`), one JSON object a line, with or without the questions (`longmemeval_*.json`).

A question whose id holds `_abs` has no answer in the conversations. There the label says whether the system recognised
that: a true label is silence, which is right, and a false one is a wrong answer. Elsewhere the label says whether the
answer is right; an answer in words that decline is silence if `--declined-pattern` recognises it. The type of a
question is a stratum if the questions are given, or if the lines hold it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO, SILENT
from nescio.data.reasons import EMPTY
from nescio.data.texts import texts_of
from nescio.errors import FormatError, offer
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import NO_SCORE, identity, labels, outcome_of, place, result_of, run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import elements, flag, identifier, placed_rows
from nescio.sources.source import Source
from nescio.sources.tables import json_lines

ANSWER = {"question_id", "hypothesis", "autoeval_label"}
QUESTION = {"question_id", "question_type", "haystack_sessions"}
UNANSWERABLE = "_abs"
RECOGNISED = "recognised as unanswerable"
_TEXTS = {
    "hypothesis",
    "question",
    "answer",
    "autoeval_label",
    "question_id",
    "question_date",
}  # no groups of questions


def recognise(source: Source) -> str | None:
    """Recognise rows of `question_id`, `hypothesis`, `autoeval_label`; or questions with `question_type` and
    `haystack_sessions`."""
    columns = {*source.columns}
    if columns >= ANSWER and (source.kind == "lines" or isinstance(source.document, list)):
        return "answers"
    return "questions" if columns >= QUESTION and source.kind == "document" else None


@reader(
    "longmemeval",
    about="verdicts of LongMemEval's evaluate_qa.py: question_id, hypothesis, autoeval_label; and its questions",
    recognise=recognise,
    sniff_keys={"lines": ("autoeval_label",), "list": ("autoeval_label", "haystack_sessions")},
    files=("*.eval-results-*", "longmemeval_*.json"),
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file of answers as a run, named by its file."""
    notes: list[Note] = []
    answers = [source for part, source in parts if part == "answers"]
    if not answers:
        rule = f"these are questions; give the file that evaluate_qa.py wrote{offer('beside', '*.eval-results-*')}"
        raise FormatError(parts[0][1].label, rule)
    questions = {
        str(row.get("question_id")): {name: row.get(name) for name in ("question", "answer", "question_type")}
        for part, source in parts
        if part == "questions"
        for row, _ in elements(source, ())
        if isinstance(row, dict)
    }
    names = run_names([(_name(source), place(Path(source.label))) for source in answers])
    rows = [row for source, run in zip(answers, names, strict=True) for row in _rows(source, run, questions, options)]
    return result_of(rows, answers[0].label, options, notes, keep=("question_type",))


def _name(source: Source) -> str:
    """Return the name of the system's file: `evaluate_qa.py` adds .eval-results-JUDGE to it."""
    name = Path(source.label).name.partition(".eval-results-")[0]
    return name.removesuffix(".jsonl").removesuffix(".json") or source.stem


def _rows(
    source: Source, run: str, questions: Mapping[str, Mapping[str, Any]], options: ReadOptions
) -> Iterator[Graded]:
    placed: Iterator[tuple[dict[str, Any], str]]
    if source.kind == "lines":
        placed = ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
    else:
        placed = placed_rows(source, source.document, "an answer")
    for row, where in placed:
        question = identifier(row, "question_id", source.label, where)
        known, said = questions.get(question, {}), row.get("hypothesis")
        if not isinstance(said, (str, type(None))):
            raise FormatError(source.label, "hypothesis must be a text", where=where, value=said)
        answerable = UNANSWERABLE not in question
        state, why = _state(source, row, said, options, answerable=answerable, where=where)
        groups = {name: value for name, value in row.items() if name not in _TEXTS}
        yield Graded(
            run,
            identity(question),
            state,
            why=why,
            where=where,
            path=source.label,
            strata=labels(groups | {"question_type": known.get("question_type", row.get("question_type"))}, options),
            answerable=int(answerable),
            texts=texts_of(known.get("question"), [known.get("answer")], said) if options.texts else None,
        )


def _state(
    source: Source, row: Mapping[str, Any], said: str | None, options: ReadOptions, *, answerable: bool, where: str
) -> tuple[int, str | None]:
    held = row.get("autoeval_label")
    place, key = (held, "label") if isinstance(held, dict) else (row, "autoeval_label")
    label = flag(place, key, source.label, where)
    if label is None:
        return NOT_GRADED, NO_SCORE
    if not answerable:
        return (SILENT, RECOGNISED) if label else (INCORRECT, None)
    silence = SAID_SO if declined(options, said) else None if (said or "").strip() else EMPTY
    return outcome_of(CORRECT if label else INCORRECT, silence)
