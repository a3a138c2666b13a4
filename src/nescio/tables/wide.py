"""Find columns that belong to one run each: `gpt_answer`, `gpt_correct`, `claude_answer`, `claude_correct`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from nescio.errors import UsageError
from nescio.tables.lexicon import BOUNDARY, DEEPEST, lexicon, rank, roles_of, squash

PATH = re.compile(r"[.\]/]")  # between the parts of a path
_ROLES = ("outcome", "score", "wrong", "prediction", "answer", "confidence", "abstained", "answered")


def families(columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the columns of each run, as a mapping from role to column, keyed by the name of the run.

    Their names consist of the run's name and a name for a role ("mine_correct"). A column whose whole name is in the
    lexicon belongs to no run, unless it is a path whose last part is in the lexicon. If a name can be split in several
    ways, it goes to the run that has the most other columns.
    """
    ways = {
        column: [*_splits(column)]
        for column in columns
        if not roles_of(column) or "row" in roles_of(column) or PATH.search(column)
    }
    shared = Counter(run for splits in ways.values() for run in {run for run, _, _ in splits})
    runs: dict[str, dict[str, str]] = {}
    for column, splits in ways.items():
        if splits:
            run, role, _ = max(splits, key=lambda split: shared[split[0]])
            held = runs.setdefault(run, {})
            if role not in held or rank(column, role) < rank(held[role], role):
                held[role] = column
    for held in runs.values():  # a "judgement" may be an answer: beside one it is a verdict
        if "answer" in held and "outcome" in roles_at_end(held.get("prediction", "")):
            held["outcome"], held["prediction"] = held["prediction"], held.pop("answer")
    return runs


def alike(columns: Iterable[str]) -> set[str]:
    """Return the columns whose names are paths and have the last part in common with another, as those of runs do."""
    ends = {column: squash(PATH.split(column)[-1]) for column in columns if PATH.search(column)}
    many = Counter(ends.values())
    return {column for column, end in ends.items() if end and many[end] > 1}


def roles_at_end(column: str) -> set[str]:
    """Return the roles that a column may have if its name is split into a run's name and a name for a role."""
    return {role for _, _, name in _splits(column) for role in roles_of(name)}


def by_run(columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the columns whose names consist of a run's name and a name for a role, keyed by run and then by role."""
    runs: dict[str, dict[str, str]] = {}
    for column in columns:
        for run, role, _ in _splits(column):
            runs.setdefault(run, {}).setdefault(role, column)
    return runs


def owner(column: str, runs: Collection[str]) -> tuple[str, str] | None:
    """Return the run whose name is a part of a column's name, and the rest of the name, or None.

    The longest name of a run counts.
    """
    cuts = [match.span() for match in BOUNDARY.finditer(column)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(column)]
    places = product({*starts[:DEEPEST], *starts[-DEEPEST:]}, {*ends[:DEEPEST], *ends[-DEEPEST:]})
    spans = [(end - start, start, end) for start, end in places if start < end and column[start:end] in runs]
    if not spans:
        return None
    _, start, end = max(spans)
    rest = ".".join(filter(None, (part.strip("_. -[]/") for part in (column[:start], column[end:]))))
    return (column[start:end], rest) if rest else None


def _splits(column: str) -> Iterator[tuple[str, str, str]]:
    """Yield the ways to split a column's name into a run's name and a name for a role.

    The way with the longest name for a role comes first.
    """
    cuts = [(match.start(), match.end()) for match in BOUNDARY.finditer(column) if match.start() > 0]
    behind = [(column[:start], column[end:]) for start, end in cuts[-DEEPEST:]]
    before = [(column[end:], column[:start]) for start, end in reversed(cuts[:DEEPEST])]
    for run, name in [*behind, *before]:
        known = [role for role, names in lexicon().names.items() if role in _ROLES and squash(name) in names]
        if known and squash(run) and squash(run) not in lexicon().components:
            yield run, known[0], name


def of_judges(runs: Iterable[str]) -> bool:
    """Return whether all `runs`, the parts of outcome columns' names that usually name runs, name judges instead."""
    return all(squash(run) in lexicon().judges for run in runs)


def differ_by_judges(columns: Sequence[str]) -> bool:
    """Return whether names of columns differ by a part that more likely names a judge than a run.

    Such a part is a number, a word for judges, or a letter after such a word, as in "judge_a_correct".
    """
    parts = {squash(part) for run in _runs_of(columns) for part in BOUNDARY.split(run) if part}
    parts |= {part.rstrip("0123456789") or part for part in parts}
    beginnings = {squash(_first_word(name)[0]) for name in columns}
    if len(beginnings) == 1 and all(len(part) == 1 for part in parts):
        parts |= beginnings
    return all(part.isdecimal() for part in parts) or bool(parts & lexicon().judges)


def like_those_of_judges(verdicts: Iterable[str], columns: Iterable[str]) -> list[tuple[str, ...]]:
    """Return each verdict that has counterparts by other judges, together with these counterparts.

    If a verdict names its judge (`human_correct`), a counterpart has another word there (`llama_correct`); this word
    may be the name of a run. If it does not, a counterpart has the same name with a number, a letter or a judge added
    (`verdict_2`).
    """
    verdicts, columns = [*verdicts], [*columns]
    groups: list[tuple[str, ...]] = []
    for verdict in verdicts:
        names = {squash(name) for run, name, _ in _splits(verdict) if squash(run) in lexicon().judges}
        like = [
            column
            for column in columns
            if column not in verdicts and any(squash(n) in names for _, n, _ in _splits(column))
        ]
        more = [column for column in columns if column not in (*verdicts, *like)]
        like += [column for column in more if _of_other_judge(column, verdict) or _numbers(column, verdict)]
        groups += [(verdict, *like)] if like else []
    return groups


def _of_other_judge(column: str, verdict: str) -> bool:
    """Return whether two names begin with the same word for judges, and the rest of `column` names no role."""
    (judge, rest), (other, _) = (_first_word(name) for name in (column, verdict))
    return squash(judge) in lexicon().judges and squash(judge) == squash(other) and bool(rest) and not roles_of(rest)


def _numbers(column: str, verdict: str) -> bool:
    """Return whether a column has the name of a verdict with a number, one letter or a word for judges added."""
    name, stem = squash(column), squash(verdict)
    parts = [squash(part) for part in BOUNDARY.split(column) if part]
    beside = {name.removeprefix(stem), name.removesuffix(stem)} - {name}
    words = {word for word in parts if len(word) == 1} | lexicon().judges
    return any(rest.isdecimal() or rest in words for rest in beside)


def _first_word(name: str) -> tuple[str, str]:
    boundary = next((match for match in BOUNDARY.finditer(name) if match.start() > 0), None)
    return (name[: boundary.start()], name[boundary.end() :]) if boundary else (name, "")


def with_most_columns(runs: Iterable[str], columns: Sequence[str]) -> list[str]:
    """Return the runs whose names begin the names of the most columns."""
    many = {run: sum(column.startswith(run) for column in columns) for run in runs}
    return [run for run in many if many[run] == max(many.values())]


def parts(given: Mapping[str, Sequence[str]]) -> list[tuple[str, dict[str, str]]]:
    """Return pairs of the name of a run and the run's own columns, keyed by role.

    The name of a run is the part in which the names of these columns differ. Raises UsageError if two roles name
    different runs.
    """
    runs = {role: _runs_of(names) for role, names in given.items()}
    (role, first), *others = runs.items()
    for other, columns in others:
        if columns.keys() != first.keys():
            listed = [f"{label} names {', '.join(held)}" for label, held in ((role, first), (other, columns))]
            raise UsageError(f"the columns of all roles must name the same runs, but {' and '.join(listed)}")
    return [(run, {role: columns[run] for role, columns in runs.items()}) for run in first]


def _runs_of(names: Sequence[str]) -> dict[str, str]:
    """Return the columns that hold a role, keyed by the name of the run to which each belongs."""
    before, behind = same_beginning(names), _same_end(names)
    runs = [name[len(before) : len(name) - len(behind)].strip("_. -") or name for name in names]
    if len({*runs}) < len(runs):
        runs = [*names]
    return dict(zip(runs, names, strict=True))


def same_beginning(names: Sequence[str]) -> str:
    """Return the beginning that all names have in common, up to its last boundary between words."""
    length = _alike(names)
    ends = [match.end() for match in BOUNDARY.finditer(names[0][:length])]
    return names[0][: max(ends, default=0)]


def _same_end(names: Sequence[str]) -> str:
    """Return the end that all names have in common, from its first boundary between words."""
    start = len(names[0]) - _alike([name[::-1] for name in names])
    starts = [match.start() for match in BOUNDARY.finditer(names[0]) if match.start() >= start]
    return names[0][min(starts, default=len(names[0])) :]


def _alike(names: Sequence[str]) -> int:
    """Return the number of letters that all names have in common at their beginning."""
    return next((i for i, letters in enumerate(zip(*names, strict=False)) if len({*letters}) > 1), min(map(len, names)))
