"""View a table with columns for each run as a table for each run, so that one rule reads both shapes.

A column of one run loses the run's name: "mine_judge" is called "judge", as in a table with a row for each answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import UsageError, opt
from nescio.tables import wide
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import names_a_judge, roles_of
from nescio.tables.mapping import Expression, Mapped
from nescio.tables.pairing import is_prompt
from nescio.tables.statuses import is_status

OF_RUNS = ("outcome", "prediction", "confidence", "abstained", "answered")  # roles with a column for each run
_OF_ANSWERS = (*OF_RUNS, "error")  # roles that a column of one run has for this run alone
_ROLES = {"answer": "prediction", "score": "outcome"}  # names of columns that mean another role


class View(Struct, frozen=True):
    """The table of one run, and its mapping from roles to columns.

    `run` is empty if the columns do not name the run. `names` has the columns whose names lack the run's name here,
    with their names in the whole table.
    """

    run: str
    table: Table
    mapping: Mapped
    names: Mapping[str, str] = {}

    @property
    def alone(self) -> dict[str, Column]:
        """Return the columns that this run has for itself."""
        kept = {*self.names, *(name for role in OF_RUNS for name in self.mapping.get(role, Expression()).columns)}
        return {name: column for name, column in self.table.columns.items() if name in kept}


def views(table: Table, mapping: Mapped, compared: Collection[str] = ()) -> list[View]:
    """Return the view of each run that has its own columns, or the table itself if all runs share their columns.

    In an outcome table, a run's own column takes the place of a shared one whose role is among `compared`.
    """
    several = {role: mapping[role].columns for role in OF_RUNS if role in mapping and len(mapping[role].columns) > 1}
    if not several or ("outcome" not in several and "prediction" not in several):
        if "confidence" in several:
            rule = "give as many columns of confidence as columns of outcomes or answers, one for each run"
            raise UsageError(f"{opt('column', {'confidence': str(mapping['confidence'])})}: {rule}")
        return [View("", table, mapping)]
    runs = wide.parts(several)
    if mapping.get("question", Expression()).header:
        return [View(columns.get("outcome", run), table, {**mapping, **_of(mapping, columns)}) for run, columns in runs]
    owned = _owned(table, mapping, several)
    families = {name: family for family in wide.families(table.columns).values() for name in family.values()}
    by_run = wide.by_run(filter(None, table.columns))
    of_runs = []
    for run, columns in runs:
        family = next((families[name] for name in columns.values() if name in families), {})
        companions = {**by_run.get(run, {}), **family}
        roles = {_ROLES.get(role, role): Expression((name,)) for role, name in companions.items() if role != "wrong"}
        roles = {role: expression for role, expression in roles.items() if role not in mapping} | _of(mapping, columns)
        of_runs.append(_view(table, mapping, run, roles, owned, compared=compared))
    return of_runs


def _view(
    table: Table,
    mapping: Mapped,
    run: str,
    run_roles: Mapped,
    owned: Mapping[str, tuple[str, str]],
    *,
    compared: Collection[str],
) -> View:
    """Return the view of a run; `run_roles` maps roles to the columns that the run has for itself."""
    roles = {**run_roles}
    for role, expression in mapping.items():
        if role not in roles and (kept := _of_this_run(role, expression, run, owned)) is not None:
            roles[role] = kept
    used = {name for expression in roles.values() for name in expression.columns}
    held = {name: column for name, column in table.columns.items() if name in used or name not in owned}
    free = compared if "outcome" in roles else ()
    taken = {name for role, expression in roles.items() if role not in free for name in expression.columns}
    taken |= {*filter(is_prompt, used)}  # a prompt may differ between runs
    names: dict[str, str] = {}
    for name, (owner, rest) in owned.items():
        if owner == run and name not in held:
            names[rest if rest not in taken and rest not in names else name] = name
    held |= {rest: table.columns[name].called(rest) for rest, name in names.items()}
    return View(run, replace(table, columns=held), roles, names)


def _of(mapping: Mapped, columns: Mapping[str, str]) -> dict[str, Expression]:
    return {role: mapping[role].of(name) for role, name in columns.items()}


def _of_this_run(
    role: str, expression: Expression, run: str, owned: Mapping[str, tuple[str, str]]
) -> Expression | None:
    """Return a role's expression without the columns of other runs, or None if nothing is left of it."""
    if role not in _OF_ANSWERS or not expression.columns:
        return expression
    columns = tuple(name for name in expression.columns if name not in owned or owned[name][0] == run)
    return replace(expression, columns=columns) if columns else None


def _owned(table: Table, mapping: Mapped, several: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    """Return the run to which each column belongs by its name, and the column's name without that of the run.

    A column that says which question or repeat a row is about belongs to no run. Nor does a column that means something
    by its whole name ("judge_model"), unless another run has such a column, too.
    """
    shared = {name for role, expression in mapping.items() if role not in _OF_ANSWERS for name in expression.columns}
    runs = wide.parts(several)
    before, names = wide.same_beginning(next(iter(several.values()))), {run for run, _ in runs}
    free = [name for name in table.columns if name and name not in shared]
    owned = {name: pair for name in free if (pair := wide.owner(name.removeprefix(before), names))}
    runs_with = Counter(rest.casefold() for _, rest in owned.values())
    owned = {
        name: pair for name, pair in owned.items() if runs_with[pair[1].casefold()] > 1 or not _means_something(name)
    }
    return owned | {name: (run, name) for run, columns in runs for name in columns.values()}


def _means_something(column: str) -> bool:
    return not wide.PATH.search(column) and (bool(roles_of(column)) or names_a_judge(column) or is_status(column))
