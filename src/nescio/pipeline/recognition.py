"""What are these files? The format that all of them are of, and the part that each plays in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nescio import formats
from nescio.data.notes import Note
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, MismatchError, UsageError, offer, opt
from nescio.formats import SourceRole, candidate_formats, matching_formats
from nescio.formats.folder_reader import files_of
from nescio.formats.native import roles
from nescio.formats.native.questions.responses import KEYS
from nescio.formats.native.readings.composed_names import runs_of_parts
from nescio.formats.native.readings.proposing import propose
from nescio.formats.native.readings.settling import settle
from nescio.formats.native.readings.table import table_of
from nescio.sources.opening import open_source
from nescio.sources.rows import figures_in, tables_of
from nescio.sources.source import Source

if TYPE_CHECKING:
    from nescio.judging.declined.silence import SilenceReader

_MOST_SHORTER = 3  # times as many rows as a table beside it that is one of answers, too
_MOST_NESTED = 1 << 28  # bytes of JSON Lines whose objects are looked into, where a format knows them without
OWN_RUN = "own run"  # the part of a run in nescio's JSON Lines beside a collection of another format


def open_files(items: Sequence[Any]) -> tuple[list[Source], tuple[Note, ...]]:
    """Open what is given, each once, with the files of a folder in its place; and notes on files that are passed over.

    Raises UsageError where nothing is given, MismatchError where a file is given twice, FormatError where one cannot be
    opened.
    """
    if not items:
        raise UsageError("no files were given")
    files, notes = files_of(items)
    _distinct(files)
    return list(_opened(files)), notes


def recognise(
    sources: Sequence[Source],
    format_in: str | None = None,
    column: Mapping[str, str] | None = None,
    *,
    judging: bool = False,
) -> tuple[formats.Format, list[SourceRole]]:
    """Find the one format that all files given together are of, and the part that each plays in it.

    nescio's own runs go with the questions of any format (`OWN_RUN` is then their part). `column` names columns of
    tables (NAME: COLUMN); with `judging` answers are to be judged here, though a table says which are right. Raises
    FormatError where a file is of no known format, MismatchError where they are of several, UsageError for columns that
    are not there or cannot be named.
    """
    tables = [_as_table(source, format_in, column or {}, judging=judging) for source in sources]
    sources = _with_columns(tables, column or {}, sources)
    sources = _alike([_settled(source, format_in, judging=judging) for source in sources])
    format_, parts = _recognise(sources, format_in, judging=judging)
    if column:
        _check_columns(format_, column)
    return format_, parts


def _as_table(source: Source, format_in: str | None, column: Mapping[str, str], *, judging: bool) -> Source:
    """Return a JSON document as the table that it holds: the one with the columns that the user named, or of the format
    that the user named; else, of a document of no format's, the one of which a reading stands, or whose columns have
    names that tables have."""
    if source.kind not in ("document", "lines"):
        return source
    if table := _table_named(source, format_in, column, judging=judging):
        return table
    if _known(source, judging=judging):
        return _nested(source, judging=judging)
    return _table_known(source, judging=judging) or _nested(source, judging=judging)


def _nested(source: Source, *, judging: bool) -> Source:
    """Return JSON Lines that are known as a table, with the members of their objects as columns where one of these says
    which answers are right, or were declined; without a line of figures."""
    own = [f for f in candidate_formats(source) if not f.fallback and f.recognise(source)]
    nested = isinstance(source.first, dict) and any(isinstance(value, dict) for value in source.first.values())
    apart = bool(figures_in(source))
    if not (nested or apart) or source.kind != "lines" or any(not f.defers_to_verdicts for f in own):
        return source
    if source.path is None or source.path.stat().st_size > _MOST_NESTED:
        return source
    (table,) = tables_of(source)
    if apart:
        return table
    settled = _settled(table, judging=judging)
    told = {settled.named.get(part, "") for part in ("outcome", "abstained", "answered", "run")}
    wide = settled.columns != table.columns
    asked = "outcome" not in settled.named and "outcome" in _settled(source, judging=judging).named  # of several judges
    return table if wide or asked or any(name not in source.columns for name in told - {""}) else source


def _known(source: Source, *, judging: bool) -> bool:
    """Say whether a format knows a source, and not only because it takes what no other does."""
    return any(not format_.fallback for format_ in matching_formats(source, judging=judging))


def silence_reader() -> Callable[[str], bool]:
    """Return what says of one text after another whether it reads like silence; judging is imported for the first."""

    @cache
    def reader() -> SilenceReader:
        from nescio.judging.declined.silence import SilenceReader

        return SilenceReader()

    return lambda text: reader().silence(text)


def _settled(source: Source, format_in: str | None = None, *, judging: bool) -> Source:
    """Return a table that no format knows by its own names with the parts of its columns settled by its cells."""
    named = [formats.REGISTRY.find(format_in)] if format_in else candidate_formats(source)
    own = [f for f in named if not f.fallback and f.recognise(source)]
    if any(not f.defers_to_verdicts for f in own) or (own and {*source.columns} <= KEYS):
        return source
    settled = settle(source, silence_reader(), judging=judging)
    tells = {"outcome", "abstained", "answered", REPEAT} & settled.named.keys()
    return settled if tells or not own else source


def _alike(sources: Sequence[Source]) -> list[Source]:
    """Return tables of the same columns settled in the same way: what the cells of one prove holds for the others,
    whose rows may be too few to tell."""
    fullest: dict[tuple[str, ...], Source] = {}
    for source in sources:
        if len(source.guessed) > len(getattr(fullest.get(source.columns), "guessed", ())):
            fullest[source.columns] = source
    return [_as_settled(source, fullest.get(source.columns, source)) for source in sources]


def _as_settled(source: Source, other: Source) -> Source:
    if source is other or not source.named.items() < other.named.items():
        return source
    meant = {
        part: {**other.meant.get(part, {}), **source.meant.get(part, {})} for part in {*other.meant, *source.meant}
    }
    return replace(source, named=other.named, turned=other.turned, guessed=other.guessed, meant=meant)


def _table_named(source: Source, format_in: str | None, column: Mapping[str, str], *, judging: bool) -> Source | None:
    """Return the table of a document that has the columns, or is of the format, that the user named; None where the
    document itself is meant, or where there is none.

    Raises FormatError where there are several.
    """
    named = formats.REGISTRY.find(format_in) if format_in else None
    wanted = [of_table for of_table in column.values() if of_table != roles.NONE]
    own = [named] if named else matching_formats(source, judging=judging)
    if any(format_.part_of(source) and {*column} <= {*format_.columns} for format_ in own) and all(
        _column_of(name, source) for name in wanted
    ):
        return None
    if not (wanted or (named and named.part_of(source) is None)):
        return None
    for nested in (False, True):
        tables = tables_of(source, nested=nested)
        having = [table for table in tables if all(_column_of(name, table) for name in wanted)]
        fitting = [table for table in having if named is None or named.part_of(_named(table, column))]
        if len(fitting) > 1:
            ways = ", ".join(repr(table.place) for table in fitting)
            example = roles.option("question", f"{fitting[0].place}.NAME")
            rule = f"several lists of this document could be meant: {ways}; a column by its path names one ({example})"
            raise FormatError(source.label, rule)
        if fitting or len(having) == 1:
            return (fitting or having)[0]
    return None


def _table_known(source: Source, *, judging: bool) -> Source | None:
    """Return the only table of a document of which a reading stands: of those beside each other, else of those within
    rows; else the only one whose columns have names that tables have. None where there is none, or where there are
    several."""
    beside, within = tables_of(source), tables_of(source, nested=True)
    for tables in (beside, within):
        if own := _longest([table for table in tables if _known(_settled(table, judging=judging), judging=judging)]):
            alike = [table for table in tables if {*table.columns} == {*own[0].columns}]
            return own[0] if len(own) == len(alike) == 1 else None
    asked = [[table for table in tables if propose(table)] for tables in map(_longest, (beside, within))]
    if asked[1]:  # the rows that hold these are runs
        asked[0] = [table for table in asked[0] if not any(c.holds_objects for c in table_of(table).columns)]
    alone = [own[0] for own, every in zip(asked, (beside, within), strict=True) if _is_alone(own, every)]
    telling = _telling(beside) or alone[:1]
    if len(telling) != 1:
        return None
    of_lines = "id" in telling[0].columns and {"question", "answer", "sentences"} & {*telling[0].columns}
    return None if of_lines else telling[0]


def _is_alone(tables: Sequence[Source], every: Sequence[Source]) -> bool:
    """Say whether of all tables of a document one may be meant: the only one, or one whose rows name questions."""
    return len(tables) == 1 and (len(every) == 1 or table_of(tables[0]).question is not None)


def _longest(tables: Sequence[Source]) -> list[Source]:
    """Return tables but for those of few rows beside the longest, as the figures of runs are beside their answers."""
    sizes = [table_of(table).size for table in tables]
    return [table for table, size in zip(tables, sizes, strict=True) if _MOST_SHORTER * size >= max(sizes, default=0)]


def _telling(tables: Sequence[Source]) -> list[Source]:
    """Return the tables of whose columns several have names that tables have, and no two name the run."""
    known = [(table, roles.roles_of(table.columns)) for table in tables]
    return [table for table, of in known if len(of.columns) > 1 and len(of.all("run")) < 2]


def _with_columns(sources: Sequence[Source], column: Mapping[str, str], given: Sequence[Source]) -> Sequence[Source]:
    """Return the sources, each with those columns that the user named and that it has; raises UsageError for one that
    none has, with those of the documents as they were `given`."""
    for name, of_table in column.items():
        if of_table != roles.NONE and all(_column_of(of_table, source) is None for source in sources):
            have = ", ".join(dict.fromkeys(c for source in given for c in _columns_in(source))) or "none"
            rule = f"there is no such column in {sources[0].label}; columns are {have}"
            raise UsageError(f"{roles.option(name, of_table)}: {rule}")
    return [_named(source, column) for source in sources]


def _columns_in(source: Source) -> list[str]:
    """List the columns of a source; of a JSON document those of each list of rows in it, by their paths."""
    tables = [table for nested in (False, True) for table in tables_of(source, nested=nested)]
    by_path = [f"{table.place}.{name}" if table.place else name for table in tables for name in table.columns if name]
    return by_path or [name for name in source.columns if name]


def _column_of(wanted: str, source: Source) -> str | None:
    """Return the column of a source that is meant by its name, by its path in a document (`details[].grade`), or by
    either behind a sign that turns its verdicts; several columns, one a run, by all their names, or by the part that
    these have in common."""
    turned = wanted.removeprefix(roles.TURNED)
    below = turned.removeprefix(f"{source.place}.") if source.place else turned
    if (own := next((name for name in (wanted, turned, below) if name in source.columns), None)) is not None:
        return own
    known = roles.apart(below, source.columns) or (roles.AND not in below and runs_of_parts(source.columns, [below]))
    return below if known and roles.is_table(source) else None


def _named(source: Source, column: Mapping[str, str]) -> Source:
    """Return a source with those columns that the user named and that it has."""
    named = {name: own for name, c in column.items() if (own := _column_of(c, source)) is not None}
    named |= {name: roles.NONE for name, c in column.items() if c == roles.NONE and name not in named}
    turned = "outcome" in named and column["outcome"] not in source.columns and column["outcome"][:1] == roles.TURNED
    return replace(source, named=named, turned=turned)


def _check_columns(format_: formats.Format, column: Mapping[str, str]) -> None:
    """Raise UsageError for a named column that the format has no use for."""
    for name, of_table in column.items():
        if name not in format_.columns:
            can = (
                f"the columns that can be named are {', '.join(format_.columns)}"
                if format_.columns
                else "its columns have fixed names"
            )
            raise UsageError(f"{roles.option(name, of_table)}: this is {format_.about}; {can}")


def _recognise(
    sources: Sequence[Source], format_in: str | None, *, judging: bool
) -> tuple[formats.Format, list[SourceRole]]:
    named = formats.REGISTRY.find(format_in) if format_in else None
    if not named and not judging and len(sources) > 1:  # beside a collection of questions answers are judged by it
        judging = any(
            f.collection and f.recognise(source) == "gold" for source in sources for f in candidate_formats(source)
        )
    recognised: formats.Format | None = None
    parts: list[SourceRole] = []
    runs: list[SourceRole] = []
    for source in sources:
        format_ = named or _format_of(source, sources, judging=judging)
        part = format_.part_of(source)
        if part is None:
            rule = f"this is not {format_.about}"
            if source.kind == "text":
                from nescio.formats.explain import no_text

                if named and not named.text:
                    raise no_text(source, rule)
                if not named:
                    beside = next(other.label for other in sources if format_.recognise(other))
                    rule = f"its first lines match nothing that goes with {beside}: {format_.about}"
                raise FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)
            if ways := propose(source, judged=False):
                rule = f"{rule}; name {ways}"
            raise FormatError(source.label, rule, where=source.head, value=list(source.columns) or None)
        if (format_.name, part) == ("questions", "answers"):
            runs.append((part, source))
            continue
        if recognised and format_ is not recognised:
            kept = f"; nescio compare takes a baseline's file by {opt('baseline')}"
            raise MismatchError(
                f"{source.label} is {format_.about}, and {parts[0][1].label} is {recognised.about}; these cannot be "
                f"read together{kept if 'baseline' in (format_.name, recognised.name) else ''}"
            )
        recognised = format_
        parts.append((part, source))
    if recognised is None and not runs:
        raise UsageError("no files were given")
    if recognised is None or recognised.name == "questions":
        return formats.REGISTRY["questions"], parts + runs
    if runs and recognised.collection is None:
        raise MismatchError(
            f"{runs[0][1].label} holds answers, and {parts[0][1].label} is {recognised.about}; these cannot be read "
            "together"
        )
    return recognised, parts + [(OWN_RUN, source) for _, source in runs]


def _opened(items: Sequence[Any]) -> Iterator[Source]:
    """Open a source for each item; several tables in memory are numbered."""
    tables = [item for item in items if not isinstance(item, (str, Path))]
    for item in items:
        source = open_source(item, formats.is_streamed)
        if source.path is None and len(tables) > 1:
            source = replace(source, name=f"table{[item is table for table in tables].index(True) + 1}")
        yield source


def _format_of(source: Source, together: Sequence[Source], *, judging: bool) -> formats.Format:
    """Find the format of a file; where it could be of several, the one that the files given with it can be of too."""
    candidates = matching_formats(source, judging=judging)
    if len(candidates) > 1:
        candidates = [f for f in candidates if all(f.part_of(other) for other in together)] or candidates
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        for other in together:
            if not matching_formats(other):
                return _format_of(other, [other], judging=judging)  # which is what is wrong: nothing else goes with it
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
    """Find the one format of the files given with a text that has texts of its own: what is wrong with this one, it can
    say."""
    beside = {format_.name: format_ for other in together if other is not source for format_ in matching_formats(other)}
    texts = [format_ for format_ in beside.values() if format_.text]
    return texts[0] if len(texts) == len(beside) == 1 else None


def only_questions(format_: formats.Format, parts: Sequence[SourceRole]) -> bool:
    """Say whether the files hold questions and no answers to them, which a reader of runs refuses."""
    return format_.collection is not None and not {part for part, _ in parts} & {"answers", OWN_RUN}


def _distinct(items: Sequence[Any]) -> None:
    """Raise MismatchError where a file is given twice."""
    seen: set[Path] = set()
    for item in items:
        if isinstance(item, (str, Path)):
            try:
                path = Path(item).resolve()
            except (OSError, ValueError, RuntimeError):  # what is wrong with it, the reader will say
                continue
            if path in seen:
                raise MismatchError(f"{item} was given twice")
            seen.add(path)
