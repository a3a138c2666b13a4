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
from nescio.sources.source import Source
from nescio.sources.writing import write_text

SUFFIX = ".reading.toml"
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
    """Return where the reading of a table is saved."""
    return source.with_name(source.name + SUFFIX)


def with_saved(options: Options, sources: Sequence[Source]) -> tuple[Options, tuple[Note, ...]]:
    """Return options with those of the saved reading of the first table, where the user gave none; and a note on it."""
    path = options.reading
    if path is None:
        found = [place_of(source.path) for source in sources if source.path is not None]
        path = next((own for own in found if own.is_file()), None)
    if path is None:
        return options, ()
    saved = load(Path(path))
    more = {name: value for name, value in saved.items() if name not in options.given}
    if not more:
        return options, ()
    shown = " ".join(opt(name, value) for name, value in more.items())
    return options.but(**more), (note("saved.reading", "{subject}: read as {options}", str(path), options=shown),)


def load(path: Path) -> dict[str, Any]:
    """Return the options that a saved reading holds; raises FormatError for a file that is none."""
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
    """Return options with those of an answer to a question about a table; what maps names is added to what was given."""
    mapped = {name: {**getattr(options, name), **value} for name, value in answer.items() if isinstance(value, Mapping)}
    return options.but(**{**answer, **mapped})
