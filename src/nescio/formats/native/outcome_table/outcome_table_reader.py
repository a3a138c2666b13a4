"""Outcome tables: one row an answer, already judged. Columns `run, question, outcome` and the reserved optional ones.

A table may call its columns what people call them: `model`, `system` or `run_id` for the run, `id` or `question_id`
for the question, `correct`, `is_correct`, `verdict`, `grade` or `score` for the outcome (1 and 0, yes and no, right
and wrong), `probability` for the confidence; in any case, with any punctuation, in English, German, French, Spanish
or Italian. A column that says whether an answer was declined (`abstained`, `refused`, `answered`) makes it
unanswered, whatever else was said of it. A note says which columns were taken; where several could be meant nothing
is guessed, and `--column NAME=COLUMN` decides. Where questions were asked several times, `repeat` says which answer
to its question a row is (an epoch, a trial, a seed): a question counts as the mean of its answers. With `--judge`
the answers of such a table are judged instead, if it has them and gold answers.

CSV (with semicolons too, and then with decimal commas; after a line `sep=;`), TSV, JSON Lines, Parquet and tables in
memory are read; so is a JSON document that is a list of rows, or has one among its members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes, gather
from nescio.data.repeats import FIRST, REPEAT, repeats_of
from nescio.errors import NescioError, opt
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.choosing import choose
from nescio.formats.native.outcome_table.counting import count
from nescio.formats.native.outcome_table.in_words import texts_in
from nescio.formats.native.outcome_table.judge_column import judges_of
from nescio.formats.native.outcome_table.one_run import may_be_runs
from nescio.formats.native.outcome_table.pairing import check_pairing
from nescio.formats.native.outcome_table.rules import (
    RANK,
    check_ranks,
    keep_rules,
    no_run_in_two,
    no_sums,
    no_twins,
    odd_last_rows,
    refuse,
)
from nescio.formats.native.outcome_table.strata_and_scores import (
    ANSWERABLE,
    assessed_of,
    graded_of,
    per_question,
    strata_of,
)
from nescio.formats.native.outcome_table.table import NO_TEXTS, RESERVED, Table, joined, kept
from nescio.formats.native.outcome_table.words import state_words
from nescio.formats.native.own_totals import totals_beside
from nescio.formats.registry import Declined, ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.formats.totals import contradictions, refuse_contradictions
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, name_runs, small
from nescio.sources.tables import first, literal, load_rows, require, unguarded, with_points, without_blanks
from nescio.tasks.stakes.stating import are_stated, label
from nescio.text import literally

if TYPE_CHECKING:
    import duckdb

Held = Literal["TABLE", "VIEW"]
_FEW_ROWS, _FEW_COLUMNS = 1 << 14, 64
_AT_ONCE = 64  # files in a query: to plan one takes longer than their number grows, and beyond a thousand it is refused
_MOST_QUIET = 5  # texts that a pattern matches
_MOST_TEXTS = 10_000  # of wrong answers, in which silence is looked for
# The cells as numbers, where every rule is kept.
CELLS = f"""
    run_code AS run, question_code AS question, state,
    file::INTEGER AS file, {RANK} AS rank, coalesce(known_answers::DOUBLE, 1)::INTEGER AS known,
    coalesce(confidence::DOUBLE, 'nan') AS confidence,
    CASE candidate WHEN 'correct' THEN 1 WHEN 'incorrect' THEN 0 ELSE -1 END::TINYINT AS candidate"""


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
    about="an outcome table: run, question, outcome (and repeat, confidence, candidate, rank, answerable, cluster)",
    recognise=recognise,
    sniff_keys=tables_with("outcome"),
    understand=understand,
    columns=tuple(name for name in roles.NAMES if name not in roles.COUNTED),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read outcome tables; several are read as one, and no run may stand in two of them."""
    sources = [source for _, source in parts]
    if len(sources) == 1 and (counted := count(sources[0], options)):
        return counted
    notes = [remark for source in sources for remark in source.notes]
    with connect(small=small(*sources)) as connection:
        extra, tables, how = _collect(connection, sources, options, notes)
        _state(connection, tables, options.outcome_map, notes, how)
        no_twins(connection, tables)
        no_sums(connection, tables)
        notes += odd_last_rows(connection, sources)
        keep_rules(connection, tables)
        options.declined.wrong.update(_wrong_answers(connection, tables, extra))
        no_run_in_two(connection, sources)
        notes += check_pairing(connection, tables, extra)
        outcomes = _build(connection, sources, notes, tables, how)
        judges = judges_of(connection, outcomes.runs)
        extra |= {"judge": "judge"} if judges is None else {}
        taken = {name for table in tables for name in table.taken}
        free = {name: column for name, column in extra.items() if name not in taken}
        strata = strata_of(connection, sources, free, options.strata, repeated=outcomes.repeats is not None)
        if len(tables) == 1:
            notes += may_be_runs(tables[0], {*(options.strata or ()), *options.graded})
        graded = graded_of(connection, sources, extra, options.graded, outcomes.state.shape)
        graded |= assessed_of(connection, outcomes.state, options.outcome_map)
        if options.texts:
            outcomes = replace(outcomes, texts=texts_in(connection, tables, extra, outcomes.state.shape))
    outcomes = replace(outcomes, strata=strata, extra_columns={**outcomes.extra_columns, **graded}, judges=judges or ())
    for source in sources:
        totals = totals_beside(source, outcomes)
        told = {"outcome", "abstained", "answered"} & (source.named.keys() - source.guessed)
        if not (options.certain or options.outcome_map or told or all(total.agrees for total in totals)):
            refuse_contradictions(totals, source.label, _otherwise(source, options))
        notes += contradictions(totals)
    return ReadResult(outcomes, tuple(notes))


def _otherwise(source: Source, options: ReadOptions) -> str:
    """Say what to do about a file that has other figures than its answers: the column, or the answers that read like
    silence, with which they agree, where one alone says what was declined so."""
    found = {}
    for way, own, told in _other_ways(source, options):
        with suppress(NescioError):
            outcomes = read([("table", way)], own).data
            if isinstance(outcomes, Outcomes) and all(total.agrees for total in totals_beside(way, outcomes)):
                found[outcomes.state.tobytes()] = told
    if len(found) == 1:
        return f"with {next(iter(found.values()))} the two agree"
    return f"{roles.option('outcome', 'NAME')} (or {opt('column', of='abstained=NAME')}) says what they mean"


def _other_ways(source: Source, options: ReadOptions) -> Iterator[tuple[Source, ReadOptions, str]]:
    """Yield other ways to say what was declined, with the options that say so."""
    for column, part in product(source.columns, ("abstained", "answered")):
        if column and column not in source.named.values():
            named = replace(source, named={**source.named, part: column})
            yield named, options, roles.option(part, column)
    declined = options.declined
    quiet = [text for text, _ in declined.wrong.get(str(source.label), Counter()).most_common() if declined.reads(text)]
    if quiet:
        pattern = "|".join(map(literally, quiet[:_MOST_QUIET]))
        own = replace(options, declined=Declined([pattern], declined.reads))
        yield source, own, opt("declined_pattern", pattern)


def _collect(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], options: ReadOptions, notes: list[Note]
) -> tuple[dict[str, str], list[Table], Held]:
    """Bring all sources into one relation `gathered`; returns the columns that are nobody's, and what each is called in
    it; what was chosen in each source; and what the relation is held as."""
    tables = []
    for i, source in enumerate(sources):
        have = load_rows(connection, source, f"raw_{i}", kept(source, options))
        have |= joined(source, have)
        if not roles.roles_of(have).all("id", "text") and not source.named:
            require(source, ("question", "outcome"), have, "an outcome table")
        texts = roles.roles_of(have, source.named).all("id", "text", "gold", "prediction", "run")
        numbers = {name: cell for name, cell in have.items() if name not in texts}
        notes += without_blanks(connection, f"raw_{i}", source, have)
        notes += with_points(connection, f"raw_{i}", source, numbers)
        beside, mapped = options.graded or (), options.outcome_map
        chosen = choose(
            connection, f"raw_{i}", source, have, notes, declined=options.declined, mapped=mapped, beside=beside
        )
        tables.append(Table(f"raw_{i}", source, have, chosen))
    extra = {name: f"x{i}" for i, name in enumerate(dict.fromkeys(name for t in tables for name in t.extra))}
    unnamed = [table.source for table in tables if "run" not in table.columns]
    stems = dict(zip(map(id, unnamed), name_runs(unnamed), strict=True))
    selects = []
    for i, table in enumerate(tables):
        cells = {name: c if name in NO_TEXTS else unguarded(table.source, c) for name, c in table.chosen.cells.items()}
        cells.setdefault("run", literal(stems.get(id(table.source), "")))
        cells.setdefault(REPEAT, literal(FIRST))
        cells |= {"silent": table.chosen.silent, "empty": table.chosen.empty}
        more = {extra[name]: unguarded(table.source, cell) for name, cell in table.extra.items()}
        cells = {name: cells.get(name, "NULL") for name in (*RESERVED, "silent", "empty")}
        cells |= {column: more.get(column, "NULL") for column in extra.values()}
        shown = ", ".join(f"{cell}::VARCHAR AS {column}" for column, cell in cells.items())
        selects.append(f"SELECT {i} AS file, row, {shown} FROM {table.name}")
    how = _held(connection, tables, len(RESERVED) + len(extra))
    connection.execute(f"CREATE TEMP {how} gathered AS {' UNION ALL '.join(selects[:_AT_ONCE])}")
    for start in range(_AT_ONCE, len(selects), _AT_ONCE):
        connection.execute(f"INSERT INTO gathered {' UNION ALL '.join(selects[start : start + _AT_ONCE])}")
    _note_silence(connection, tables, notes)
    return extra, tables, how


def _held(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], columns: int) -> Held:
    """Say what each step is held as. Of a small table the rows, as planning each query through three views takes longer
    than all else; of a large one no copy is made, unless it is in so many files that one view cannot hold them."""
    if len(tables) > _AT_ONCE:
        return "TABLE"
    counts = " + ".join(f"(SELECT count(*) FROM {table.name})" for table in tables)
    few = columns <= _FEW_COLUMNS and first(connection, f"SELECT {counts}")[0] <= _FEW_ROWS
    return "TABLE" if few else "VIEW"


def _note_silence(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], notes: list[Note]) -> None:
    """Note the answers that are unanswered by another column than that of outcomes."""
    for file, declined, empty in connection.execute(
        "SELECT file, count(*) FILTER (silent = 'yes'), count(*) FILTER (empty = 'true') FROM gathered GROUP BY 1 "
        "ORDER BY 1"
    ).fetchall():
        if declined:
            notes.append(
                note(
                    "outcomes_table.declined",
                    "{subject}: {rows} {rows:answer was/answers were} declined, by {by}: unanswered, whatever the "
                    "verdict",
                    str(tables[file].source.label),
                    rows=declined,
                    by=_by(tables[file].chosen.silent_by),
                )
            )
        if empty:
            notes.append(
                note(
                    "outcomes_table.empty",
                    "{subject}: {rows} {rows:answer is/answers are} empty{words}, and not marked as right: unanswered",
                    str(tables[file].source.label),
                    rows=empty,
                    words=" or read like silence" if tables[file].chosen.in_words else "",
                )
            )


def _by(columns: Sequence[str]) -> str:
    """Name the columns that say which answers were declined; without any it was said in words."""
    named = " or ".join(map(repr, columns))
    return f"the column{'s' if len(columns) > 1 else ''} {named}" if columns else "the words of the answer"


def _meant(sources: Iterable[Source]) -> dict[str, str]:
    """Return the words that mean an outcome by what the cells of their tables say."""
    return {word: to for source in sources for word, to in source.meant.get("outcome", {}).items()}


def _state(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[Table],
    mapped: Mapping[str, str],
    notes: list[Note],
    how: Held,
) -> None:
    """Create the relation `rows`: what is given, with the states of its words for outcomes, none for an unknown one.

    Each known word but the three is announced.
    """
    query = "SELECT outcome, file, count(*) FROM gathered WHERE $1 OR outcome IS NOT NULL GROUP BY ALL ORDER BY 1"
    counted: Counter[str | None] = Counter()
    said: dict[int, list[str]] = {}
    for word, file, many in connection.execute(query, ["" in mapped]).fetchall():
        counted[word] += many
        said.setdefault(file, []).extend([word] if word else [])
    passes = {word for words in said.values() for word in roles.passes_among(words)}
    silent = {word for table in tables for word in table.chosen.silent_words} - counted.keys()
    own = {word: to for word, to in mapped.items() if word not in silent}
    states = state_words([*counted.items()], {**_meant(table.source for table in tables), **own}, notes, passes)
    known = {word: at for word, at in states.items() if word is not None and at is not None}
    cases = " ".join(f"WHEN outcome = {literal(word)} THEN {at}" for word, at in known.items())
    quiet = f"WHEN silent = 'yes' OR empty = 'true' THEN {SILENT}"
    graded = f"CASE WHEN outcome IS NULL THEN {states.get(None, NOT_GRADED)} {cases} END::TINYINT"
    connection.execute(
        f"CREATE TEMP {how} rows AS SELECT {_one_question(connection)}, {graded} AS graded, CASE {quiet} ELSE "
        f"{graded} END::TINYINT AS state FROM gathered"
    )


def _wrong_answers(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], extra: Mapping[str, str]
) -> Iterator[tuple[str, Counter[str]]]:
    """Yield the texts of the answers that are not marked as right in each file that holds them, the most frequent
    first; all of them where a verdict only says that nothing is wrong."""
    for i, table in enumerate(tables):
        prediction = roles.roles_of(table.have, table.source.named).one("prediction")
        cell = extra.get(prediction or "") or extra.get(f"{prediction}{roles.DISPLACED}")
        if cell:
            states = f"{INCORRECT}, {NOT_GRADED}" + (f", {CORRECT}" if table.chosen.faults else "")
            query = (
                f"SELECT {cell}, count(*) FROM rows WHERE file = {i} AND state IN ({states}) AND {RANK} = 1 AND {cell} "
                f"IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {_MOST_TEXTS}"
            )
            yield str(table.source.label), Counter(dict(connection.execute(query).fetchall()))


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


def _build(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    notes: list[Note],
    tables: Sequence[Table],
    how: Held,
) -> Outcomes:
    """Return the outcomes, runs and questions in the order in which they first stand in the files."""
    names: dict[str, tuple[str, ...]] = {}
    asked = f"question, {REPEAT}" if any(REPEAT in table.columns for table in tables) else "question"
    for name, columns in (("run", "run"), ("question", asked)):
        # Tables that are joined take a fraction of the time and memory that an ENUM of as many names does.
        connection.execute(
            f"CREATE TEMP TABLE {name}_names AS SELECT {columns}, (row_number() OVER (ORDER BY first) - 1)::INTEGER AS "
            f"{name}_code FROM (SELECT {columns}, min(file::BIGINT << 40 | row) AS first FROM rows GROUP BY {columns})"
        )
        values = connection.execute(f"SELECT {columns} FROM {name}_names ORDER BY {name}_code").fetchnumpy()
        names |= {column: tuple(values[column].tolist()) for column in values}
    connection.execute(
        f"CREATE TEMP {how} coded AS SELECT * FROM rows JOIN run_names USING (run) JOIN question_names USING ({asked})"
    )
    fetched = connection.execute(f"SELECT {CELLS} FROM coded").fetchnumpy()
    order = np.lexsort([fetched[name] for name in ("rank", "question", "run")])
    cells = {name: np.asarray(values)[order] for name, values in fetched.items()}
    check_ranks(connection, sources, cells, tables)
    file_of_run = np.zeros(len(names["run"]), dtype=int)
    file_of_run[cells["run"]] = cells["file"]
    outcomes, lower = gather(cells, names["run"], names["question"])
    if REPEAT in names:
        column = next(table.columns[REPEAT] for table in tables if REPEAT in table.columns)
        labels = [label(column, text) for text in names[REPEAT]]
        outcomes = replace(outcomes, repeats=repeats_of(names["question"], labels, single=are_stated(labels)))
    repeated = outcomes.repeats is not None
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
    answerable = per_question(connection, sources, "answerable", ANSWERABLE, repeated=repeated)
    clusters = per_question(connection, sources, "cluster", "cluster", repeated=repeated)
    if clusters is not None and None in clusters:
        lacking = "question IN (SELECT question FROM rows GROUP BY 1 HAVING max(cluster) IS NULL)"
        refuse(connection, sources, lacking, "the cluster is empty, and other rows have one")
    codes = {"true": 1, "false": 0, None: -1}
    return replace(
        outcomes,
        answerable=None if answerable is None else np.array([codes[word] for word in answerable], dtype=np.int8),
        clusters=None if clusters is None else np.array(clusters, dtype=object),
        files=tuple(str(sources[i].label) for i in file_of_run),
    )
