"""Summarise files: their content, their format with the reason, and what looks wrong in them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, REGISTRY, known
from nescio.data.evidence import Evidence, Tally
from nescio.data.judge_record import named
from nescio.data.model import Collection
from nescio.data.notes import Note
from nescio.data.outcomes import NonAnswers, reasons_note
from nescio.errors import MismatchError, NescioError, opt, spelled
from nescio.formats import Format, ReadOptions, Source, SourceRole, explain
from nescio.pipeline import Loaded, Options, load_parts, only_questions, open_files, recognise
from nescio.pipeline.reading import sheet_asked
from nescio.pipeline.saved import in_effect
from nescio.reporting.printing import show_fact, show_text
from nescio.reporting.screen import show_records
from nescio.text import plural

MOST_NAMED = 3  # files of one kind that are named
JudgeFrom = Literal["option", "default", "files"]
JUDGE_FROM: Mapping[JudgeFrom, str] = {
    "option": "--judge",
    "default": "by default; --judge",
    "files": "who judged, according to the files",
}

# outcomes that look wrong if all questions of a run have them
ODD = {
    "unanswered": "answers no question",
    "correct": "is right on every question",
    "incorrect": "is wrong on every question; do the gold answers belong to these questions?",
}


class CheckedFile(Struct, frozen=True):
    """A checked file: its role in its format (`part`), how the format was recognised (`why`), and its columns."""

    file: str
    part: str
    why: str
    columns: tuple[str, ...]


class RunSummary(Struct, frozen=True):
    """The summary of a run: its number of questions `n`, and the sums of its columns, keyed by words ("correct")."""

    run: str
    sums: Mapping[str, int]
    n: int

    def record(self) -> dict[str, Any]:
        """Return the summary as a row of a table."""
        return {"run": self.run, **self.sums, "n": self.n}


class Contents(Struct, frozen=True):
    """The content of files, in numbers.

    `questions` is None if the files give only counts. `strata` has the number of values of each stratum. `judge` names
    who judged (None if unknown). `repeats` says how often each question was asked (None if once).
    """

    questions: int | None
    clusters: int | None
    runs: tuple[RunSummary, ...]
    strata: Mapping[str, int]
    non_answers: tuple[NonAnswers, ...] = ()
    judge: str | None = None
    judge_from: JudgeFrom | None = None
    notes: tuple[Note, ...] = ()
    repeats: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the content as a dictionary for JSON."""
        judge = {} if self.judge is None else {"judge": self.judge, "judge_from": self.judge_from}
        judge |= {} if self.repeats is None else {"repeats": self.repeats}
        return {
            "non_answers": [_non_answer(row) for row in self.non_answers],
            "notes": list(map(str, self.notes)),
            "questions": self.questions,
            "clusters": self.clusters,
            "runs": [run.record() for run in self.runs],
            "strata": _strata_texts(self.strata),
            **judge,
        }


class FileSummary(Struct, frozen=True):
    """The summary of files: their format and how it was recognised, their content, and problems in them.

    `contents` is None if the files cannot be read. `error` is the reader's error if a file breaks a rule of its format;
    `problems` include it. As text, the summary is what the command prints.
    """

    format: str
    about: str
    why: str
    files: tuple[CheckedFile, ...]
    contents: Contents | None = None
    problems: tuple[str, ...] = ()
    error: NescioError | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as a dictionary, as the command line prints it with `-f json`."""
        return {
            "format": self.format,
            "about": self.about,
            "why": self.why,
            "files": [asdict(file) for file in self.files],
            **(self.contents.to_dict() if self.contents else {}),
            "problems": list(self.problems),
        }

    def __str__(self) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as text:
            self.show()
        return text.getvalue()

    def show(self, *, with_error: bool = False) -> None:
        """Print the summary.

        With `with_error`, also prints the error of a file that breaks a rule. By default, the caller reports this
        error.
        """
        if not self.format:
            show_fact("file", self.files[0].file)
        else:
            show_fact("format", f"{self.format}: {self.about}")
            show_fact("why", self.why)
            for _, group in groupby(self.files, lambda file: file.part):
                _show_files(list(group))
            if self.contents is not None:
                _show_contents(self.contents)
        for problem in self.problems if with_error or not self.error else ():
            show_fact("look at", problem)
        if not self.problems:
            show_text("no problems found")


def summarize(items: Sequence[Any], reading: Options) -> FileSummary:
    """Return a summary of files that are read together.

    If a file breaks a rule of its format, the summary lists this as a problem. Raises FormatError, MismatchError or
    UsageError if the format of the files cannot be recognised.
    """
    reading, remembered = in_effect(reading, items)
    with reading.holding(), sheet_asked(items, reading):
        sources, notes = open_files(items)
    notes = (*notes, *remembered)
    format_, parts = recognise(sources, reading.format_in, reading.column)
    stated = spelled(f"{opt('format_in', reading.format_in)} says so") if reading.format_in else None
    files = tuple(
        CheckedFile(str(source.label), part, explain.seen(source), _columns(source)) for part, source in parts
    )
    summary = FileSummary(format_.name, format_.about, stated or explain.rule(format_), files)
    try:
        contents, problems = _contents(format_, parts, reading, notes)
    except NescioError as error:
        return replace(summary, problems=(str(error),), error=error)
    return replace(summary, contents=contents, problems=tuple(problems))


def _columns(source: Source) -> tuple[str, ...]:
    return tuple(source.columns) if source.kind in ("delimited", "lines", "parquet", "table") else ()


def _contents(
    format_: Format, parts: Sequence[SourceRole], options: Options, opened: tuple[Note, ...]
) -> tuple[Contents | None, list[str]]:
    """Return the content of the files, and sentences on what looks wrong in them."""
    roles = {part for part, _ in parts}
    if format_.collection and only_questions(format_, parts):
        collection, notes = format_.collection(parts, ReadOptions(strata=options.strata, choose=options.choose))
        return _of_collection(collection, notes), [
            "these files hold only questions; to count outcomes, also give answers to them"
        ]
    if roles in ({"gold"}, {"answers"}):
        lacking = (
            "answers to its questions"
            if roles == {"gold"}
            else "the questions with their right answers: a collection or an answer key (role gold)"
        )
        only = f"these files hold only {roles.pop()}{f' ({held})' if (held := format_.describe(parts)) else ''}"
        return None, [f"{only}; to score, also give {lacking}"]
    problems = []
    try:
        loaded = load_parts(format_, parts, options, opened)
    except MismatchError as error:
        problems.append(str(error))
        loaded = load_parts(format_, parts, options.but(missing="unanswered", ungraded="exclude"), opened)
    contents = _of_data(loaded)
    judge_from: JudgeFrom | None = "files" if loaded.judges else None
    if loaded.judged_here:
        judge_from = "option" if loaded.options.judge else "default"
    judged = replace(
        contents,
        judge=named(loaded.judges),
        judge_from=judge_from,
        notes=(*contents.notes, *(loaded.texts.unused if loaded.judged_here and loaded.texts else ())),
    )
    return judged, [*problems, *_oddities(judged.runs)]


def _of_collection(collection: Collection, notes: Iterable[Note]) -> Contents:
    questions = collection.questions
    names = dict.fromkeys(name for question in questions for name in question.strata)
    clusters = {question.cluster for question in questions}
    return Contents(
        len(questions),
        None if None in clusters else len(clusters),
        (),
        {name: len({question.strata.get(name, "") for question in questions}) for name in names},
        notes=tuple(notes),
    )


def _of_data(loaded: Loaded) -> Contents:
    """Return the counts of the data, with the readers' notes; a note that repeats a count is left out."""
    data, silence = loaded.data, loaded.silence
    counted = {
        reasons_note(run, {row.why: row.n for row in rows}, rows[0].of)
        for run, rows in ((run, list(rows)) for run, rows in groupby(silence, lambda row: row.run))
    }
    notes = tuple(remark for remark in loaded.notes if remark not in counted)
    if isinstance(data, Tally):
        totals = data.totals()
        counted_runs = (
            RunSummary(run, {name: int(totals[name][i]) for name in OUTCOMES}, int(totals["n"][i]))
            for i, run in enumerate(data.runs)
        )
        return Contents(None, None, tuple(counted_runs), {}, silence, notes=notes)
    present = data.present
    # otherwise a question and the answers to it are a cluster
    whole = data.unit == "questions" or data.clusters is None
    by_question = data.repeats is not None and data.resampled == "questions"
    clusters = None if data.clusters is None or by_question else len(np.unique(data.clusters))
    return Contents(
        data.size if whole else clusters,
        clusters if whole else None,
        tuple(_of_run(data, i, silence, present[i]) for i in range(len(data.runs))),
        _groups(data),
        silence,
        notes=notes,
        repeats=None if data.repeats is None else data.repeats.span(data.present),
    )


def _of_run(data: Evidence, i: int, silence: Sequence[NonAnswers], present: NDArray[np.bool_]) -> RunSummary:
    run = data.runs[i]
    sums = _sums(data, i, present, core=True)
    if any(row.taken_for == "not graded" for row in silence):
        sums["not_graded"] = sum(row.n for row in silence if row.run == run and row.taken_for == "not graded")
    sums |= _sums(data, i, present, core=False)
    # If rows are questions and answers to them, we count the questions.
    answers = data.answer_rows
    questions = True if answers is None or answers.all() else ~answers
    return RunSummary(run, sums, int((present & questions).sum()))


def _sums(data: Evidence, i: int, present: NDArray[np.bool_], *, core: bool) -> dict[str, int]:
    """Return the sums of a run's columns over its questions, keyed by words such as "correct".

    `core` selects the columns to sum: those of outcomes if true, else all others. `present` marks the run's questions.
    """
    sums: dict[str, int] = {}
    place = {name: at for at, name in enumerate(REGISTRY)}
    for name, stored in sorted(data.columns.items(), key=lambda column: place.get(column[0], len(place))):
        if core != (not known(name).namespace and stored.dtype.kind in "iu"):
            continue
        values = stored[i][~np.isnan(stored[i]) & present]
        for summary in known(name).summaries:
            if summary.how == "count" and stored.dtype.kind in "iu":
                continue  # no run lacks it
            by_kind = {"sum": values.sum(), "count": len(values), "zeros": (values == 0).sum()}
            sums[summary.words] = int(by_kind[summary.how])
    return sums


def _oddities(runs: Iterable[RunSummary]) -> list[str]:
    """Return a sentence on each run that looks wrong, although it breaks no rule."""
    odd = []
    for row in runs:
        if not row.n:
            odd.append(f"run {row.run!r} has no question to score")
        odd += [f"run {row.run!r} {text}" for name, text in ODD.items() if row.n and row.sums.get(name) == row.n]
    return odd


# ---- printing ----


def _show_files(files: Sequence[CheckedFile]) -> None:
    """Print the files that have the same role in the format.

    They share a line if the format of all was recognised in the same way, or if they are many.
    """
    alike = all(file.why == files[0].why for file in files)
    if not alike and len(files) <= MOST_NAMED:
        for file in files:
            _show_files([file])
        return
    names = ", ".join(file.file for file in files[:MOST_NAMED])
    more = f" and {len(files) - MOST_NAMED:,} more" if len(files) > MOST_NAMED else ""
    why = files[0].why if alike else f"the first is {files[0].why}"
    show_fact("file" if len(files) == 1 else "files", f"{names}{more} ({files[0].part}): {why}")


def _show_contents(contents: Contents) -> None:
    held = [plural(contents.questions, "question")] if contents.questions is not None else []
    held += [f"asked {contents.repeats.replace('-', ' to ')} times"] if contents.repeats else []
    held += [f"in {plural(contents.clusters, 'cluster')}"] if contents.clusters else []
    show_fact("holds", f"{' '.join(held)}{', ' if held else ''}{plural(len(contents.runs), 'run')}")
    if contents.judge_from:
        show_fact("judge", f"{contents.judge} ({JUDGE_FROM[contents.judge_from]})")
    telling = _strata_texts({name: count for name, count in contents.strata.items() if count != 1})
    constant = len(contents.strata) - len(telling)
    telling += [f"{plural(constant, 'column')} of one value"] if constant else []
    if telling:
        show_fact("strata", ", ".join(telling))
    if contents.runs:
        doubled = all(run.sums.get("declined") == run.sums.get("unanswered") for run in contents.runs)
        records = [run.record() for run in contents.runs]
        show_records([{k: v for k, v in record.items() if k != "declined" or not doubled} for record in records])
    if any(row.why != row.taken_for for row in contents.non_answers):
        print()
        show_records([_non_answer(row) for row in contents.non_answers])
    for remark in contents.notes:
        show_fact("note", str(remark))


def _groups(data: Evidence) -> dict[str, int]:
    """Return the number of values of each column of strata.

    A column with a different value for each question is left out, because it does not group questions.
    """
    values = {name: len(set(column)) for name, column in data.strata.items()}
    most = max(len(data.questions), 2) if data.clusters is None else np.inf
    return {name: count for name, count in values.items() if count < most}


def _strata_texts(values: Mapping[str, int]) -> list[str]:
    return [f"{name} ({plural(count, 'value')})" for name, count in values.items()]


def _non_answer(row: NonAnswers) -> dict[str, Any]:
    return {"run": row.run, "non_answer": row.why, "taken_for": row.taken_for, "n": row.n}
