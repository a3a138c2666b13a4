"""Tables that may hold how many answers of each run were right, wrong and declined: the ways to read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations, permutations

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, STATES
from nescio.formats.native import roles
from nescio.formats.native.own_totals import counts_of
from nescio.formats.native.readings.columns import Column, meaning
from nescio.formats.native.readings.table import Table
from nescio.formats.native.readings.ways import Way, strangeness
from nescio.text import decimal

_STATES = (CORRECT, INCORRECT, SILENT)
_NEAR = 0.85  # of the letters of two words that are one, misspelt
_RUNS = 3  # of which the counts are shown
_NAMES = {state: name for name, state in STATES.items()}


def ways_of_counts(table: Table) -> list[Way]:
    """Return the ways to read a table of counts, the likeliest first: by the names of three columns, or because they
    add up to the same for each run, or to what another column says; of one run, because all else is none."""
    numbers = [c for c in table.columns if None not in c.cells and all(map(str.isdecimal, c.words))]
    counts = [c for c in numbers if not c.is_marks and counts_of(c.name) not in ("answered", "all")]
    runs = [table.by_name[name] for name in runs_of_counts(table, ())]
    if not runs or len(counts) < len(_STATES) or table.known.one("id", "text"):
        return []
    run = table.run if table.run in runs else runs[0]
    said = [c for c in counts if meaning(c.name) in _STATES]
    among: Iterator[Sequence[Column]]
    if summed := next(_of_totals(counts, numbers), None):
        return [*_ways(run, summed)]
    if {CORRECT, INCORRECT} <= {meaning(c.name) for c in said}:
        among = iter([said] if len(said) == len(_STATES) else [[*said, c] for c in counts if c not in said])
    else:
        among = _adding_up(counts)
    return [*_ways(run, own)] if (own := next(among, None)) else []


def runs_of_counts(table: Table, counts: Sequence[str]) -> list[str]:
    """Return the columns that could name the runs of a table of counts: another word in each row."""
    free = [c for c in table.columns if c.name not in counts and None not in c.cells and table.apart([c])]
    return [c.name for c in free if not any(decimal(word) is not None for word in c.words)]


def _of_totals(counts: Sequence[Column], numbers: Sequence[Column]) -> Iterator[Sequence[Column]]:
    """Yield each three columns that add up to what another one says, in each of several rows."""
    for own in combinations(counts, len(_STATES)):
        sums = [sum(int(cell or 0) for cell in cells) for cells in _rows(*own)]
        if len(sums) > 1 and any(sums == [int(cell or 0) for cell in c.cells] for c in numbers if c not in own):
            yield own


def _adding_up(counts: Sequence[Column]) -> Iterator[Sequence[Column]]:
    """Yield each three columns that add up to the same in all rows, or to what another one says."""
    for own in combinations(counts, len(_STATES)):
        sums = [sum(int(cell or 0) for cell in cells) for cells in _rows(*own)]
        others = [[int(cell or 0) for cell in c.cells] for c in counts if c not in own]
        if len({*sums}) == 1 < len(sums) or sums in others or len(counts) == len(own) > len(sums):
            yield own


def _ways(run: Column, counts: Sequence[Column]) -> Iterator[Way]:
    known = {c.name: None if roles.is_pass(c.name) else _meant(c.name) for c in counts}
    every = [dict(zip((c.name for c in own), _STATES, strict=True)) for own in permutations(counts)]
    every = [means for means in every if all(known[name] in (None, state) for name, state in means.items())]
    for means in sorted(every, key=lambda means: (_passed(means), strangeness(means, known))):
        by_state = {state: next(c for c in counts if means[c.name] == state) for state in _STATES}
        named = [roles.option(_NAMES[state], column.name) for state, column in by_state.items()]
        told = [f"{own[0]}: {own[1]} right, {own[2]} wrong, {own[3]} silent" for own in _rows(run, *by_state.values())]
        yield Way(" ".join([roles.option("run", run.name), *named]), remark="; ".join(told[:_RUNS]))


def _passed(means: Mapping[str, int]) -> bool:
    """Say whether a pass is what is right, or wrong, sooner than silence."""
    return any(roles.is_pass(name) and state != SILENT for name, state in means.items())


def _meant(name: str) -> int | None:
    """Say what a name means, or the one word for an outcome that it is but for a slip of the pen."""
    state = meaning(name)
    near = [] if state is not None else get_close_matches(roles.squash(name), STATES, 1, _NEAR)
    return STATES[near[0]] if near else state


def _rows(*columns: Column) -> Iterator[tuple[str | None, ...]]:
    return zip(*(c.cells for c in columns), strict=True)
