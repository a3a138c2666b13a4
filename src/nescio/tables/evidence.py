"""Find the columns of a table that change no outcome, but that gates ask about: who judged, and by which texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from nescio.data.changed_questions import OTHER_QUESTIONS, OTHER_TEXTS
from nescio.data.notes import Note, note
from nescio.data.policy_notes import OF_ONE_RUN
from nescio.sources.tables import first
from nescio.tables.cells import JUDGE, OF_RUNS, Placed, runs_of
from nescio.tables.columns import Column, Table
from nescio.tables.failures import is_status
from nescio.tables.lexicon import BOUNDARY, DEEPEST, fails, names_a_judge, roles_of, squash
from nescio.tables.mapping import Expression, Mapped, role_of
from nescio.tables.pairing import is_prompt
from nescio.tables.roles import NOTHING, is_written, kept_role

# roles that make a mapping complete, so that no other column changes an outcome
COMPLETE = ({"run", "question", "outcome"}, {"run", "question", "prediction", "gold"})


def with_evidence(table: Table, mapping: Mapped, given: Collection[str]) -> Mapped:
    """Return a mapping with an outcome, and with the columns that only gates need; `given` are the roles that the user
    gave.

    The user takes away a column by `ROLE=-`.
    """
    told = {*map(role_of, given)}
    used = {name for own in mapping.values() for name in own.columns}
    used |= {str(column.name) for columns in _of_runs(table, mapping).values() for column in columns.values()}
    more: dict[str, Expression] = {}
    for name, column in table.columns.items():
        kept = kept_role(name) if name and column.filled else None
        if kept and kept not in mapping:
            more.setdefault(kept, Expression((name,)))
    if JUDGE not in mapping and (judges := tuple(_judges(table, used))):
        more[JUDGE] = Expression(judges)
    if any(roles <= told for roles in COMPLETE):
        # A prompt may differ between runs that were asked the same.
        asked = [name for name in _named(table, "text", used) if not is_prompt(name)]
        if "text" not in mapping and asked:
            more["text"] = Expression((asked[0],))
        if "gold" not in mapping and (gold := _named(table, "gold", used)):
            # An empty gold answer would say that the question has no answer, which changes outcomes.
            more |= {"gold": Expression(tuple(gold)), "answerable": mapping.get("answerable", NOTHING)}
    return {**mapping, **more}


def of_single_runs(table: Table, mapping: Mapped) -> list[Note]:
    """Return a note on columns of single runs ("mine_judge") that tell who judged, the question, the gold answer, or a
    failed call.

    nescio reads what a run has for itself only from a table with a row for each answer. There is no note on columns
    that are the same in all runs.
    """
    of_what = _of_runs(table, mapping)
    runs = len(runs_of(table, mapping)) if of_what else 0
    unread = [
        str(column.name)
        for what, columns in of_what.items()
        if _tells_of_answers(what, columns.values()) and not _are_same(table, columns, runs)
        for column in columns.values()
    ]
    if not unread:
        return []
    return [
        note(
            OF_ONE_RUN,
            "nescio does not read {columns:list}, {number:a column of one run/columns of single runs}; write a row for "
            "each answer, with a column for the run",
            columns=[*map(repr, unread)],
            number=len(unread),
        )
    ]


def _of_runs(table: Table, mapping: Mapped) -> dict[str, dict[str, Column]]:
    """Return the columns whose names have the name of one of several runs, keyed by the rest of the name and the run.

    Left out are the columns from which the outcomes of the runs are read. If the headers name questions, no column is
    that of a run.
    """
    named = [column for column in table.columns.values() if column.filled and _may_be_of_a_run(column.name or "")]
    runs = runs_of(table, mapping) if named and not mapping["question"].header else []
    mappings = [{role: own for role, own in mapping.items() if role in OF_RUNS}, *(columns for _, columns in runs)]
    read = {name for own in mappings for expression in own.values() for name in expression.columns}
    free = [column for column in named if column.name not in read]
    of_what: dict[str, dict[str, Column]] = {}
    for (run, _), column in product(runs if len(runs) > 1 else (), free):
        if what := _without_run(column.name or "", run):
            of_what.setdefault(what.casefold(), {})[run] = column
    return of_what


def _without_run(column: str, run: str) -> str:
    """Return a column's name without the name of a run, which is a part of it; empty if it is none."""
    before, found, after = re.sub(rf"(?<![^\W_]){re.escape(run)}(?![^\W_])", "\0", column, count=1).partition("\0")
    return ".".join(filter(None, (part.strip("_. -[]/") for part in (before, after)))) if found else ""


def _may_be_of_a_run(column: str) -> bool:
    """Return whether a part of a column's name may name a run, and the rest tells something of answers."""
    parts = [part for part in BOUNDARY.split(column) if part]
    rests = (rest for at in range(1, min(len(parts), DEEPEST + 1)) for rest in (parts[-at:], parts[:at]))
    return any(_is_evidence("_".join(rest)) for rest in rests)


def _is_evidence(what: str) -> bool:
    return is_status(what) or names_a_judge(what) or bool({"text", "gold", "error"} & {*roles_of(what)[:1]})


def _tells_of_answers(what: str, columns: Iterable[Column]) -> bool:
    """Return whether columns of this name tell who judged, what was asked or expected, or that a call failed."""
    if is_status(what):
        return any(fails(word) for column in columns for word in column.words or ())
    return _is_evidence(what)


def _are_same(table: Table, columns: Mapping[str, Column], runs: int) -> bool:
    """Return whether every run has such a column, and all of them have the same cells."""
    first_one, *others = columns.values()
    differs = " OR ".join(f"{first_one.cell} IS DISTINCT FROM {other.cell}" for other in others) or "false"
    return len(columns) == runs and first(table.connection, f"SELECT 1 FROM {table.relation} WHERE {differs}") is None


def with_way_out(notes: Sequence[Note], placed: Placed, seen: Placed) -> list[Note]:
    """Return notes on questions that differ, with the columns of `seen` that the mappings in `placed` do not name."""
    read = {
        role: own.columns
        for (_, mapping), (_, more) in zip(placed, seen, strict=True)
        for role, own in more.items()
        if role in ("text", "gold") and role not in mapping
    }
    shown = {OTHER_TEXTS: "text", OTHER_QUESTIONS: "gold"}
    roles = [(remark, shown.get(remark.code, "")) for remark in notes]
    return [
        replace(remark, values=(*remark.values, ("unasked", (role, *read[role])))) if role in read else remark
        for remark, role in roles
    ]


def _judges(table: Table, used: Collection[str]) -> Iterator[str]:
    """Yield the column `judge`, or else the columns whose names say that they name a judge."""
    own = table.columns.get(JUDGE)
    if own is not None and JUDGE not in used and own.filled and not own.is_truth:
        yield JUDGE
    elif not is_written(table):
        named = (c for c in table.columns.values() if c.name and c.name not in used and names_a_judge(c.name))
        yield from (column.name for column in named if column.filled and _may_name(column))


def _may_name(column: Column) -> bool:
    """Return whether the cells may name judges or their settings.

    A column of verdicts does not, nor one of many texts. Numbers may be versions and thresholds, but no names.
    """
    numbers = squash(column.name).endswith(("version", "threshold", "temperature", "id"))
    return column.words is not None and (numbers or not (column.is_truth or column.is_verdict or column.is_share))


def _named(table: Table, role: str, used: Collection[str]) -> list[str]:
    """Return the columns whose names have this role first, nescio's own name before others."""
    columns = [c for c in table.columns.values() if c.name and c.name not in used and c.filled and not c.is_verdict]
    names = [column.name for column in columns if role in roles_of(column.name)[:1]]
    own = {"text": "question_text"}.get(role, role)
    return [own] if own in names else names
