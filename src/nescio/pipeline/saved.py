"""Readings of tables that were saved beside them: FILE.reading.toml, options of reading by name."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.errors import FormatError, UsageError, opt
from nescio.pipeline.options import Options
from nescio.sources.writing import write_text

SUFFIX = ".reading.toml"
BESIDE = "saved.beside"  # the note on a reading that nobody named
KEPT = (
    "column",
    "outcome_map",
    "duplicates",
    "declined_right",
    "refusals",
    "total",
    "rest",
    "empty",
    "unparsed",
    "judge",
)


def place_of(source: Path) -> Path:
    """Return the path at which the reading of a table is saved."""
    return source.with_name(source.name + SUFFIX) if source.name else source


def with_mapping(options: Options) -> Options:
    """Return options with `mapping` among the columns."""
    return options.but(column={**options.mapping, **options.column}, mapping={}) if options.mapping else options


def in_effect(options: Options, items: Sequence[Any]) -> tuple[Options, tuple[Note, ...]]:
    """Return options with `mapping` among the columns, and with the saved reading of the tables if the user gave
    nothing else; and a note on that. Raises UsageError for tables with readings that differ."""
    options = with_mapping(options)
    paths = (
        [options.reading] if options.reading else [place_of(Path(own)) for own in items if isinstance(own, (str, Path))]
    )
    found = {str(path): load(Path(path)) for path in paths if options.reading or _is_file(Path(path))}
    if not found:
        return options, ()
    (path, saved), *others = found.items()
    if any(other != saved for _, other in others):
        raise UsageError(
            f"the saved readings of {path} and {others[0][0]} differ; {opt('reading')} names the one to use"
        )
    more = {name: value for name, value in saved.items() if name not in options.given}
    if not more:
        return options, ()
    shown = " ".join(opt(name, value) for name, value in more.items())
    if options.reading:
        return options.but(**more), (note("saved.named", "{subject}: read as {options}", path, options=shown),)
    return options.but(**more), (
        note("saved.beside", "{subject}, a saved reading beside the table: read as {options}", path, options=shown),
    )


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; False for a name that cannot be one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def load(path: Path) -> dict[str, Any]:
    """Return the options that a saved reading holds. Raises FormatError for a file that is none."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{opt('reading')} {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"this is no saved reading: {error}") from None
    if unknown := held.keys() - {*KEPT}:
        raise FormatError(path, f"a saved reading holds {', '.join(KEPT)}", value=sorted(unknown))
    return held


def save(path: Path, options: Mapping[str, Any]) -> None:
    """Write a reading."""
    plain = [f"{name} = {json.dumps(value)}" for name, value in options.items() if not isinstance(value, Mapping)]
    tables = [
        "\n".join(["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(own)}" for key, own in value.items())])
        for name, value in options.items()
        if isinstance(value, Mapping)
    ]
    write_text(path, "\n".join([*plain, *tables]).strip() + "\n")


def with_answer(options: Options, answer: Mapping[str, Any]) -> Options:
    """Return options with those of an answer to a question about a table; its mapping is added to the user's."""
    mapped = {name: {**getattr(options, name), **value} for name, value in answer.items() if isinstance(value, Mapping)}
    return options.but(**{**answer, **mapped})
