"""Recognise files: their common format, and the role of each file in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nescio import formats
from nescio.data.notes import Note
from nescio.errors import FormatError, MismatchError, UsageError, offer, opt
from nescio.formats import SourceRole, matching_formats
from nescio.formats.folder_reader import files_of
from nescio.sources.opening import open_source
from nescio.sources.source import Source
from nescio.tables.lexicon import roles_of
from nescio.tables.mapping import NONE
from nescio.text import is_nothing

if TYPE_CHECKING:
    from nescio.judging.declined.silence import SilenceReader

OWN_RUN = "own run"  # the role of a run in nescio's JSON Lines beside a collection of another format
TABLE = "outcomes"  # the format of any table


class SeveralFormatsError(MismatchError):
    """The given files have several formats, but only one was expected."""


def by_format(sources: Sequence[Source], column: Mapping[str, str]) -> list[list[Source]]:
    """Return the files in groups, each of one format. Groups are in the order of their first files.

    `column` names columns of tables, which may decide their format.
    """
    groups: dict[str, list[Source]] = {}
    for source in sources:
        named = replace(source, named=_named(source, column))
        groups.setdefault(_format_of(named, [named], {*column}).name, []).append(source)
    return list(groups.values())


def open_files(items: Sequence[Any]) -> tuple[list[Source], tuple[Note, ...]]:
    """Return the given items as opened files, each once, and notes on files that were skipped.

    A folder is replaced by its files. Raises UsageError without items, MismatchError if a file is given twice, and
    FormatError if one cannot be opened.
    """
    if not items:
        raise UsageError("no files were given")
    files, notes = files_of(items)
    _distinct(files)
    return list(_opened(files)), notes


def recognise(
    sources: Sequence[Source], format_in: str | None = None, column: Mapping[str, str] | None = None
) -> tuple[formats.Format, list[SourceRole]]:
    """Return the format that all given files have, and each file with its role in this format.

    Runs in nescio's own form may be given with questions of any format; their role is `OWN_RUN`. `column` maps names to
    columns of a table, which is then read as a plain table, unless the format of a tool accepts these names. Raises
    FormatError for an unknown format, MismatchError for several formats, and UsageError for a name that cannot be used.
    """
    sources = [replace(source, named=_named(source, column or {})) for source in sources]
    format_, parts = _recognise(sources, format_in, {*(column or {})})
    for name, of_table in (column or {}).items():
        if name not in format_.columns:
            can = (
                f"the columns that can be named are {', '.join(format_.columns)}"
                if format_.columns
                else "its columns have fixed names"
            )
            raise UsageError(f"{opt('column', {name: of_table})}: this is {format_.about}; {can}")
        if format_.name != TABLE and not any(name in source.named for _, source in parts):
            there = ", ".join(dict.fromkeys(column for _, source in parts for column in source.columns))
            raise UsageError(f"{opt('column', {name: of_table})}: no file has this column; the columns are {there}")
    return format_, parts


def _named(source: Source, column: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a file that the user named, keyed by the names that the user gave them.

    The judge may be `NONE`.
    """
    return {name: of for name, of in column.items() if of in source.columns or (name, of) == ("judge", NONE)}


def silence_reader() -> Callable[[str], bool]:
    """Return a function that says whether a text declines in words; "None" and its like are empty instead.

    The function imports the package `judging` only when it is first called.
    """

    @cache
    def reader() -> SilenceReader:
        from nescio.judging.declined.silence import SilenceReader

        return SilenceReader()

    return lambda text: not is_nothing(text) and reader().silence(text)


def _recognise(
    sources: Sequence[Source], format_in: str | None, named: set[str]
) -> tuple[formats.Format, list[SourceRole]]:
    recognised: formats.Format | None = None
    parts: list[SourceRole] = []
    runs: list[SourceRole] = []
    for source in sources:
        format_ = formats.REGISTRY.find(format_in) if format_in else _format_of(source, sources, named)
        part = format_.recognise(source)
        if part is None:
            raise _not_of(format_, source, sources, named=bool(format_in))
        if (format_.name, part) == ("questions", "answers"):
            runs.append((part, source))
            continue
        if recognised and format_ is not recognised:
            rule = (
                f"{source.label} is {format_.about}, and {parts[0][1].label} is {recognised.about}; these cannot be "
                "read together"
            )
            if "baseline" in (format_.name, recognised.name):
                raise MismatchError(f"{rule}; nescio compare takes a baseline's file by {opt('baseline')}")
            raise SeveralFormatsError(rule)
        recognised = format_
        parts.append((part, source))
    if recognised is None and not runs:
        raise UsageError("no files were given")
    if recognised is None and not format_in and all(_holds_gold(source) for _, source in runs):
        return formats.REGISTRY[TABLE], [("table", source) for _, source in runs]
    if recognised is None or recognised.name == "questions":
        return formats.REGISTRY["questions"], parts + runs
    if runs and recognised.collection is None:
        raise MismatchError(
            f"{runs[0][1].label} holds answers, and {parts[0][1].label} is {recognised.about}; these cannot be read "
            "together"
        )
    return recognised, parts + [(OWN_RUN, source) for _, source in runs]


def _holds_gold(source: Source) -> bool:
    """Return whether the rows of answers have their gold answers, so that they need no file of questions."""
    return any("gold" in roles_of(name) for name in source.columns if name not in ("", "answer"))


def _not_of(format_: formats.Format, source: Source, sources: Sequence[Source], *, named: bool) -> FormatError:
    """Return the error for a file that does not have the format of the other files.

    If `named`, it is the format that the user named.
    """
    rule = f"this is not {format_.about}"
    if source.kind != "text":
        return FormatError(source.label, rule, where=source.head, value=list(source.columns) or None)
    from nescio.formats.explain import no_text

    if named and not format_.text:
        return no_text(source, rule)
    if not named:
        beside = next(other.label for other in sources if format_.recognise(other))
        rule = f"this file is read together with {beside} as {format_.about}, but its first lines do not match that"
    return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)


def _opened(items: Sequence[Any]) -> Iterator[Source]:
    """Yield an opened file for each item. If there are several tables in memory, their names are numbered."""
    tables = [item for item in items if not isinstance(item, (str, Path))]
    for item in items:
        source = open_source(item, formats.is_streamed)
        if source.path is None and len(tables) > 1:
            source = replace(source, name=f"table{[item is table for table in tables].index(True) + 1}")
        yield source


def _format_of(source: Source, together: Sequence[Source], named: set[str]) -> formats.Format:
    """Return the format of a file. If several formats are possible, prefer one that fits all files given with it.

    `named` holds the names for which the user gave columns.
    """
    candidates = matching_formats(source)
    table = formats.REGISTRY[TABLE]
    if named and table.recognise(source) and not any(named <= {*f.columns} for f in candidates):
        return table
    if len(candidates) > 1:
        candidates = [f for f in candidates if all(f.recognise(other) for other in together)] or candidates
    if candidates == [table] and source.kind == "document":
        from nescio.formats.explain import holds_figures, no_format

        if holds_figures(source):
            raise no_format(source)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        for other in together:
            if not matching_formats(other):
                # Its error says what is wrong, because nothing else goes with it.
                return _format_of(other, [other], named)
        names = " or as ".join(sorted(f.name for f in candidates))
        ways = "".join(offer("format_in", f.name) for f in candidates)
        rule = f"could be read as {names}; choose one with {opt('format_in')}{ways}"
        raise FormatError(source.label, rule, where=source.head)
    if source.kind == "text" and (beside := _text_format_beside(source, together)):
        return beside
    from nescio.formats.explain import no_format, no_text

    if source.kind == "text":
        texts = ", ".join(sorted(f.name for f in formats.REGISTRY.values() if f.text))
        raise no_text(source, f"its first line matches no text format that nescio knows ({texts})")
    raise no_format(source)


def _text_format_beside(source: Source, together: Sequence[Source]) -> formats.Format | None:
    """Return the format of the other files, if there is only one and it includes text files; otherwise None.

    A text of no known format is then read in this format, whose reader can say what is wrong with the text.
    """
    beside = {format_.name: format_ for other in together if other is not source for format_ in matching_formats(other)}
    texts = [format_ for format_ in beside.values() if format_.text]
    return texts[0] if len(texts) == len(beside) == 1 else None


def only_questions(format_: formats.Format, parts: Sequence[SourceRole]) -> bool:
    """Return whether the files hold only questions, without answers, which a reader of runs cannot use."""
    return format_.collection is not None and not {part for part, _ in parts} & {"answers", OWN_RUN}


def _distinct(items: Sequence[Any]) -> None:
    seen: set[Path] = set()
    for item in items:
        if isinstance(item, (str, Path)):
            try:
                path = Path(item).resolve()
            except (OSError, ValueError, RuntimeError):  # The reader will report the fault.
                continue
            if path in seen:
                raise MismatchError(f"{item} was given twice")
            seen.add(path)
