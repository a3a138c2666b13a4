"""Find the columns of a table of answers that decide gates, but that counts of outcomes cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob
from os.path import expanduser, isdir
from typing import TYPE_CHECKING

from nescio.data.judge_record import judges_differ, undated
from nescio.data.kept import DIGEST, DIGESTS, HELD, KEPT, OF_RUNS, speaks_of_held
from nescio.sources.database import connect
from nescio.sources.remote import check_allowed
from nescio.sources.tables import first, literal, quoted
from nescio.tables.judge_column import judges_of
from nescio.tables.lexicon import roles_of
from nescio.tables.pairing import check_gold, differing_texts, is_prompt
from nescio.tables.roles import kept_role

if TYPE_CHECKING:
    import duckdb

JUDGE, WORDS = "judge", ("text", "gold")


def uncounted(files: str, run: str, question: str, *, paired: bool) -> list[str]:
    """Return the columns by which a gate on the rows may decide otherwise than a gate on their counts.

    `files` is a path, a pattern, or a folder of Parquet files, as Spark writes them. The list is empty if there are no
    such files here, or if DuckDB cannot read them. `run` and `question` are columns, and `paired` says that runs are
    compared.
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
            named = _of_gates([str(row[0]) for row in described if row[0] not in (run, question)])
            held = [name for name in named if paired or name in OF_RUNS]
            if not held:
                return []
            cells = {"run": run, "question": question} | {name: named[name] for name in held}
            shown = ", ".join(f"nullif(trim({quoted(cell)}::VARCHAR), '') AS {name}" for name, cell in cells.items())
            connection.execute(f"CREATE TEMP TABLE rows AS SELECT {shown} FROM {relation}")
            connection.execute("UPDATE rows SET run = '' WHERE run IS NULL")
            return [named[name] for name in held if _decides(connection, name)]
    except duckdb.Error:
        return []


def _of_gates(names: Sequence[str]) -> dict[str, str]:
    """Return the columns that may decide a gate, keyed by what they hold, in the order of nescio's own.

    In a table that nescio wrote, its digests hold the questions and the gold answers.
    """
    named: dict[str, str] = {}
    for name in names:
        kept = kept_role(name) or name.lower()
        roles = (kept,) if kept in (*KEPT, JUDGE) else roles_of(name)
        role = next((one for one in (*KEPT, JUDGE, *WORDS) if one in roles), None)
        if role and not (role == "text" and is_prompt(name)):
            named.setdefault(role, name)
    left_out = WORDS if {*KEPT} & {*named} else ()
    return {role: named[role] for role in (*KEPT, JUDGE, *WORDS) if role in named and role not in left_out}


def _decides(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether a column of the relation `rows` says something that may decide a gate.

    Digests decide if a question has two, or if a cell is no digest, and judges if they differ between runs. A column of
    digests without nescio's form of texts means something else. Texts of questions and gold answers decide if a
    question has two.
    """
    if name in WORDS:
        return bool(check_gold(connection) if name == "gold" else differing_texts(connection))
    if name == JUDGE:
        runs = [run for (run,) in connection.execute("SELECT DISTINCT run FROM rows ORDER BY 1").fetchall()]
        judges, _ = judges_of(connection, runs)
        return bool(judges and judges_differ(runs, [*map(undated, judges)]))
    if name in DIGESTS:
        forms = f"SELECT DISTINCT regexp_full_match({name}, {literal(DIGEST)}) FROM rows WHERE {name} IS NOT NULL"
        found = {is_digest for (is_digest,) in connection.execute(forms).fetchall()}
        if found != {True}:
            return len(found) > 1
        form = f"split_part({name}, ':', 1)"
        two = f"SELECT 1 FROM rows GROUP BY question, {form} HAVING min({name}) <> max({name}) LIMIT 1"
        return first(connection, two) is not None
    texts = [text for (text,) in connection.execute(f"SELECT DISTINCT {name} FROM rows").fetchall() if text]
    return speaks_of_held(texts) if name == HELD else bool(texts)
