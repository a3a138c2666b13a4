"""What files hold that do not belong together: a summary for each group that does, and for each file that fits
nowhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import replace

from nescio.commands.check import CheckedFile, FileSummary, check
from nescio.commands.places import listed
from nescio.errors import MismatchError, NescioError
from nescio.formats.folder_reader import every_file, files_of
from nescio.pipeline import Options, ReadingOptions, check_names, open_files, recognise
from nescio.sources.source import Source


def check_each(source: Any, **options: Unpack[ReadingOptions]) -> tuple[FileSummary, ...]:
    """Say what each of several files holds, whether or not they can be read together.

        for summary in nescio.check_each(["a.csv", "b.jsonl"]):
            print(summary)

    Files that can be read together give the one summary of `nescio.check`. Otherwise those of one format are summed up
    together where they fit together, and each by itself where they do not; a file of no known format, or of which only
    an option can say what it is, has a summary without a format (""), whose `error` says what is wrong. Options are
    those of `nescio.check`. A folder whose files are of several formats stands for all of them. Raises UsageError
    where nothing is given or an option makes no sense by itself.
    """
    check_names(check_each, options)
    items = listed(source)
    reading = Options(**options)
    together = _summary(items, options)
    if together.error is None:
        return (together,)
    items = [file for item in items for file in _files(item)]
    if len(items) < 2:
        return (together,)
    groups, alone = _groups(items, reading)
    summaries = [summary for group in groups for summary in _of_group(group, options)]
    summaries += [_of_none(item, error) for item, error in alone]
    return tuple(sorted(summaries, key=lambda summary: _place(summary, items)))


def _files(item: Any) -> list[Any]:
    """Return the files of a folder that is of no one format; anything else is itself."""
    if isinstance(item, (str, Path)) and os.path.isdir(item):
        try:
            files_of([item])
        except NescioError:
            return every_file(Path(item)) or [item]
    return [item]


def as_json(summaries: Sequence[FileSummary]) -> str:
    """Write summaries as JSON: one as an object, several as a list."""
    import msgspec

    laid_out = [summary.to_dict() for summary in summaries]
    return msgspec.json.format(msgspec.json.encode(laid_out[0] if len(laid_out) == 1 else laid_out), indent=2).decode()


def _summary(items: Sequence[Any], options: Any) -> FileSummary:
    """Check the items together; what cannot even be recognised has a summary of no format."""
    try:
        return check(list(items), **options)
    except NescioError as error:
        return _of_none(items[0], error)


def _of_none(item: Any, error: NescioError) -> FileSummary:
    return FileSummary("", "", "", (CheckedFile(str(item), "", "", ()),), problems=(str(error),), error=error)


def _groups(items: Sequence[Any], options: Options) -> tuple[list[list[Any]], list[tuple[Any, NescioError]]]:
    """Sort the items by the format of each; and those that are of none, alone or beside a group, with what is wrong."""
    groups: dict[str, list[tuple[Any, list[Source]]]] = {}
    lacking: list[tuple[Any, list[Source], NescioError]] = []
    for item in items:
        sources: list[Source] = []
        try:
            sources = open_files([item], options)[0]
            groups.setdefault(_format(sources, options), []).append((item, sources))
        except NescioError as error:
            lacking.append((item, sources, error))
    alone = []
    for item, sources, why in lacking:
        fitting = (group for group in groups.values() if sources and _fits(sources, group[0][1], options))
        if group := next(fitting, None):
            group.append((item, sources))
        else:
            alone.append((item, why))
    return [[item for item, _ in group] for group in groups.values()], alone


def _format(sources: Sequence[Source], options: Options) -> str:
    return recognise(sources, options.format_in, options.column, judging=options.judging)[0].name


def _fits(sources: Sequence[Source], beside: Sequence[Source], options: Options) -> bool:
    """Say whether a file that is nothing by itself is something beside others (answers whose questions are there)."""
    try:
        _format([*beside, *sources], options)
    except NescioError:
        return False
    return True


def _of_group(group: Sequence[Any], options: Any) -> list[FileSummary]:
    """Sum up files of one format together, or each by itself where that does not work and each holds something."""
    together = _summary(group, options)
    if len(group) == 1 or (together.error is None and together.format):
        return [together]
    alone = [_summary([item], options) for item in group]
    if not any(summary.contents for summary in alone):
        return [together]
    sound = [at for at, summary in enumerate(alone) if not summary.error]
    between = together.error if len(sound) == len(group) else _summary([group[at] for at in sound], options).error
    if between and len(sound) > 1:
        first = alone[sound[0]]
        clash = f"together with others of its format: {between}"
        alone[sound[0]] = replace(first, problems=(*first.problems, clash), error=MismatchError(clash))
    return alone


def _place(summary: FileSummary, items: Sequence[Any]) -> int:
    """Return where the first file of a summary was given; the files of a folder stand where it does."""
    first = summary.files[0].file
    return next((at for at, item in enumerate(items) if first.startswith(str(item))), len(items))
