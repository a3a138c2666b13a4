"""Names of columns that are made of a run and a part of its answers (`gpt.correct`, `gpt.silent`), and taken apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations

from msgspec import Struct

from nescio.formats.native import roles
from nescio.formats.native.headers import STEMS
from nescio.formats.native.readings.answers import answered, same
from nescio.formats.native.readings.columns import MINUS, Column

_SERIES = 3  # columns that make one
_FEW = 3  # words of a verdict
MARK = re.compile(r"[^\w.]+|_+|\.|(?<=[a-z0-9])(?=[A-Z])")
ASKING = ("is", "has", "was", "did", "used", "needs", "contains")  # what names of yes and no begin with, and no run's
_CLOSING = {"(": ")", "[": "]"}  # the other side of a mark
_OF_ANSWERS = ("outcome", "wrong", "abstained", "answered", "prediction", "judges", "between", "whose")
_LAST_WORDS = tuple(stem for part in _OF_ANSWERS if part != "whose" for stem in STEMS[part])
_WORDS = (*_LAST_WORDS, *STEMS["whose"])
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


def may_hold(column: Column) -> bool:
    """Say whether a column holds verdicts; with -1, they are yet to be explained."""
    return column.is_verdict or _numbers({*column.words} - MINUS)


def _numbers(words: set[str]) -> bool:
    return bool(words) and all(w[0].isdigit() for w in words) and all(roles.truth_of(w) is not None for w in words)


def kind_of(column: Column) -> str:
    """Say what the verdicts of a column are: numbers, truths, or words."""
    if _numbers({*column.words} - MINUS):
        return "numbers"
    return "truths" if column.is_truth else "words"


def are_parts(runs: Runs, by_name: Mapping[str, Column]) -> bool:
    """Say whether columns are several of each run, and no runs: in each run, what one says yes of is never, or always,
    what another says yes of."""
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
            own = [run for name in names if name for run, _ in split(name, behind=behind) if run in runs]
            return Runs({run: {part: by_part[part][run] for part in found} for run in dict.fromkeys(own)})
    return None


def _by_part(names: Sequence[str], *, behind: bool) -> dict[str, dict[str, str]]:
    """Return for each part that names may be made of, by the run, the name."""
    by_part: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for run, part in split(name, behind=behind):
            by_part[part].setdefault(run, name)
    return by_part


def composed(free: Sequence[Column], *, gold: Column | None = None, sure: bool = True) -> Runs | None:
    """Return the runs whose columns have names made of a run and a part, one run before all its parts or behind them:
    of all ways to take names apart the one that explains most columns. A part speaks of an answer, and one of them of a
    verdict, or is answers to questions of which `gold` has the right ones; where nothing is `sure`, there are several,
    of which one could be it."""
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
            if not behind and _begin_alike(names, by_part):
                continue
            parts = _parts_of(by_part, names)
            runs = [run for c in free for run, _ in split(c.name, behind=behind) if run in names]
            found = Runs({run: {part: by_part[part][run] for part in parts} for run in dict.fromkeys(runs)})
            if len(set(found.names)) < len(found.names) or any(
                _are_of_objects([own[part] for own in found.columns.values()]) for part in parts
            ):
                continue
            held = {part: [by_name[own[part]] for own in found.columns.values()] for part in parts}
            tells = (_tells(part, held[part], sure=sure) or _are_answers(held[part], gold) for part in parts)
            if not any(tells) or not (sure or len(parts) > 1):
                continue
            if sure and parts == [_record_of(found)]:
                continue
            weight = (
                not sure and are_parts(found, by_name),
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


def _record_of(runs: Runs) -> str | None:
    """Return the name of an object that may hold what is said of one answer, and no runs: it is a noun (`assessment`,
    not `correct`), and all its members have plain names; None where it is no such object."""
    paths = [_MEMBER.fullmatch(name) for name in runs.names]
    above = {path[1] for path in paths if path and path[2].isidentifier()}
    if len(above) != 1 or not all(path and path[2].isidentifier() for path in paths):
        return None
    name = above.pop()
    says = any(token.startswith((*STEMS["right"], *STEMS["wrong"])) for token in Column(name, ()).tokens)
    return None if says else name


def _tells(part: str, held: Sequence[Column], *, sure: bool) -> bool:
    """Say whether a part is named for a verdict, where that is to be `sure`, and what it holds is one in each run."""
    column = Column(part, ())
    verdict = column.named("outcome") or column.named("wrong") or not (sure or column.named("fact"))
    words = frozenset().union(*(c.words for c in held))
    alike = len({*map(kind_of, held)}) == 1 and not _are_apart(held)
    known = all(map(may_hold, held)) or (not sure and 1 < len(words) <= _FEW and any(c.words == words for c in held))
    return bool(verdict) and known and alike


def _are_answers(held: Sequence[Column], gold: Column | None) -> bool:
    """Say whether a part holds answers in each run: some are the gold answer, and those of one run tell."""
    if gold is None or not all(any(map(same, column.cells, gold.cells)) for column in held):
        return False
    return any(any(answered((column, gold))) for column in held)


def _are_apart(columns: Sequence[Column]) -> bool:
    """Say whether two columns of two words each have none in common: runs are judged in the same words."""
    several = [c.words for c in columns if len(c.words) > 1]
    return any(a.isdisjoint(b) for a, b in combinations(several, 2))


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


def split(name: str, *, behind: bool) -> Iterator[tuple[str, str]]:
    """Yield the run and the part of a name, at each mark in it."""
    for mark in MARK.finditer(name):
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
    return len({MARK.split(name)[-1] for name in names}) == 1


def _begin_alike(names: frozenset[str], by_part: Mapping[str, Mapping[str, str]]) -> bool:
    """Say whether names end in one word, and what stands before that has other columns, which are then of the runs:
    `gpt_retrieval_hit` beside `gpt_verdict` is of `gpt`."""
    if not _share_an_edge(names):
        return False
    runs = {name[: [*MARK.finditer(name)][-1].start()] for name in names if MARK.search(name)}
    last = MARK.split(next(iter(names)))[-1]
    others = [own for part, own in by_part.items() if MARK.split(part)[0] != last]
    return len(runs) == len(names) and any(own.keys() >= runs for own in others)


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
            and (column.tokens[0] in ASKING or all(t.startswith(STEMS["fact"]) for t in column.tokens))
        )
        for column in (Column(name, ()) for name in names)
    )
