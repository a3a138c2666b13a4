"""Which columns would settle it where a table repeats its questions: they are proposed, never taken."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations

from nescio.data.repeats import REPEAT
from nescio.formats.native import roles
from nescio.formats.native.headers import ANNOTATORS, REPEATS
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.table import Table, table_of
from nescio.sources.source import Source
from nescio.text import decimal

_FEW = 8  # columns that could tell answers apart


def what_tells_apart(source: Source, taken: Mapping[str, str], but: Collection[str] = ()) -> str:
    """Say which columns would tell the answers to a question apart beside those that are `taken`, by the part that each
    plays, and others that are none: those of several people, by what people call such; the runs, where none are known;
    the repeats. Empty where none would."""
    seen = table_of(source)
    keys = [seen.by_name[taken[part]] for part in ("question", "run") if taken.get(part) in seen.by_name]
    free = [c for c in seen.columns if c.name not in {*taken.values(), *but} and len(c.words) > 1]
    fits = sorted((c for c in free if seen.apart([*keys, c])), key=lambda c: len(c.words))
    if people := _called(fits, ANNOTATORS):
        return (
            f"; {people[0]!r} says whose verdict it is: keep one verdict on each answer, of one person or of the "
            "majority (nescio assessors makes one of several)"
        )
    most = 2 * seen.size / len(keys[0].words) if keys else 0  # with which half of the pairs with questions are there
    runs = "" if "run" in taken else _runs(seen, keys, [c for c in free if len(c.words) <= most], fits)
    return runs + (
        "" if REPEAT in taken else _repeats(seen, fits, taken.get("question", ""), runs_known="run" in taken)
    )


def _runs(seen: Table, keys: Sequence[Column], few: Sequence[Column], fits: Sequence[Column]) -> str:
    own = [c for c in fits if c in few]
    either = [c for c in own if roles.squash(c.name) not in REPEATS]
    if len(either) == 1 and all(decimal(word) is not None for word in either[0].words):
        name = either[0].name
        ways = f"{roles.option(REPEAT, name)} if it counts repeats, {roles.option('run', name)} if runs"
        return f"; each answer stands once with {name!r}: {ways}"
    if own:
        return roles.runs_among([c.name for c in either])
    pairs = [(run, each) for run, each in permutations(few[:_FEW], 2) if seen.apart([*keys, run, each])]
    pairs.sort(key=lambda pair: (not roles.speaks_of(pair[0].name, "run"), len(pair[0].words), pair[0].name))
    for run, each in pairs[:1]:
        way = f"{roles.option('run', run.name)} {roles.option(REPEAT, each.name)}"
        return f"; each answer stands once with {run.name!r} and {each.name!r}: {way}"
    return ""


def _parts(question: str, column: str) -> str:
    """Say what a column of words may be that tells answers to a question apart: a part of what the question is, for
    which there is no option, as likely as what tells repeats apart."""
    return (
        f"; {column!r} and {question!r} together tell the answers apart: if each {column!r} has questions of its own, "
        f"write both into one column, such as {column}-{question}, and name it {roles.option('question', 'NAME')}; if "
        f"{column!r} says which repeat it is, {roles.option(REPEAT, column)}"
    )


def _repeats(seen: Table, fits: Sequence[Column], asked: str, *, runs_known: bool) -> str:
    """Propose what people call a repeat, or what names a run and is none; else what has few values, each in many rows,
    as what counts repeats has."""
    found = _called(fits, REPEATS) or [c.name for c in fits if roles.is_run(c.name)]
    if not found and runs_known:
        few = [c for c in fits if len(c.words) ** 2 <= seen.size]
        found = [c.name for c in few if all(decimal(word) is not None for word in c.words)]
        if few and not found:
            return _parts(asked, few[0].name)
    return f"; if a column says which repeat it is, say so: {roles.options(REPEAT, found)}" if found else ""


def _called(columns: Sequence[Column], names: frozenset[str]) -> list[str]:
    return [c.name for c in columns if roles.squash(c.name) in names]
