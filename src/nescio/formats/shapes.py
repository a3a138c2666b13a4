"""Describe the shape of a file by the keys that it has: "lines: task_id reward trial|turn".

Before the colon are kinds of files, separated by commas: `lines` (JSON Lines), `list` (a JSON list of objects),
`object` (one JSON object), `table` (CSV, TSV, Parquet, a table in memory), or `rows` for all of these but the object.
After the colon are the keys, all of which the file has. `a|b` means one of several keys, and `!a` a key that the file
does not have. A star matches any characters, and a question mark one character. A key within a document is a path:
`simulations[].trial` is a key of the first object in the list `simulations`, and `*.resolved` a key of any object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from nescio.sources.source import Source

Shapes = Mapping[str, Sequence[str]]  # keyed by the role of the file
TABLES = ("delimited", "parquet", "table")
_KINDS = {"table": TABLES, "rows": (*TABLES, "lines", "list")}
_WORDS = {"lines": "JSON Lines", "list": "a JSON list", "object": "a JSON object", "table": "a table"}
_WORDS |= {"rows": "a table, JSON Lines or a JSON list", "parquet": "a Parquet file", "archive": "an archive"}


def kind_of(source: Source) -> str:
    """Return the kind of a source, such as "lines"; for a JSON document it is "list" or "object"."""
    if source.kind != "document":
        return source.kind
    return "list" if isinstance(source.document, list) else "object"


def part_by_shape(shapes: Shapes, source: Source) -> str | None:
    """Return the first role in `shapes` that has a shape which the file fits, or None."""
    kind = kind_of(source)
    return next((part for part, specs in shapes.items() if any(_fits(spec, kind, source) for spec in specs)), None)


def fitting(formats: Mapping[str, Shapes], source: Source) -> list[str]:
    """Return the names of the formats that may read a file: those without shapes, and those with a shape that fits."""
    return [name for name, shapes in formats.items() if not shapes or part_by_shape(shapes, source) is not None]


def recogniser(shapes: Shapes) -> Callable[[Source], str | None]:
    """Return a function that recognises files by their shapes.

    The function gets a docstring in words, such as "Recognise JSON Lines with `id`, `answer`", which is shown to users.
    """

    def recognise(source: Source) -> str | None:
        return part_by_shape(shapes, source)

    recognise.__doc__ = f"Recognise {'; or '.join(_in_words(spec) for specs in shapes.values() for spec in specs)}."
    return recognise


def _fits(spec: str, kind: str, source: Source) -> bool:
    written, _, keys = spec.partition(":")
    kinds = [name for kind in written.split(",") for name in _KINDS.get(kind.strip(), (kind.strip(),))]
    return kind in kinds and all(any(_has(source, key) for key in several.split("|")) for several in keys.split())


def _has(source: Source, key: str) -> bool:
    if key.startswith("!"):
        return not _has(source, key[1:])
    if source.kind == "document" and ("." in key or "[]" in key):
        return _within(source.document, key.split("."))
    if "*" in key or "?" in key:
        return any(fnmatchcase(column, key) for column in source.columns)
    return key in source.columns


def _within(value: Any, path: Sequence[str]) -> bool:
    for i, name in enumerate(path):
        plain = name.removesuffix("[]")
        if plain == "*":
            members = value.values() if isinstance(value, dict) else ()
            return any(_within(member if name == plain else _first(member), path[i + 1 :]) for member in members)
        if not isinstance(value, dict) or plain not in value:
            return False
        value = value[plain]
        if name != plain:
            if not isinstance(value, list):
                return False
            value = _first(value)
    return True


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _in_words(spec: str) -> str:
    kinds, _, keys = spec.partition(":")
    needed = [several for several in keys.split() if not several.startswith("!")]
    named = ", ".join(" or ".join(f"`{key}`" for key in several.split("|")) for several in needed)
    shown = " or ".join(_WORDS.get(kind.strip(), kind.strip()) for kind in kinds.split(","))
    return f"{shown} with {named}" if named else shown
