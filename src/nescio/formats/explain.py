"""Explain in words why a file was taken for its format: the rule of `recognise`, and the names in the file."""

from __future__ import annotations

import inspect
import re

from nescio.errors import FormatError, shorten
from nescio.formats.registry import Format
from nescio.sources.source import BY_SUFFIX, Source
from nescio.tables.lexicon import roles_of

_KINDS = {"lines": ("JSON Lines", "key"), "document": ("a JSON document", "key"), "archive": ("an archive", "member")}
_LEADERBOARD = {"title", "header", "rows", "links"}
_TIRA = re.compile(r"\s*measure\s*\{")
_MOST = 12  # the most names shown
_LONGEST = 60  # characters of a name that is shown; keys are sometimes questions


def rule(format_: Format) -> str:
    """Return the first paragraph of the docstring of a format's `recognise`, which says how files are recognised."""
    if format_.fallback:
        return "No known tool writes such a file, so nescio reads its columns by their names"
    first = inspect.cleandoc(format_.recognise.__doc__ or "").split("\n\n")[0]
    known = " ".join(first.replace("`", "").split()).rstrip(".").removeprefix("Recognise ")
    return known[:1].upper() + known[1:]


def seen(source: Source) -> str:
    """Return a description of a file by its kind and its first names, such as "a table with the columns run, outcome".

    The names are columns, keys or members. XML is described by its root, and other text by its first line.
    """
    if source.kind == "xml":
        return f"XML with the root <{source.columns[0]}>"
    if source.kind == "text":
        return f"text that begins {shorten(str(source.first))}"
    what, part = _KINDS.get(source.kind, ("a table", "column"))
    names = source.members if source.kind == "archive" else source.columns
    if not names:
        return what
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in names[:_MOST]]
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return f"{what} with the {part}{'s' if len(names) > 1 else ''} {', '.join(shown)}{more}"


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
