"""Tables with a column, or several, for each run: the rows that they mean, one an answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.formats.native import roles
from nescio.formats.native.headers import STEMS
from nescio.formats.native.readings.columns import MINUS, Column
from nescio.formats.native.readings.table import INDEXES, Table
from nescio.sources.database import connect
from nescio.sources.opening import open_table
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows
from nescio.text import decimal

RUN, OUTCOME = "run", "outcome"
_MARK = re.compile(r"[^\w.]+|_+|\.")
_OF_ANSWERS = ("outcome", "wrong", "abstained", "answered", "prediction", "judges", "between", "whose")
_LAST_WORDS = tuple(stem for part in _OF_ANSWERS if part != "whose" for stem in STEMS[part])
_WORDS = (*_LAST_WORDS, *STEMS["whose"])
_NO_RUNS = ("outcome", "wrong", "abstained", "answered", "prediction", "gold", "id", "fact", "repeat", "judges")


class Runs(Struct, frozen=True):
    """The columns of each run: by the run, the column of each part."""

    columns: Mapping[str, Mapping[str, str]]

    @property
    def names(self) -> list[str]:
        """All of these columns."""
        return [name for own in self.columns.values() for name in own.values()]


def runs_of(table: Table) -> Runs | None:
    """Return the runs of a table that has columns for each: columns whose names are made of a run and a part, or that
    bear the name of a run and hold verdicts; None where a row is an answer."""
    if table.one("run") is not None or table.known.one("outcome", "wrong", "prediction"):
        return None
    keys = {c.name for c in table.columns if _is_key(c)} | table.claimed("score", "failure", "abstained", "answered")
    free = [c for c in table.columns if c.name not in keys and len(c.words) > 0]
    return _composed(free) or _bare(free)


def rows_of(source: Source, runs: Runs) -> Source:
    """Return the table that has a row for each answer."""
    with connect(small=small(source)) as connection:
        have = {name: cell for name, cell in load_rows(connection, source, "cells").items() if name is not None}
        loaded = connection.execute(f"SELECT {', '.join(have.values())} FROM cells ORDER BY row").fetchall()
    columns = dict(zip(have, zip(*loaded, strict=True), strict=True))
    shared = [name for name in have if name not in runs.names]
    made: dict[str, list[Any]] = {name: [*columns[name]] * len(runs.columns) for name in shared}
    parts = list(dict.fromkeys(part for own in runs.columns.values() for part in own))
    run = next(name for name in (RUN, "the run", "run of the column") if name not in made)
    made[run] = [name for name in runs.columns for _ in loaded]
    for part in parts:
        made[part if part not in made else f"{part} of the answer"] = [
            cell for own in runs.columns.values() for cell in columns[own[part]]
        ]
    read = note(
        "table.wide",
        "{subject}: {columns} runs have columns of their own ({runs:list}): each row is an answer of each of them",
        str(source.label),
        columns=len(runs.columns),
        runs=list(runs.columns),
    )
    return replace(
        open_table(made), name=source.name, path=source.path, packed=source.packed, notes=(*source.notes, read)
    )


def _is_key(column: Column) -> bool:
    """Say whether a column is of the question: its name, its text, its gold answer."""
    part = roles.part_of(column.name)
    if roles.squash(column.name) in INDEXES:
        return True
    return part in ("id", "text", "gold", "answer", "answerable", "unanswerable") or (
        part is None
        and len(column.tokens) < 4
        and (column.named("id") > 1 or column.named("gold") > 1)
        and not column.is_verdict
    )


def _bare(free: Sequence[Column]) -> Runs | None:
    """Return the columns that hold verdicts of one kind and bear names that are no part's: of runs, beside whatever is
    of the question."""
    verdicts = [c for c in free if _may_hold(c) and not any(map(c.named, _NO_RUNS))]
    kinds = {_kind(c) for c in verdicts}
    others = [c for c in free if c not in verdicts]
    said = {state for c in verdicts for state in c.states.values()}
    if len(verdicts) < 2 or len(kinds) > 1 or not {CORRECT, INCORRECT} <= said or any(map(_could_be_a_run, others)):
        return None
    numbers = kinds == {"numbers"}
    if numbers and not others and not any(MINUS & c.words for c in verdicts):
        return None  # a score matrix
    return Runs({c.name: {OUTCOME: c.name} for c in verdicts})


def _could_be_a_run(column: Column) -> bool:
    """Say whether a column holds what could be verdicts or scores of one more run."""
    numbers = sum(decimal(word) is not None for word in column.words)
    return column.is_verdict or 2 * numbers >= len(column.words)


def _may_hold(column: Column) -> bool:
    """Say whether a column holds verdicts; with -1, they are yet to be explained."""
    return column.is_verdict or _numbers({*column.words} - MINUS)


def _numbers(words: set[str]) -> bool:
    return bool(words) and all(w[0].isdigit() for w in words) and all(roles.truth_of(w) is not None for w in words)


def _kind(column: Column) -> str:
    if _numbers({*column.words} - MINUS):
        return "numbers"
    return "truths" if column.is_truth else "words"


def _composed(free: Sequence[Column]) -> Runs | None:
    """Return the runs whose columns have names made of a run and a part, one run before all its parts or behind them:
    of all ways to take names apart the one that explains most columns."""
    best: tuple[tuple[int, ...], Runs] | None = None
    by_name = {c.name: c for c in free}
    for behind in (False, True):
        by_part: dict[str, dict[str, str]] = defaultdict(dict)
        for column in free:
            for run, part in _split(column.name, behind=behind):
                by_part[part].setdefault(run, column.name)
        several = {part: frozenset(own) for part, own in by_part.items() if len(own) > 1 and _is_part(part)}
        for names in filter(_are_runs, dict.fromkeys(several.values())):
            parts = _parts_of(by_part, names)
            runs = [run for c in free for run, _ in _split(c.name, behind=behind) if run in names]
            found = Runs({run: {part: by_part[part][run] for part in parts} for run in dict.fromkeys(runs)})
            if len(set(found.names)) < len(found.names) or not any(_tells(found, p, by_name) for p in parts):
                continue
            weight = (
                len(found.names),
                behind or not _share_an_edge(names),
                -sum(map(_strangers, parts)),
                not behind or sum(map(_ends_as_a_part, parts)),
                sum(map(len, parts)),
            )
            if best is None or weight > best[0]:
                best = weight, found
    return best[1] if best else None


def _tells(runs: Runs, part: str, by_name: Mapping[str, Column]) -> bool:
    """Say whether a part is named for a verdict and holds one in each run."""
    column = Column(part, ())
    verdict = column.named("outcome") or column.named("wrong")
    return bool(verdict) and all(_may_hold(by_name[own[part]]) for own in runs.columns.values())


def _parts_of(by_part: Mapping[str, Mapping[str, str]], names: frozenset[str]) -> list[str]:
    """Return the parts that all of some runs have, the shortest first; no column is two parts."""
    taken: set[str] = set()
    parts = []
    for part in sorted((part for part, own in by_part.items() if own.keys() >= names), key=len):
        columns = {by_part[part][run] for run in names}
        if not columns & taken:
            taken |= columns
            parts.append(part)
    return parts


def _split(name: str, *, behind: bool) -> Iterator[tuple[str, str]]:
    """Yield the run and the part of a name, at each mark in it."""
    for mark in _MARK.finditer(name):
        before, after = name[: mark.start()], name[mark.end() :]
        if before and after:
            yield (after, before) if behind else (before, after)


def _is_part(part: str) -> bool:
    """Say whether a name speaks of an answer."""
    column = Column(part, ())
    return any(map(column.named, _OF_ANSWERS[:5])) and not column.named("fact")


def _strangers(part: str) -> int:
    """Count the words of a part that are no words for parts, and may be a run's."""
    return sum(not token.startswith(_WORDS) for token in Column(part, ()).tokens)


def _ends_as_a_part(part: str) -> bool:
    """Say whether the last word of a part is one for it; another such as `gpt` begins the run behind it."""
    *_, last = Column(part, ()).tokens or ("",)
    return last.startswith(_LAST_WORDS)


def _share_an_edge(names: frozenset[str]) -> bool:
    """Say whether names end in the same word: it then belongs to the part behind it."""
    return len({_MARK.split(name)[-1] for name in names}) == 1


def _are_runs(names: frozenset[str]) -> bool:
    """Say whether names may be those of runs: not of judges, and no parts themselves."""
    judges = (
        *STEMS["judges"],
        "human",
        "auto",
        "rule",
        "llm",
        "gold",
        "is",
        "was",
        "has",
        "answer",
        "model",
        "first",
        "second",
    )
    return not any(
        all(token.startswith(judges) for token in column.tokens)
        or any(map(column.named, ("outcome", "wrong", "abstained")))
        for column in (Column(name, ()) for name in names)
    )
