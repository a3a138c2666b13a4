"""Find the files to read in a folder that the user gives: stories, questions with runs, or logs of other tools."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.formats.registry import FILES, REGISTRY
from nescio.sources.limits import check_files
from nescio.sources.opening import open_source
from nescio.sources.source import TEXT
from nescio.sources.workbooks import SUFFIX

QUESTIONS, STORIES, RUNS = "questions.jsonl", "stories.jsonl", "runs"
OUTPUT = "output"
ALL_KEYS = "expected.answers"  # the keys of all stories of a folder
TIRA = ("run.prototext", "stdout.txt", "file-list.txt")  # the files beside the folder `output` of a TIRA run
DATA = (*TEXT, SUFFIX)  # suffixes of files that may be tables
DEEPEST = 6  # the depth to which folders within a folder are searched


def files_of(items: Sequence[Any]) -> tuple[list[Any], tuple[Note, ...]]:
    """Return the items with each folder replaced by its files, and notes on the files left out.

    A folder may hold one of five kinds of content: .story files with their questions and keys; questions.jsonl with
    stories.jsonl and runs/*.jsonl; the single output file of a TIRA run; the logs of one tool; or tables and JSON. The
    logs may be in subfolders, and are recognised by their names. Raises FormatError for any other folder.
    """
    gathered: list[Any] = []
    notes: list[Note] = []
    for item in items:
        if isinstance(item, (str, Path)) and os.path.isdir(item):  # Path.is_dir raises an error for an overlong name.
            files, passed_over = _in(Path(item))
            gathered += files
            notes += passed_over
        else:
            gathered.append(item)
        check_files(len(gathered))
    return gathered, tuple(notes)


def _in(folder: Path) -> tuple[list[Path], list[Note]]:
    if (folder / QUESTIONS).is_file():
        collection_files = [folder / name for name in (QUESTIONS, STORIES) if (folder / name).is_file()]
        return collection_files + sorted((folder / RUNS).glob("*.jsonl")), []
    if (folder / OUTPUT).is_dir() and any((folder / name).is_file() for name in TIRA):
        return [_of_tira(folder / OUTPUT)], []
    if not any(folder.glob("*.story")):
        return _logs_in(folder)
    files = files_in(folder)
    passed = len({*folder.glob("*.answers")} - {*files})
    if not passed:
        return files, []
    not_read = note(
        "cbc.answers_not_read",
        "{subject}: the keys are from {keys}; {files} other .answers files in the folder are not read",
        str(folder),
        keys=ALL_KEYS,
        files=passed,
    )
    return files, [not_read]


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder of stories: the answer keys, the questions, the marked sentences and the stories.

    If expected.answers exists, it is the only file of keys, because it has all keys. Raises FormatError if the folder
    has no story.
    """
    stories = sorted(folder.glob("*.story"))
    if not stories:
        raise FormatError(folder, "this folder holds no .story file; give the files of the collection instead")
    whole = folder / ALL_KEYS
    keys = [whole] if whole.exists() else sorted(folder.glob("*.answers"))
    return [*keys, *sorted(folder.glob("*.questions")), *sorted(folder.glob("*.sentences")), *stories]


def _of_tira(output: Path) -> Path:
    """Return the one file of answers that a TIRA run wrote into the folder `output`, apart from metadata and logs.

    Raises FormatError if there is no such file, or if there are several.
    """
    files = [path for path in sorted(output.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    answers = [path for path in files if path.suffix not in (".yml", ".yaml", ".log")]
    if len(answers) == 1:
        return answers[0]
    names = ", ".join(str(path.relative_to(output)) for path in answers) or "nothing"
    raise FormatError(
        output,
        f"the output folder of a TIRA run must hold exactly one file of answers (found {names}); give the path of "
        "one file",
    )


def _logs_in(folder: Path) -> tuple[list[Path], list[Note]]:
    """Return the logs of one tool in a folder and its subfolders, or its tables if it has no logs; and notes on other
    files.

    Raises FormatError if the folder has neither, or has logs of several tools.
    """
    names = dict(FILES)
    logs: dict[str, list[Path]] = {name: [] for name in names}
    others = 0
    for path in every_file(folder):
        tools_of = [name for name, patterns in names.items() if any(_is_called(path, p) for p in patterns)]
        for name in tools_of:
            logs[name].append(path)
        others += not tools_of
    tools = {name: paths for name, paths in logs.items() if paths}
    if len(tools) > 1:
        tools = {name: [path for path in paths if _is_of(path, name)] for name, paths in tools.items()}
        tools = {name: paths for name, paths in tools.items() if paths}
    if not tools and any(folder.rglob("*.parquet")):
        return [folder], []  # All tables of the folder are parts of one table.
    if not tools and (tables := [path for path in every_file(folder) if path.suffix.lower() in DATA]):
        return tables, _passed_over(folder, tables, "table", len(every_file(folder)) - len(tables))
    if not tools:
        known = f".story files or {QUESTIONS}, and the logs of {', '.join(names)}"
        raise FormatError(folder, f"this is a folder; give the files inside (in a folder, nescio finds only {known})")
    if len(tools) > 1:
        shown = ", ".join(f"{len(paths)} of {name} (first: {paths[0]})" for name, paths in tools.items())
        raise FormatError(folder, f"this folder holds logs of several tools: {shown}; name the folder of one of them")
    ((name, paths),) = tools.items()
    return paths, _passed_over(folder, paths, name, others)


def _passed_over(folder: Path, paths: Sequence[Path], name: str, others: int) -> list[Note]:
    if not others:
        return []
    return [
        note(
            "folder.passed_over",
            "{subject}: {files:n file} of {format} {files:is/are} read, and {others:n other file} {others:is/are} not",
            str(folder),
            files=len(paths),
            format=name,
            others=others,
        )
    ]


def _is_called(path: Path, pattern: str) -> bool:
    """Return whether the end of a path matches a pattern, such as `*/runs/log.json` with three parts.

    As many parts of the path are compared as the pattern has.
    """
    return fnmatchcase("/".join(path.parts[-1 - pattern.count("/") :]), pattern)


def _is_of(path: Path, name: str) -> bool:
    """Return whether the format `name` recognises a file. A file that cannot be opened counts, so that its reader
    reports the error."""
    try:
        return bool(REGISTRY[name].recognise(open_source(path)))
    except FormatError:
        return True


def every_file(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, in order.

    Files whose names begin with a full stop are left out, unless a format's files have such names.
    """
    dotted = [pattern for patterns in FILES.values() for pattern in patterns if pattern.startswith(".")]
    paths: list[Path] = []
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < DEEPEST else []
        paths += [Path(place) / name for name in sorted(files) if not name.startswith(".") or name in dotted]
    return paths
