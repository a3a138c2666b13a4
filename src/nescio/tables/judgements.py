"""Read people's verdicts on answers: a table with a verdict for each answer.

No registered format reads such a table. Commands read it beside runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nescio.data.notes import Note, note
from nescio.data.outcomes import (
    ABSENT,
    ANSWERED,
    CORRECT,
    INCORRECT,
    MEANINGS,
    NOT_GRADED,
    SILENT,
    STATES,
    Label,
    Outcomes,
)
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.sources.database import connect
from nescio.sources.opening import open_source
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import load_rows, locate, unguarded
from nescio.tables.lexicon import fold, lexicon, roles_of, squash, truth_of
from nescio.tables.lexicon import state_of as outcome_of
from nescio.tables.mapping import AND
from nescio.text import by_value, decimal, finite

QUESTION = ("question_id", "qid", "id", "question")
RUN = ("run", "run_id", "system", "model")
ANSWER = ("answer", "prediction", "predicted_answer", "response")
VERDICT = (
    "outcome",
    "verdict",
    "judgement",
    "judgment",
    "acceptable",
    "grade",
    "label",
    "human",
    "correct",
    "is_correct",
)

INCLUSION, ASSESSOR = "inclusion", "assessor"
# The parts that `--column NAME=COLUMN` may name in such a table, and the default columns.
PARTS = {"question": QUESTION, "run": RUN, "answer": ANSWER, "verdict": VERDICT, INCLUSION: (INCLUSION,)}
PARTS |= {"rank": ("rank",), "answered": ("answered",), "by_key": ("by_key",)}
PARTS[ASSESSOR] = ()  # any name of the lexicon's annotators
_ROLES = {"question": ("question", "text"), "run": ("run",), "answer": ("prediction",)}
OWN_PARTS = ("verdict", INCLUSION, ASSESSOR)  # parts that no other table has

# People's words beside those that an outcome table knows; among TREC's letters only R is right.
_WORDS = {
    "r": CORRECT,
    **dict.fromkeys(("w", "x", "u", "inexact", "unsupported"), INCORRECT),
    **dict.fromkeys(("not judged", "unknown", "skipped", "?", "-"), NOT_GRADED),
}
ATTEMPTS = ("answered", "attempted", "answer", "attempt")  # columns in which people say only whether a system answered
INEXACT = ("x", "inexact")
_TIME = re.compile(r"\d{1,4}([-/.])\d\d?\1\d|\d\d?:\d\d")  # how a date, or a time of day, begins
LETTERS = {"a": CORRECT, "b": INCORRECT, "c": SILENT}  # SimpleQA's letters, if the column has no other word


def state_of(word: str) -> int | None:
    """Return the state (a number of `nescio.data.outcomes`) that a word of people's verdicts means; None if unknown."""
    state = _WORDS.get(word if word in _WORDS else fold(word))
    return outcome_of(word) if state is None else state


def read_judgements(
    table: Any,
    outcome_map: Mapping[str, str] | None = None,
    verdict: str | None = None,
    *,
    inexact: int = INCORRECT,
    named: Mapping[str, str] | None = None,
    answered: bool = False,
    several: bool = False,
    by_key: bool = False,
) -> tuple[list[Label], list[Note]]:
    """Return the labels of a table (CSV, TSV, JSON Lines, Parquet, or in memory), and notes on how its words were read.

    The columns are the question (question_id, qid, id or question), the run and the text of the answer if they exist,
    and the verdict. `verdict` names the column of verdicts if several columns could hold them. The column `inclusion`
    has the probability with which people were given the question, `rank` the rank of the answer if it is not 1,
    `answered` whether the run gave the judged answer, `by_key` whether a key decided in place of people, and a further
    column names the assessor (assessor, annotator, rater, …).

    `verdict` may name a column of each assessor ("ana+ben"). With `several` these columns are found by their numbers
    (annotator1, annotator2). `named` maps parts to columns ({"run": COLUMN}); columns that the table lacks belong to
    other tables. A row without a verdict is NOT_GRADED. `inexact` is the state of an inexact answer (incorrect for
    TREC, neither for AVE). With `answered`, a verdict may say that the text is an answer, right or wrong. Raises
    FormatError for a table without such columns, for an unknown verdict, or for an invalid probability. Verdicts of a
    key are left out, unless `by_key` asks for these, too; it is also raised if nothing else is there.
    """
    source = open_source(table)
    if source.suffix not in (*TABLES, *LINES, ""):
        rule = "judgements are a table, in .csv, .tsv, .jsonl or .parquet"
        raise FormatError(source.label, rule, value=Path(str(source.label)).suffix)
    chosen = verdict or (named or {}).get("verdict")
    apart = _apart(source, chosen, several=several)
    every, wanted = list[_Row](), dict[str, str | None]()
    for column in apart or (chosen,):
        wanted = _columns(source, column, named)
        rows = _rows(source, wanted)
        every += [row._replace(assessor=column) for row in rows] if apart else rows
    decided = _truth(source, every, "by_key", wanted)
    rows = [row for row in every if by_key or not decided.get(row.by_key, False)]
    if every and not rows:
        raise FormatError(source.label, "every verdict is of a key (column `by_key`), and none of people")
    by_whom = {} if apart or wanted[ASSESSOR] else _told_apart(source, rows, wanted)
    by_assessor = wanted[ASSESSOR] or next((column for column, _ in by_whom.values()), "column")
    rows = [row._replace(assessor=by_whom[row.row][1]) for row in rows] if by_whom else rows
    words, more = {row.verdict for row in rows if row.verdict}, dict.fromkeys(ATTEMPTS * answered, ANSWERED)
    known = _known(words, outcome_map or {}, inexact, more)
    labels = _labels(source, rows, known, by_assessor, _truth(source, rows, "answered", wanted))
    notes = [*source.notes, *_words_read(Counter(row.verdict for row in rows if row.verdict), known, str(source.label))]
    if len(rows) < len(every):
        notes.append(
            note(
                "judgements.by_key",
                "{subject}: {verdicts:n verdict} {verdicts:is/are} of a key and not of people (column `by_key`), and "
                "{verdicts:is/are} ignored",
                str(source.label),
                verdicts=len(every) - len(rows),
            )
        )
    if by_whom:
        notes.append(
            note(
                "judgements.assessor",
                "{subject}: the column {column!r} distinguishes verdicts on one answer, and is read as the assessor",
                str(source.label),
                column=by_assessor,
            )
        )
    return labels, notes


class _Row(NamedTuple):
    """The number of a row and its cells, each None if it is empty. The rank is 1 if no cell gives it."""

    row: int
    question: str | None
    run: str | None
    answer: str | None
    verdict: str | None
    inclusion: str | None
    rank: Any
    answered: str | None
    by_key: str | None
    assessor: str | None


def _rows(source: Source, wanted: Mapping[str, str | None]) -> list[_Row]:
    """Return the rows of a table. `wanted` maps the parts of a judgement to columns."""
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "judgements", {name for name in wanted.values() if name})
        names = [wanted[part] for part in _Row._fields[1:]]
        cells = [unguarded(source, have[name]) if name and name in have else "NULL" for name in names]
        cursor = connection.execute(f"SELECT row, {', '.join(cells)} FROM judgements ORDER BY row")
        rows = [_Row._make(cells) for cells in cursor.fetchall()]
    ranks = _ranks({row.rank for row in rows})
    return [row._replace(rank=ranks[row.rank]) for row in rows]


def _labels(
    source: Source,
    rows: Iterable[_Row],
    known: Mapping[str, int],
    by_assessor: str,
    answered: Mapping[str | None, bool],
) -> list[Label]:
    """Return the label in each row.

    `known` has the states of the words, `by_assessor` names the column of assessors, and `answered` tells what cells of
    that column mean. Raises FormatError for a row without a question, and for an unknown verdict or probability.
    """
    row_word = "object" if source.suffix in LINES else "row"
    labels = []
    for row in rows:
        word, who = row.verdict, row.assessor
        state = NOT_GRADED if word is None else known.get(word)
        if row.question is None or state is None:
            rule = "the question is empty" if row.question is None else _NO_VERDICT
            raise FormatError(source.label, rule, where=locate(source, row.row), value=row.question and word)
        labels.append(
            Label(
                row.question,
                state,
                row.run,
                row.answer,
                f"{source.label}, {row_word} {row.row}{'' if who is None else f' ({by_assessor} {who!r})'}",
                None if row.inclusion is None else _probability(source, row.row, row.inclusion),
                empty=state == NOT_GRADED and (word or "").lower() not in INEXACT,
                assessor=who,
                rank=row.rank,
                answered=answered.get(row.answered, True),
            )
        )
    return labels


def _apart(source: Source, verdict: str | None, *, several: bool) -> list[str]:
    """Return the columns of verdicts if each assessor has a column; empty if one column holds all verdicts."""
    if verdict is not None:
        names = [] if verdict in source.columns else verdict.split(AND)
        return names if len(names) > 1 else []
    if not several or any(squash(column) in lexicon().annotators for column in source.columns):
        return []
    numbered = [column for column in source.columns if squash(column).rstrip("0123456789") in lexicon().annotators]
    return numbered if len(numbered) > 1 else []


def _told_apart(source: Source, rows: Sequence[_Row], wanted: Mapping[str, str | None]) -> dict[int, tuple[str, str]]:
    """Return the column and cell that distinguish a verdict from other verdicts on the same answer, keyed by row.

    If several columns could do so, the one with the fewest values is taken. A column of times, or with another value in
    each row, holds no assessors. The result is empty if no answer has several verdicts.
    """
    kept, answers = {row.row for row in rows}, [(row.question, row.run, row.answer, row.rank) for row in rows]
    if len({*answers}) == len(rows):
        return {}
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "judgements")
        others = {name: cell for name, cell in have.items() if name and name not in wanted.values()}
        cells = connection.execute(
            f"SELECT {', '.join(['row', *others.values()])} FROM judgements ORDER BY row"
        ).fetchall()
    cells = [cell for cell in cells if cell[0] in kept]
    apart = []
    for i, name in enumerate(others, 1):
        values = [cell[i] for cell in cells]
        if (len({*values}) == len(rows) and len({*answers}) > 1) or all(
            _TIME.match(str(cell)) for cell in values if cell
        ):
            continue
        if len({*zip(answers, values, strict=True)}) == len(rows):
            apart.append((len({*values}), name, values))
    if not apart:
        return {}
    _, name, values = min(apart, key=lambda candidate: candidate[0])
    return {row.row: (name, str(value)) for row, value in zip(rows, values, strict=True)}


def _columns(source: Source, verdict: str | None, given: Mapping[str, str] | None) -> dict[str, str | None]:
    """Return the column of each part of a judgement ("question", "run", "verdict"); None for a part without a column.

    `verdict` and `given` hold the names that the user gave.
    """
    named, columns = given or {}, {name.lower(): name for name in source.columns}
    user_columns = {part: column for part, column in named.items() if part in PARTS and column in source.columns}
    lost = next((part for part in OWN_PARTS if part in named and part not in user_columns), None)
    if lost and not (lost == "verdict" and verdict):
        raise UsageError(
            f"{opt('column', {lost: named[lost]})}: {source.label} has no such column; columns are "
            f"{', '.join(source.columns)}"
        )
    wanted = {
        part: user_columns.get(part) or _one(columns, names) or _by_lexicon(source, part)
        for part, names in PARTS.items()
    }
    names_it = opt("verdict", of="COLUMN") if given is None else opt("column", of="verdict=COLUMN")
    wanted["verdict"] = _verdict(source, columns, verdict or user_columns.get("verdict"), names_it)
    wanted |= {part: None for part in ("answered", "by_key") if wanted[part] == wanted["verdict"]}
    wanted[ASSESSOR] = user_columns.get(ASSESSOR) or next(
        (c for c in source.columns if squash(c) in lexicon().annotators and c not in wanted.values()), None
    )
    if wanted["question"] is None:
        rule = f"the table of judgements has no column of questions ({', '.join(QUESTION)})"
        raise FormatError(source.label, rule, where=source.head, value=list(source.columns))
    return wanted


def _by_lexicon(source: Source, part: str) -> str | None:
    """Return the column whose name the lexicon lists for `part` of a judgement, or None unless exactly one column
    fits."""
    columns = [column for column in source.columns if {*_ROLES.get(part, ())} & {*roles_of(column)}]
    return columns[0] if len(columns) == 1 else None


def _words_read(words: Mapping[str, int], known: Mapping[str, int], table: str) -> list[Note]:
    """Return a note on each word that is not the name of an outcome: its meaning, and how often it occurs."""
    names = {state: name for name, state in STATES.items()} | {
        NOT_GRADED: "not judged",
        ANSWERED: "an answer, right or wrong",
    }
    notes = []
    for word, times in sorted(words.items()):
        if STATES.get(word) == known[word]:
            continue
        neither = known[word] == NOT_GRADED and word.lower() in INEXACT
        notes.append(
            note(
                "judgements.word",
                "{subject}: {times} × {word!r} read as {outcome}",
                table,
                times=times,
                word=word,
                outcome="inexact: neither right nor wrong (UNKNOWN in AVE)" if neither else names[known[word]],
            )
        )
    return notes


def _probability(source: Any, row: int, cell: str) -> float:
    """Return the probability with which people were given a question: a number above 0 and at most 1.

    Raises FormatError for any other cell.
    """
    value = decimal(cell.replace(",", "."))  # as spreadsheets write it in many languages; there are no thousands
    if value is None or not 0 < value <= 1:
        rule = "a probability of inclusion must be a number above 0 and at most 1"
        raise FormatError(source.label, rule, where=locate(source, row), value=cell)
    return float(value)


def _truth(source: Source, rows: Iterable[_Row], part: str, wanted: Mapping[str, str | None]) -> dict[str | None, bool]:
    """Return whether each filled cell of a column of flags says yes. Raises FormatError for any other word.

    `part` is "answered" or "by_key"; `wanted` maps the parts of a judgement to columns.
    """
    meanings = dict[str | None, bool]()
    for row in rows:
        cell = getattr(row, part)
        if cell is not None and cell not in meanings:
            meaning = truth_of(cell)
            if meaning is None:
                rule = f"the column {wanted[part]!r} says true or false"
                raise FormatError(source.label, rule, where=locate(source, row.row), value=cell)
            meanings[cell] = meaning
    return meanings


def _ranks(cells: set[str | None]) -> dict[str | None, int]:
    """Return the rank that each cell means: 1 for an empty one, and for all if any is no whole number above 0."""
    numbers = {cell: 1.0 if cell is None else finite(cell) or 0.0 for cell in cells}
    are_ranks = all(number >= 1 and number.is_integer() for number in numbers.values())
    return {cell: int(number) if are_ranks else 1 for cell, number in numbers.items()}


def holds_verdicts(table: Any) -> bool:
    """Return whether a table holds people's verdicts on the answers of runs, and is not an outcome table."""
    names = {name.lower() for name in open_source(table).columns}
    return "outcome" not in names and all(names & {*those} for those in (QUESTION, RUN, VERDICT))


def read_outcomes(paths: Sequence[Path]) -> tuple[Outcomes, list[Note]]:
    """Return the outcomes in tables that hold only verdicts, for the runs in these tables.

    An answer without a verdict is absent, a withheld one is unanswered, and only rank 1 counts. Raises FormatError as
    `read_judgements` does, and MismatchError if a verdict names no run, or if two verdicts on one answer differ.
    """
    notes: list[Note] = []
    by_answer: dict[tuple[str, str], Label] = {}
    named: dict[tuple[str, str], None] = {}
    for path in paths:
        labels, more = read_judgements(path, by_key=True)
        notes += more
        for label in labels:
            if label.run is None:
                raise MismatchError(
                    f"{label.place}: the run is empty, so it is unknown whose answer this verdict is "
                    "about; fill in the run or the answer's text"
                )
            named[label.run, label.question] = None
            if label.rank > 1:
                continue
            before = by_answer.setdefault((label.run, label.question), label)
            if before.state not in (label.state, NOT_GRADED) and label.state != NOT_GRADED:
                raise MismatchError(
                    f"{before.place}, and {label.place}: these two verdicts on the same answer differ; keep one"
                )
            if before.state == NOT_GRADED:
                by_answer[label.run, label.question] = label
    runs, questions = (tuple(dict.fromkeys(key[i] for key in named)) for i in (0, 1))
    state = np.array([[_outcome(by_answer.get((r, q))) for q in questions] for r in runs], dtype=np.int8)
    return Outcomes(runs, questions, state), notes


def _outcome(label: Label | None) -> int:
    return ABSENT if label is None else label.state if label.answered else SILENT


_NO_VERDICT = (
    "a verdict is correct, incorrect or unanswered, yes or no, R, W, X or U "
    f"({opt('outcome_map', of='WORD=OUTCOME')} adds words)"
)


def _one(columns: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


def _verdict(source: Any, columns: Mapping[str, str], chosen: str | None, names_it: str) -> str:
    """Return the column of verdicts: the `chosen` one, or the only one with a fitting name. Raises an error if there is
    none.

    `names_it` is the option with which the user names the column; the message shows it.
    """
    if chosen is not None:
        if chosen in source.columns:
            return chosen
        raise UsageError(f"{source.label}: there is no column {chosen!r}; columns are {', '.join(source.columns)}")
    present = [columns[name] for name in VERDICT if name in columns]
    present = present or [column for column in source.columns if "outcome" in roles_of(column)]
    if len(present) == 1:
        return present[0]
    where = source.head
    if present:
        rule = f"{' and '.join(present)} could each be the column of verdicts; name one with {names_it}"
        raise FormatError(source.label, rule, where=where)
    rule = f"the table of judgements has no column of verdicts ({', '.join(VERDICT)}); name it with {names_it}"
    raise FormatError(source.label, rule, where=where, value=list(source.columns))


def _known(words: set[str], outcome_map: Mapping[str, str], inexact: int, more: Mapping[str, int]) -> dict[str, int]:
    """Return the state of each word that means a verdict.

    `outcome_map` has the meanings that the user gave, `inexact` is the state of an inexact answer, and `more` has the
    states of further words. Raises UsageError for a word of the table that the user gave a grade such as 0.5.
    """
    outcomes = by_value(outcome_map, words)
    graded = next((word for word in outcomes if word in words and outcomes[word] not in MEANINGS), None)
    if graded is not None:
        raise UsageError(f"{opt('outcome_map', {graded: outcomes[graded]})}: a label has no grade; {_NO_VERDICT}")
    mapped = {word: MEANINGS[to] for word, to in outcomes.items() if to in MEANINGS}
    letters = {word.lower() for word in words} <= set(LETTERS)
    by_word = LETTERS if letters and words else dict.fromkeys(INEXACT, inexact) | {**more}
    lookup = {word: mapped.get(word, by_word.get(word.lower())) for word in words}
    states = {word: state_of(word) if state is None and not letters else state for word, state in lookup.items()}
    return {word: state for word, state in states.items() if state is not None}
