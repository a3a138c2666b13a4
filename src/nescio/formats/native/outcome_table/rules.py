"""What the cells of an outcome table must keep to, and the message for the first that does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nescio.data.columns import OUTCOMES, Array
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, MismatchError, offer, opt
from nescio.formats.native import roles
from nescio.formats.native.headers import SUMS
from nescio.formats.native.outcome_table.proposing import what_tells_apart
from nescio.formats.native.outcome_table.table import Table
from nescio.formats.native.readings.columns import meaning
from nescio.formats.native.readings.table import table_of
from nescio.formats.native.readings.verdicts import verdicts_of
from nescio.formats.native.readings.ways import of_words, shown, ways_of, ways_of_words
from nescio.formats.native.summary_rows import BY_PROOF, LEAST, RULE, Numbers, sums_up
from nescio.sources.source import Source
from nescio.sources.tables import NUMBER, first, literal, locate
from nescio.text import finite

if TYPE_CHECKING:
    import duckdb


_FEW_UNKNOWN = 4  # words that a message lists
YES, NO = (", ".join(map(literal, words)) for words in (("true", "1", "1.0"), ("false", "0", "0.0")))
_NO_WHOLE = f"{{0}} IS NOT NULL AND NOT coalesce({NUMBER} BETWEEN 1 AND 1e6 AND {NUMBER} = floor({NUMBER}), false)"
# What no cell may be: the column, the condition that finds it, the rule that it breaks.
RULES = (
    ("run", "run IS NULL", "the run is empty"),
    ("question", "question IS NULL", "the question is empty"),
    (
        "outcome",
        "outcome IS NOT NULL AND graded IS NULL",
        f"an outcome is correct, incorrect or unanswered ({opt('outcome_map', of='WORD=OUTCOME')} adds words)",
    ),
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
        "answerable",
        f"answerable IS NOT NULL AND lower(answerable) NOT IN ({YES}, {NO})",
        "answerable must be true or false",
    ),
    (
        "candidate",
        (
            f"(candidate = 'correct' AND state = {INCORRECT}) OR (candidate = 'incorrect' AND state = {CORRECT} "
            f"AND NOT coalesce(lower(answerable) IN ({NO}), false))"
        ),
        "the candidate contradicts the outcome: it is what a declined answer would have been",
    ),
    ("silent", "silent IS NOT NULL AND silent <> 'yes'", "whether an answer was declined must be true, false or empty"),
    ("rank", _NO_WHOLE.format("rank"), "rank must be a whole number from 1 to 1000000"),
    ("known_answers", _NO_WHOLE.format("known_answers"), "known_answers must be a whole number from 1 to 1000000"),
    (REPEAT, f"{REPEAT} IS NULL", "the repeat is empty"),
)


MOST = 64  # columns of a table in whose last row sums are looked for
RANK = "coalesce(rank::DOUBLE, 1)::INTEGER"


def refuse(
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


def keep_rules(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    """Raise FormatError for the first row that breaks a rule. Those of columns that no table has cannot be broken, and
    planning them takes longer than all else that is done with a small table."""
    sources = [table.source for table in tables]
    held = {"run", "question", "outcome", "silent", *(column for table in tables for column in table.chosen.cells)}
    rules = [rule for rule in RULES if rule[0] in held]
    cases = " ".join(f"WHEN {condition} THEN {i}" for i, (_, condition, _) in enumerate(rules))
    shown = ", ".join(column for column, _, _ in rules)
    offence = first(
        connection,
        f"SELECT broken, file, row, {shown} FROM (SELECT *, CASE {cases} END AS broken FROM rows) "
        "WHERE broken IS NOT NULL ORDER BY file, row LIMIT 1",
    )
    if offence:
        broken, file, row, *cells = offence
        rule = rules[broken][2]
        if rules[broken][0] == "outcome":
            rule += _words_to_explain(connection, tables[file])
            rule += _words_offered(connection)
        raise FormatError(sources[file].label, rule, where=locate(sources[file], row), value=cells[broken])


def _is_another(table: Table) -> bool:
    """Say whether a table is none of nescio's own: its columns go by other names, or were those of runs."""
    unrolled = any(remark.code in ("table.wide", "table.across") for remark in table.source.notes)
    return unrolled or table.columns["outcome"] != "outcome"


def _words_to_explain(connection: duckdb.DuckDBPyConnection, table: Table) -> str:
    """Write the options that explain the words that nobody knows, where they are few, those that go best with the gold
    answers first; and those that take another column for the verdict."""
    seen = table_of(table.source)
    column = seen.by_name.get(table.columns["outcome"])
    others = [v for v in verdicts_of(seen) if v.weight > 0 and v.column is not column]
    instead = ways_of(seen, others, sure=True) if "outcome" not in table.source.named else []
    if not _is_another(table) and (column is None or {*OUTCOMES} & column.words):
        return f"; name {shown(seen, instead)}" if instead else ""
    query = "SELECT outcome, any_value(graded), count(*) FROM rows WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 1"
    words = connection.execute(query).fetchall()
    unknown = [word for word, state, _ in words if state is None]
    mapped = any(state is not None and meaning(word) is None for word, state, _ in words)
    if column is not None and not mapped and (own := ways_of_words(seen, column)):
        return f"; name {shown(seen, [*own, *instead])}"
    ways = of_words({word: many for word, _, many in words})
    if not ways and len(unknown) < len(words) and len(unknown) <= _FEW_UNKNOWN:
        ways = " ".join(opt("outcome_map", of=f"{word}=OUTCOME") for word in unknown)
    return f"; {ways}" if ways else ""


def _words_offered(connection: duckdb.DuckDBPyConnection) -> str:
    """Offer a meaning of each word that is no outcome: what all of them may be short for, and not graded."""
    query = f"SELECT DISTINCT outcome FROM rows WHERE outcome IS NOT NULL AND graded IS NULL LIMIT {MOST}"
    words = sorted(str(word) for (word,) in connection.execute(query).fetchall())
    if len(words) == MOST:
        return ""
    short = {outcome[0]: outcome for outcome in OUTCOMES} | {"r": "correct", "w": "incorrect"}
    known = {word.lower() for word in words} <= short.keys()
    meanings = [[short[word.lower()], "ungraded"] if known else ["ungraded"] for word in words]
    return "".join(
        offer("outcome_map", {word: one}) for word, ones in zip(words, meanings, strict=True) for one in ones
    )


def no_sums(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    """Raise FormatError where the last row of a file is no question, but sums up those above it: by its name, or by its
    numbers."""
    sources = [table.source for table in tables]
    for table in tables:
        if (row := _summary(connection, table)) is not None:
            raise FormatError(table.source.label, BY_PROOF, where=locate(table.source, row))
    words = ", ".join(map(literal, sorted(SUMS)))
    named = f"(lower(question) IN ({words}) OR lower(run) IN ({words}))"
    if first(connection, f"SELECT 1 FROM rows WHERE {named} LIMIT 1") is None:
        return
    last = "row = (SELECT max(row) FROM rows AS others WHERE others.file = rows.file) AND row > 2"
    refuse(connection, sources, f"{last} AND {named}", RULE, "question")


def is_a_word(cell: str) -> str:
    """Return the condition that a cell holds what a last row is called, perhaps, that sums up the others.

    The length is apart: RE2 takes longer over 24 sets of all letters than DuckDB over the rest of a small table.
    """
    return f"(length({cell}) BETWEEN 2 AND 24 AND regexp_full_match({cell}, '[\\p{{L}} _-]+'))"


def odd_last_rows(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[Note]:
    """Note the last row of a file whose question has a single word for a name, where all others have numbers in
    theirs: it may sum them up, under a name that nobody foresaw."""
    last = (
        "SELECT file, max(row), max_by(question, row) FROM rows GROUP BY file "
        f"HAVING count(*) > {LEAST} AND {is_a_word('max_by(question, row)')} ORDER BY file"
    )
    others = "SELECT 1 FROM rows WHERE file = {} AND row < {} AND NOT regexp_matches(question, '[0-9]') LIMIT 1"
    return [
        note(
            "outcomes_table.last_row",
            "{subject}, {where}: this last row is counted as an answer to the question {question!r}; delete it if it "
            "sums up the others",
            str(sources[file].label),
            where=locate(sources[file], row),
            question=question,
        )
        for file, row, question in connection.execute(last).fetchall()
        if first(connection, others.format(file, row)) is None
    ]


def no_twins(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    """Raise FormatError where another column has the name of the outcome but for case and punctuation, and says
    something else: nobody but the user knows which is meant."""
    for table in tables:
        own = table.columns["outcome"]
        named = [name for name in table.have if name and name != own and not name.endswith(roles.DISPLACED)]
        twins = [name for name in named if roles.squash(name) == roles.squash(own)]
        for twin in twins if "outcome" not in table.source.named.keys() - table.source.guessed else ():
            one, other = (f"lower({table.have[name]}::VARCHAR)" for name in (own, twin))
            query = f"SELECT count(*) FROM {table.name} WHERE {one} IS DISTINCT FROM {other}"
            if many := first(connection, query)[0]:
                ways = f"{roles.option('outcome', own)} or {roles.option('outcome', twin)}"
                rule = f"{own!r} and {twin!r} bear one name and differ in {many} rows: {ways} says which is meant"
                raise FormatError(table.source.label, rule, where=table.source.head)


def _summary(connection: duckdb.DuckDBPyConnection, table: Table) -> int | None:
    """Return the number of the last row if its numbers sum up those above it."""
    names = {table.columns.get(part) for part in ("run", "question", "confidence", REPEAT)}
    cells = [cell for name, cell in table.have.items() if name and name not in names][:MOST]
    if not cells:
        return None
    last = first(connection, f"SELECT row, {', '.join(cells)} FROM {table.name} ORDER BY row DESC LIMIT 1")
    if last is None:
        return None
    numbers = [(cell, text) for cell, text in zip(cells, last[1:], strict=True) if text and finite(text) is not None]
    above = f"{table.name} WHERE row < {last[0]}"
    return int(last[0]) if sums_up(numbers_above(connection, above, cell, text) for cell, text in numbers) else None


def numbers_above(
    connection: duckdb.DuckDBPyConnection, above: str, cell: str, last: str, where: Sequence[str] = ()
) -> Numbers | None:
    """Sum a column over the rows `above` its last, yes as one; None where something else than numbers stands there."""
    truth = f"CASE WHEN lower({cell}::VARCHAR) IN ({YES}) THEN 1.0 WHEN lower({cell}::VARCHAR) IN ({NO}) THEN 0.0 END"
    query = (
        f"SELECT count(number), count(cell), sum(number), min(number), max(number), count(DISTINCT number), "
        f"coalesce(bool_or(number = {float(last)}), false) FROM (SELECT {cell} AS cell, coalesce(TRY_CAST({cell} AS "
        f"DOUBLE), {truth}) AS number FROM {above})"
    )
    many, cells, total, least, greatest, different, among = first(connection, query, where)
    if not many or many < cells or not math.isfinite(total):
        return None
    return Numbers(last, many, total, least, greatest, different, among)


def no_run_in_two(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> None:
    query = "SELECT run, min(file), max(file) FROM rows GROUP BY run HAVING min(file) < max(file) ORDER BY run LIMIT 1"
    if clash := first(connection, query):
        run, one, other = clash
        raise MismatchError(
            f"run {run!r} is in both {sources[one].label} and {sources[other].label}; rename one, or leave out the"
            " column run: a table without it is one run, named by its file"
        )


def check_ranks(
    connection: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    cells: Mapping[str, Array],
    tables: Sequence[Table],
) -> None:
    """Raise FormatError where an answer stands twice, or a question has no answer of rank 1; the cells are in order."""
    run, question, rank = (cells[name] for name in ("run", "question", "rank"))
    follows = (run[1:] == run[:-1]) & (question[1:] == question[:-1])
    if (follows & (rank[1:] == rank[:-1])).any():
        repeat = first(
            connection,
            f"SELECT file, run, question, {RANK} AS place, max(rank), min(row), list_sort(list(row))[2] AS again FROM"
            f" rows GROUP BY file, run, question, {REPEAT}, place HAVING count(*) > 1 ORDER BY file, again LIMIT 1",
        )
        file, named, of_question, place, ranks_stated, before, again = repeat
        ranked, table = f" at rank {place}" if ranks_stated else "", tables[file]
        ways = what_tells_apart(table.source, table.columns)
        raise FormatError(
            sources[file].label,
            f"question {of_question!r} of run {named!r}{ranked} appears twice; first on"
            f" {locate(sources[file], before)}{ways}",
            where=locate(sources[file], again),
        )
    if (rank[1:][~follows] > 1).any() or rank[0] > 1:
        answer = f"run, question, {REPEAT}"
        lacking = f"SELECT ({answer}) FROM rows GROUP BY {answer} HAVING min({RANK}) > 1"
        rule = "a question has lower ranks and no answer of rank 1"
        refuse(connection, sources, f"({answer}) IN ({lacking})", rule, "rank")


Place = tuple[int, int, str]


def differing(connection: duckdb.DuckDBPyConnection, column: str) -> tuple[str, Place, Place] | None:
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
