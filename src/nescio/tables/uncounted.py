"""Find the columns of a table of answers that decide gates, but that counts of outcomes cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from glob import glob
from os.path import expanduser, isdir
from typing import TYPE_CHECKING

from nescio.data.judge_record import judges_differ, undated
from nescio.data.kept import DIGEST, DIGESTS, GRADES, HELD, KEPT, OF_RUNS, OUTPUT_WAS, speaks_of_held
from nescio.data.reasons import EMPTY, FAILED_CALL, MUCH, NO_FORM, OUTPUT_LACKS, kind_of
from nescio.data.scales import ranges_differ
from nescio.sources.database import connect
from nescio.sources.remote import check_allowed
from nescio.sources.tables import first, literal, literals, nfc, quoted
from nescio.tables.cells import CLUSTER, JUDGE
from nescio.tables.columns import cases
from nescio.tables.failures import can_report_failure, why_lacking
from nescio.tables.judge_column import judges_of
from nescio.tables.lexicon import marker_of, names_a_judge, roles_of
from nescio.tables.pairing import is_prompt
from nescio.tables.roles import kept_role
from nescio.tables.statuses import fails
from nescio.text import decimal

if TYPE_CHECKING:
    import duckdb


def uncounted(
    files: str, run: str, question: str, outcome: str, *, words: Mapping[str, str], paired: bool
) -> list[str]:
    """Return the columns by which a gate on the rows may decide otherwise than a gate on their counts.

    `files` is a path, a pattern, or a folder of Parquet files, as Spark writes them. The list is empty if there are no
    such files here, or if DuckDB cannot read them. `run`, `question` and `outcome` are columns, `words` has the meaning
    of each word for an outcome, and `paired` says that runs are compared.
    """
    import duckdb

    paths = glob(expanduser(files), recursive=True)
    for file in paths:
        check_allowed(file)
    if not paths:
        return []
    try:
        with connect() as connection:
            relation = literal(f"{files}/**/*.parquet" if isdir(expanduser(files)) else files)
            described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
            named = {kept_role(row[0]) or str(row[0]).lower(): str(row[0]) for row in described}
            alone = (*OF_RUNS, OUTPUT_WAS, CLUSTER)
            held = {
                name: named[name] for name in (*KEPT, JUDGE, CLUSTER) if name in named and (paired or name in alone)
            }
            others = [column for column in named.values() if column not in (run, question, outcome, *held.values())]
            # In a table that nescio wrote, its own columns hold the questions, the gold answers and the judge.
            further = others if paired and not {*KEPT} & held.keys() else []
            tests = {names_a_judge: _judges_differ, _names_a_text: _texts_differ}
            differ: dict[str, Callable[..., bool]]
            differ = {column: test for names, test in tests.items() for column in further if names(column)}
            differ |= {column: partial(_many_failed, own=column) for column in others if can_report_failure(column)}
            differ |= {column: _tells_alike_apart for column in others if _names_silence(column)}
            differ |= dict.fromkeys(_outputs(others), _blanks_differ if paired else _many_lost)
            further = [*differ]
            if not held and not further:
                return []
            cells = {"run": run, "question": question} | held
            cells |= {f"further{i}": column for i, column in enumerate(further)}
            shown = ", ".join(f"nullif(trim({quoted(cell)}::VARCHAR), '') AS {name}" for name, cell in cells.items())
            outcome_cell = f"lower(trim({quoted(outcome)}::VARCHAR))"
            meant = cases(outcome_cell, {word.strip().lower(): literal(to) for word, to in words.items()})
            connection.execute(f"CREATE TEMP TABLE rows AS SELECT {shown}, {meant} AS outcome FROM {relation}")
            connection.execute("UPDATE rows SET run = '' WHERE run IS NULL")
            lost = [name for name in held if _decides(connection, name)]
            return lost + [column for i, column in enumerate(further) if differ[column](connection, f"further{i}")]
    except duckdb.Error:
        return []


def _decides(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether a column of the relation `rows` says something that may decide a gate.

    Digests decide if a question has two, or if a cell is no digest, and judges if they differ between runs. A column of
    digests without nescio's form of texts means something else. What outputs lacked decides if many of a run's outputs
    lacked it and are not incorrect, and ranges of grades if they have two scales.
    """
    if name == JUDGE:
        return _judges_differ(connection, JUDGE)
    if name in DIGESTS:
        forms = f"SELECT DISTINCT regexp_full_match({name}, {literal(DIGEST)}) FROM rows WHERE {name} IS NOT NULL"
        matches = {is_digest for (is_digest,) in connection.execute(forms).fetchall()}
        if matches != {True}:
            return len(matches) > 1
        form = f"split_part({name}, ':', 1)"
        two = f"SELECT 1 FROM rows GROUP BY question, {form} HAVING min({name}) <> max({name}) LIMIT 1"
        return first(connection, two) is not None
    if name == OUTPUT_WAS:
        lacking = f"{name} IN ({literals(OUTPUT_LACKS)}) AND outcome IS DISTINCT FROM 'incorrect'"
        return _is_much(connection, lacking)
    if name == GRADES:
        stated = connection.execute(f"SELECT DISTINCT run, {name} FROM rows WHERE {name} IS NOT NULL").fetchall()
        return bool(ranges_differ(stated))
    texts = [text for (text,) in connection.execute(f"SELECT DISTINCT {name} FROM rows").fetchall() if text]
    return speaks_of_held(texts) if name == HELD else bool(texts)


def _names_silence(name: str) -> bool:
    """Return whether a column's name says that its cells tell whether a system answered."""
    return roles_of(name)[:1] in (("abstained",), ("answered",))


def _names_a_text(name: str) -> bool:
    """Return whether a column's name is one for gold answers alone, or for the texts of questions."""
    roles = roles_of(name)
    return roles == ("gold",) or (roles[:1] == ("text",) and not is_prompt(name))


def _outputs(names: list[str]) -> list[str]:
    """Return the columns whose names are for outputs of systems, or may be such names if there are no others."""
    named = [[name for name in names if role in roles_of(name)] for role in ("prediction", "answer")]
    return named[0] or named[1]


def _lacking(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[str, str]:
    """Return two conditions on the outputs `name` of `rows`: one is empty, or is lost though the run did not decline.

    They read texts as the reader of tables does. A text such as "None" is an answer if it is right somewhere.
    """
    short = f"SELECT {name}, bool_or(outcome = 'correct') FROM rows WHERE length({name}) <= 60 GROUP BY 1"
    marks = [
        (text, marker_of(text) if text.strip() else EMPTY, is_right)
        for text, is_right in connection.execute(short).fetchall()
    ]
    empty = literals(text for text, why, is_right in marks if why == EMPTY and not is_right) or "NULL"
    unparsed = literals(text for text, why, _ in marks if why == NO_FORM) or "NULL"
    lost = f"({name} IN ({unparsed}) AND outcome = 'unanswered') OR regexp_matches({name}, {literal(FAILED_CALL)})"
    return f"coalesce({name} IN ({empty}), {name} IS NULL, false)", f"({lost})"


def _many_lost(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether many of one run's outputs in a column of the relation `rows` are unparsed or failed."""
    return _is_much(connection, _lacking(connection, name)[1])


def _blanks_differ(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether many outputs of one run are lost, or empty unlike those of another run and not incorrect.

    The outputs are in a column of the relation `rows`.
    """
    empty, _ = _lacking(connection, name)
    graded = f"avg(coalesce({empty} AND outcome IN ('correct', 'unanswered'), false)::INT)"
    shares = f"SELECT avg({empty}::INT) AS share, {graded} AS graded FROM rows GROUP BY run"
    query = f"SELECT max(share) FILTER (graded >= {MUCH}) - min(share) >= {MUCH} FROM ({shares})"
    return bool(first(connection, query)[0]) or _many_lost(connection, name)


def _many_failed(connection: duckdb.DuckDBPyConnection, name: str, own: str) -> bool:
    """Return whether the column called `own` says of many of one run's answers that are not incorrect that they failed.

    The column has the name `name` in the relation `rows`. A number says so if it is a code of HTTP.
    """
    cell = f"left({name}, 200)"
    words = [word for (word,) in connection.execute(f"SELECT DISTINCT {cell} FROM rows").fetchall() if word]
    candidates = [word for word in words if decimal(word) is None or fails(word)]
    failed = [word for word in candidates if (why := why_lacking({own: word})) and kind_of(why) == "failed"]
    lost = f"({cell} IN ({literals(failed) or 'NULL'}) AND outcome IS DISTINCT FROM 'incorrect')"
    return _is_much(connection, lost)


def _is_much(connection: duckdb.DuckDBPyConnection, condition: str) -> bool:
    """Return whether a condition holds for many of one run's answers in the relation `rows`."""
    share = f"avg(coalesce({condition}, false)::INT)"
    return first(connection, f"SELECT 1 FROM rows GROUP BY run HAVING {share} >= {MUCH} LIMIT 1") is not None


def _tells_alike_apart(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether a column of the relation `rows` has two values for answers with one outcome."""
    cell = f"lower(coalesce({name}, ''))"
    two = f"SELECT 1 FROM rows GROUP BY outcome HAVING min({cell}) <> max({cell}) LIMIT 1"
    return first(connection, two) is not None


def _texts_differ(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether a question has two different texts in a column of the relation `rows`."""
    plain = nfc(rf"lower(regexp_replace({name}, '\s+', ' ', 'g'))")
    two = f"SELECT 1 FROM rows GROUP BY question HAVING min({plain}) <> max({plain}) LIMIT 1"
    return first(connection, two) is not None


def _judges_differ(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether a column of the relation `rows` names other judges for one run than for another."""
    runs = [run for (run,) in connection.execute("SELECT DISTINCT run FROM rows ORDER BY 1").fetchall()]
    judges, _ = judges_of(connection, runs, name, own=name == JUDGE)
    return bool(judges and judges_differ(runs, [*map(undated, judges)]))
