"""Open questions in the style of Natural Questions and KILT: gold answers and a prediction in one row, or KILT's two
files.

A row has `question`, gold answers (a list, or one text with " | " between answers), `prediction`, and perhaps
`question_id`, `run`, `confidence` and what people said of it (`acceptable`). KILT: `{"id", "input", "output":
[{"answer"}, …]}` for the gold and for a run. A prediction that is null or empty is silence; a list of predictions is
ranked.

Columns may have other names, as in an outcome table (`model`, `expected`, `response`), and `--column NAME=COLUMN` names
them; answers that `abstained` or `refused` says were declined are silent. A table that says itself which answers are
right (`acceptable`, `correct`) is read as one of outcomes, unless `--judge NAME` judges its answers.
"""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, SILENT, STATES
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.folder_writer import file_names, folder_of, left_out, renamed, what_is, without_answers, write_lines
from nescio.formats.logs.graded import SAID_SO, Graded, choose, declined, outcomes_of
from nescio.formats.logs.grading import identity
from nescio.formats.native import roles
from nescio.formats.native.judgements import WORDS
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, WriteResult, reader, writer
from nescio.sources.database import connect
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import json_lines, load_rows, locate
from nescio.sources.text_files import WHITE
from nescio.text import composed, decimal, normalise

GOLD = ("gold_answers", "golden_answers", "answers", "gold", "reference", "references", "answer")
IDS, RUNS = ("question_id", "qid", "id"), ("run", "model", "system")
PEOPLE = ("acceptable", "human", "judgement", "judgment", "verdict")
OTHER_GOLD = "nq.other_gold"
_LONGEST_LABEL = 60


def recognise(source: Source) -> str | None:
    """Recognise rows of `question`, gold answers and `prediction`; or JSON Lines of `id` and `output`, a list of
    objects (KILT)."""
    have = set(source.columns)
    if source.kind == "lines" and {"id", "output"} <= have and isinstance(source.first, dict):
        output = source.first["output"]
        if isinstance(output, list) and all(
            isinstance(o, dict) and {"answer", "provenance"} & o.keys() for o in output
        ):
            return "gold" if "input" in have else "answers"
    if source.kind not in ("delimited", "lines", "parquet", "table") or "outcome" in have:
        return None
    return "table" if {"question", "prediction"} <= have and have & {*GOLD} else None


def understand(source: Source) -> str | None:
    """Recognise a table with columns that name or hold questions, gold answers and predictions."""
    return "table" if roles.holds_answers(source) else None


COLUMNS = (
    "run",
    "question",
    "question_text",
    "outcome",
    "answer",
    "prediction",
    "gold",
    "confidence",
    "abstained",
    "answered",
)


@dataclass(slots=True)
class _Row:
    """One prediction: its question, what is gold, and the texts given, the first of which is the answer."""

    run: str
    id: str
    question: str
    answers: tuple[str, ...]
    given: tuple[str, ...]
    confidence: float | None
    verdict: str | None
    where: Any
    declined: bool = False
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The first text given; None where it is empty, whatever stands below it."""
        return self.given[0] if self.given and self.given[0].strip(WHITE) else None


@reader(
    "nq",
    about=(
        "open questions with gold answers and a prediction (question, answers, prediction), or KILT's id, input, output"
    ),
    recognise=recognise,
    understand=understand,
    columns=COLUMNS,
    yields=roles.holds_verdicts,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read tables of predictions, each a run named by its column `run` or by its file; or KILT's gold and the runs for
    it.

    `--choose judge=human` takes the verdicts of people in the table (`acceptable`) instead of judging anew: an answer
    without one is not graded. Where the gold answers of a question differ between runs, each is judged by its own,
    which a note counts; `--choose gold=first` judges all by those of the first.
    """
    if {part for part, _ in parts} != {"table"}:
        if any(part == "table" for part, _ in parts):
            raise MismatchError("KILT files and tables of predictions cannot be read together")
        return _read_kilt(parts, options)
    sources = [source for _, source in parts]
    notes = [remark for source in sources for remark in source.notes]
    rows: list[_Row] = []
    for source, name in zip(sources, name_runs(sources), strict=True):
        rows += _table(source, name, {row.run for row in rows}, notes)
    if not options.judging:
        _refuse_other_verdicts(rows)
    questions, gold = _questions(rows, options, notes)
    if options.choose.get("judge") is not None:
        choose(options, "judge", ["human"], "judges in a table")
        outcomes = outcomes_of(_by_people(rows, questions, sources, options), sources[0].label, options, notes)
        return ReadResult(outcomes, tuple(notes))
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for row in rows:
        runs.setdefault(row.run, []).extend(_responses(row))
        files.setdefault(row.run, str(row.where[0].label))
    found_runs = tuple(Run(name, tuple(responses), gold=gold.get(name, {})) for name, responses in runs.items())
    collection = Collection(sources[0].stem, tuple(questions.values()))
    unused = _unused_verdicts(sources)
    return ReadResult(Unjudged(collection, found_runs, tuple(files.values()), unused=unused), tuple(notes))


def _unused_verdicts(sources: Sequence[Source]) -> tuple[Note, ...]:
    """Note people's verdicts beside the answers that a judge of nescio does not look at, and how they are used."""
    columns = [(source, name) for source in sources for name in PEOPLE if name in source.columns]
    return tuple(
        note(
            "nq.unused_verdicts",
            "people's verdicts in the column {column!r} are not used: --choose judge=human takes them, as does "
            "`nescio judge FILES --judge human --against {file} -o outcomes.csv`; without --judge human that says how "
            "far the judge agrees with them",
            column=name,
            file=str(source.label),
        )
        for source, name in columns[:1]
    )


def _responses(row: _Row) -> Iterator[Response]:
    best = row.best
    yield Response(row.id, best, best is not None and not row.declined, row.confidence)
    for rank, text in enumerate(row.given[1:], 2):
        if text.strip(WHITE):
            yield Response(row.id, text, True, None, rank)


# ---- tables ----


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a table that play a part; `people` is that of their verdicts."""

    question: str
    prediction: str
    gold: str
    ids: str | None
    run: str | None
    people: str | None
    confidence: str | None
    abstained: tuple[str, ...]
    answered: tuple[str, ...]

    @property
    def own(self) -> set[str | None]:
        """All of them."""
        single = (self.question, self.prediction, self.gold, self.ids, self.run, self.people, self.confidence)
        return {*single, *self.abstained, *self.answered, *IDS, *RUNS, *PEOPLE}


def _columns(source: Source, have: Mapping[str, str], notes: list[Note]) -> _Columns:
    """Find the columns: by this format's own names where it has them all, else by what people call them."""
    named = roles.roles_of((name for name in have if name), source.named)

    def one(own: Sequence[str], *parts: str) -> str | None:
        user = next((named.named[part] for part in parts if part in named.named), None)
        return user or next((name for name in own if name in have), None) or named.one(*parts)

    prediction = one(("prediction",), "prediction")
    gold = one([name for name in GOLD if name != prediction], "gold")
    question = one(("question",), "text", "id")
    for name, column in (("question", question), ("gold", gold), ("prediction", prediction)):
        if column is None:
            raise FormatError(source.label, f"there is no {name!r} in any row", where=source.head)
    runs = [name for name in named.all("run") if name not in RUNS]
    if len(runs) > 1 and not any(name in have for name in RUNS):
        raise roles.ask(source, f"{' and '.join(map(repr, runs))} could each name the run", "run", runs)
    assert question
    assert prediction
    assert gold
    ids = one(IDS, "id")
    columns = _Columns(
        question=question,
        prediction=prediction,
        gold=gold,
        ids=ids,
        run=one(RUNS, "run"),
        people=one(PEOPLE, "outcome", "score"),
        confidence=one(("confidence",), "confidence"),
        abstained=named.all("abstained"),
        answered=named.all("answered"),
    )
    parts = {"run": columns.run, "question": ids or question, "prediction": prediction, "gold": gold}
    others = [(part, name) for part, name in parts.items() if name not in (None, part, *IDS, *RUNS, *GOLD)]
    if others:
        notes.append(
            note(
                "nq.columns",
                "{subject}: {columns:each %s is the column %r}; its answers are judged (--judge NAME says how)",
                str(source.label),
                columns=others,
            )
        )
    return columns


def _table(source: Source, stem: str, before: set[str], notes: list[Note]) -> list[_Row]:
    with connect() as connection:
        have = load_rows(connection, source, "predictions")
        columns = _columns(source, have, notes)
        names = [column for column in have if column]
        cells = connection.execute(
            f"SELECT row, {', '.join(have[n] for n in names)} FROM predictions ORDER BY row"
        ).fetchall()
    lists = _lists(source, columns.prediction, columns.gold) if source.kind == "lines" else None
    own, ids = columns.own, columns.ids
    rows: list[_Row] = []
    seen: dict[tuple[str, str], int] = {}
    repeats: Counter[tuple[str, str]] = Counter()
    for at, *values in cells:
        cell: dict[str, str | None] = dict(zip(names, values, strict=True))
        place = source, at
        text = cell[columns.question]
        if text is None:
            raise _fail(place, "the question is empty")
        run, name = cell.get(columns.run or "") or stem, composed(cell.get(ids) if ids else text)
        if name is None:
            raise _fail(place, f"the {ids} is empty")
        if not ids:
            repeats[run, name] += 1
            if repeats[run, name] > 1 and (ways := _runs_that_fit(cells, names, columns)):
                raise _fail(place, f"question {name!r} stands here again{ways}")
            name = name if repeats[run, name] == 1 else f"{name} ({repeats[run, name]})"
        if (run, name) in seen:
            rule = f"question {name!r} of run {run!r} stands here again; it was on {locate(source, seen[run, name])}"
            raise _fail(place, rule + _runs_that_fit(cells, names, columns))
        if run in before:
            raise MismatchError(f"run {run!r} stands in {source.label} and in a file before it")
        seen[run, name] = at
        labels = {key: value or "" for key, value in cell.items() if key not in own}
        answers = _listed(cell[columns.gold], place, lists, columns.gold)
        predictions = _given(cell[columns.prediction], at, lists, columns.prediction)
        verdict, confidence = cell.get(columns.people or ""), _confidence(cell.get(columns.confidence or ""), place)
        silent = _declined(cell, columns, place)
        rows.append(_Row(run, name, text, answers, predictions, confidence, verdict, place, silent, labels))
    if repeated := sum(count - 1 for count in repeats.values()):
        notes.append(
            note(
                "nq.repeats",
                "{subject}: {rows} rows repeat a question; without question_id they are distinguished by a number",
                str(source.label),
                rows=repeated,
            )
        )
    return rows


def _runs_that_fit(cells: Sequence[Sequence[Any]], names: Sequence[str], columns: _Columns) -> str:
    """Say which columns would name the run of a table that has none and repeats its questions; empty where none
    would."""
    if columns.run:
        return ""
    question = names.index(columns.ids or columns.question) + 1
    fits = []
    for i, name in enumerate(names, 1):
        values = {row[i] for row in cells}
        if (
            name not in columns.own
            and 1 < len(values) < len(cells)
            and len({(r[i], r[question]) for r in cells}) == len(cells)
        ):
            fits.append((len(values), name))
    return (
        f"; if a column names the run, say so: {roles.options('run', [name for _, name in sorted(fits)])}"
        if fits
        else ""
    )


def _refuse_other_verdicts(rows: Sequence[_Row]) -> None:
    """Raise FormatError where a column that nobody knows holds nothing but words for right and wrong, and no fact of
    the question."""
    values: dict[str, set[str]] = {}
    of_question: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        for name, value in row.labels.items():
            values.setdefault(name, set()).update({value} - {""})
            of_question.setdefault((name, row.id), set()).add(value)
    steady = {name for name in values if all(len(v) == 1 for (n, _), v in of_question.items() if n == name)}
    several = len({row.run for row in rows}) > 1
    verdicts = [name for name, words in values.items() if len(words) > 1 and roles.is_verdicts(sorted(words))]
    verdicts = [name for name in verdicts if not (several and name in steady)]
    if verdicts:
        source = rows[0].where[0]
        what = f"{' and '.join(map(repr, verdicts))} may say which answers are right"
        raise roles.ask(source, what, "outcome", verdicts, "; or judge the answers with --judge exact")


def _fail(place: tuple[Source, int], rule: str, value: object = None) -> FormatError:
    source, row = place
    return FormatError(source.label, rule, where=locate(source, row), value=value)


def _lists(source: Source, *names: str | None) -> frozenset[tuple[int, str]]:
    """Return where JSON Lines hold a list in one of these columns: a text may look like one."""
    rows = enumerate(json_lines(source), 1)
    return frozenset((at, name) for at, (row, _) in rows for name in names if name and isinstance(row.get(name), list))


Lists = frozenset[tuple[int, str]] | None


def _listed(text: str | None, place: tuple[Source, int], lists: Lists, column: str) -> tuple[str, ...]:
    """Return the gold answers in a cell: a list as JSON or Python writes it, or texts with " | " between them."""
    if text is None:
        return ()
    listed = text.startswith("[") and text.endswith("]")
    if lists is not None and (place[1], column) not in lists:
        listed = False
    if listed:
        items = _list(text)
        if items is not None:
            return tuple(dict.fromkeys(item for item in items if item.strip(WHITE)))
        if place[0].kind in ("parquet", "table"):
            raise _fail(place, "a list of gold answers must be JSON", text)
    return tuple(dict.fromkeys(part for piece in text.split(" | ") if (part := piece.strip(WHITE))))


def _given(text: str | None, at: int, lists: Lists, column: str) -> tuple[str, ...]:
    """Return the prediction in a cell; a list of them, which JSON Lines may hold, is in the order of their ranks."""
    if text is None:
        return ()
    items = _list(text) if lists and (at, column) in lists else None
    return (text,) if items is None else tuple(items)


def _list(text: str) -> list[str] | None:
    """Return a list of texts and numbers as texts, or None."""
    import ast

    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        try:
            with warnings.catch_warnings(action="ignore"):  # it warns of escapes that Python does not have
                items = ast.literal_eval(text) if len(text) < 10_000 else None
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if not isinstance(items, list) or any(isinstance(x, bool) or not isinstance(x, (str, int, float)) for x in items):
        return None
    return [identity(item) for item in items]


def _declined(cell: Mapping[str, str | None], columns: _Columns, place: tuple[Source, int]) -> bool:
    """Say whether a column tells that the answer was declined."""
    silent = False
    for names, means in ((columns.abstained, True), (columns.answered, False)):
        for name in names:
            text = cell.get(name)
            truth = None if text is None else roles.truth_of(text)
            if text is not None and truth is None:
                raise _fail(
                    place, f"{name!r} says whether an answer was declined, and must be true, false or empty", text
                )
            silent = silent or truth is means
    return silent


def _confidence(text: str | None, place: tuple[Source, int]) -> float | None:
    if text is None:
        return None
    confidence = decimal(text)
    if confidence is None or not math.isfinite(confidence):
        raise _fail(place, "confidence must be a finite number", text)
    return confidence


OwnGold = dict[str, dict[str, tuple[str, ...]]]  # by run and question


def _own_gold(first: Mapping[str, _Row], rows: Sequence[_Row], options: ReadOptions, notes: list[Note]) -> OwnGold:
    """Return the gold answers of runs that have others than the first row of the question, which a note counts.

    Raises FormatError where it is another question, or where only one of the two has any answer.
    """
    gold: OwnGold = {}
    others = [row for row in rows if row.answers != first[row.id].answers]
    by_first = options.choose.get("gold") is not None
    if by_first:
        choose(options, "gold", ["first"], "gold answers of questions on which runs differ")
    for row in others:
        known = first[row.id]
        source, at = known.where
        place = f"{source.label}, {locate(source, at)}"
        if normalise(row.question) != normalise(known.question) and not {*row.answers} & {*known.answers}:
            raise _fail(row.where, f"question {row.id!r} is another question here than in {place}", row.question)
        if not by_first and bool(row.answers) != bool(known.answers):
            rule = f"question {row.id!r} has other gold answers here than in {place}, where it has "
            rule += "none" if row.answers else "some"
            raise _fail(row.where, f"{rule}; --choose gold=first takes those", " | ".join(row.answers) or None)
        gold.setdefault(row.run, {})[row.id] = row.answers
    if others:
        one = others[0]
        notes.append(
            note(
                OTHER_GOLD,
                "{questions} of {total:n question} {questions:has/have} gold answers that differ between runs:"
                " {first:every run is judged by those read first/each run is judged by its own (--choose gold=first"
                " takes the first for all)}; in {question!r}, run {run!r} has {own!r} where {other!r} has {known!r}",
                questions=len({row.id for row in others}),
                total=len(first),
                first=by_first,
                question=one.id,
                run=one.run,
                own=" | ".join(one.answers),
                other=first[one.id].run,
                known=" | ".join(first[one.id].answers),
            )
        )
    return {} if by_first else gold


def _questions(rows: Sequence[_Row], options: ReadOptions, notes: list[Note]) -> tuple[dict[str, Question], OwnGold]:
    """Return the questions, with the columns that have one short text for each of them, and the gold answers of runs
    that differ."""
    first: dict[str, _Row] = {}
    for row in rows:
        first.setdefault(row.id, row)
    gold = _own_gold(first, rows, options, notes)
    unsteady = {name for row in rows for name, value in row.labels.items() if first[row.id].labels.get(name) != value}
    unsteady |= {name for row in rows for name, value in row.labels.items() if len(value) > _LONGEST_LABEL}
    wanted = [name for row in first.values() for name in row.labels if name not in unsteady]
    kept = [name for name in dict.fromkeys(wanted) if options.strata is None or name in options.strata]
    questions = {
        name: Question(
            name,
            row.question,
            row.answers,
            (),
            bool(row.answers),
            None,
            {label: row.labels.get(label, "") for label in kept},
        )
        for name, row in first.items()
    }
    return questions, gold


def _by_people(
    rows: Sequence[_Row], questions: Mapping[str, Question], sources: Sequence[Source], options: ReadOptions
) -> Iterator[Graded]:
    if not any(row.verdict for row in rows):
        raise UsageError(f"--choose judge=human: {sources[0].label} holds no verdicts of people ({', '.join(PEOPLE)})")
    for row in rows:
        state, why = _verdict(row, options)
        answerable = 1 if questions[row.id].answerable else 0
        yield Graded(
            row.run,
            row.id,
            state,
            confidence=row.confidence,
            why=why,
            strata=questions[row.id].strata,
            path=row.where[0].label,
            answerable=answerable,
        )


def _verdict(row: _Row, options: ReadOptions) -> tuple[int, str | None]:
    if row.best is None:
        return SILENT, "empty"
    if row.declined:
        return SILENT, "declined"
    if declined(options, row.best):
        return SILENT, SAID_SO
    if row.verdict is None:
        return NOT_GRADED, "not judged by people"
    known = WORDS.get(row.verdict.lower(), roles.state_of(row.verdict))
    state = STATES.get(options.outcome_map.get(row.verdict, ""), known)
    if state is None:
        raise _fail(row.where, "people's verdict is yes or no (--outcome-map WORD=OUTCOME adds words)", row.verdict)
    return state, "not judged by people" if state == NOT_GRADED else "declined" if state == SILENT else None


# ---- KILT ----


def _read_kilt(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    gold, answers = _kilt_parts(parts, options)
    questions: dict[str, Question] = {}
    for row, line in json_lines(gold):
        name, texts = _kilt_line(gold, row, line)
        if name in questions:
            raise FormatError(gold.label, "the question stands here again", where=f"line {line}", value=name)
        input_text = row.get("input")
        gold_texts = tuple(dict.fromkeys(text for text in texts if text.strip(WHITE)))
        questions[name] = Question(
            name, input_text if isinstance(input_text, str) else "", gold_texts, (), bool(gold_texts)
        )
    runs, notes = [], list[Note]()
    for source, run in zip(answers, name_runs(answers), strict=True):
        responses: dict[str, Response] = {}
        extra = 0
        for row, line in json_lines(source):
            name, texts = _kilt_line(source, row, line)
            if name in responses:
                raise FormatError(source.label, "the question stands here again", where=f"line {line}", value=name)
            extra += name not in questions
            best = texts[0].strip(WHITE) if texts else ""  # as its evaluation does, the first alone
            responses[name] = Response(name, best or None, bool(best))
        if extra == len(responses):
            raise MismatchError(f"{source.label} answers none of the questions that {gold.label} holds")
        if extra:
            notes.append(
                note(
                    "kilt.no_such_question",
                    "run {subject!r}: {answers} answers to questions that the gold does not hold: left out",
                    run,
                    answers=extra,
                )
            )
        runs.append(Run(run, tuple(response for name, response in responses.items() if name in questions)))
    files = tuple(str(source.label) for source in answers)
    return ReadResult(Unjudged(Collection(gold.stem, tuple(questions.values())), tuple(runs), files), tuple(notes))


def _kilt_parts(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Source, list[Source]]:
    """Read the gold and the runs: a run may repeat the `input`, and is then told from the gold by the `meta` that only
    this has."""
    gold = [source for part, source in parts if part == "gold"]
    if len(gold) > 1 or "gold" in options.choose:
        with_meta = [source for source in gold if "meta" in source.columns]
        named = (
            choose(options, "gold", [s.stem for s in gold], "files with input") if "gold" in options.choose else None
        )
        gold = [source for source in gold if source.stem == named] if named else with_meta
    if len(gold) != 1:
        raise MismatchError(
            "KILT runs need one gold file (id, input, output) with them; name it with --choose gold=STEM where several"
            " could be it"
        )
    answers = [source for _, source in parts if source is not gold[0]]
    if not answers:
        raise MismatchError(f"{gold[0].label} could be a gold file of KILT (id, input, output); give the runs with it")
    return gold[0], answers


def _kilt_line(source: Source, row: Mapping[str, Any], line: int) -> tuple[str, list[str]]:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=f"line {line}", value=value)

    name, output = row.get("id"), row.get("output")
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip(WHITE):
        raise fail("id must be a text or a whole number", name)
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise fail("output must be a list of objects", output)
    texts = [item.get("answer") for item in output]
    if any(not isinstance(text, (str, type(None))) for text in texts):
        raise fail("an answer must be a text or null", texts)
    return str(name).strip(WHITE), [text or "" for text in texts]


@writer("kilt", about="KILT: gold.jsonl and runs/NAME.jsonl (id, input, output), in a folder", takes=Unjudged)
def write_kilt(unjudged: Unjudged, path: Path) -> WriteResult:
    """Write gold and runs. Silence is an empty answer; an unanswerable question has no gold answer."""
    answering = [run for run in unjudged.runs if run.responses]
    names = file_names([run.name for run in answering])
    with folder_of(path, "nq") as folder:
        gold = (
            {"id": one.id, "input": one.text, "output": [{"answer": text} for text in _gold_of(one)], "meta": {}}
            for one in unjudged.collection.questions
        )
        write_lines(folder / "gold.jsonl", gold)
        if answering:
            (folder / "runs").mkdir()
        for run, name in zip(answering, names, strict=True):
            rows = (
                {"id": one.question_id, "output": [{"answer": one.answer or "" if one.answered else ""}]}
                for one in run.responses
                if one.rank == 1
            )
            write_lines(folder / "runs" / f"{name}.jsonl", rows)
    notes = [
        *left_out(unjudged, "KILT", ()),
        *renamed([run.name for run in answering], names),
        *without_answers(unjudged.runs),
    ]
    return WriteResult(what_is(unjudged), tuple(notes))


def _gold_of(question: Question) -> tuple[str, ...]:
    """Return the answers, none where the question is said to have none."""
    if question.answerable is False:
        return ()
    if not question.answers:
        raise MismatchError(f"question {question.id!r} has no answer, and is not said to be unanswerable")
    return question.answers
