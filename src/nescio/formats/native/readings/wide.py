"""Tables with a column, or several, for each run, or with one for each question: the rows that they mean, one an
answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.headers import INDEXES, STEMS
from nescio.formats.native.readings.columns import MINUS, Column
from nescio.formats.native.readings.table import Table, answered, table_of
from nescio.sources.database import connect
from nescio.sources.opening import open_table
from nescio.sources.rows import KEY
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows
from nescio.text import decimal

RUN, QUESTION, OUTCOME = "run", "question", "outcome"
_NAMES = {RUN: (RUN, "the run", "run of the column"), QUESTION: (QUESTION, "the question", "question of the column")}
_SERIES, _SENTENCE = 3, 5  # columns that make one; words of one
UNTOLD = (KEY, *INDEXES)  # what says nothing of the names below it
_DIGITS = re.compile(r"\d+")
_MARK = re.compile(r"[^\w.]+|_+|\.")
_ASKING = ("is", "has", "was", "did", "used", "needs", "contains")  # what names of yes and no begin with, and no run's
_CLOSING = {"(": ")", "[": "]"}  # the other side of a mark
_OF_ANSWERS = ("outcome", "wrong", "abstained", "answered", "prediction", "judges", "between", "whose")
_LAST_WORDS = tuple(stem for part in _OF_ANSWERS if part != "whose" for stem in STEMS[part])
_WORDS = (*_LAST_WORDS, *STEMS["whose"])
_NO_RUNS = ("outcome", "wrong", "abstained", "answered", "prediction", "gold", "id", "fact", "repeat", "judges")


_MEMBER = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_].*)")  # of an object; the dot of `gpt-4.1` is another


class Runs(Struct, frozen=True):
    """The columns of each run: by the run, the column of each part. Where `runs_in` is a column that names runs, the
    others are those of questions."""

    columns: Mapping[str, Mapping[str, str]]
    runs_in: str | None = None

    @property
    def names(self) -> list[str]:
        """All of these columns."""
        return [name for own in self.columns.values() for name in own.values()]


def runs_of(table: Table) -> Runs | None:
    """Return the runs of a table that has columns for each: columns whose names are made of a run and a part, or that
    bear the name of a run and hold verdicts. Where the rows are runs, the columns are questions. None where a row is an
    answer, and where rows and columns could both be runs."""
    found, key, is_matrix = _crossed(table)
    across = _is_across(table, list(found.columns), key) if found and key else False
    untold = (
        found is not None and key is None and len(found.columns) >= _SERIES and could_be_questions([*found.columns])
    )
    if found is None or across is None or untold or (is_matrix and not across) or _may_be_judges(found):
        return None
    return replace(found, runs_in=key.name) if key and across else found


def _may_be_judges(runs: Runs) -> bool:
    """Say whether runs are but letters or numbers behind one name for a verdict (`verdict_a`), which may be those of
    judges."""
    names = list(runs.columns)
    alone = all(len(own) == 1 and name not in own.values() for name, own in runs.columns.items())
    return alone and all(len(name) == 1 for name in names)


def runs_of_columns(names: Sequence[str], runs_in: str | None) -> Runs:
    """Return the runs whose columns of verdicts the user named, without what all these names end in behind a mark."""
    ends = [{name[at.start() :] for at in _MARK.finditer(name) if at.start()} for name in names]
    end = max(set.intersection(*ends) if ends else (), key=len, default="")
    return Runs({name.removesuffix(end): {OUTCOME: name} for name in names}, runs_in)


def either_way(source: Source) -> str | None:
    """Return the column of which it cannot be told, and the user did not say, whether it names runs, with a column for
    each question, or questions, with one for each run."""
    told = {part: column for part, column in source.named.items() if part not in source.guessed}
    try:
        table = table_of(replace(source, named=told))
    except FormatError:  # it is no sound table, which its reader says
        return None
    found, key, _ = _crossed(table)
    return key.name if found and key and _is_across(table, list(found.columns), key) is None else None


def _crossed(table: Table) -> tuple[Runs | None, Column | None, bool]:
    """Return the columns of a table that has some for each run, or one for each question; in the second case, as far as
    it may be, the column that tells the rows apart; and whether all is numbers, as in a score matrix."""
    if table.known.one("outcome", "wrong", "prediction"):
        return None, None, False
    run, series = table.one("run"), _series(table)
    keys = {c.name for c in table.columns if _is_key(c) or c is table.gold} - series
    keys |= table.claimed("score", "failure", "abstained", "answered")
    free = [c for c in table.columns if c.name not in keys and len(c.words) > 0 and c is not run]
    names = [c for c in table.columns if None not in c.cells and table.apart([c])]
    said = {word for c in free if c.is_verdict for word in c.words}  # of few rows, all of which may differ
    texts = [c for c in free if c in names and not _could_be_a_run(c) and not c.words <= said]
    if run is None:
        by = [c for c in names if c not in free or c in texts]
        if found := _composed(free):
            return found, None, False
        found, plain = _bare(free, series)
        if found and speaks_of_parts(table):
            return None, None, False
        return found, by[0] if len(by) == 1 else None, plain
    asked = free if could_be_questions([c.name for c in free]) else [c for c in free if c.name in series]
    if run not in names or (texts and not asked) or table.known.one("id", "text"):
        return None, None, False
    found, _ = _bare(asked or free, series)  # what else a row holds is of its run, as its size is
    told = found and (RUN in table.known.named or asked)
    return (found, run, False) if told else (None, None, False)


def _series(table: Table) -> set[str]:
    """Return the names of columns of verdicts that are those of questions."""
    words = _said_in(table.columns)
    held = [c.name for c in table.columns if c.words and c.words <= words]
    return {*held} if len(held) >= _SERIES and could_be_questions(held) else set()


def _is_across(table: Table, names: Sequence[str], key: Column) -> bool | None:
    """Say whether columns are questions, and rows runs: the column of the rows names runs, or only the columns have
    names such as questions have. None where there are more columns than rows, and nothing tells them apart."""
    columns, rows = could_be_questions(names), could_be_questions(key.cells)
    if key is table.one("run") or "id" in table.known.named:
        return key is table.one("run")
    if len(names) < _SERIES:
        return False
    if columns != rows:
        return columns
    of_questions = roles.part_of(key.name) == "text" or (key.named("id") > 1 and roles.squash(key.own) not in UNTOLD)
    return False if of_questions or len(names) <= len(key.cells) else None


def could_be_questions(names: Sequence[str | None]) -> bool:
    """Say whether names are those of questions: numbers behind one word for them, or whole sentences."""
    words = [name or "" for name in names]
    stems = {_DIGITS.sub("", word) for word in words}
    if len(stems) == 1 and all(map(_DIGITS.search, words)):
        stem = stems.pop()
        return not any(map(str.isalpha, stem)) or Column(stem, ()).named("id") > 0
    return all(word.endswith("?") or len(word.split()) >= _SENTENCE for word in words)


def rows_of(source: Source, runs: Runs) -> Source:
    """Return the table that has a row for each answer."""
    with connect(small=small(source)) as connection:
        have = {name: cell for name, cell in load_rows(connection, source, "cells").items() if name is not None}
        loaded = connection.execute(f"SELECT {', '.join(have.values())} FROM cells ORDER BY row").fetchall()
    columns = dict(zip(have, zip(*loaded, strict=True), strict=True))
    shared = [name for name in have if name not in runs.names]
    made: dict[str, list[Any]] = {name: [*columns[name]] * len(runs.columns) for name in shared}
    parts = list(dict.fromkeys(part for own in runs.columns.values() for part in own))
    if "" in made and runs.runs_in is None and not roles.roles_of(made).one("id", "text"):
        made[QUESTION] = made.pop("")  # an index, which pandas names so
    names_a = RUN if runs.runs_in is None else QUESTION
    heading = next(name for name in _NAMES[names_a] if name not in made)
    made[heading] = [name for name in runs.columns for _ in loaded]
    for part in parts:
        made[part if part not in made else f"{part} of the answer"] = [
            cell for own in runs.columns.values() for cell in columns[own[part]]
        ]
    if runs.runs_in is None:
        named = dict(source.named)
        read = note(
            "table.wide",
            "{subject}: {columns} runs have columns of their own ({runs:list}): each row is an answer of each of them",
            str(source.label),
            columns=len(runs.columns),
            runs=list(runs.columns),
        )
    else:
        made[RUN] = made.pop(runs.runs_in)
        named = {RUN: RUN, QUESTION: heading}
        first, *_, last = runs.columns
        read = note(
            "table.across",
            "{subject}: {columns} questions have columns of their own ({first!r} to {last!r}): each row is a run, by "
            "the column {run!r}",
            str(source.label),
            columns=len(runs.columns),
            first=first,
            last=last,
            run=runs.runs_in,
        )
    return replace(
        open_table(made),
        name=source.name,
        path=source.path,
        packed=source.packed,
        named=named,
        turned=source.turned,
        guessed=source.guessed | (named.keys() - source.named.keys()),
        notes=(*source.notes, read),
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
        and not (column.is_verdict or column.is_marks)
    )


def _bare(free: Sequence[Column], series: Collection[str]) -> tuple[Runs | None, bool]:
    """Return the columns that hold verdicts of one kind and bear names that are no part's: of runs, beside whatever is
    of the question; and whether they are numbers alone, as scores are. One may have some of the words of the others
    alone, such as those for silence."""
    held = [c for c in free if c.name in series or not any(map(c.named, _NO_RUNS))]
    verdicts = [c for c in held if _may_hold(c)]
    kinds = {_kind(c) for c in verdicts}
    words = _said_in(held)
    verdicts = [c for c in held if c in verdicts or {*c.words} <= words]
    others = [c for c in free if c not in verdicts]
    said = {state for c in verdicts for state in c.states.values()}
    marked = kinds == {"words"} or any(MINUS & c.words for c in verdicts)  # which nothing but a verdict says
    could = [c for c in others if _could_be_a_run(c) and not (marked and not _is_like(c, words))]
    if len(verdicts) < 2 or len(kinds) > 1 or not {CORRECT, INCORRECT} <= said or could:
        return None, False
    if (
        any(c.silent_words or c.words & words for c in others)
        or any(answered(others))  # a row then is one answer
        or _share_a_part(verdicts, others)
    ):
        return None, False
    if any(c.tokens[:1] and c.tokens[0] in _ASKING for c in verdicts):
        return None, False
    scores = kinds == {"numbers"} and not others and not any(MINUS & c.words for c in verdicts)
    return Runs({c.name: {OUTCOME: c.name} for c in verdicts}), scores


def _is_like(column: Column, words: Collection[str]) -> bool:
    """Say whether a column holds what verdicts in these words do, and does not by its name speak of something else: a
    run looks like its siblings."""
    other = column.is_counted or any(map(column.named, ("fact", "repeat", "judges")))
    return not other and bool(column.words) and column.words <= {*words}


def _said_in(columns: Sequence[Column]) -> set[str]:
    """Return the words of verdicts, and those of columns that have some of them alone."""
    verdicts = [c for c in columns if _may_hold(c)]
    said = {word for c in verdicts for word in c.words}
    if any(_kind(c) == "words" for c in verdicts):
        said |= {word for c in columns if c.words and None not in c.states.values() for word in c.words}
    return said


def _share_a_part(verdicts: Sequence[Column], others: Sequence[Column]) -> bool:
    """Say whether the names of verdicts are made of something else and one word that nobody knows, and others of the
    same and another word: what the verdicts say is then unknown."""
    for behind in (False, True):
        split = [{*_split(c.name, behind=behind)} for c in verdicts]
        parts = set.intersection(*({part for _, part in ways} for ways in split))
        runs = {run for ways in split for run, part in ways if part in parts}
        beside = {run for c in others for run, _ in _split(c.name, behind=behind)}
        if parts and len(runs & beside) > 1:
            return True
    return False


def _could_be_a_run(column: Column) -> bool:
    """Say whether a column holds what could be verdicts or scores of one more run, or objects that hold such."""
    numbers = sum(decimal(word) is not None or word.startswith("{") for word in column.words)
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


def groups_of(table: Table) -> Runs | None:
    """Return the runs that a table may have several columns for each of, one of which could be the verdict whatever it
    is called."""
    if table.known.one("outcome", "wrong", "prediction"):
        return None
    keys = {c.name for c in (*table.key, table.gold) if c} | {c.name for c in table.columns if _is_key(c)}
    return _composed([c for c in table.columns if c.name not in keys and c.words], sure=False)


def speaks_of_parts(table: Table) -> bool:
    """Say whether columns of verdicts are several of each run, and no runs: in each run, what one says yes of is never,
    or always, what another says yes of, as of right answers and declined ones."""
    runs = groups_of(table)
    return runs is not None and _are_parts(runs, table.by_name)


def _are_parts(runs: Runs, by_name: Mapping[str, Column]) -> bool:
    said: dict[str, list[set[int]]] = defaultdict(list)
    for own in runs.columns.values():
        for part, column in ((part, by_name[name]) for part, name in own.items()):
            said[part].append(
                {i for i, cell in enumerate(column.cells) if column.is_truth and cell and roles.truth_of(cell)}
            )
    telling = [yes for yes in said.values() if all(yes) and sum(map(len, yes)) >= _SERIES]
    return any(
        all(a.isdisjoint(b) for a, b in zip(one, other, strict=True))
        or all(a < b for a, b in zip(one, other, strict=True))
        for one, other in permutations(telling, 2)
    )


def runs_of_parts(names: Sequence[str | None], parts: Collection[str]) -> Runs | None:
    """Return the runs that columns are of, where each of some parts is what the names of several have in common."""
    for behind in (False, True):
        by_part = _by_part([name for name in names if name], behind=behind)
        runs = frozenset.intersection(*(frozenset(by_part.get(part, ())) for part in parts))
        if len(runs) > 1 and {*parts} <= {*(found := _parts_of(by_part, runs))}:
            own = [run for name in names if name for run, _ in _split(name, behind=behind) if run in runs]
            return Runs({run: {part: by_part[part][run] for part in found} for run in dict.fromkeys(own)})
    return None


def _by_part(names: Sequence[str], *, behind: bool) -> dict[str, dict[str, str]]:
    """Return for each part that names may be made of, by the run, the name."""
    by_part: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for run, part in _split(name, behind=behind):
            by_part[part].setdefault(run, name)
    return by_part


def _composed(free: Sequence[Column], *, sure: bool = True) -> Runs | None:
    """Return the runs whose columns have names made of a run and a part, one run before all its parts or behind them:
    of all ways to take names apart the one that explains most columns. A part speaks of an answer, and one of them of a
    verdict; where nothing is `sure`, there are several, of which one could be it."""
    best: tuple[tuple[int, ...], Runs] | None = None
    by_name = {c.name: c for c in free}
    for behind in (False, True):
        by_part = _by_part([c.name for c in free], behind=behind)
        several = {part: frozenset(own) for part, own in by_part.items() if len(own) > 1}
        if sure:
            several = {part: own for part, own in several.items() if _is_part(part)}
        for names in dict.fromkeys(several.values()):
            if not _are_runs(names, sure=sure):
                continue
            parts = _parts_of(by_part, names)
            runs = [run for c in free for run, _ in _split(c.name, behind=behind) if run in names]
            found = Runs({run: {part: by_part[part][run] for part in parts} for run in dict.fromkeys(runs)})
            if len(set(found.names)) < len(found.names) or any(
                _are_of_objects([own[part] for own in found.columns.values()]) for part in parts
            ):
                continue
            if not any(_tells(found, part, by_name, sure=sure) for part in parts) or not (sure or len(parts) > 1):
                continue
            weight = (
                not sure and _are_parts(found, by_name),
                len(found.names),
                behind or not _share_an_edge(names),
                -sum(map(_strangers, parts)),
                not behind or sum(map(_ends_as_a_part, parts)),
                sum(map(len, parts)),
            )
            if best is None or weight > best[0]:
                best = weight, found
    return best[1] if best else None


def _are_of_objects(names: Sequence[str]) -> bool:
    """Say whether columns stand in different objects under different names, which are then no runs: `metrics.correct`
    and `meta.human_correct`."""
    paths = [_MEMBER.fullmatch(name) for name in names]
    return all(paths) and all(len({path[i] for path in paths if path}) > 1 for i in (1, 2))


def _tells(runs: Runs, part: str, by_name: Mapping[str, Column], *, sure: bool) -> bool:
    """Say whether a part is named for a verdict, where that is to be `sure`, and holds one in each run."""
    column = Column(part, ())
    verdict = column.named("outcome") or column.named("wrong") or not (sure or column.named("fact"))
    held = [by_name[own[part]] for own in runs.columns.values()]
    return bool(verdict) and all(map(_may_hold, held)) and len({*map(_kind, held)}) == 1


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
        before, after = name[: mark.start()], name[mark.end() :].rstrip(_CLOSING.get(mark[0].strip(), ""))
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


def _are_runs(names: frozenset[str], *, sure: bool) -> bool:
    """Say whether names may be those of runs: not of judges, and no parts themselves; where nothing is `sure`, not all
    of them."""
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
    return not (any if sure else all)(
        all(token.startswith(judges) for token in column.tokens)
        or any(map(column.named, ("outcome", "wrong", "abstained")))
        or (
            column.tokens[:1]
            and (column.tokens[0] in _ASKING or all(t.startswith(STEMS["fact"]) for t in column.tokens))
        )
        for column in (Column(name, ()) for name in names)
    )
