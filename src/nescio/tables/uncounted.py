"""Find the columns of a table of answers that decide gates, but that counts of outcomes cannot hold."""

from __future__ import annotations

from glob import glob
from os.path import expanduser, isdir
from typing import TYPE_CHECKING

from nescio.data.judge_record import judges_differ, undated
from nescio.data.kept import DIGEST, DIGESTS, GRADES, HELD, KEPT, OF_RUNS, OUTPUT_WAS, speaks_of_held
from nescio.data.reasons import MUCH, OUTPUT_LACKS
from nescio.data.scales import ranges_differ
from nescio.sources.database import connect
from nescio.sources.remote import check_allowed
from nescio.sources.tables import first, literal, literals, nfc, quoted
from nescio.tables.cells import JUDGE
from nescio.tables.judge_column import judges_of
from nescio.tables.lexicon import names_a_judge, roles_of
from nescio.tables.pairing import is_prompt
from nescio.tables.roles import kept_role

if TYPE_CHECKING:
    import duckdb


def uncounted(files: str, run: str, question: str, outcome: str, *, paired: bool) -> list[str]:
    """Return the columns by which a gate on the rows may decide otherwise than a gate on their counts.

    `files` is a path, a pattern, or a folder of Parquet files, as Spark writes them. The list is empty if there are no
    such files here, or if DuckDB cannot read them. `run`, `question` and `outcome` are columns, and `paired` says that
    runs are compared.
    """
    import duckdb

    found = glob(expanduser(files), recursive=True)
    for file in found:
        check_allowed(file)
    if not found:
        return []
    try:
        with connect() as connection:
            relation = literal(f"{files}/**/*.parquet" if isdir(expanduser(files)) else files)
            described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
            named = {kept_role(row[0]) or str(row[0]).lower(): str(row[0]) for row in described}
            alone = (*OF_RUNS, OUTPUT_WAS)
            held = {name: named[name] for name in (*KEPT, JUDGE) if name in named and (paired or name in alone)}
            further = [own for own in named.values() if paired and own not in (run, question, outcome, *held.values())]
            # In a table that nescio wrote, its own columns hold the questions, the gold answers and the judge.
            further = [] if {*KEPT} & held.keys() else further
            tests = {names_a_judge: _judges_differ, _names_a_text: _texts_differ, _names_an_output: _blanks_differ}
            differ = {own: test for names, test in tests.items() for own in further if names(own)}
            further = [*differ]
            if not held and not further:
                return []
            cells = {"run": run, "question": question} | ({"outcome": outcome} if OUTPUT_WAS in held else {}) | held
            cells |= {f"further{i}": own for i, own in enumerate(further)}
            shown = ", ".join(f"nullif(trim({quoted(cell)}::VARCHAR), '') AS {name}" for name, cell in cells.items())
            connection.execute(f"CREATE TEMP TABLE rows AS SELECT {shown} FROM {relation}")
            connection.execute("UPDATE rows SET run = '' WHERE run IS NULL")
            lost = [name for name in held if _decides(connection, name)]
            return lost + [own for i, own in enumerate(further) if differ[own](connection, f"further{i}")]
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
        found = {is_digest for (is_digest,) in connection.execute(forms).fetchall()}
        if found != {True}:
            return len(found) > 1
        form = f"split_part({name}, ':', 1)"
        two = f"SELECT 1 FROM rows GROUP BY question, {form} HAVING min({name}) <> max({name}) LIMIT 1"
        return first(connection, two) is not None
    if name == OUTPUT_WAS:
        lacking = f"{name} IN ({literals(OUTPUT_LACKS)}) AND lower(outcome) IS DISTINCT FROM 'incorrect'"
        of_runs = f"SELECT 1 FROM rows GROUP BY run HAVING avg(coalesce({lacking}, false)::INT) >= {MUCH} LIMIT 1"
        return first(connection, of_runs) is not None
    if name == GRADES:
        stated = connection.execute(f"SELECT DISTINCT run, {name} FROM rows WHERE {name} IS NOT NULL").fetchall()
        return bool(ranges_differ(stated))
    texts = [text for (text,) in connection.execute(f"SELECT DISTINCT {name} FROM rows").fetchall() if text]
    return speaks_of_held(texts) if name == HELD else bool(texts)


def _names_a_text(name: str) -> bool:
    """Return whether a column's name is one for gold answers alone, or for the texts of questions."""
    roles = roles_of(name)
    return roles == ("gold",) or (roles[:1] == ("text",) and not is_prompt(name))


def _names_an_output(name: str) -> bool:
    """Return whether a column's name may be one for the outputs of systems."""
    return bool({"prediction", "answer"} & {*roles_of(name)})


def _blanks_differ(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether many more outputs of one run are empty than of another, in a column of the relation `rows`."""
    shares = f"SELECT avg(({name} IS NULL)::INT) AS share FROM rows GROUP BY run"
    return bool(first(connection, f"SELECT max(share) - min(share) >= {MUCH} FROM ({shares})")[0])


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
