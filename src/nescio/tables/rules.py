"""Check the rules for the answers of a table, and raise an error for the first answer that breaks a rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nescio.data.columns import Array
from nescio.data.dropped import repeated
from nescio.data.kept import KEPT
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.data.policy_notes import one_sided
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, RunInTwoFilesError, opt
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal, literals, locate
from nescio.tables.asking import AskedError, Options
from nescio.tables.lexicon import lexicon, stands_for_none
from nescio.tables.mapping import NONE
from nescio.tables.summary_rows import RULE
from nescio.tables.words import FEW_WORDS, as_options, meanings, what_means
from nescio.text import NOTHING, decimal

if TYPE_CHECKING:
    import duckdb

    from nescio.formats.registry import ReadOptions

Files = Mapping[int, Source]
YES, NO = literals(("true", "1", "1.0", "yes")), literals(("false", "0", "0.0", "no"))
RANK = "coalesce(rank::DOUBLE, 1)::INTEGER"
_NO_WHOLE = f"{{0}} IS NOT NULL AND NOT coalesce({NUMBER} BETWEEN 1 AND 1e6 AND {NUMBER} = floor({NUMBER}), false)"
ALWAYS = ("run", "question", REPEAT)  # columns that no row may lack
OPTIONAL = (
    *("confidence", "candidate", "answerable", "rank", "cluster", "known_answers", "judge", "silent", "prediction"),
    *KEPT,
)
# The forbidden cells: the column, the condition that finds them, and the rule that they break.
RULES = (
    ("run", "run IS NULL", "the run is empty"),
    ("question", "question IS NULL", "the question is empty"),
    (
        "confidence",
        f"confidence IS NOT NULL AND NOT coalesce(isfinite({NUMBER.format('confidence')}), false)",
        "confidence must be a finite number such as 0.75, or empty",
    ),
    (
        "candidate",
        "candidate IS NOT NULL AND candidate NOT IN ('correct', 'incorrect')",
        "a candidate is correct, incorrect or empty",
    ),
    (
        "candidate",
        (
            f"(candidate = 'correct' AND state = {INCORRECT}) OR (candidate = 'incorrect' AND state = {CORRECT} "
            f"AND NOT coalesce(lower(answerable) IN ({NO}), false))"
        ),
        "the candidate (the outcome that a declined answer would have had) contradicts the outcome",
    ),
    ("rank", _NO_WHOLE.format("rank"), "rank must be a whole number from 1 to 1000000"),
    ("known_answers", _NO_WHOLE.format("known_answers"), "known_answers must be a whole number from 1 to 1000000"),
    (REPEAT, f"{REPEAT} IS NULL", "the repeat is empty"),
)


def settle(
    connection: duckdb.DuckDBPyConnection, sources: Files, options: ReadOptions, tells_apart: str
) -> tuple[set[str], list[Note]]:
    """Settle the duplicates and the confidences in the relation `rows`. Return the columns that hold values, and notes.

    Raises FormatError for the first row that breaks a rule, or AskedError about words of unknown meaning. `tells_apart`
    is the SQL of the cell by which duplicates are compared.
    """
    no_sums(connection, sources)
    no_run_in_two(connection, sources)  # before rows of one file replace those of another
    notes = settle_duplicates(connection, options.duplicates, tells_apart)
    held = filled(connection)
    notes += settle_confidences(connection) if "confidence" in held else []
    no_unknown_flags(connection, sources, held)
    keep(connection, sources, held)
    if "confidence" in held and "confidence" not in options.column:
        one_scale(connection, sources)
    return held, notes


def refuse(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], condition: str, rule: str, value: str = "NULL"
) -> None:
    """Raise FormatError for the first row that meets the SQL condition.

    `rule` is the message, and `value` the SQL of the cell that it shows.
    """
    query = f"SELECT file, row, {value} FROM rows WHERE {condition} ORDER BY file, row LIMIT 1"
    if offence := first(connection, query):
        source = sources[offence[0]]
        raise FormatError(source.label, rule, where=locate(source, offence[1]), value=offence[2])


def filled(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the columns of the relation `rows` that hold any value, so that the others need no check."""
    counts = first(connection, f"SELECT {', '.join(f'count({column})' for column in OPTIONAL)} FROM rows")
    return {column for column, many in zip(OPTIONAL, counts, strict=True) if many}


def keep(connection: duckdb.DuckDBPyConnection, sources: Files, held: Collection[str]) -> None:
    """Raise FormatError for the first row that breaks a rule.

    `held` names the columns that hold any value, as `filled` returns them; most rules on other columns need no check.
    """
    checked = [(i, condition) for i, (column, condition, _) in enumerate(RULES) if column in (*ALWAYS, *held)]
    cases = " ".join(f"WHEN {condition} THEN {i}" for i, condition in checked)
    shown = ", ".join(column for column, _, _ in RULES)
    offence = first(
        connection,
        f"SELECT broken, file, row, {shown} FROM (SELECT *, CASE {cases} END AS broken FROM rows) "
        "WHERE broken IS NOT NULL ORDER BY file, row LIMIT 1",
    )
    if offence:
        broken, file, row, *cells = offence
        column, _, rule = RULES[broken]
        if column == "confidence" and cells[broken].isalpha() and decimal(cells[broken]) is None:
            rule += f"; {opt('column', {'confidence': 'COLUMN{high:0.9,low:0.3}'})} gives words a number"
        raise FormatError(sources[file].label, rule, where=locate(sources[file], row), value=cells[broken])


def no_unknown_words(
    connection: duckdb.DuckDBPyConnection, sources: Files, names: Sequence[str], states: Mapping[str | None, int | None]
) -> None:
    """Raise AskedError if the words for outcomes include unknown words, which `--outcome-map` explains."""
    unknown = [word for word, state in states.items() if word is not None and state is None]
    if not unknown:
        return
    query = f"SELECT file, row FROM gathered WHERE outcome IN ({literals(unknown)}) ORDER BY 1, 2 LIMIT 1"
    file, row = first(connection, query)
    words = [word for word in states if word is not None]
    ways = [{"outcome_map": meaning} for meaning in meanings(words, unknown)]
    raise AskedError(sources[file], what_means(unknown, names), ways, where=locate(sources[file], row))


def no_unknown_flags(connection: duckdb.DuckDBPyConnection, sources: Files, held: Collection[str]) -> None:
    """Raise AskedError about unknown words in a column on abstaining or on answerable questions.

    The user explains such words with `--outcome-map`.
    """
    for cell, known, what, without in (
        ("silent", ("yes", "no"), "says that the system abstained", ("abstained", "answered")),
        ("answerable", ("true", "false"), "says that a question has no answer", ("answerable",)),
    ):
        if cell not in held:
            continue
        unknown = f"{cell} NOT IN ({literals(known)})"
        query = f"SELECT {cell}, min(file), min(row) FROM rows WHERE {unknown} GROUP BY 1 ORDER BY 2, 3"
        if rows := connection.execute(f"{query} LIMIT {FEW_WORDS}").fetchall():
            words, (_, file, row) = [word for word, _, _ in rows], rows[0]
            words = [word for word in words if stands_for_none(word)] or words
            rule = f"which of these words {what}: {', '.join(map(repr, words))}? {as_options(words, 'unanswered')}"
            ways: list[Options] = [{"outcome_map": {word: "unanswered"}} for word in words]
            ways += [{"outcome_map": dict.fromkeys(words, "correct")}, {"column": dict.fromkeys(without, NONE)}]
            raise AskedError(sources[file], rule, ways, where=locate(sources[file], row))


def share_answerable(connection: duckdb.DuckDBPyConnection) -> list[Note]:
    """Copy what some runs say about whether a question has an answer to the runs that do not say it.

    Returns a note that names the runs that say it.
    """
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE said_by AS SELECT * FROM (SELECT run, question, max(answerable) AS answerable "
        "FROM rows GROUP BY 1, 2) QUALIFY count(answerable) OVER (PARTITION BY question) BETWEEN 1 AND count(*) OVER "
        "(PARTITION BY question) - 1"
    )
    runs, questions = first(
        connection,
        "SELECT list_sort(list_distinct(list(run) FILTER (answerable IS NOT NULL))), count(DISTINCT question) FROM "
        "said_by",
    )
    if not questions:
        return []
    connection.execute(
        "UPDATE rows SET answerable = known.answerable FROM (SELECT question, max(answerable) AS answerable FROM "
        "said_by GROUP BY 1) AS known WHERE rows.question = known.question AND rows.answerable IS NULL"
    )
    return [one_sided(runs, questions)]


def no_contradictions(
    connection: duckdb.DuckDBPyConnection, sources: Files, declined_right: str | None, *, of_faults: bool
) -> None:
    """Raise AskedError about declined answers whose verdict does not fit an abstention (`--declined-right`).

    If the verdict is `of_faults` ("is_hallucination"), a declined answer without a fault is more likely unanswered than
    right.
    """
    quiet, loud = "silent = 'yes' AND", "silent = 'no' AND"
    no_silence, no_questions = {"abstained": NONE, "answered": NONE}, {"answerable": NONE}
    cases: Sequence[tuple[str, str, Sequence[Options], Sequence[str | None]]] = (
        (
            f"{quiet} graded = {CORRECT} AND answerable IS NULL",
            "{rows} declined and marked as right; no column says whether their questions have an answer",
            [{"declined_right": how} for how in (("unanswered", "keep") if of_faults else ("keep", "unanswered"))],
            (None,),
        ),
        (
            f"{quiet} graded = {CORRECT} AND answerable = 'true'",
            "{rows} declined and marked as right, although the questions have an answer",
            [
                {"declined_right": "unanswered"},
                {"declined_right": "keep", "column": no_questions},
                {"column": no_silence},
            ],
            (None, "keep"),
        ),
        (
            f"{quiet} graded = {INCORRECT} AND answerable = 'false'",
            "{rows} declined and marked as wrong, although the questions have no answer",
            [{"declined_right": "unanswered"}, {"column": no_questions}, {"column": no_silence}],
            (None, "keep"),
        ),
        (
            f"{loud} graded = {CORRECT} AND answerable = 'false'",
            "{rows} given and marked as right, although the questions have no answer",
            [{"column": no_questions}, {"column": no_silence}],
            (None, "keep", "unanswered"),
        ),
    )
    checked = [(condition, rule, ways) for condition, rule, ways, under in cases if declined_right in under]
    summed = ", ".join(
        f"[count(*) FILTER ({condition}), min(file) FILTER ({condition}), min_by(row, file) FILTER ({condition})]"
        for condition, _, _ in checked
    )
    counts = first(connection, f"SELECT {summed} FROM rows")
    for (_, rule, ways), (many, file, row) in zip(checked, counts, strict=True):
        if many:
            counted = f"{many} answer{'s were' if many > 1 else ' was'}"
            raise AskedError(sources[file], rule.format(rows=counted), ways, where=locate(sources[file], row))


def settle_confidences(connection: duckdb.DuckDBPyConnection) -> list[Note]:
    """Clear confidences that are words for nothing ("n/a"), and return a note on them."""
    none = (
        f"TRY_CAST(confidence AS DOUBLE) IS NULL AND regexp_full_match(trim(confidence), {literal('(?i)' + NOTHING)})"
    )
    (absent,) = first(connection, f"SELECT count(*) FILTER ({none}) FROM rows")
    if not absent:
        return []
    connection.execute(f"UPDATE rows SET confidence = NULL WHERE {none}")
    return [
        note(
            "outcomes_table.confidence_none",
            "{rows:n confidence cell} {rows:is/are} read as missing (such as n/a)",
            rows=absent,
        )
    ]


def two_scales(cell: str) -> str:
    """Return the SQL condition that some numbers of a column are shares, and others seem to be percentages."""
    number = NUMBER.format(cell)
    return f"min({number}) >= 0 AND max({number}) BETWEEN 10 AND 100 AND bool_or({number} > 0 AND {number} < 1)"


def one_scale(connection: duckdb.DuckDBPyConnection, sources: Files) -> None:
    """Raise FormatError if some confidences are shares and others seem to be percentages."""
    if first(connection, f"SELECT {two_scales('confidence')} FROM rows")[0]:
        divided, kept = (opt("column", of=f"confidence=COLUMN{more}") for more in ("/100", ""))
        rule = "this confidence is above 1, but others lie between 0 and 1: write all confidences on one scale "
        rule += f"({divided} divides all by 100, {kept} keeps all as they are)"
        refuse(connection, [*sources.values()], f"{NUMBER.format('confidence')} > 1", rule, "confidence")


def settle_duplicates(connection: duckdb.DuckDBPyConnection, how: str, tells_apart: str) -> list[Note]:
    """Settle rows with the same run, question, repeat and rank.

    `how` says whether the first or the last such row is kept, or whether all are numbered as repeats. Returns notes on
    the rows that are left out. The notes count the cases in which such rows differ in `tells_apart` (SQL) or in their
    confidence.
    """
    if how == "repeats":
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE rows AS SELECT * REPLACE "
            "((row_number() OVER (PARTITION BY run, question ORDER "
            f"BY file, row))::VARCHAR AS {REPEAT}) FROM rows"
        )
    if how not in ("first", "last"):
        return []
    same, end = f"run, question, {REPEAT}, {RANK}", "min" if how == "first" else "max"
    dropped = connection.execute(
        "SELECT run, sum(n - 1)::BIGINT, sum(differ::INT)::BIGINT FROM (SELECT run, count(*) AS n, "
        f"count(DISTINCT ({tells_apart}, confidence)) > 1 AS differ FROM rows GROUP BY {same} HAVING count(*) > 1) "
        "GROUP BY run ORDER BY run"
    ).fetchall()
    connection.execute(
        f"DELETE FROM rows WHERE (file, row) NOT IN (SELECT {end}((file, row)) FROM rows GROUP BY {same})"
    )
    return [repeated(*of_run) for of_run in dropped]


def no_sums(connection: duckdb.DuckDBPyConnection, sources: Files) -> None:
    """Raise FormatError if the name of a file's last row, such as "TOTAL", says that it sums up the rows above."""
    words = literals(sorted(lexicon().sums))
    named = f"(lower(question) IN ({words}) OR lower(run) IN ({words}))"
    if first(connection, f"SELECT 1 FROM rows WHERE {named} LIMIT 1") is None:
        return
    last = "row = (SELECT max(row) FROM rows AS others WHERE others.file = rows.file) AND row > 2"
    refuse(connection, [*sources.values()], f"{last} AND {named}", RULE, "question")


def no_run_in_two(connection: duckdb.DuckDBPyConnection, sources: Files) -> None:
    """Raise RunInTwoFilesError if two files hold answers of one run."""
    query = "SELECT run, min(file), max(file) FROM rows GROUP BY run HAVING min(file) < max(file) ORDER BY run LIMIT 1"
    if len(sources) > 1 and (clash := first(connection, query)):
        run, file, other = clash
        raise RunInTwoFilesError(
            f"run {run!r} is in both {sources[file].label} and {sources[other].label}; rename one run, or leave out "
            "the column run: a table without this column is one run, named after its file"
        )


def check_ranks(connection: duckdb.DuckDBPyConnection, sources: Files, cells: Mapping[str, Array]) -> None:
    """Raise AskedError for answers that occur twice, and FormatError if a question has no answer of rank 1.

    `cells` has the columns of the relation `rows`, in sorted order.
    """
    run, question, rank = (cells[name] for name in ("run", "question", "rank"))
    follows = (run[1:] == run[:-1]) & (question[1:] == question[:-1])
    if (follows & (rank[1:] == rank[:-1])).any():
        no_twice(connection, sources)
    if (rank[1:][~follows] > 1).any() or rank[0] > 1:
        answer = f"run, question, {REPEAT}"
        lacking = f"SELECT ({answer}) FROM rows GROUP BY {answer} HAVING min({RANK}) > 1"
        rule = "a question has answers of lower ranks but none of rank 1"
        refuse(connection, [*sources.values()], f"({answer}) IN ({lacking})", rule, "rank")


def no_twice(connection: duckdb.DuckDBPyConnection, sources: Files) -> None:
    """Raise AskedError about the first answer that occurs twice (`--duplicates`)."""
    key = f"run, question, {REPEAT}, {RANK}"
    offence = first(
        connection,
        f"SELECT file, run, question, {RANK} AS place, max(rank), min(row), list_sort(list(row))[2] AS again FROM rows "
        f"GROUP BY file, {key} HAVING count(*) > 1 ORDER BY file, again LIMIT 1",
    )
    if offence is None:
        return
    file, named, of_question, place, ranked, before, again = offence
    (rows,) = first(
        connection, f"SELECT (SELECT count(*) FROM rows) - (SELECT count(*) FROM (SELECT 1 FROM rows GROUP BY {key}))"
    )
    at_rank, more = f" at rank {place}" if ranked else "", f" ({rows} rows repeat another row)" if rows > 1 else ""
    twice = f"question {of_question!r} of run {named!r}{at_rank} appears twice"
    rule = f"{twice}; first on {locate(sources[file], before)}{more}"
    ways = [{"duplicates": how} for how in ("first", "last", "repeats")]
    raise AskedError(sources[file], rule, ways, where=locate(sources[file], again))


def no_retries(connection: duckdb.DuckDBPyConnection, sources: Files) -> None:
    """Raise AskedError about repeats of questions that end at the first right answer.

    The repeats may be retries, so that the last answer is the final one.
    """
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE asked_again AS SELECT min(file) AS file, min(row) AS row, count(*) AS many, "
        f"count(*) FILTER (state = {CORRECT}) AS correct, max_by(state, coalesce(TRY_CAST({REPEAT} AS DOUBLE), row)) = "
        f"{CORRECT} AS ends FROM rows GROUP BY run, question"
    )
    file, row, most, fewest, ended = first(
        connection,
        "SELECT min(file), min(row), max(many), min(many), bool_and(correct = ends::INT AND (ends OR many = "
        "(SELECT max(many) FROM asked_again))) FROM asked_again",
    )
    if not ended or most == fewest:
        return
    rule = (
        "questions were asked again until an answer was right: do all of these answers count as repeats, or only "
        "the last answer?"
    )
    alone = {"column": {"repeat": NONE}}
    ways: list[Options] = [{"duplicates": "repeats"}, {**alone, "duplicates": "last"}, {**alone, "duplicates": "first"}]
    raise AskedError(sources[file], rule, ways, where=locate(sources[file], row))


Place = tuple[int, int, str]


def differing(connection: duckdb.DuckDBPyConnection, column: str) -> tuple[str, Place, Place] | None:
    """Return the first question with two values in a column: its name, and the file, row and value of both."""
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
