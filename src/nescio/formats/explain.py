"""Explain in words why a file was taken for its format: the rule of `recognise`, and the part of the file that
satisfied it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.errors import FormatError, shorten
from nescio.formats.registry import Format, Recognise
from nescio.sources.source import BY_SUFFIX, Source
from nescio.tables.lexicon import roles_of

_KINDS = {"lines": ("JSON Lines", "key"), "document": ("a JSON document", "key"), "archive": ("an archive", "member")}
_LEADERBOARD = {"title", "header", "rows", "links"}
_TIRA = re.compile(r"\s*measure\s*\{")
_MOST, _FEW = 12, 3  # the most names shown; fewer for members and keys, which are often questions


def rule(format_: Format) -> str:
    """Return the first paragraph of the docstring of a format's `recognise`, which says how files are recognised."""
    if format_.fallback:
        return "No known tool writes such a file, so nescio reads its columns by their names"
    first = inspect.cleandoc(format_.recognise.__doc__ or "").split("\n\n")[0]
    known = " ".join(first.replace("`", "").split()).rstrip(".").removeprefix("Recognise ")
    return known[:1].upper() + known[1:]


def seen(format_: Format, source: Source) -> str:
    """Return a description of the part of a file by which nescio recognised its format.

    This part is the root of XML, the first line of text, or else the fewest columns, keys or members that suffice. An
    example is "a table, by the columns run, outcome; other columns: topic".
    """
    if source.kind == "xml":
        return f"XML with the root <{source.columns[0]}>"
    if source.kind == "text":
        return f"text that begins {shorten(str(source.first))}"
    what, part = _KINDS.get(source.kind, ("a table", "column"))
    if format_.fallback:
        return f"{what} with the {part}s {', '.join(_names(source)[:_MOST])}" if source.columns else what
    needed = minimal_columns(format_.recognise, source)
    others = [name for name in _names(source) if name not in needed]
    several = "s" if len(needed) > 1 else ""
    shown = f"{what}, by the {part}{several} {', '.join(needed[:_MOST])}" if needed else what
    most = _FEW if source.kind in ("document", "archive") else _MOST
    beside = ", ".join(others[:most]) + (f" and {len(others) - most:,} more" if len(others) > most else "")
    return f"{shown}; other {part}s: {beside}" if needed and others else shown


def minimal_columns(recognise: Recognise, source: Source) -> tuple[str, ...]:
    """Return the fewest columns, keys or members with which a file is still recognised as having the same role."""
    part = recognise(source)
    return tuple(_enough((), _names(source), lambda kept: recognise(_only(source, kept)) == part))


def _names(source: Source) -> tuple[str, ...]:
    return source.members if source.kind == "archive" else source.columns


def _enough(some: Sequence[str], names: Sequence[str], does: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return a small selection of `names` for which `does` is true of `some` and the selection together.

    The search halves `names` again and again, which is fast even for thousands of names.
    """
    if does(some):
        return []
    if len(names) <= 1:
        return [*names]
    half = len(names) // 2
    second = _enough([*some, *names[:half]], names[half:], does)
    return _enough([*some, *second], names[:half], does) + second


def _only(source: Source, names: Collection[str]) -> Source:
    """Return the source with only those columns, keys or archive members that are in `names`."""
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


def holds_figures(source: Source) -> bool:
    """Return whether a document is a table of HELM's leaderboard, whose rows hold figures and no answers."""
    return source.kind == "document" and {*source.columns} >= _LEADERBOARD


def no_format(source: Source) -> FormatError:
    """Return the error for a file of no known format. It says what the file looks like, and what is missing."""
    columns = list(source.columns) or None
    if holds_figures(source):
        rule = (
            "this is a table of HELM's leaderboard, which holds figures but no answers; give the run folders beside "
            "it (scenario_state.json, per_instance_stats.json)"
        )
        return FormatError(source.label, rule, value=columns)
    if source.kind == "document" and source.document in ([], {}, None):
        return FormatError(source.label, "this JSON document is empty", value=source.document)
    what = {"document": "JSON document", "xml": "XML", "archive": "archive"}.get(source.kind, source.kind)
    rule = f"this {what} is not from a tool that nescio knows, and it holds no list of rows to read as a table"
    if source.kind == "archive":
        rule = f"this {what} is not from a tool that nescio knows; unpack it, and give the files inside"
    return FormatError(source.label, rule, where=source.head, value=columns)


def no_text(source: Source, rule: str) -> FormatError:
    """Return the error for a text file that breaks `rule`, which names the text formats that nescio reads.

    If the text looks like a table or like TIRA's figures, the error says instead how to rename or replace the file.
    """
    if source.kind == "text" and _TIRA.match(str(source.first)):
        figures = (
            "these are figures of TIRA (evaluation.prototext), not answers; give the answers from the folder "
            "`output` of the evaluated run (run.txt, answers.jsonl)"
        )
        return FormatError(source.label, figures, where=f"line {source.begins}", value=source.first)
    if source.kind == "text" and _looks_like_a_table(str(source.first)):
        rule = "this text looks like a table; rename it to end in .csv (.tsv if tabs separate the columns)"
        return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)
    rule = f"{rule}; the name of a file in another form must end in {', '.join(BY_SUFFIX)}"
    return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)


def _looks_like_a_table(line: str) -> bool:
    """Return whether a line is a table header with names that nescio knows."""
    return any(sum(bool(roles_of(name)) for name in line.replace('"', "").split(mark)) > 1 for mark in ",;\t|")
