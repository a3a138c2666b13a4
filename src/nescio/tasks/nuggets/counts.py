"""Tables of nugget counts, one row per answer, with the other questions of TREC's main task.

The columns are `run, question, vital, okay, vital_in_key, length`: the vital and okay nuggets found, the vital ones in
the key, and the non-white characters of the response. For TREC's combined score a column `type` says `factoid`, `list`
or `definition`. A factoid has the column `correct`, 1 or 0. A list has `distinct`, `returned`, `known`: right distinct
instances, all returned, all known. Cells that a type does not need are empty. Other columns that are constant within a
question are strata: `--by series` gives the score of each series.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.data.evidence import PRESENT, Evidence
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import load_rows, locate, require
from nescio.text import decimal

NUGGETS = {
    "vital": "nuggets.vital_found",
    "okay": "nuggets.okay_found",
    "vital_in_key": "nuggets.vital",
    "length": "nuggets.response_length",
}
LISTS = {"distinct": "nuggets.list_distinct", "returned": "nuggets.list_returned", "known": "nuggets.list_known"}
FACTOID = {"correct": "nuggets.factoid_right"}
TYPES: Mapping[str, Mapping[str, str]] = {"definition": NUGGETS, "list": LISTS, "factoid": FACTOID}
_MOST = 2**53


def recognise(source: Source) -> str | None:
    """Recognise a table with the columns vital, okay, vital_in_key and length."""
    if source.suffix not in (*TABLES, *LINES, ""):
        return None
    return "table" if set(NUGGETS) <= set(source.columns) else None


class _Row(Struct, frozen=True):
    """A row of a table of counts: the type of its question (such as "list"), its counts, and its strata.

    `counts` is keyed by the column of Evidence to which each count belongs.
    """

    type: str
    counts: Mapping[str, int]
    strata: Mapping[str, str]


Cells = dict[tuple[str, str], _Row]


@reader(
    "nugget_counts",
    about=(
        "a table of nugget counts: run, question, vital, okay, vital_in_key, length, with type also list and factoid"
    ),
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read tables that have the counts of nuggets for each run and question.

    A run must not answer a question twice, and every run must have a row for every question.
    """
    cells: Cells = {}
    for _, source in parts:
        _read(source, cells, options)
    runs = tuple(dict.fromkeys(run for run, _ in cells))
    questions = tuple(dict.fromkeys(question for _, question in cells))
    _same_questions(cells, runs, questions)
    kinds = {
        question: next(cells[run, question].type for run in runs if (run, question) in cells) for question in questions
    }
    names = [name for columns in TYPES.values() for name in columns.values()]
    columns: dict[str, Array] = {
        name: np.array([[cells[run, question].counts.get(name, 0) for question in questions] for run in runs])
        for name in names
    }
    for kind in ("factoid", "definition"):
        of = np.array([kinds[question] == kind for question in questions], dtype=np.int64)
        columns[f"nuggets.{kind}"] = np.broadcast_to(of, (len(runs), len(questions))).copy()
    absence = np.full((len(runs), len(questions)), PRESENT, dtype=np.uint8)
    strata = _strata(cells, questions)
    measures = ("nuggets.F", "nuggets.NR", "nuggets.NP")
    if set(kinds.values()) == set(TYPES):
        measures = ("nuggets.combined", "nuggets.list_F", "nuggets.F(beta=5)")
    elif "definition" not in kinds.values():
        measures = ("nuggets.list_F", "nuggets.list_IP", "nuggets.list_IR")
    notes = [remark for _, source in parts for remark in source.notes]
    notes += _by_type(runs, kinds, columns)
    return ReadResult(Evidence(runs, questions, columns, absence, strata), tuple(notes), measures)


def _by_type(runs: Sequence[str], kinds: Mapping[str, str], columns: Mapping[str, Array]) -> Iterator[Note]:
    """Yield notes on the number of questions of each type, and on the list questions that a measure leaves out.

    `kinds` has the type of each question.
    """
    counted = Counter(kinds.values())
    if len(counted) > 1:
        yield note(
            "nuggets.types",
            "questions by type: {counted:each %d %s}; each measure leaves out the other types",
            counted=[(counted[kind], kind) for kind in TYPES if counted[kind]],
        )
    lists = np.array([kind == "list" for kind in kinds.values()])
    if unknown := int((columns["nuggets.list_known"][0][lists] == 0).sum()):
        yield note(
            "nuggets.no_instance",
            "{questions} of {total:n list question} have no known instance: nuggets.list_IR and list_F leave them out",
            questions=unknown,
            total=counted["list"],
        )
    silent = (columns["nuggets.list_returned"][:, lists] == 0).sum(axis=1)
    if silent.any():
        yield note(
            "nuggets.nothing_returned",
            "{runs:each run %r: %d} of {total:n list question} have no returned instance: nuggets.list_IP "
            "leaves them out, and nuggets.list_F is 0",
            runs=[(run, int(questions)) for run, questions in zip(runs, silent, strict=True) if questions],
            total=counted["list"],
        )


def _read(source: Source, cells: Cells, options: ReadOptions) -> None:
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "raw")
        require(source, ("run", "question", *NUGGETS), have, "a table of nugget counts")
        names = list(have)
        rows = connection.execute(f"SELECT row, {', '.join(have.values())} FROM raw ORDER BY 1").fetchall()
    known = {"run", "question", "type", *(name for columns in TYPES.values() for name in columns)}
    strata = options.kept({name: None for name in names if name not in known})
    for row, *values in rows:
        by_name = dict(zip(names, values, strict=True))
        key = by_name["run"], by_name["question"]
        for name in ("run", "question"):
            if by_name[name] is None:
                raise FormatError(source.label, f"the {name} is empty", where=locate(source, row))
        if key in cells:
            raise FormatError(
                source.label, f"run {key[0]!r} has a second row for question {key[1]!r}", where=locate(source, row)
            )
        kind = by_name.get("type") or "definition"
        if kind not in TYPES:
            raise FormatError(
                source.label, f"a type is {', '.join(TYPES)}", where=locate(source, row), value=by_name.get("type")
            )
        counts = {column: _whole(source, row, name, by_name.get(name)) for name, column in TYPES[kind].items()}
        _check(source, row, counts)
        cells[key] = _Row(kind, counts, {name: by_name[name] or "" for name in strata})


def _whole(source: Source, row: int, name: str, cell: str | None) -> int:
    number = decimal(cell or "")
    number = -1.0 if number is None else number
    most = 1 if name == "correct" else _MOST
    if not 0 <= number <= most or number != int(number):
        rule = f"{name} must be {'0 or 1' if most == 1 else 'a whole number, 0 or more'}"
        raise FormatError(source.label, rule, where=locate(source, row), value=cell or "")
    return int(number)


def _check(source: Source, row: int, counts: Mapping[str, int]) -> None:
    for part, whole, rule in (
        ("nuggets.vital_found", "nuggets.vital", "more vital nuggets are found than the key has"),
        (
            "nuggets.list_distinct",
            "nuggets.list_returned",
            "there are more distinct right instances than returned instances",
        ),
        ("nuggets.list_distinct", "nuggets.list_known", "there are more distinct right instances than known instances"),
    ):
        if part in counts and counts[part] > counts[whole]:
            shown = f"{counts[part]} of {counts[whole]}"
            raise FormatError(source.label, rule, where=locate(source, row), value=shown)
    if (counts.get("nuggets.vital_found") or counts.get("nuggets.okay_found")) and not counts[
        "nuggets.response_length"
    ]:
        raise FormatError(source.label, "nuggets are found in a response of length 0", where=locate(source, row))


def _same_questions(cells: Cells, runs: Sequence[str], questions: Sequence[str]) -> None:
    for run in runs:
        for question in questions:
            if (run, question) not in cells:
                raise MismatchError(
                    f"run {run!r} has no row for question {question!r}; for an abstention, add a row of zeros"
                )
    for question in questions:
        first = cells[runs[0], question]
        for run in runs[1:]:
            other = cells[run, question]
            for name in ("nuggets.vital", "nuggets.list_known"):
                if (other.type, other.counts.get(name)) != (first.type, first.counts.get(name)):
                    raise MismatchError(
                        f"question {question!r} has a different type or key in run {run!r} than in {runs[0]!r}"
                    )


def _strata(cells: Cells, questions: Sequence[str]) -> dict[str, Array]:
    """Return the strata by which questions can be grouped, as arrays of shape (questions,), keyed by name.

    A stratum is left out if a question lacks it or has several values of it.
    """
    values: dict[str, dict[str, set[str]]] = {}
    for (_, question), row in cells.items():
        for name, value in row.strata.items():
            values.setdefault(name, {}).setdefault(question, set()).add(value)
    return {
        name: np.array([next(iter(by_question[q])) for q in questions], dtype=object)
        for name, by_question in values.items()
        if all(len(by_question.get(q, ())) == 1 for q in questions)
    }
