"""Baselines: one run with its outcomes and their origin. Gates compare later runs with it.

A baseline is a JSON object, as `nescio compare --save-baseline` writes it. `nescio_baseline` is the version of the
format. `run`, `version`, `date`, `commit`, `command`, `files`, `format`, `judge`, `read`, `questions`, `digest`,
`signature` and `measures` describe the measurement. `columns` names the values in each of the `rows`, one row per
answer. `rows_digest` is a digest of columns and rows, so rows that were edited, or merged badly, are refused. `text`
and `gold` are digests of a question's words (with its options) and of its gold answers. They reveal a changed question;
the words themselves are not kept. `question_digest` and `gold_digest` do the same as in an outcome table, and so do
`answers_held`, `no_gate_because` and `grades_between` in the head. `cluster` names the first
question of a question's cluster, if there are clusters. A run that has only scores has no column `outcome`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict

from nescio.data.clusters import clusters_of
from nescio.data.columns import Array, known
from nescio.data.evidence import ABSENCES, Evidence
from nescio.data.judge_record import JudgeRecord, parse
from nescio.data.kept import DIGESTS, OF_RUNS, from_texts, in_texts, notes_on
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, NOT_GRADED, STATES, Outcomes
from nescio.data.repeats import FIRST, Repeats, repeats_of
from nescio.errors import FormatError, NescioError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source

VERSION = 1
KEY = "nescio_baseline"
SCORE = "score:"  # the prefix of the names of score columns
_STATES = {**STATES, "ungraded": NOT_GRADED, "missing": ABSENT}
_WORDS = {state: word for word, state in _STATES.items()}
_NUMBERS: Mapping[str, tuple[type, float]] = {  # columns of numbers, with their type and the value for a missing number
    "confidence": (np.float64, np.nan),
    "candidate": (np.int8, -1),
    "answerable": (np.int8, -1),
    "first_right": (np.int64, 0),
}
_TEXTS = ("question", "repeat", "cluster", "outcome", "absence", "why", "text", "gold", *DIGESTS)


class Provenance(Struct, frozen=True):
    """The origin of a baseline: everything in its file except the rows of answers.

    `read` has the reading options that affect outcomes. `answers_held`, `no_gate_because` and `grades_between` are
    the texts about the run that `nescio.data.kept` describes.
    """

    run: str
    version: str
    date: str
    format: str
    judge: tuple[str, ...]
    questions: int
    digest: str
    signature: str
    command: str = ""
    commit: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Mapping[str, str], ...] = ()
    measures: tuple[Mapping[str, str | int | float | None], ...] = ()
    answers_held: str = ""
    no_gate_because: str = ""
    grades_between: str = ""

    def kept(self, run: str, file: str) -> list[Note]:
        """Return notes on what gates ask of the run, which is named `run` now."""
        held, unfit = self.answers_held, self.no_gate_because
        return notes_on([(run, held)] if held else [], [(run, unfit)] if unfit else [], {run: file})

    @property
    def judges(self) -> tuple[JudgeRecord, ...]:
        """Return the records of the judges of the baseline's answers."""
        return tuple(map(parse, self.judge))


class Baseline(Struct, frozen=True, eq=False):
    """A run with its origin, as saved for later comparisons.

    `texts` and `golds` have a digest of the question's text and of its gold answers, keyed by question, where these are
    known.
    """

    made: Provenance
    data: Outcomes | Evidence
    texts: Mapping[str, str] = field(default_factory=dict)
    golds: Mapping[str, str] = field(default_factory=dict)


def recognise(source: Source) -> str | None:
    """Recognise a JSON object with `nescio_baseline`, `columns` and `rows`."""
    whole = source.kind == "document" and isinstance(source.document, dict)
    return "baseline" if whole and {KEY, "columns", "rows"} <= {*source.columns} else None


@reader(
    "baseline",
    about="a baseline: one run with its outcomes and where they came from (nescio compare --save-baseline)",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001
    """Read a baseline as a run. Raises an error for several baselines."""
    if len(parts) > 1:
        raise FormatError(
            parts[1][1].label,
            f"a baseline file cannot be scored with other files; to compare later runs with it, use {opt('baseline')}",
        )
    baseline = read_file(parts[0][1])
    made = baseline.made
    return ReadResult(baseline.data, tuple(made.kept(made.run, parts[0][1].name)), judges=made.judges)


def read_file(source: Source) -> Baseline:
    """Return the baseline in a file.

    Raises FormatError if the file is not a baseline, is damaged, or was written by a later version of nescio.
    """
    import msgspec

    label, document = source.label, source.document
    if recognise(source) is None:
        raise FormatError(label, f"this is not a baseline; nescio compare {opt('save_baseline')} writes one")
    if document[KEY] != VERSION:
        raise FormatError(
            label, f"this version of nescio reads only baselines of version {VERSION}", value=document[KEY]
        )
    try:
        made = msgspec.convert({name: document[name] for name in document if name != KEY}, Provenance)
        columns = msgspec.convert(document["columns"], list[str])
        rows = msgspec.convert(document["rows"], list[list[str | float | None]])
        written = msgspec.convert(document.get("rows_digest", ""), str)
    except (msgspec.ValidationError, OverflowError) as error:
        raise FormatError(label, f"a damaged baseline: {error}") from None
    try:
        baseline = _baseline(made, columns, rows)
    except (ValueError, TypeError, KeyError, OverflowError, NescioError) as error:
        raise FormatError(label, f"a damaged baseline: {error}") from None
    if written != _digest_of_rows(columns, rows):
        raise FormatError(
            label,
            "the rows were changed after nescio wrote the file (rows_digest), by an edit or a bad merge; make the "
            "baseline again",
        )
    return baseline


def _digest_of_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a digest of rows. It is the same for any order of the rows, and for 1 and 1.0."""
    plain = ([cell if cell is None or isinstance(cell, str) else float(cell) for cell in row] for row in rows)
    return digest_of([_dumped(columns), *map(_dumped, plain)])


def _baseline(made: Provenance, columns: list[str], rows: list[list[Any]]) -> Baseline:
    if not rows:
        raise ValueError("the baseline has no rows")
    if any(len(row) != len(columns) for row in rows) or len(set(columns)) != len(columns):
        raise ValueError("a row has more or fewer cells than there are columns, or a column name appears twice")
    if any(isinstance(cell, float) and not math.isfinite(cell) for row in rows for cell in row):
        raise ValueError("a number is not finite")
    cells = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    if unknown := [name for name in columns if name not in (*_TEXTS, *_NUMBERS) and not name.startswith(SCORE)]:
        raise ValueError(f"there is no column {unknown[0]!r}")
    for name in _TEXTS:
        if any(not isinstance(cell, str | None) for cell in cells.get(name, ())):
            raise ValueError(f"{name} must be a text")
    questions = [_name(cell) for cell in cells["question"]]
    labels = [_name(cell) for cell in cells.get("repeat", [FIRST] * len(rows))]
    if len(set(zip(questions, labels, strict=True))) != len(rows):
        raise ValueError("the baseline holds an answer twice")
    if made.questions != len(set(questions)) or made.digest != digest_of(questions):
        raise ValueError("the number of questions differs from the number in the head of the file")
    scores = {name.removeprefix(SCORE): _numbers(cells[name])[None] for name in columns if name.startswith(SCORE)}
    for name in scores:
        known(name)
    repeats = repeats_of(questions, labels)
    if None in cells.get("cluster", ()):
        raise ValueError("a question has no cluster")
    if "outcome" in cells:
        data: Outcomes | Evidence = _outcomes(made.run, tuple(questions), cells, scores, repeats)
    else:
        data = _evidence(made.run, tuple(questions), cells, scores, repeats)
    texts, golds = (
        {question: str(cell) for question, cell in zip(questions, cells.get(name, ()), strict=False) if cell}
        for name in ("text", "gold")
    )
    return Baseline(made, data, texts, golds)


def _name(cell: Any) -> str:
    if not isinstance(cell, str) or not cell:
        raise ValueError("a question or a repeat has no name")
    return cell


def _numbers(cells: Sequence[Any], dtype: type = np.float64, empty: float = np.nan) -> Array:
    if any(isinstance(cell, str) for cell in cells):
        raise ValueError("a number must not be a text")
    values = np.array([empty if cell is None else cell for cell in cells], dtype=np.float64)
    if dtype is not np.float64 and (np.isnan(values) | (values != np.rint(values)) | (values < -1)).any():
        raise ValueError("a number must be whole")
    if dtype is np.int8 and (values > 1).any():
        raise ValueError("candidate and answerable must be 0, 1 or null")
    return values.astype(dtype)


def _outcomes(
    run: str, questions: tuple[str, ...], cells: Mapping[str, Any], scores: Mapping[str, Array], repeats: Repeats | None
) -> Outcomes:
    numbers = {name: _numbers(cells[name], *kind) for name, kind in _NUMBERS.items() if name in cells}
    why = np.array(cells["why"], dtype=object)[None] if "why" in cells else None
    state = np.array([[_STATES[word] for word in cells["outcome"]]], dtype=np.int8)
    grids = {name: numbers[name][None] for name in numbers if name != "answerable"}
    return Outcomes(
        (run,),
        questions,
        state,
        grids.get("confidence"),
        grids.get("candidate"),
        numbers.get("answerable"),
        grids.get("first_right"),
        extra_columns=scores,
        clusters=np.array(cells["cluster"], dtype=object) if "cluster" in cells else None,
        why=why,
        repeats=repeats,
        words=_words(cells),
    )


def _words(cells: Mapping[str, Any]) -> Array | None:
    """Return the digests of the question and its gold answers in each row, or None if the file has none."""
    if not {*DIGESTS} & {*cells}:
        return None
    asked, gold = (cells.get(name, [None] * len(cells["question"])) for name in DIGESTS)
    words: Array = np.empty((1, len(asked)), dtype=object)
    words[0, :] = [from_texts(*row) or None for row in zip(asked, gold, strict=True)]
    return words


def _evidence(
    run: str, questions: tuple[str, ...], cells: Mapping[str, Any], scores: Mapping[str, Array], repeats: Repeats | None
) -> Evidence:
    if not scores:
        raise ValueError("the baseline has neither outcomes nor scores")
    absence = np.array([[ABSENCES.index(word) for word in cells["absence"]]], dtype=np.uint8)
    clusters = None if repeats is None else repeats.question
    if "cluster" in cells:
        clusters = np.unique(cells["cluster"], return_inverse=True)[1]
    return Evidence((run,), questions, scores, absence, clusters=clusters, repeats=repeats)


def in_json(baseline: Baseline) -> str:
    """Return the text of a baseline: the head, then one line per answer, so that version control shows changes."""
    columns, cells = _table(baseline)
    rows, made = list(cells), baseline.made
    fields = {name: value for name, value in asdict(made).items() if value or name not in OF_RUNS}
    head = {KEY: VERSION, **fields}
    head |= {"columns": columns, "rows_digest": _digest_of_rows(columns, rows)}
    lines = [f"{json.dumps(name)}: {_dumped(value)}" for name, value in head.items()]
    body = ",\n".join(_dumped(row) for row in rows)
    return "{\n" + ",\n".join(lines) + ',\n"rows": [\n' + body + "\n]\n}\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _table(baseline: Baseline) -> tuple[list[str], Iterator[list[Any]]]:
    data = baseline.data
    cells: dict[str, Sequence[Any]] = {"question": data.questions}
    if data.repeats is not None:
        cells["repeat"] = [str(label) for label in data.repeats.label]
    clusters = clusters_of(data)
    if any(question != cluster for question, cluster in clusters.items()):
        cells["cluster"] = [clusters[question] for question in data.questions]
    if isinstance(data, Outcomes):
        cells["outcome"] = [_WORDS[state] for state in data.state[0].tolist()]
        for name, (_, empty) in _NUMBERS.items():
            values = getattr(data, name)
            column_values = None if values is None else values if name == "answerable" else values[0]
            plain = (
                []
                if column_values is None
                else [None if cell == empty or np.isnan(cell) else cell for cell in column_values.tolist()]
            )
            if any(cell is not None for cell in plain):
                cells[name] = plain
        if data.why is not None:
            cells["why"] = [None if why is None else str(why) for why in data.why[0]]
        if data.words is not None:
            stated = zip(*map(in_texts, data.words[0]), strict=True)
            cells |= {name: list(digests) for name, digests in zip(DIGESTS, stated, strict=True) if any(digests)}
        scores = data.extra_columns
    else:
        cells["absence"] = [ABSENCES[code] for code in data.absence[0].tolist()]
        scores = data.columns
    for name, column in scores.items():
        numbers = np.asarray(column[0], dtype=np.float64).tolist()
        cells[SCORE + name] = [None if np.isnan(cell) else cell for cell in numbers]
    for name, digests in (("text", baseline.texts), ("gold", baseline.golds)):
        if digests:
            cells[name] = [digests.get(question) for question in data.questions]
    return list(cells), (list(row) for row in zip(*cells.values(), strict=True))


def digest_of(names: Sequence[str]) -> str:
    """Return a short digest of a set of names; the order of the names and repeated names make no difference."""
    return hashlib.sha256("\n".join(sorted(set(names))).encode(errors="replace")).hexdigest()[:12]
