"""Save and load the readings of tables: FILE.reading.toml beside a table holds reading options, keyed by name."""

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
BESIDE = "saved.beside"  # the code of the note on a reading that the user did not name
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
    """Return the path of the saved reading of a table, which lies beside the table `source`."""
    return source.with_name(source.name + SUFFIX) if source.name else source


def with_mapping(options: Options) -> Options:
    """Return options with `mapping` merged into `column`. Entries of `column` override those of `mapping`."""
    return options.but(column={**options.mapping, **options.column}, mapping={}) if options.mapping else options


def in_effect(options: Options, items: Sequence[Any]) -> tuple[Options, tuple[Note, ...]]:
    """Return the options with which the tables are read, and a note if a saved reading was applied.

    The option `mapping` becomes part of `column`. A saved reading is a file with options for reading a table, which
    lies beside the table or is named by the user. Each of its options applies unless the user gave that option. Raises
    UsageError if several tables have different saved readings.
    """
    options = with_mapping(options)
    paths = (
        [options.reading]
        if options.reading
        else [place_of(Path(table)) for table in items if isinstance(table, (str, Path))]
    )
    readings = {str(path): load(Path(path)) for path in paths if options.reading or _is_file(Path(path))}
    if not readings:
        return options, ()
    (path, saved), *others = readings.items()
    if any(other != saved for _, other in others):
        raise UsageError(
            f"the saved readings of {path} and {others[0][0]} differ; name the reading to use with {opt('reading')}"
        )
    more = {name: value for name, value in saved.items() if name not in options.given}
    if not more:
        return options, ()
    shown = " ".join(opt(name, value) for name, value in more.items())
    if options.reading:
        return options.but(**more), (note("saved.named", "{subject}: read as {options}", path, options=shown),)
    return options.but(**more), (
        note(
            BESIDE,
            ("{subject}, a saved reading beside the table, sets how the table is read: {options}"),
            path,
            options=shown,
        ),
    )


def _is_file(path: Path) -> bool:
    """Return whether a path is that of an existing file. A name that cannot be a path gives False."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def load(path: Path) -> dict[str, Any]:
    """Return the options in a saved reading of a table. Raises FormatError for any other file."""
    try:
        reading = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{opt('reading')} {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        rule = f"this is not a saved reading (a FILE{SUFFIX} with the options for a table): {error}"
        raise FormatError(path, rule) from None
    if unknown := reading.keys() - {*KEPT}:
        raise FormatError(path, f"a saved reading holds {', '.join(KEPT)}", value=sorted(unknown))
    return reading


def save(path: Path, options: Mapping[str, Any]) -> None:
    """Write the options for reading a table to a saved reading, which later calls apply."""
    plain = [f"{name} = {json.dumps(value)}" for name, value in options.items() if not isinstance(value, Mapping)]
    tables = [
        "\n".join(["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(setting)}" for key, setting in value.items())])
        for name, value in options.items()
        if isinstance(value, Mapping)
    ]
    write_text(path, "\n".join([*plain, *tables]).strip() + "\n")


def with_answer(options: Options, answer: Mapping[str, Any]) -> Options:
    """Return options to which the answer to a question about a table is added.

    `answer` maps names of options to values. If a value is a mapping, it is added to the mapping that the user gave.
    """
    mapped = {name: {**getattr(options, name), **value} for name, value in answer.items() if isinstance(value, Mapping)}
    return options.but(**{**answer, **mapped})
