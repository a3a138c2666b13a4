"""Check where results go, before anything is computed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.errors import UsageError, opt
from nescio.formats.folder_reader import files_of
from nescio.sources.writing import is_special


def check_place(output: Path, inputs: Iterable[Any] = ()) -> None:
    """Raise UsageError if `output` cannot be written.

    It cannot be written if its folder is missing or read-only, or if it is one of the files to read (`inputs`).
    """
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: cannot be written: there is no folder {output.absolute().parent}")
    if is_special(output):
        if not os.access(output, os.W_OK):
            raise UsageError(f"{output}: cannot be written: it is read-only")
    elif not os.access(output.absolute().parent, os.W_OK):
        raise UsageError(f"{output}: cannot be written: the folder {output.absolute().parent} is read-only")
    paths = [Path(item) for item in inputs if isinstance(item, (str, Path))]
    if any(os.path.isdir(path) for path in paths):  # Path.is_dir raises for a name that is too long
        paths = [Path(path) for path in files_of(paths)[0]]
    for path in paths:
        if output.absolute() == path.absolute() or (output.exists() and path.exists() and output.samefile(path)):
            raise UsageError(f"{output} is one of the input files; write the results to another file")


def check_file(output: Path, what: str, suffixes: Sequence[str], inputs: Iterable[Any] = ()) -> None:
    """Raise UsageError if `what` ("a run") cannot be written to `output`: its suffix or its place does not allow it."""
    if output.suffix.lower() not in suffixes:
        between = " or " if len(suffixes) == 2 else ", "
        raise UsageError(f"{output}: {what} is written to {between.join(suffixes)} (found {output.suffix!r})")
    check_place(output, inputs)


def check_results(output: Path | None, inputs: Iterable[Any] = ()) -> None:
    """Raise UsageError if results cannot be written to `output`; None means that nothing is written."""
    if output is not None:
        from nescio.reporting.tables import check_suffix

        check_suffix(output)
        check_place(output, inputs)


def check_apart(output: Path, others: Mapping[str, Any]) -> None:
    """Raise UsageError if results and a file that another option names would have the same path."""
    for name, other in others.items():
        if output.absolute() == Path(other).absolute():
            raise UsageError(f"{opt('output')} and {opt(name)} must name two different files (found {str(output)!r})")


def as_path(path: Path | str | None) -> Path | None:
    """Return the path that a user gave, or None if the user gave none."""
    return None if path is None else Path(path)
