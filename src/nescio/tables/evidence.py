"""Find the columns of a table that change no outcome, but that gates ask about: who judged, and by which texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nescio.tables.cells import JUDGE
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import names_a_judge, roles_of
from nescio.tables.mapping import Expression, Mapped, role_of
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
    more: dict[str, Expression] = {}
    for name, column in table.columns.items():
        kept = kept_role(name) if name and column.filled else None
        if kept and kept not in mapping:
            more.setdefault(kept, Expression((name,)))
    if JUDGE not in mapping and (judges := tuple(_judges(table, used))):
        more[JUDGE] = Expression(judges)
    if any(roles <= told for roles in COMPLETE):
        if "text" not in mapping and (asked := _named(table, "text", used)):
            more["text"] = Expression((asked[0],))
        if "gold" not in mapping and len(gold := _named(table, "gold", used)) == 1:
            # An empty gold answer would say that the question has no answer, which changes outcomes.
            more |= {"gold": Expression((gold[0],)), "answerable": mapping.get("answerable", NOTHING)}
    return {**mapping, **more}


def _judges(table: Table, used: Collection[str]) -> Iterator[str]:
    """Yield the column `judge`, or else the columns whose names say that they name a judge."""
    own = table.columns.get(JUDGE)
    if own is not None and JUDGE not in used and own.filled and not own.is_truth:
        yield JUDGE
    elif not is_written(table):
        named = (c for c in table.columns.values() if c.name and c.name not in used and names_a_judge(c.name))
        yield from (column.name for column in named if column.filled and _may_name(column))


def _may_name(column: Column) -> bool:
    """Return whether the cells may name judges; a column of verdicts does not, nor one of many texts or numbers."""
    return column.words is not None and not (column.is_truth or column.is_verdict or column.is_share)


def _named(table: Table, role: str, used: Collection[str]) -> list[str]:
    """Return the columns whose names have this role first, nescio's own name before others."""
    columns = [c for c in table.columns.values() if c.name and c.name not in used and c.filled and not c.is_verdict]
    names = [column.name for column in columns if role in roles_of(column.name)[:1]]
    own = {"text": "question_text"}.get(role, role)
    return [own] if own in names else names
