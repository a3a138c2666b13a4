"""Three columns of 1 and 0 of which one is 1 in each row: a verdict in three columns, whatever they are called."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, permutations

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.readings.columns import Column, meaning
from nescio.formats.native.readings.evidence import FEW_ROWS
from nescio.formats.native.readings.table import Table
from nescio.formats.native.readings.ways import Way, shown
from nescio.sources.source import Source

_STATES = (CORRECT, INCORRECT, SILENT)


def ask_of_three(seen: Table, verdict: str, silent: Collection[str], source: Source) -> None:
    """Raise the error that asks which of three columns is what, of which one is 1 in each row and one was taken for the
    `verdict`; unless another of them is `silent`."""
    found = next((own for own in _triples(seen) if verdict in [c.name for c in own]), None)
    if found is None or {c.name for c in found} & {*silent}:
        return
    known = [meaning(c.name) for c in found]
    every = [means for means in permutations(_STATES) if _fits(means, known)] or [*permutations(_STATES)]
    ways = []
    for means in every:
        right, _, quiet = (found[means.index(state)] for state in _STATES)
        turned = roles.TURNED if roles.says_failure(right.name, right.words) else ""
        options = [roles.option("outcome", f"{turned}{right.name}"), roles.option("abstained", quiet.name)]
        states = [means[[_is_yes(cell) for cell in row].index(True)] for row in _rows(found)]
        ways.append(Way(" ".join(options), states))
    names = ", ".join(repr(c.name) for c in found)
    rule = f"of {names} in each row one is yes, so they say together what is right, wrong and declined"
    raise FormatError(source.label, f"{rule}; name {shown(seen, ways)}", where=source.head)


def _triples(seen: Table) -> list[tuple[Column, ...]]:
    free = [c for c in seen.columns if c.is_truth and len(c.words) == 2 and None not in c.cells]
    free = free if seen.size >= FEW_ROWS else []
    return [own for own in combinations(free, 3) if all(sum(map(_is_yes, row)) == 1 for row in _rows(own))]


def _fits(means: tuple[int, ...], known: list[int | None]) -> bool:
    return all(own in (None, state) for own, state in zip(known, means, strict=True))


def _is_yes(cell: str | None) -> bool:
    return cell is not None and roles.truth_of(cell) is True


def _rows(columns: Collection[Column]) -> zip[tuple[str | None, ...]]:
    return zip(*(c.cells for c in columns), strict=True)
