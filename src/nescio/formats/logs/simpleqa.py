"""SimpleQA results: tables of `problem, target, predicted_answer, grade`, one file per run. NOT_ATTEMPTED is silence.

A grade is A, B or C, or CORRECT, INCORRECT or NOT_ATTEMPTED, as a whole: the reference grader looks for a letter
anywhere in a text, and so takes NOT_ATTEMPTED for A and CORRECT for C. Files hold the questions in different orders, so
they are matched by their text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SAID_SO, SILENT
from nescio.data.texts import texts_of
from nescio.errors import FormatError, MismatchError
from nescio.formats.logs.graded import Graded, declined, outcomes_of
from nescio.formats.registry import TABLES, ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.database import connect
from nescio.sources.source import Source, name_runs, small
from nescio.sources.tables import load_rows, locate, require
from nescio.text import finite

MEASURES = (
    *("simpleqa.F", "simpleqa.correct", "simpleqa.incorrect", "simpleqa.not_attempted"),
    *("simpleqa.correct_given_attempted", "c@1"),
)
GRADES = {
    **dict.fromkeys(("A", "CORRECT"), CORRECT),
    **dict.fromkeys(("B", "INCORRECT"), INCORRECT),
    **dict.fromkeys(("C", "NOT_ATTEMPTED", "NOT ATTEMPTED"), SILENT),
}
REASONS = ("grader_response", "reason", "rationale", "explanation")  # columns in which a grader says why
OWN = ("problem", "target", "predicted_answer", "grade", "run", "model", "confidence", "metadata")
_MARKS = re.compile(r"[^\w ]+")
_METADATA = re.compile(r"""["'](topic|answer_type)["']:\s*["']([^"']*)["']""")


def recognise(source: Source) -> str | None:
    """Recognise a table with the columns `problem` and `grade`, and `target` or `predicted_answer`."""
    if source.kind not in TABLES or "outcome" in source.columns:
        return None
    have = set(source.columns)
    return "table" if {"problem", "grade"} <= have and have & {"target", "predicted_answer"} else None


class _Row(Struct, frozen=True):
    """A row as it stands: `occurrence` says how often its run had this question with this target before, from 0."""

    run: str
    text: str
    target: str
    graded: Graded
    occurrence: int


@reader(
    "simpleqa",
    about="SimpleQA results: problem, target, predicted_answer, grade (A, B, C or the words)",
    recognise=recognise,
    sniff_keys=tables_with("problem"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the graded answers of any number of runs, each named by its file (or by its column `run` or `model`)."""
    sources = [source for _, source in parts]
    notes = [remark for source in sources for remark in source.notes]
    rows: list[_Row] = []
    for source, name in zip(sources, name_runs(sources), strict=True):
        before = {row.run for row in rows}
        own = list(_rows(source, name, options, notes))
        if again := next((row.run for row in own if row.run in before), None):
            raise MismatchError(f"run {again!r} is in {source.label} and in an earlier file")
        rows += own
    graded = _numbered(rows, notes)
    outcomes = outcomes_of(graded, sources[0].label, options, notes)
    return ReadResult(outcomes, tuple(notes), MEASURES)


def _rows(source: Source, name: str, options: ReadOptions, notes: list[Note]) -> Iterator[_Row]:
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "graded")
        require(source, ("problem", "grade"), have, "a SimpleQA result")
        names = [column for column in have if column]
        cells = connection.execute(
            f"SELECT row, {', '.join(have[c] for c in names)} FROM graded ORDER BY row"
        ).fetchall()
    seen: Counter[tuple[str, str, str]] = Counter()
    odd: Counter[str] = Counter()
    for at, *values in cells:
        row = dict(zip(names, values, strict=True))
        if row["problem"] is None:
            raise FormatError(source.label, "the problem is empty", where=locate(source, at))
        run, target = row.get("run") or row.get("model") or name, row.get("target") or ""
        graded = _graded(source, row, at, run, options)
        if "predicted_answer" in row and row["predicted_answer"] is None and graded.state in (CORRECT, INCORRECT):
            odd[run] += 1
        key = (run, row["problem"], target)
        yield _Row(run, row["problem"], target, graded, seen[key])
        seen[key] += 1
    for run, answers in odd.items():
        notes.append(
            note(
                "simpleqa.empty_graded",
                "run {subject!r}: {answers} empty answers were graded correct or incorrect, and are read as graded",
                run,
                answers=answers,
            )
        )


def _graded(source: Source, row: Mapping[str, str | None], at: int, run: str, options: ReadOptions) -> Graded:
    state, why = grade_of(row["grade"], options.outcome_map)
    if state in (CORRECT, INCORRECT) and declined(options, row.get("predicted_answer")):
        state, why = SILENT, SAID_SO
    confidence = None
    if text := row.get("confidence"):
        confidence = finite(text)
        if confidence is None:
            raise FormatError(source.label, "confidence must be a finite number", where=locate(source, at), value=text)
    strata = dict(_METADATA.findall(row.get("metadata") or ""))
    strata |= {column: value or "" for column, value in row.items() if column not in OWN}
    graded = Graded(run, str(row["problem"]), state, confidence, why=why, strata=strata, path=source.label)
    if not options.texts:
        return graded
    reason = next((row[name] for name in REASONS if row.get(name)), None)
    words = texts_of(row["problem"], [row.get("target")], row.get("predicted_answer"), reason=reason)
    return replace(graded, texts=words)


def grade_of(text: str | None, outcome_map: Mapping[str, str] | None = None) -> tuple[int, str | None]:
    """Return the state that a grade names, and why it is silent or not graded.

    A grade is a letter or a word, in any case; both together where they agree ("A: CORRECT"), and marks around them do
    no harm ("**B**"). Nothing is looked for inside a longer text: that is not graded.
    """
    if text is None:
        return NOT_GRADED, "without a grade"
    if outcome_map and text in outcome_map:
        state = MEANINGS[outcome_map[text]]
        return state, "not attempted" if state == SILENT else None
    parts = (part.strip() for part in _MARKS.split(" ".join(text.upper().split()).replace("-", " ")))
    states = {GRADES.get(part) for part in parts if part}
    named = states.pop() if len(states) == 1 else None
    if named is None:
        return NOT_GRADED, "with a grade other than A, B or C"
    return named, "not attempted" if named == SILENT else None


def _numbered(rows: Sequence[_Row], notes: list[Note]) -> Iterator[Graded]:
    """Yield the rows with a name for each question: its text, and a number where a run has it more than once.

    Repeats are paired across runs by their targets where all runs have the same ones, and by their order otherwise.
    """
    by_text: dict[str, dict[str, list[tuple[str, int]]]] = {}
    for row in rows:
        by_text.setdefault(row.text, {}).setdefault(row.run, []).append((row.target, row.occurrence))
    repeated = {text: runs for text, runs in by_text.items() if max(map(len, runs.values())) > 1}
    places: dict[str, dict[tuple[str, int], int] | None] = {}
    for text, runs in repeated.items():
        kinds = {tuple(sorted(repeats)) for repeats in runs.values()}
        places[text] = {kind: i for i, kind in enumerate(kinds.pop())} if len(kinds) == 1 else None
    if len(repeated) > 1:
        notes.append(
            note(
                "simpleqa.questions_repeated",
                "{questions:n question} {questions:occurs/occur} more than once in a run: distinguished by a number",
                questions=len(repeated),
            )
        )
    elif repeated:
        notes.append(
            note(
                "simpleqa.question_repeated",
                "the question {subject!r} occurs more than once in a run: distinguished by a number",
                next(iter(repeated)),
            )
        )
    steady, nth = _steady(rows), Counter[tuple[str, str]]()
    for row in rows:
        place = 0
        if row.text in repeated:
            by_target = places[row.text]
            place = nth[row.run, row.text] if by_target is None else by_target[row.target, row.occurrence]
            nth[row.run, row.text] += 1
        strata = {name: value for name, value in row.graded.strata.items() if name in steady}
        name = row.text if not place else f"{row.text} ({place + 1})"
        while place and name in by_text:
            name += "'"
        yield replace(row.graded, question=name, strata=strata, cluster=row.text if repeated else None)


def _steady(rows: Sequence[_Row]) -> set[str]:
    """Return the columns that have one value a question."""
    values: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        for name, value in row.graded.strata.items():
            values.setdefault((name, row.text, row.target), set()).add(value)
    names = {name for name, _, _ in values}
    return names - {name for (name, _, _), cells in values.items() if len(cells) > 1}
