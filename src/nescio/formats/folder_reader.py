"""Folders that are named in place of the files in them: CBC's stories, or questions with their stories and runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.formats.benchmarks import cbc

QUESTIONS, STORIES, RUNS = "questions.jsonl", "stories.jsonl", "runs"


def files_of(items: Sequence[Any]) -> tuple[list[Any], tuple[Note, ...]]:
    """List what is given, with the files of a folder in its place; and notes on the files that are passed over.

    A folder holds .story files with their questions and keys, or questions.jsonl with stories.jsonl and runs/*.jsonl (as
    `nescio convert --to questions` writes them). Raises FormatError for any other folder.
    """
    found: list[Any] = []
    notes: list[Note] = []
    for item in items:
        if isinstance(item, (str, Path)) and os.path.isdir(item):  # Path.is_dir raises for a name too long
            files, passed_over = _in(Path(item))
            found += files
            notes += passed_over
        else:
            found.append(item)
    return found, tuple(notes)


def _in(folder: Path) -> tuple[list[Path], list[Note]]:
    if (folder / QUESTIONS).is_file():
        own = [folder / name for name in (QUESTIONS, STORIES) if (folder / name).is_file()]
        return own + sorted((folder / RUNS).glob("*.jsonl")), []
    if not any(folder.glob("*.story")):
        rule = f"this is a folder; name the files in it (those of a folder with .story files or {QUESTIONS} are found)"
        raise FormatError(folder, rule)
    files = cbc.files_in(folder)
    passed = len({*folder.glob("*.answers")} - {*files})
    if not passed:
        return files, []
    not_read = note(
        "cbc.answers_not_read",
        "{subject}: the keys are those of {keys}; {files} other .answers in the folder are not read",
        str(folder),
        keys=cbc.ALL_KEYS,
        files=passed,
    )
    return files, [not_read]
