"""Why a file was taken for its format, in words: the rule of its `recognise`, and what of the file was enough for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from nescio.errors import shorten
from nescio.formats.registry import Format, Recognise
from nescio.sources.source import Source

_KINDS = {"lines": ("JSON Lines", "key"), "document": ("a JSON document", "key"), "archive": ("an archive", "member")}
_MOST, _FEW = 12, 3  # names shown; of members, and of keys that are questions more often than not, a few will do


def rule(format_: Format) -> str:
    """What `recognise` looks for, as its own first paragraph says."""
    first = inspect.cleandoc(format_.recognise.__doc__ or "").split("\n\n")[0]
    return " ".join(first.replace("`", "").split()).rstrip(".")


def seen(format_: Format, source: Source) -> str:
    """What was enough for the rule: the root of XML, the first line of text, else as few columns, keys or members as would do."""
    if source.kind == "xml":
        return f"XML with the root <{source.columns[0]}>"
    if source.kind == "text":
        return f"text that begins {shorten(str(source.first))}"
    what, part = _KINDS.get(source.kind, ("a table", "column"))
    found = enough(format_.recognise, source)
    others = [name for name in _names(source) if name not in found]
    several = "s" if len(found) > 1 else ""
    shown = f"{what}, by the {part}{several} {', '.join(found[:_MOST])}" if found else what
    most = _FEW if source.kind in ("document", "archive") else _MOST
    beside = ", ".join(others[:most]) + (f" and {len(others) - most:,} more" if len(others) > most else "")
    return f"{shown}; beside {'it' if len(found) == 1 else 'them'} {beside}" if found and others else shown


def enough(recognise: Recognise, source: Source) -> tuple[str, ...]:
    """As few columns, keys or members as would do for the file to be recognised as what it is; the first of them where others
    would do as well."""
    part = recognise(source)
    return tuple(_enough((), _names(source), lambda kept: recognise(_only(source, kept)) == part))


def _names(source: Source) -> tuple[str, ...]:
    return source.members if source.kind == "archive" else source.columns


def _enough(given: Sequence[str], names: Sequence[str], does: Callable[[Sequence[str]], bool]) -> list[str]:
    """What is needed of the names where some are given: halved again and again, so that a few of thousands are quickly found."""
    if does(given):
        return []
    if len(names) <= 1:
        return [*names]
    half = len(names) // 2
    second = _enough([*given, *names[:half]], names[half:], does)
    return _enough([*given, *second], names[:half], does) + second


def _only(source: Source, names: Collection[str]) -> Source:
    """The source as it would be if it had only these."""
    kept = {*names}

    def cut(value: Any) -> Any:
        return {k: v for k, v in value.items() if str(k) in kept} if isinstance(value, dict) else value

    document = source.document
    return replace(
        source,
        columns=tuple(name for name in source.columns if name in kept),
        members=tuple(name for name in source.members if name in kept),
        first=cut(source.first),
        document=[*map(cut, document[:1]), *document[1:]] if isinstance(document, list) else cut(document),
    )
