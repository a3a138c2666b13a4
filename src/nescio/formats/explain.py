"""Why a file was taken for its format, in words: the rule of its `recognise`, and what of the file was enough for
it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.outcomes import STATES
from nescio.errors import FormatError, opt, shorten
from nescio.formats.native import roles
from nescio.formats.native.counts_table import columns_of
from nescio.formats.native.readings.proposing import REMARK, begins_with_a_remark, propose
from nescio.formats.native.score_matrix import names_a_row
from nescio.formats.registry import REGISTRY, TABLES, Format, Recognise
from nescio.sources.source import BY_SUFFIX, Source

_KINDS = {"lines": ("JSON Lines", "key"), "document": ("a JSON document", "key"), "archive": ("an archive", "member")}
_LEADERBOARD = {"title", "header", "rows", "links"}
_TIRA = re.compile(r"\s*measure\s*\{")
_MOST, _FEW = 12, 3  # names shown; of members, and of keys that are questions more often than not, a few will do


def rule(format_: Format, source: Source | None = None) -> str:
    """Return what `recognise` looks for, or `understand` where only that knows the file, as its own first paragraph
    says."""
    looks = format_.understand if source is not None and _is_understood(format_, source) else format_.recognise
    first = inspect.cleandoc(looks.__doc__ or "").split("\n\n")[0]
    known = " ".join(first.replace("`", "").split()).rstrip(".").removeprefix("Recognise ")
    return known[:1].upper() + known[1:]


def seen(format_: Format, source: Source) -> str:
    """Return what was enough for the rule: the root of XML, the first line of text, else as few columns, keys or
    members as would do."""
    if source.kind == "xml":
        return f"XML with the root <{source.columns[0]}>"
    if source.kind == "text":
        return f"text that begins {shorten(str(source.first))}"
    what, part = _KINDS.get(source.kind, ("a table", "column"))
    if _is_understood(format_, source):
        known = roles.roles_of(source.columns, source.named).columns
        shown = ", ".join(f"{name} ({_PARTS.get(role, role)})" for role, names in known.items() for name in names)
        return f"{what}, by the {part}s {shown}"
    needed = minimal_columns(format_.recognise, source)
    others = [name for name in _names(source) if name not in needed]
    several = "s" if len(needed) > 1 else ""
    shown = f"{what}, by the {part}{several} {', '.join(needed[:_MOST])}" if needed else what
    most = _FEW if source.kind in ("document", "archive") else _MOST
    beside = ", ".join(others[:most]) + (f" and {len(others) - most:,} more" if len(others) > most else "")
    return f"{shown}; beside {'it' if len(needed) == 1 else 'them'} {beside}" if needed and others else shown


def minimal_columns(recognise: Recognise, source: Source) -> tuple[str, ...]:
    """Return as few columns, keys or members as would do for the file to be recognised as what it is; the first of them
    where others would do as well."""
    part = recognise(source)
    return tuple(_enough((), _names(source), lambda kept: recognise(_only(source, kept)) == part))


def _is_understood(format_: Format, source: Source) -> bool:
    """Say whether a file was known by what people call its columns, and not by the format's own names."""
    return format_.understand is not None and (bool(source.named) or not format_.recognise(source))


_PARTS = {"id": "question", "text": "question", "score": "outcome"}  # what users call a part


def _names(source: Source) -> tuple[str, ...]:
    return source.members if source.kind == "archive" else source.columns


def _enough(some: Sequence[str], names: Sequence[str], does: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return what is needed of the names where some are given: halved again and again, so that a few of thousands are
    quickly found."""
    if does(some):
        return []
    if len(names) <= 1:
        return [*names]
    half = len(names) // 2
    second = _enough([*some, *names[:half]], names[half:], does)
    return _enough([*some, *second], names[:half], does) + second


def _only(source: Source, names: Collection[str]) -> Source:
    """Return the source as it would be if it had only these."""
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


def no_format(source: Source) -> FormatError:
    """Say why a file is of no format: what its columns come nearest to, and what is wrong with them."""
    columns = list(source.columns) or None
    if source.kind == "document" and {*source.columns} >= _LEADERBOARD:
        rule = (
            "this is a table of HELM's leaderboard, which holds figures and no answers: those are in the run folders"
            " beside it (scenario_state.json, per_instance_stats.json)"
        )
        return FormatError(source.label, rule, value=columns)
    if source.kind == "document" and source.document in ([], {}, None):
        return FormatError(source.label, "this JSON document is empty", value=source.document)
    if source.kind == "document" and {*source.columns} & {"run", "id", "question", "outcome"}:
        rule = "this is one JSON document; questions and runs in JSON have one object per line (.jsonl)"
        return FormatError(source.label, rule, value=columns)
    remark = f"the first line is a remark, as it begins with {REMARK}, and no header: delete it"
    why = remark if begins_with_a_remark(source) else _why_of_no_format(source)
    return FormatError(source.label, why, where=source.head, value=columns)


def no_text(source: Source, rule: str) -> FormatError:
    """Say that a text file is not what was asked for, and what any other file must be called; of TIRA's figures, where
    the answers are."""
    if source.kind == "text" and _TIRA.match(str(source.first)):
        figures = (
            "these are figures of TIRA (evaluation.prototext) and no answers: those are in the folder "
            "output of the evaluated run (run.txt, answers.jsonl), which is read in the format of its "
            "task"
        )
        return FormatError(source.label, figures, where=f"line {source.begins}", value=source.first)
    if source.kind == "text" and _looks_like_a_table(str(source.first)):
        rule = "this text looks like a table; rename it to end in .csv (.tsv if tabs separate the columns)"
        return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)
    rule = f"{rule}, and a file in another form must end in {', '.join(BY_SUFFIX)}"
    return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)


def _looks_like_a_table(line: str) -> bool:
    """Say whether a line is a header whose columns people call so."""
    return any(len(roles.roles_of(line.replace('"', "").split(mark)).columns) > 1 for mark in ",;\t|")


def _why_of_no_format(source: Source) -> str:
    """Say what its columns come nearest to, and what is wrong with them."""
    have = set(source.columns)
    if len(have) == 1 and source.path is not None and any(mark in source.columns[0] for mark in ",;|\t"):
        return "the header is one column; columns are separated by commas or semicolons in .csv, by tabs in .tsv"
    ways = propose(source)
    if have & {"answer", "answers", "options"} and not ways:
        lacking = next((name for name in ("id", "question", "answer") if name not in have), None)
        if lacking is None:
            ways = f"{roles.option('outcome', 'NAME')} names a column of verdicts, {roles.option('gold', 'NAME')} one"
            return f"nothing says which answers are right: {ways} of gold answers"
        return f"questions have the keys id, question, answers, and runs id, answer; there is no {lacking!r}"
    if ways:
        return f"{_OUTCOME_TABLE}; here, name {ways}"
    if have & {"run", "question", "outcome"} and not have & set(STATES):
        lacking = "outcome" if "outcome" not in have else "question"
        matrix = "" if have & {"run", "outcome"} else " (and in a score matrix each cell is a number or empty)"
        return f"an outcome table has the columns run, question, outcome; there is no {lacking!r}{matrix}"
    return _no_counts(source, have) if have & set(STATES) else _needed(source)


def _no_counts(source: Source, have: set[str]) -> str:
    """Return what is wrong with columns of which one is called correct, incorrect or unanswered: with questions they
    are outcomes."""
    if not any(name and names_a_row(name) for name in have):
        counts = columns_of(source.columns, source.named)
        lacking = [name for name in ("run", *OUTCOMES) if name not in counts]
        ways = ", ".join(opt("column", of=f"{name}=NAME") for name in lacking)
        there = f"there is no {' and no '.join(map(repr, lacking))} ({ways} names one)"
        return f"a counts table has the columns run, correct, incorrect, unanswered; {there}"
    instead = [name for name in OUTCOMES if name in have]
    if len(instead) == 1:
        return f"{_OUTCOME_TABLE}; the outcome column is called 'outcome', not {instead[0]!r} (it may hold 1 and 0)"
    advice = f"one column 'outcome' says correct, incorrect or unanswered, instead of {', '.join(instead)}"
    return f"{_OUTCOME_TABLE}; {advice}"


def _needed(source: Source) -> str:
    """Return what a file of no known format would need, if it is a table; else the formats that there are."""
    if source.kind not in TABLES:
        return f"not in any format that nescio knows ({', '.join(sorted(REGISTRY))})"
    others = ", questions id, question and answers, and runs id and answer" if source.kind == "lines" else ""
    if source.columns[:1] and names_a_row(source.columns[0]):
        others += " (and in a score matrix each cell is a number or empty)"
    return (
        f"{_OUTCOME_TABLE}{others}; rename yours, name them with {opt('column')}, or name the format with "
        f"{opt('format_in')}"
    )


_OUTCOME_TABLE = "an outcome table has the columns run, question and outcome"
