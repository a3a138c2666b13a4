"""Outcome tables: one row an answer, already judged. Columns `run, question, outcome` and the reserved optional ones.

A table may call its columns what people call them: `model`, `system` or `run_id` for the run, `id` or `question_id` for
the question, `correct`, `is_correct`, `verdict`, `grade` or `score` for the outcome (1 and 0, yes and no, right and
wrong), `probability` for the confidence; in any case, with any punctuation, in English, German, French, Spanish or
Italian. A column that says whether an answer was declined (`abstained`, `refused`, `answered`) makes it unanswered,
whatever else was said of it. A note says which columns were taken; where several could be meant nothing is guessed, and
`--column NAME=COLUMN` decides. With `--judge` the answers of such a table are judged instead, if it has them and gold
answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nescio.data.columns import Array, user
from nescio.data.judges import JudgeRecord, parse
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, STATES, Outcomes, gather
from nescio.errors import FormatError, MismatchError
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.choosing import Chosen, choose, runs_that_fit
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, name_runs
from nescio.sources.tables import first, literal, load_rows, locate, require, unguarded

if TYPE_CHECKING:
    import duckdb

RESERVED = (
    *("run", "question", "outcome", "confidence", "candidate", "rank", "answerable", "cluster", "known_answers"),
    "judge",
)
NO_TEXTS = ("outcome", "confidence", "candidate", "rank", "answerable", "known_answers")
_AT_ONCE = 100  # columns in one query: the time to plan it grows with their square
YES, NO = ("true", "1", "1.0"), ("false", "0", "0.0")
_YES, _NO = (", ".join(map(literal, words)) for words in (YES, NO))

_NUMBER = "TRY_CAST(nullif({0}, CASE WHEN contains({0}, '_') THEN {0} END) AS DOUBLE)"  # 1_0 is no number
_NO_WHOLE = f"{{0}} IS NOT NULL AND NOT coalesce({_NUMBER} BETWEEN 1 AND 1e6 AND {_NUMBER} = floor({_NUMBER}), false)"
# What no cell may be: the column, the condition that finds it, the rule that it breaks.
RULES = (
    ("run", "run IS NULL", "the run is empty"),
    ("question", "question IS NULL", "the question is empty"),
    (
        "outcome",
        "outcome IS NOT NULL AND graded IS NULL",
        "an outcome is correct, incorrect or unanswered (--outcome-map WORD=OUTCOME adds words)",
    ),
    (
        "confidence",
        f"confidence IS NOT NULL AND NOT coalesce(isfinite({_NUMBER.format('confidence')}), false)",
        "confidence must be a finite number such as 0.75, or empty",
    ),
    (
        "candidate",
        "candidate IS NOT NULL AND candidate NOT IN ('correct', 'incorrect')",
        "a candidate is correct, incorrect or empty",
    ),
    (
        "answerable",
        f"answerable IS NOT NULL AND lower(answerable) NOT IN ({_YES}, {_NO})",
        "answerable must be true or false",
    ),
    (
        "candidate",
        (
            f"(candidate = 'correct' AND state = {INCORRECT}) OR (candidate = 'incorrect' AND state = {CORRECT} "
            f"AND NOT coalesce(lower(answerable) IN ({_NO}), false))"
        ),
        "the candidate contradicts the outcome: it is what a declined answer would have been",
    ),
    ("silent", "silent IS NOT NULL AND silent <> 'yes'", "whether an answer was declined must be true, false or empty"),
    ("rank", _NO_WHOLE.format("rank"), "rank must be a whole number from 1 to 1000000"),
    ("known_answers", _NO_WHOLE.format("known_answers"), "known_answers must be a whole number from 1 to 1000000"),
)
# The cells as numbers, where every rule is kept.
RANK = "coalesce(rank::DOUBLE, 1)::INTEGER"
CELLS = f"""
    run_code AS run, question_code AS question, state,
    file::INTEGER AS file, {RANK} AS rank, coalesce(known_answers::DOUBLE, 1)::INTEGER AS known, coalesce(confidence::DOUBLE, 'nan') AS confidence,
    CASE candidate WHEN 'correct' THEN 1 WHEN 'incorrect' THEN 0 ELSE -1 END::TINYINT AS candidate"""
ANSWERABLE = f"CASE WHEN lower(answerable) IN ({_YES}) THEN 'true' WHEN lower(answerable) IN ({_NO}) THEN 'false' END"


def recognise(source: Source) -> str | None:
    """Recognise a table with the columns `question` and `outcome`."""
    if source.suffix not in (*TABLES, *LINES, ""):
        return None
    return "table" if {"question", "outcome"} <= set(source.columns) else None


def understand(source: Source) -> str | None:
    """Recognise a table with a column that names questions, and one that says which answers are right."""
    return "table" if roles.holds_verdicts(source) else None


@reader(
    "outcomes",
    about="an outcome table: run, question, outcome (and confidence, candidate, rank, answerable, cluster)",
    recognise=recognise,
    understand=understand,
    columns=tuple(roles.NAMES),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read outcome tables; several are read as one, and no run may stand in two of them."""
    sources = [source for _, source in parts]
    notes = [remark for source in sources for remark in source.notes]
    with connect() as connection:
        extra, tables = _collect(connection, sources, options, notes)
        _state(connection, {word: STATES[to] for word, to in options.outcome_map.items()}, notes)
        _keep_rules(connection, sources)
        _no_run_in_two(connection, sources)
        outcomes = _build(connection, sources, notes, tables)
        judges = _judges(connection, outcomes.runs)
        extra |= {"judge": "judge"} if judges is None else {}
        taken = {name for table in tables for name in table.taken}
        free = {name: column for name, column in extra.items() if name not in taken}
        strata = _strata(connection, sources, free, options.strata)
        graded = _graded(connection, sources, extra, options.graded, outcomes.state.shape)
    outcomes = replace(outcomes, strata=strata, extra_columns={**outcomes.extra_columns, **graded}, judges=judges or ())
    return ReadResult(outcomes, tuple(notes))


def _collect(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], options: ReadOptions, notes: list[Note]
) -> tuple[dict[str, str], list[_Table]]:
    """Bring all sources into one view `gathered`; returns the columns that are nobody's, and what each is called in it;
    and what was chosen in each source."""
    tables = []
    for i, source in enumerate(sources):
        have = load_rows(connection, source, f"raw_{i}", _kept(source, options))
        if not roles.roles_of(have).all("id", "text") and not source.named:
            require(source, ("question", "outcome"), have, "an outcome table")
        chosen = choose(connection, f"raw_{i}", source, have, notes)
        tables.append(_Table(f"raw_{i}", source, have, chosen))
    extra = {name: f"x{i}" for i, name in enumerate(dict.fromkeys(name for t in tables for name in t.extra))}
    unnamed = [table.source for table in tables if "run" not in table.columns]
    stems = dict(zip(map(id, unnamed), name_runs(unnamed), strict=True))
    selects = []
    for i, table in enumerate(tables):
        cells = {name: c if name in NO_TEXTS else unguarded(table.source, c) for name, c in table.chosen.cells.items()}
        cells.setdefault("run", literal(stems.get(id(table.source), "")))
        cells |= {"silent": table.chosen.silent, "empty": table.chosen.empty}
        more = {extra[name]: unguarded(table.source, cell) for name, cell in table.extra.items()}
        cells = {name: cells.get(name, "NULL") for name in (*RESERVED, "silent", "empty")}
        cells |= {column: more.get(column, "NULL") for column in extra.values()}
        shown = ", ".join(f"{cell}::VARCHAR AS {column}" for column, cell in cells.items())
        selects.append(f"SELECT {i} AS file, row, {shown} FROM {table.name}")
    connection.execute(f"CREATE TEMP VIEW gathered AS {' UNION ALL '.join(selects)}")
    _note_silence(connection, sources, notes)
    return extra, tables


@dataclass(frozen=True, slots=True)
class _Table:
    """A source that was loaded: the cell of each of its columns, and what plays each part."""

    name: str
    source: Source
    have: Mapping[str, str]
    chosen: Chosen

    @property
    def columns(self) -> Mapping[str, str]:
        """The column that plays each part."""
        return self.chosen.columns

    @property
    def own(self) -> set[str]:
        """The columns that play the part whose name they bear."""
        return {name for part, name in self.columns.items() if part == name}

    @property
    def taken(self) -> set[str]:
        """The columns that speak of runs and single answers, as they are called in `extra`."""
        playing = {*self.columns.values(), *self.chosen.texts} - {*self.own}
        return {_as_given(name) for name in playing}

    @property
    def extra(self) -> dict[str, str]:
        """The cells of the columns that go by other names than nescio's, one that only bears such a name included."""
        return {_as_given(name): cell for name, cell in self.have.items() if name and name not in self.own}


def _as_given(name: str) -> str:
    """Return what a column of a user's is called: nescio's own names are kept for the columns that play the part."""
    return f"{name}{roles.DISPLACED}" if name in RESERVED else name


def _kept(source: Source, options: ReadOptions) -> set[str] | None:
    """Return the columns of a source that are read: those that play a part, and those asked for; None for all."""
    if options.strata is None or source.kind == "lines":
        return None
    known = roles.roles_of(source.columns, source.named)
    return {*RESERVED, *options.strata, *options.graded, *known.all(*known.columns)}


def _note_silence(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], notes: list[Note]) -> None:
    """Note the answers that are unanswered by another column than that of outcomes."""
    for file, declined, empty in connection.execute(
        "SELECT file, count(*) FILTER (silent = 'yes'), count(*) FILTER (empty = 'true') FROM gathered GROUP BY 1 ORDER"
        " BY 1"
    ).fetchall():
        if declined:
            notes.append(
                note(
                    "outcomes_table.declined",
                    "{subject}: {rows} {rows:answer was/answers were} declined, by a column that says so: unanswered, "
                    "whatever the verdict",
                    str(sources[file].label),
                    rows=declined,
                )
            )
        if empty:
            notes.append(
                note(
                    "outcomes_table.empty",
                    "{subject}: {rows} {rows:answer is/answers are} empty, and not marked as right: unanswered",
                    str(sources[file].label),
                    rows=empty,
                )
            )


def _refuse(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    condition: str,
    rule: str,
    value: str = "NULL",
) -> None:
    """Raise FormatError for the first row that meets the condition."""
    query = f"SELECT file, row, {value} FROM rows WHERE {condition} ORDER BY file, row LIMIT 1"
    if offence := first(connection, query):
        source = sources[offence[0]]
        raise FormatError(source.label, rule, where=locate(source, offence[1]), value=offence[2])


def _state(connection: duckdb.DuckDBPyConnection, mapped: Mapping[str, int], notes: list[Note]) -> None:
    """Create the view `rows`: what is given, with the states of its words for outcomes, none for an unknown one.

    Each known word but the three is announced.
    """
    counted = connection.execute(
        "SELECT outcome, count(*) FROM gathered WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).fetchall()
    states = {word: mapped.get(word, STATES.get(word, roles.state_of(word))) for word, _ in counted}
    names = {state: name for name, state in STATES.items()} | {NOT_GRADED: "not graded"}
    for word, rows in counted:
        state = states[word]
        if state is not None and STATES.get(word) != state:
            notes.append(
                note(
                    "outcomes_table.word",
                    "{rows} {rows:row/rows}: outcome {word!r} read as {outcome}",
                    rows=rows,
                    word=word,
                    outcome=names[state],
                )
            )
    cases = " ".join(f"WHEN outcome = {literal(word)} THEN {at}" for word, at in states.items() if at is not None)
    silent = f"WHEN silent = 'yes' OR empty = 'true' THEN {SILENT}"
    graded = f"CASE WHEN outcome IS NULL THEN {NOT_GRADED} {cases} END::TINYINT"
    connection.execute(
        f"CREATE TEMP VIEW rows AS SELECT {_one_question(connection)}, {graded} AS graded, CASE {silent} ELSE {graded}"
        " END::TINYINT AS state FROM gathered"
    )


def _one_question(connection: duckdb.DuckDBPyConnection) -> str:
    """Select all cells, and a question whose accents are typed in two ways (NFC, NFD) as one, unless a run tells the
    two apart."""
    composed = "nfc_normalize(question)"
    if first(connection, f"SELECT 1 FROM gathered WHERE question <> {composed} LIMIT 1") is None:
        return "*"
    query = f"SELECT {composed} FROM gathered GROUP BY run, {composed} HAVING count(DISTINCT question) > 1"
    apart = ", ".join(literal(name) for (name,) in connection.execute(query).fetchall())
    kept = f"CASE WHEN {composed} IN ({apart}) THEN question ELSE {composed} END" if apart else composed
    return f"* REPLACE ({kept} AS question)"


def _keep_rules(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> None:
    """Raise FormatError for the first row that breaks a rule."""
    cases = " ".join(f"WHEN {condition} THEN {i}" for i, (_, condition, _) in enumerate(RULES))
    shown = ", ".join(column for column, _, _ in RULES)
    offence = first(
        connection,
        f"SELECT broken, file, row, {shown} FROM (SELECT *, CASE {cases} END AS broken FROM rows) "
        "WHERE broken IS NOT NULL ORDER BY file, row LIMIT 1",
    )
    if offence:
        broken, file, row, *cells = offence
        raise FormatError(sources[file].label, RULES[broken][2], where=locate(sources[file], row), value=cells[broken])


def _no_run_in_two(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> None:
    query = "SELECT run, min(file), max(file) FROM rows GROUP BY run HAVING min(file) < max(file) ORDER BY run LIMIT 1"
    if clash := first(connection, query):
        run, one, other = clash
        raise MismatchError(
            f"run {run!r} stands in both {sources[one].label} and {sources[other].label}; rename one, or leave out the"
            " column run: a table without it is one run, named by its file"
        )


def _build(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], notes: list[Note], tables: Sequence[_Table]
) -> Outcomes:
    """Return the outcomes, runs and questions in the order in which they first stand in the files."""
    names: dict[str, tuple[str, ...]] = {}
    for name in ("run", "question"):
        # Tables that are joined take a fraction of the time and memory that an ENUM of as many names does.
        connection.execute(
            f"CREATE TEMP TABLE {name}_names AS SELECT {name}, (row_number() OVER (ORDER BY first) - 1)::INTEGER AS "
            f"{name}_code FROM (SELECT {name}, min(file::BIGINT << 40 | row) AS first FROM rows GROUP BY 1)"
        )
        values = connection.execute(f"SELECT {name} FROM {name}_names ORDER BY {name}_code").fetchnumpy()[name]
        names[name] = tuple(values.tolist())
    connection.execute(
        "CREATE TEMP VIEW coded AS SELECT * FROM rows JOIN run_names USING (run) JOIN question_names USING (question)"
    )
    fetched = connection.execute(f"SELECT {CELLS} FROM coded").fetchnumpy()
    order = np.lexsort([fetched[name] for name in ("rank", "question", "run")])
    cells = {name: np.asarray(values)[order] for name, values in fetched.items()}
    _check_ranks(connection, sources, cells, tables)
    file_of_run = np.zeros(len(names["run"]), dtype=int)
    file_of_run[cells["run"]] = cells["file"]
    outcomes, lower = gather(cells, names["run"], names["question"])
    if lower:
        notes.append(
            note(
                "outcomes_table.lower_ranks",
                "{rows} {rows:row has/rows have} a rank below the first: MRR and K read them, outcomes are those of "
                "rank 1",
                rows=lower,
            )
        )
        if ungraded := int(((cells["rank"] > 1) & (cells["state"] == NOT_GRADED)).sum()):
            notes.append(
                note(
                    "outcomes_table.lower_ranks_ungraded",
                    "{rows} of these {rows:is/are} not graded: MRR and K take it for no answer",
                    rows=ungraded,
                )
            )
    answerable = _per_question(connection, sources, "answerable", ANSWERABLE)
    clusters = _per_question(connection, sources, "cluster", "cluster")
    if clusters is not None and None in clusters:
        lacking = "question IN (SELECT question FROM rows GROUP BY 1 HAVING max(cluster) IS NULL)"
        _refuse(connection, sources, lacking, "the cluster is empty, and other rows have one")
    codes = {"true": 1, "false": 0, None: -1}
    return replace(
        outcomes,
        answerable=None if answerable is None else np.array([codes[word] for word in answerable], dtype=np.int8),
        clusters=None if clusters is None else np.array(clusters, dtype=object),
        files=tuple(str(sources[i].label) for i in file_of_run),
    )


def _check_ranks(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    cells: Mapping[str, Array],
    tables: Sequence[_Table],
) -> None:
    """Raise FormatError where an answer stands twice, or a question has no answer of rank 1; the cells are in order."""
    run, question, rank = (cells[name] for name in ("run", "question", "rank"))
    follows = (run[1:] == run[:-1]) & (question[1:] == question[:-1])
    if (follows & (rank[1:] == rank[:-1])).any():
        repeat = first(
            connection,
            f"SELECT file, run, question, {RANK} AS place, max(rank), min(row), list_sort(list(row))[2] AS again FROM"
            " rows GROUP BY file, run, question, place HAVING count(*) > 1 ORDER BY file, again LIMIT 1",
        )
        file, named, of_question, place, ranks_stated, before, again = repeat
        ranked, table = f" at rank {place}" if ranks_stated else "", tables[file]
        ways = (
            ""
            if "run" in table.columns
            else runs_that_fit(connection, table.name, table.source, table.have, table.chosen)
        )
        raise FormatError(
            sources[file].label,
            f"question {of_question!r} of run {named!r}{ranked} stands here again; it was on"
            f" {locate(sources[file], before)}{ways}",
            where=locate(sources[file], again),
        )
    if (rank[1:][~follows] > 1).any() or rank[0] > 1:
        lacking = f"SELECT (run, question) FROM rows GROUP BY run, question HAVING min({RANK}) > 1"
        rule = "a question has lower ranks and no answer of rank 1"
        _refuse(connection, sources, f"(run, question) IN ({lacking})", rule, "rank")


def _per_question(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], name: str, column: str
) -> list[str | None] | None:
    """Return a reserved column with one value a question, in the order of the questions; None where no row has it."""
    if first(connection, f"SELECT 1 FROM rows WHERE {name} IS NOT NULL LIMIT 1") is None:
        return None
    if differing := _differing(connection, column):
        question, (here, row, value), (there, at, other) = differing
        rule = f"question {question!r} has two values of {name}"
        if here == there:
            source = sources[here]
            raise FormatError(
                source.label,
                f"{rule}; it was {value!r} on {locate(source, row)}",
                where=locate(source, at),
                value=other,
            )
        places = (f"{v!r} ({sources[f].label}, {locate(sources[f], r)})" for f, r, v in differing[1:])
        raise MismatchError(f"{rule}: {' and '.join(places)}")
    rows = connection.execute(
        f"SELECT max({column}) FROM coded GROUP BY question_code ORDER BY question_code"
    ).fetchall()
    return [value for (value,) in rows]


def _judges(connection: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> tuple[JudgeRecord | None, ...] | None:
    """Return who judged each run, as the column `judge` says; None where it says several things of one run, and so is a
    user's own."""
    rows = connection.execute("SELECT run, min(judge), max(judge) FROM rows GROUP BY 1").fetchall()
    if any(low != high for _, low, high in rows):
        return None
    texts = {run: text for run, text, _ in rows if text is not None}
    return tuple(parse(texts[run]) if run in texts else None for run in runs) if texts else ()


Place = tuple[int, int, str]


def _differing(connection: duckdb.DuckDBPyConnection, column: str) -> tuple[str, Place, Place] | None:
    """Return the first question with two values in a column: its name, and the file, row and value of the two."""
    question = first(
        connection,
        f"SELECT question FROM rows GROUP BY 1 HAVING min({column}) <> max({column}) ORDER BY min(file), min(row)"
        " LIMIT 1",
    )
    if not question:
        return None
    places: list[Any] = connection.execute(
        f"SELECT file, row, {column} FROM rows WHERE question = ? AND {column} IS NOT NULL ORDER BY file, row", question
    ).fetchall()
    return question[0], places[0], next(place for place in places if place[2] != places[0][2])


def _strata(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: Mapping[str, str],
    wanted: Sequence[str] | None,
) -> dict[str, Array]:
    """Return the columns that are constant within each question, all of them or those asked for, with "" where there is
    nothing."""
    if wanted is not None:
        for name in wanted:
            if name in extra and (differing := _differing(connection, extra[name])):
                question, *places = differing
                shown = " and ".join(f"{v!r} ({sources[f].label}, {locate(sources[f], r)})" for f, r, v in places)
                raise MismatchError(f"{name!r} is no stratum: question {question!r} has two values of it, {shown}")
    names = [name for name in extra if wanted is None or name in wanted]
    strata = {}
    for at in range(0, len(names), _AT_ONCE):
        batch = names[at : at + _AT_ONCE]
        ends = ", ".join(f"min({extra[name]}), max({extra[name]})" for name in batch)
        rows = connection.execute(f"SELECT {ends} FROM coded GROUP BY question_code ORDER BY question_code").fetchall()
        for i, name in enumerate(batch):
            low, high = ([row[2 * i + j] for row in rows] for j in (0, 1))
            if low == high and any(value is not None for value in low):
                strata[name] = np.array(["" if value is None else value for value in low], dtype=object)
    return strata


def _graded(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    extra: Mapping[str, str],
    wanted: Sequence[str],
    shape: tuple[int, ...],
) -> dict[str, Array]:
    """Return the columns of graded scores that a measure reads, of the answers of rank 1; NaN where the cell is
    empty."""
    graded = {}
    for name in (n for n in wanted if n in extra):
        column, number = extra[name], _NUMBER.format(extra[name])
        broken = f"{column} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
        _refuse(
            connection,
            sources,
            broken,
            f"mean({name}) reads this column, so it must be a finite number or empty",
            column,
        )
        cells = connection.execute(
            f"SELECT run_code AS run, question_code AS question, coalesce({number}, 'nan') AS score FROM coded WHERE"
            f" {RANK} = 1"
        ).fetchnumpy()
        graded[user(name)] = np.full(shape, np.nan)
        graded[user(name)][cells["run"], cells["question"]] = cells["score"]
    return graded
