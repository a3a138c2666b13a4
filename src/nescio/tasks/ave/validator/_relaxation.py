"""Find the least that a statement must give up to follow from a text, exactly unless a table is too large.

A statement follows if each of its constants can be mapped to a constant of the text so that all its atoms become facts.
Bucket elimination finds the cheapest mapping: it minimises one constant after another out of the tables of costs.
Source: Dechter 1999, "Bucket elimination: a unifying framework for reasoning".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.tasks.ave.validator._atoms import EQUAL, Atom, matching

CELLS = 2_000_000  # cells of the largest table; beyond it constants are minimised separately, and the limit is reported
Costs = NDArray[np.int64]


class Table(Struct, frozen=True, eq=False):
    """The cost of one or more atoms for each mapping of the statement's `constants` to constants of the text.

    `costs` has an axis for each of these constants, in ascending order. A constant is the index of a word.
    """

    constants: tuple[int, ...]
    costs: Costs


class Relaxation(Struct, frozen=True):
    """The atoms that a statement gives up so that the rest follows from a text, with their `cost`.

    `mapping` has, for each constant of the statement (the index of a word), a constant of the text. `whole` is the cost
    of giving up all atoms. If `limit_reached`, a cheaper relaxation may exist.
    """

    cost: int
    whole: int
    given_up: tuple[Atom, ...]
    mapping: Mapping[int, int]
    limit_reached: bool


class Facts:
    """The facts of a text, keyed by predicate; constants that the text equates are replaced by one of them."""

    def __init__(self, atoms: tuple[Atom, ...]) -> None:
        self._same: dict[int, int] = {}
        for atom in atoms:
            if atom.predicate == EQUAL:
                first, second = sorted(map(self.one, atom.places))
                if first != second:
                    self._same[second] = first
        self.held: dict[str, set[tuple[int, ...]]] = {}
        for atom in atoms:
            if atom.predicate != EQUAL:
                self.held.setdefault(atom.predicate, set()).add(tuple(map(self.one, atom.places)))
        self.words = frozenset(atom.predicate for atom in atoms if len(atom.places) == 1)

    def one(self, constant: int) -> int:
        """Return the constant that represents all constants that the text equates with `constant`."""
        while constant in self._same:
            constant = self._same[constant]
        return constant

    def places(self, atom: Atom) -> set[tuple[int, ...]]:
        """Return the tuples of the text's constants (indices of words) for which an atom of a statement holds."""
        if len(atom.places) > 1:
            return self.held.get(atom.predicate, set())
        return {places for word in matching(atom.predicate, self.words) for places in self.held[word]}


def relaxation(stated: tuple[Atom, ...], text: tuple[Atom, ...]) -> Relaxation:
    """Return the cheapest relaxation, which gives up atoms of a statement so that the rest follows from a text."""
    facts = Facts(text)
    places = {atom: facts.places(atom) for atom in stated if atom.predicate != EQUAL}
    values = _values(stated, places)
    tables = [_table(atom, places.get(atom), values) for atom in stated]
    chosen, limit_reached = _cheapest(tables, {constant: len(each) for constant, each in values.items()})
    mapping = {constant: values[constant][at] for constant, at in chosen.items() if at < len(values[constant])}
    given_up = tuple(atom for atom in stated if not _kept(atom, places.get(atom), mapping))
    cost = sum(atom.cost for atom in given_up)
    return Relaxation(cost, sum(atom.cost for atom in stated), given_up, mapping, limit_reached and cost > 0)


def _kept(atom: Atom, places: set[tuple[int, ...]] | None, mapping: Mapping[int, int]) -> bool:
    image = tuple(mapping.get(constant, -1) for constant in atom.places)
    return image in places if places is not None else len(set(image)) == 1


def _values(stated: tuple[Atom, ...], places: Mapping[Atom, set[tuple[int, ...]]]) -> dict[int, list[int]]:
    """Return the text's constants that make some atom of a statement hold, keyed by the constant of the statement.

    A constant is the index of a word. `places` has the tuples of the text's constants that satisfy each atom. Constants
    that the statement equates have the same result.
    """
    values_of: dict[int, set[int]] = {constant: set() for atom in stated for constant in atom.places}
    for atom, kept in places.items():
        for side, constant in enumerate(atom.places):
            values_of[constant] |= {image[side] for image in kept}
    equal = [atom.places for atom in stated if atom.predicate == EQUAL]
    for _ in equal:  # repeated once per equation, so that values pass through a chain of equations
        for first, second in equal:
            values_of[first] = values_of[second] = values_of[first] | values_of[second]
    return {constant: sorted(each) for constant, each in values_of.items()}


def _table(atom: Atom, places: set[tuple[int, ...]] | None, values: Mapping[int, list[int]]) -> Table:
    """Return the table of costs of an atom: 0 where the text's constants satisfy it, and the atom's cost elsewhere.

    `places` has the tuples of constants that satisfy it, or None for an equation. The last entry of each axis is an
    entity that the text does not mention, which equals only itself.
    """
    constants = tuple(sorted(set(atom.places)))
    costs = np.full([len(values[constant]) + 1 for constant in constants], atom.cost, dtype=np.int64)
    at = {constant: {value: i for i, value in enumerate(values[constant])} for constant in constants}
    if places is None:
        places = {(value, value) for value in values[atom.places[0]]}
        costs[(-1,) * len(constants)] = 0
    for image in places:
        mapping = dict(zip(atom.places, image, strict=True))
        if tuple(mapping[constant] for constant in atom.places) == image:
            costs[tuple(at[constant][mapping[constant]] for constant in constants)] = 0
    return Table(constants, costs)


def _cheapest(tables: list[Table], sizes: Mapping[int, int]) -> tuple[dict[int, int], bool]:
    """Return the cheapest choice of values, as an index for each constant, and whether a cheaper choice may exist.

    A cheaper choice may exist if a table would have been too large to compute.
    """
    left, limit_reached = set(sizes), False
    choices: list[tuple[int, Table]] = []
    while left:
        constant = min(left, key=lambda each: (_cells(each, tables, sizes), each))
        left.remove(constant)
        involved = [table for table in tables if constant in table.constants]
        tables = [table for table in tables if constant not in table.constants]
        if _cells(constant, involved, sizes) <= CELLS:
            joined = reduce(_joined, involved)
            choices.append((constant, joined))
            involved = [joined]
        else:
            limit_reached = True
            choices.append((constant, min(involved, key=lambda table: len(table.constants))))
        tables += [_without(constant, table) for table in involved]
    chosen: dict[int, int] = {}
    for constant, table in reversed(choices):
        at = tuple(slice(None) if each == constant else chosen[each] for each in table.constants)
        chosen[constant] = int(np.argmin(table.costs[at]))
    return chosen, limit_reached


def _cells(constant: int, tables: list[Table], sizes: Mapping[int, int]) -> int:
    beside = {each for table in tables if constant in table.constants for each in table.constants}
    return reduce(lambda cells, each: cells * (sizes[each] + 1), beside, 1)


def _joined(first: Table, second: Table) -> Table:
    constants = tuple(sorted({*first.constants, *second.constants}))
    return Table(constants, _spread(first, constants) + _spread(second, constants))


def _spread(table: Table, constants: tuple[int, ...]) -> Costs:
    sizes = iter(table.costs.shape)
    return table.costs.reshape([next(sizes) if constant in table.constants else 1 for constant in constants])


def _without(constant: int, table: Table) -> Table:
    left = tuple(each for each in table.constants if each != constant)
    return Table(left, table.costs.min(axis=table.constants.index(constant)))
