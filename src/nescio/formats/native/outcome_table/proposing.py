"""Which columns would settle it where a table repeats its questions: they are proposed, never taken."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

from nescio.data.repeats import REPEAT
from nescio.formats.native import roles
from nescio.formats.native.headers import ANNOTATORS, REPEATS
from nescio.formats.native.outcome_table.choosing import Chosen
from nescio.formats.native.outcome_table.loaded import Loaded
from nescio.text import decimal

_FEW = 8  # columns that could tell answers apart


def runs_that_fit(loaded: Loaded, chosen: Chosen) -> str:
    """Say which columns would name the run of a table that has none and repeats its questions: those whose values cross
    the questions, so that at least half of their pairs are there; empty where none would."""
    question = chosen.columns["question"]
    free = [name for name in loaded.have if name and name not in chosen.columns.values()]
    rows = loaded.rows()
    most = 2 * rows / loaded.count(question)
    fits = [name for name in free if 1 < loaded.count(name) <= most and loaded.count(name, question) == rows]
    fits.sort(key=loaded.count)
    either = [name for name in fits if roles.squash(name) not in REPEATS]
    if len(either) == 1 and all(decimal(word) is not None for word in loaded.words(either[0])):
        ways = f"{roles.option(REPEAT, either[0])} if it counts repeats, {roles.option('run', either[0])} if runs"
        return f"; each answer stands once with {either[0]!r}: {ways}"
    if said := roles.runs_among(either):
        return said
    few = [name for name in free if 1 < loaded.count(name) <= most][:_FEW]
    pairs = [(run, each) for run, each in permutations(few, 2) if loaded.count(question, run, each) == rows]
    pairs.sort(key=lambda pair: (not roles.speaks_of(pair[0], "run"), loaded.count(pair[0]), pair))
    if not fits and pairs:
        run, each = pairs[0]
        way = f"{roles.option('run', run)} {roles.option(REPEAT, each)}"
        return f"; each answer stands once with {run!r} and {each!r}: {way}"
    return ""


def repeats_that_fit(loaded: Loaded, chosen: Chosen) -> str:
    """Say which columns would tell apart the repeats of a table that repeats its questions, by what people call such,
    or by what names a run and is none; empty where none would."""
    if REPEAT in chosen.columns:
        return ""
    fits = _that_fit(loaded, chosen, REPEATS) or _that_fit(
        loaded, chosen, map(roles.squash, filter(roles.is_run, loaded.have))
    )
    if not fits and "run" in chosen.columns:
        fits = _that_fit(loaded, chosen, [roles.squash(name) for name in loaded.have if name and _is_few(loaded, name)])
    return f"; if a column says which repeat it is, say so: {roles.options(REPEAT, fits)}" if fits else ""


def _is_few(loaded: Loaded, column: str) -> bool:
    """Say whether a column has few different values, each in many rows, as one that counts repeats has."""
    return 1 < loaded.count(column) ** 2 <= loaded.rows()


def annotators_that_fit(loaded: Loaded, chosen: Chosen) -> str:
    """Say which column would tell apart the people of a table that has the verdicts of several on one answer, by what
    people call such; empty where none would."""
    fits = _that_fit(loaded, chosen, ANNOTATORS)
    return (
        f"; {fits[0]!r} says whose verdict it is: keep one verdict on each answer, of one person or of the majority"
        " (nescio assessors makes one of several)"
        if fits
        else ""
    )


def _that_fit(loaded: Loaded, chosen: Chosen, names: Iterable[str]) -> list[str]:
    """Return the columns of these names of which each value stands once with a question and run."""
    called = {*names}
    key = [column for part, column in chosen.columns.items() if part in ("run", "question")]
    free = [name for name in loaded.have if name and name not in chosen.columns.values()]
    return [name for name in free if roles.squash(name) in called and loaded.count(name, *key) == loaded.rows()]
