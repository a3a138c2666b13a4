"""Find the columns of a table that change no outcome, but that gates ask about: who judged, and by which texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from nescio.data.changed_questions import OTHER_QUESTIONS, OTHER_TEXTS
from nescio.data.notes import Note
from nescio.tables.cells import JUDGE
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import names_a_judge, roles_of, squash
from nescio.tables.mapping import Expression, Mapped, role_of
from nescio.tables.pairing import is_prompt
from nescio.tables.roles import NOTHING, is_written, kept_role
from nescio.tables.views import View

# roles that make a mapping complete, so that no other column changes an outcome
COMPLETE = ({"run", "question", "outcome"}, {"run", "question", "prediction", "gold"})


def with_evidence(view: View, given: Collection[str]) -> View:
    """Return a view whose mapping also has the columns that only gates need; `given` are the roles that the user gave.

    The user takes away a column by `ROLE=-`.
    """
    table, mapping, user_roles = view.table, view.mapping, {*map(role_of, given)}
    used = {name for expression in mapping.values() for name in expression.columns}
    more: dict[str, Expression] = {}
    for name, column in table.columns.items():
        kept = kept_role(name) if name and column.filled else None
        if kept and kept not in mapping:
            more.setdefault(kept, Expression((name,)))
    repeat = mapping.get("repeat", NOTHING).columns  # which may tell the verdicts of several judges apart
    if JUDGE not in mapping and (judges := tuple(_judges(table, used - {*repeat}))):
        more[JUDGE] = Expression(judges)
    complete = any(roles <= user_roles for roles in COMPLETE)
    for role in {"text", "gold"} - user_roles:
        names = _named(table, role, used)
        alone = [name for name in names if name in view.names]  # what this run alone was asked, or should have answered
        if names := alone or (names if complete and role not in mapping else []):
            more |= _to_compare(role, names, mapping)
    return replace(view, mapping={**mapping, **more})


def _to_compare(role: str, names: Sequence[str], mapping: Mapped) -> dict[str, Expression]:
    """Return the roles of columns with texts or gold answers, which may differ between runs but change no outcome."""
    if role == "gold":  # An empty gold answer would say that the question has no answer.
        return {"gold": Expression(tuple(names)), "answerable": mapping.get("answerable", NOTHING)}
    # A prompt may differ between runs that were asked the same.
    asked = [name for name in names if not is_prompt(name)]
    return {"text": Expression((asked[0],))} if asked else {}


def with_way_out(notes: Sequence[Note], seen: Iterable[View], told: Collection[str]) -> list[Note]:
    """Return notes on questions that differ, with the columns of `seen` whose roles the user has not `told`."""
    read: dict[str, list[str]] = {}
    for view, role in product(seen, {"text", "gold"} - {*told}):
        columns = view.mapping[role].columns if role in view.mapping else ()
        read.setdefault(role, []).extend(view.names.get(name, name) for name in columns)
    shown = {OTHER_TEXTS: "text", OTHER_QUESTIONS: "gold"}
    roles = [(remark, shown.get(remark.code, "")) for remark in notes]
    return [
        replace(remark, values=(*remark.values, ("unasked", (role, *dict.fromkeys(read[role])))))
        if read.get(role)
        else remark
        for remark, role in roles
    ]


def _judges(table: Table, used: Collection[str]) -> Iterator[str]:
    """Yield the column `judge`, or else the columns whose names say that they name a judge."""
    judge = table.columns.get(JUDGE)
    if judge is not None and JUDGE not in used and judge.filled and not (judge.is_truth or judge.is_share):
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
    name = {"text": "question_text"}.get(role, role)
    return [name] if name in names else names
