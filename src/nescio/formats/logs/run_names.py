"""Name the runs of tools' logs after their models, files or folders, and refuse names that mean two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nescio.errors import MismatchError
from nescio.sources.source import Source
from nescio.text import sanitize


def printable(value: Any) -> str:
    """Return a text with its unprintable characters replaced; "" for a value that is not a text."""
    return sanitize(value, target="message") if isinstance(value, str) else ""


def runs_of(models: Sequence[str], tasks: Sequence[str], paths: Sequence[Path]) -> list[tuple[str, str]]:
    """Return, for each log, the name of its run and the prefix for the names of its questions.

    A run has all logs of a model, but if a model has two logs of one task, each of its logs is a run. The prefix is the
    task, such as "gsm8k/", if there are several tasks, else "".
    """
    again = {model for (model, _), count in Counter(zip(models, tasks, strict=True)).items() if count > 1}
    keys = [(model, path if model in again else None) for model, path in zip(models, paths, strict=True)]
    candidates = {key: (key[0] or path.stem, place(path)) for key, path in zip(keys, paths, strict=True)}
    names = dict(zip(candidates, run_names(list(candidates.values())), strict=True))
    several = len({*tasks}) > 1
    return [(names[key], f"{task}/" if several else "") for key, task in zip(keys, tasks, strict=True)]


def run_names(candidates: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of runs from pairs (name, distinction); names that are equal get their distinction in brackets.

    Raises MismatchError if two names are still equal.
    """
    wanted = Counter(name for name, _ in candidates)
    names = [name if wanted[name] == 1 else f"{name} ({apart})" for name, apart in candidates]
    for name, times in Counter(names).items():
        if times > 1:
            raise MismatchError(f"two of the files would both become run {name!r}; rename one of the files or folders")
    return names


def named(
    sources: Sequence[Source],
    name: Callable[[Source], str] = lambda source: source.stem,
    apart: Callable[[Source], Path] = lambda source: Path(source.label),
) -> Iterator[tuple[Source, str]]:
    """Yield each file with the name of its run, which is the stem of the file or the result of `name`.

    If two names are equal, the last two parts of the path that `apart` returns are added to each.
    """
    names = run_names([(name(source), place(apart(source))) for source in sources])
    return zip(sources, names, strict=True)


def runs_in(sources: Sequence[Source], folder: Callable[[Source], Path]) -> dict[Path, str]:
    """Return the name of each run, keyed by the folder that holds its files.

    A run is named after its folder. If two names are equal, the folder above is added to each.
    """
    folders = list(dict.fromkeys(map(folder, sources)))
    names = run_names([(path.name or "run", place(path)) for path in folders])
    return dict(zip(folders, names, strict=True))


def check_folders(sources: Sequence[Source], own: Callable[[Source], tuple[tuple[str, ...], Path]]) -> None:
    """Raise MismatchError if one task of a run has files in two folders, which come from two evaluations of a model.

    `own` is a function that returns what identifies the task of a file, the run first, and the folder of the run.
    """
    first: dict[tuple[str, ...], tuple[Path, Source]] = {}
    for source in sources:
        task, folder = own(source)
        before, other = first.setdefault(task, (folder, source))
        if before != folder:
            renamed = "files" if source.stem == task[0] else f"folders {task[0]}"
            raise MismatchError(
                f"{other.label} and {source.label} are not repeats, but both would become run {task[0]!r}; rename one "
                f"of the {renamed}, or score the files separately"
            )


def place(path: Path) -> str:
    """Return the last two names in the path of a file or folder, which distinguish runs of one name."""
    return "/".join(path.absolute().parts[-2:]).lstrip("/")
