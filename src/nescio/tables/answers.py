"""Read tables with predictions and gold answers as questions and runs that still need a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from nescio.data.changed_questions import changed, plain
from nescio.data.model import NO_NUMBERS, Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, SAID_SO, SILENT
from nescio.data.policy_notes import OTHER_GOLD, one_sided
from nescio.data.reasons import BY_OUTCOME, CUT, EMPTY, ERRORED, NO_FORM, kind_of, said_to_abstain
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, differs_between_runs, opt, shorten
from nescio.formats.choices import check_choice
from nescio.formats.registry import ReadOptions, Unjudged
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, locate, nfc
from nescio.sources.text_files import WHITE
from nescio.tables import rules
from nescio.tables.answer_cells import broken_cell, golds_of, predictions_of, types_of_cells
from nescio.tables.asking import AskedError, Options, of_refusals
from nescio.tables.cells import Placed, gathered
from nescio.tables.columns import SHORT
from nescio.tables.lexicon import is_silent_word, marker_of, state_of
from nescio.tables.pairing import is_prompt
from nescio.tables.per_question import check_numbers
from nescio.text import composed, finite, is_nothing, normalise, squeeze

if TYPE_CHECKING:
    import duckdb

LONGEST_LABEL = 60
_JUDGES = ("contains", "token_f1(threshold=0.5)", "exact")  # the judges to offer for sentences
_FEWEST_WRONG = 3  # with this many answers, at least one should be right
_NO_CLASS = "-1"  # the class of an answer that could not be parsed
_OWN = {
    "question": ("question", "question_id", "qid"),
    "prediction": ("prediction",),
    "gold": ("gold_answers", "golden_answers", "answers", "gold", "answer"),
}


class Row(Struct):
    """One answer of a run: its place in the files, its question, the gold answers, and the texts that the run gives.

    The first text in `given` is the answer; further ones have lower ranks. `why` is the reason if `given` holds no
    answer.
    """

    file: int
    row: int
    run: str
    question: str
    text: str
    gold: tuple[str, ...]
    given: tuple[str, ...]
    why: str | None
    declined: bool
    answerable: bool | None
    confidence: float | None
    repeat: str | None
    rank: int
    cluster: str | None
    labels: dict[str, str]
    numbers: dict[str, float]


def read(connection: duckdb.DuckDBPyConnection, placed: Placed, options: ReadOptions) -> tuple[Unjudged, list[Note]]:
    """Return the questions and the runs that answer them, for a judge to grade, and notes.

    `placed` pairs each table with its mapping of roles to columns. Raises FormatError for a row that breaks a rule, and
    AskedError if the meaning of the table is unclear.
    """
    extra = gathered(connection, placed, options)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE rows AS SELECT * REPLACE ({nfc('question')} AS question), 3 AS state, "
        "NULL AS graded, NULL AS why FROM gathered"
    )
    sources = {at: source for table, _ in placed for at, source in table.sources.items()}
    _, notes = rules.settle(connection, sources, options, "prediction")
    rules.no_twice(connection, sources)
    repeated = any("repeat" in mapping for _, mapping in placed) or options.duplicates == "repeats"
    taken = {name for _, mapping in placed for expression in mapping.values() for name in expression.columns}
    free = {name: column for name, column in extra.items() if name not in taken}
    numbers = _numbers(connection, [*sources.values()], extra, free, options)
    rows = list(_rows(connection, placed, free, numbers, sources, repeated=repeated))
    _no_answers(rows, sources, options, own=_is_own(placed))
    open_ = not (options.judging or "judge" in options.told)  # nobody said how to judge the answers
    if open_:
        _ask_for_judge(rows, sources, own=_is_own(placed))
    questions, gold = _questions(rows, sources, options, notes)
    if not any(map(is_prompt, (name for _, m in placed if "text" in m for name in m["text"].columns))):
        asked = ((row.question, row.run, plain(row.text)) for row in rows if row.text)
        notes += changed("text or other options", asked, len(questions))
    strata = {name for question in questions.values() for name in question.strata}
    of_answers = numbers.keys() - (strata - {*options.graded})
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for row in rows:
        runs.setdefault(row.run, []).extend(_responses(row, of_answers))
        files.setdefault(row.run, str(sources[row.file].label))
    made = tuple(Run(name, tuple(responses), gold=gold.get(name, {})) for name, responses in runs.items())
    collection = Collection(placed[0][0].source.stem, tuple(questions.values()))
    unjudged = Unjudged(collection, made, tuple(files.values()), judge=options.judge)
    if open_:
        _ask_of_none_right(rows, unjudged, sources, options)
    return unjudged, notes


def _numbers(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: Mapping[str, str],
    free: Mapping[str, str],
    options: ReadOptions,
) -> dict[str, str]:
    """Return the columns of numbers that measures read, and those of `free` if a written file keeps numbers.

    `extra` and `free` map names to SQL. Raises FormatError if a column that a measure reads has another cell.
    """
    numbers = {name: extra[name] for name in options.graded if name in extra}
    for name, column in numbers.items():
        check_numbers(connection, sources, name, column)
    for name, column in free.items() if options.written else ():  # A gate on the new file may read these numbers.
        with suppress(FormatError):
            check_numbers(connection, sources, name, column)
            if first(connection, f"SELECT count({column}) FROM rows")[0]:
                numbers[name] = column
    return numbers


def _rows(
    connection: duckdb.DuckDBPyConnection,
    placed: Placed,
    labels: Mapping[str, str],
    numbers: Mapping[str, str],
    sources: Mapping[int, Source],
    *,
    repeated: bool,
) -> Iterator[Row]:
    structured = {at: types_of_cells(source, placed) for at, source in sources.items()}
    whole, of_nescio = _whole_numbers(connection), _is_own(placed)
    cells = [*labels.values(), *(f"coalesce({NUMBER.format(column)}, 'nan')" for column in numbers.values())]
    more = "".join(f", {cell}" for cell in cells)
    query = (
        "SELECT file, row, run, question, text, gold, prediction, silent, failed, ended, answerable, confidence, "
        f"{REPEAT}, {rules.RANK}, cluster{more} FROM rows ORDER BY file, row"
    )
    for (
        file,
        row,
        run,
        question,
        text,
        gold,
        prediction,
        silent,
        failed,
        ended,
        answerable,
        confidence,
        repeat,
        rank,
        cluster,
        *rest,
    ) in connection.execute(query).fetchall():
        place = sources[file], row
        right, answer = ((c.removesuffix(".0") if whole and c is not None else c) for c in (gold, prediction))
        listed = golds_of(right, place, structured[file])
        given = predictions_of(answer, place, structured[file])
        blank = not (given and given[0].strip(WHITE))
        # In nescio's own format, an empty answer is an abstention, unless the row states that the system answered, or
        # the user says what it counts as.
        nothing = None if silent == "yes" else said_to_abstain(EMPTY)
        why = ERRORED if failed == "yes" else ended or (nothing if of_nescio and silent != "no" else EMPTY)
        yield Row(
            file,
            row,
            run,
            composed(question) or "",
            text or question,
            listed,
            given,
            why if blank or failed == "yes" or (silent == "yes" and kind_of(why or EMPTY) == "failed") else None,
            silent == "yes",
            {"true": bool(listed) or None, "false": False}.get(answerable or "", bool(listed)),
            finite(confidence) if confidence is not None else None,
            repeat if repeated else None,
            rank,
            cluster,
            {name: value or "" for name, value in zip(labels, rest, strict=False)},
            dict(zip(numbers, rest[len(labels) :], strict=True)),
        )


def _is_own(placed: Placed) -> bool:
    """Return whether the columns have the names of nescio's own format, in which an empty answer is an abstention."""
    return all(
        role in mapping and mapping[role].columns and mapping[role].column in names
        for _, mapping in placed
        for role, names in _OWN.items()
    )


def _whole_numbers(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether all predictions are whole numbers and all gold answers end in `.0`, or the reverse.

    pandas writes a column of whole numbers with `.0` if any of its cells is empty.
    """
    whole, point = (f"bool_and(regexp_full_match({{0}}, '{pattern}'))" for pattern in ("[+-]?\\d+", "[+-]?\\d+\\.0"))
    ways = [f"({whole.format(a)} AND {point.format(b)})" for a, b in (("gold", "prediction"), ("prediction", "gold"))]
    return bool(connection.execute(f"SELECT coalesce({' OR '.join(ways)}, false) FROM rows").fetchall()[0][0])


def _responses(row: Row, numbers: Names[str]) -> Iterator[Response]:
    """Yield the answers in a row, best first; `numbers` names the columns of numbers that go with the best."""
    best = row.given[0] if row.given and row.given[0].strip(WHITE) else None
    answered = best is not None and not row.declined and row.why is None
    why = row.why if row.why != EMPTY or not row.declined else None
    kept = best if row.why in (None, SAID_SO) else None
    figures = {name: number for name, number in row.numbers.items() if name in numbers} or NO_NUMBERS
    yield Response(row.question, kept, answered, row.confidence, row.rank, why=why, repeat=row.repeat, numbers=figures)
    for rank, text in enumerate(row.given[1:], row.rank + 1):
        if text.strip(WHITE):
            yield Response(row.question, text, True, None, rank, repeat=row.repeat)


def _no_answers(rows: Sequence[Row], sources: Mapping[int, Source], options: ReadOptions, *, own: bool) -> None:
    """Mark predictions that are not answers, by setting the reason in `why` of their rows.

    Such a prediction is a word for an abstention, a marker ("PARSE_FAIL", -1), or empty. `own` tells whether the
    columns have the names of nescio's own format. Raises AskedError if no option says what markers, empty cells or
    refusals count as.
    """
    gold = {squeeze(text) for row in rows for text in row.gold}
    classes = bool(gold) and all(text.isdecimal() for text in gold)
    texts: Counter[str] = Counter()
    reasons: set[str] = set()
    refusals: Counter[str] = Counter()
    first: Row | None = None
    first_refusal: Row | None = None
    for row in rows:
        text = row.given[0].strip() if row.given else ""
        kind = None if row.why is None else kind_of(row.why)
        if kind in ("failed", "declined") or (row.declined and row.why != CUT) or squeeze(text) in gold:
            continue
        said_so = state_of(text) == SILENT
        asked = options.refusals == "unanswered" or (options.refusals is None and not own and not said_so)
        passed_over = is_silent_word(text) and not is_nothing(text)
        reads = bool(text) and asked and (passed_over or options.declined.reads(text))
        refusals[text] += reads
        if said_so or (reads and options.refusals):
            row.why, row.declined = SAID_SO, True
            continue
        first_refusal = first_refusal or (row if reads else None)
        row.why = row.why or marker_of(text) or (NO_FORM if classes and text == _NO_CLASS else None)
        if row.why and not row.why.endswith(BY_OUTCOME) and (row.answerable is not False or row.why in (CUT, EMPTY)):
            first = first or row
            texts[text or "nothing"] += 1
            reasons.add("empty" if row.why in (CUT, EMPTY) else "unparsed")
    if first_refusal is not None:
        source = sources[first_refusal.file]
        raise of_refusals(source, +refusals, locate(source, first_refusal.row))
    options.declined.worded |= +refusals
    if first is None or reasons <= options.told:
        return
    words = " and ".join(f"{many} × {word!r}" for word, many in texts.most_common(3))
    question = f"some answers seem empty or unparsed ({words}): what do they count as?"
    ways: list[Options] = [dict.fromkeys(sorted(reasons), how) for how in ("unanswered", "incorrect", "ungraded")]
    source = sources[first.file]
    raise AskedError(source, question, ways, where=locate(source, first.row))


def _ask_for_judge(rows: Sequence[Row], sources: Mapping[int, Source], *, own: bool) -> None:
    """Raise AskedError, which asks how to judge, if gold answers are letters of options and answers are longer texts.

    Also raises it if answers are sentences, unless the table is nescio's `own`. A longer text may contain the gold
    answer, but seldom equals it.
    """
    letters = all(_is_letter(text) for row in rows for text in row.gold)
    for row in rows:
        text = row.given[0] if row.given and row.why is None else ""
        if len(text.split()) > SHORT and not own:
            raise _which_judge(sources[row.file], row, f"the answers are sentences ({shorten(text)})")
        if letters and row.gold and text.strip() and not _is_letter(text):
            rule = f"the gold answers are letters, but the answers are longer ({shorten(text)})"
            raise _which_judge(sources[row.file], row, rule)


def _is_letter(text: str) -> bool:
    """Return whether a text is a single letter, such as that of an option, perhaps with brackets or other signs."""
    letter = "".join(filter(str.isalnum, text))
    return len(letter) == 1 and letter.upper() != letter.lower()


def _ask_of_none_right(
    rows: Sequence[Row], unjudged: Unjudged, sources: Mapping[int, Source], options: ReadOptions
) -> None:
    """Raise AskedError, which asks how to judge, if the default judge finds none of the answers right."""
    given = [row for row in rows if row.given and row.why is None and row.gold and not row.declined]
    answered = [row for row in given if not options.declined.reads(row.given[0])]
    if len(answered) < _FEWEST_WRONG or any(
        {*map(normalise, row.gold)} & {normalise(row.given[0])} for row in answered
    ):
        return
    if not (options.judged(unjudged).state == CORRECT).any():
        row = answered[0]
        what = f"none of {len(answered)} answers is right (first: {shorten(row.given[0])}, gold {shorten(row.gold[0])})"
        raise _which_judge(sources[row.file], row, what)


def _which_judge(source: Source, row: Row, what: str) -> AskedError:
    ways = [{"judge": judge} for judge in _JUDGES]
    return AskedError(source, f"{what}: which judge should grade the answers?", ways, where=locate(source, row.row))


OwnGold = dict[str, dict[str, tuple[str, ...]]]  # by run and question


def _questions(
    rows: Sequence[Row], sources: Mapping[int, Source], options: ReadOptions, notes: list[Note]
) -> tuple[dict[str, Question], OwnGold]:
    """Return the questions, and the gold answers of each run that has other gold answers than the question.

    A column with one short text for each question becomes a stratum of the questions.
    """
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.question, row)
    gold = _own_gold(first, rows, sources, options, notes)
    if alone := {row.question for row in rows if row.answerable != first[row.question].answerable}:
        notes.append(one_sided(sorted({first[question].run for question in alone}), len(alone)))
    _same_in_all_runs(first, rows, sources, options)
    unsteady = {name for row in rows for name, value in row.labels.items() if first[row.question].labels[name] != value}
    unsteady |= {name for row in rows for name, value in row.labels.items() if len(value) > LONGEST_LABEL}
    wanted = [name for name in (rows[0].labels if rows else ()) if name not in unsteady]
    kept = options.kept(dict.fromkeys(wanted))
    questions = {
        name: Question(
            name,
            row.text,
            row.gold,
            answerable=row.answerable,
            cluster=row.cluster,
            strata={label: row.labels.get(label, "") for label in kept},
        )
        for name, row in first.items()
    }
    return questions, gold


def _same_in_all_runs(
    first: Mapping[str, Row], rows: Sequence[Row], sources: Mapping[int, Source], options: ReadOptions
) -> None:
    """Raise MismatchError if two runs give the same question different values in a column that the user requested.

    `first` maps each question to its first row.
    """
    for row in rows:
        known = first[row.question]
        for name in options.strata or ():
            value, other = known.labels.get(name), row.labels.get(name)
            if known.run != row.run and value != other:
                places = [f"{sources[of.file].label}, {locate(sources[of.file], of.row)}" for of in (known, row)]
                raise differs_between_runs(
                    name, row.question, (known.run, places[0], value), (row.run, places[1], other)
                )


def _own_gold(
    first: Mapping[str, Row],
    rows: Sequence[Row],
    sources: Mapping[int, Source],
    options: ReadOptions,
    notes: list[Note],
) -> OwnGold:
    """Return the gold answers of each run whose gold answers differ from those in the question's first row.

    Adds a note that counts them. `first` maps each question to its first row.
    """
    gold: OwnGold = {}
    others = [row for row in rows if row.gold != first[row.question].gold]
    check_choice(options, "gold", ("first",))
    by_first = "gold" in options.choose
    for row in others:
        known = first[row.question]
        place = f"{sources[known.file].label}, {locate(sources[known.file], known.row)}"
        if normalise(row.text) != normalise(known.text) and not {*row.gold} & {*known.gold}:
            raise broken_cell(
                (sources[row.file], row.row),
                f"question {row.question!r} has a different text from the question with this id in {place}",
                row.text,
            )
        if not by_first and bool(row.gold) != bool(known.gold):
            rule = f"question {row.question!r} has {'' if row.gold else 'no '}gold answers, but in {place} it has "
            rule += f"{'none' if row.gold else 'some'}; {opt('choose', {'gold': 'first'})} uses those read first"
            raise broken_cell((sources[row.file], row.row), rule, " | ".join(row.gold) or None)
        gold.setdefault(row.run, {})[row.question] = row.gold
    if others:
        example, known = others[0], first[others[0].question]
        notes.append(
            note(
                OTHER_GOLD,
                "{questions} of {total:n question} {questions:has/have} gold answers that differ between "
                "runs: {first:every run is judged by the gold answers read first/each run is judged by its own gold "
                f"answers ({opt('choose', {'gold': 'first'})} takes the first for all)}}; for {{question!r}}, run "
                "{run!r} has {own!r}, but run {other!r}, read first from {file}, has {known!r}",
                questions=len({row.question for row in others}),
                total=len(first),
                first=by_first,
                question=example.question,
                run=example.run,
                own=" | ".join(example.gold),
                other=known.run,
                known=" | ".join(known.gold),
                file=sources[known.file].name,
                whose=sorted({first[row.question].run for row in others}),
            )
        )
    return {} if by_first else gold
