"""Check the content of files and whether it is sound.

Shows the detected format of FILES and the reason for it; counts questions, runs, answers and non-answers (by kind, if a
log distinguishes them); and lists what looks wrong.

\b
nescio check outcomes.csv
nescio check questions.jsonl runs/*.jsonl
nescio check outcomes.csv questions.jsonl runs/*.jsonl

If a file breaks a rule of its format, an error follows the detected format. Files that cannot be read together, such as
a folder with several formats, are shown in groups of one format. The exit status is then 2 if any group has a problem,
and -f json prints a list.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import MismatchError, NescioError, UsageError, opt
from nescio.formats.folder_reader import every_file, files_of
from nescio.options import argument, option, verb
from nescio.options.edge import SAY
from nescio.pipeline import Options, open_files, recognise
from nescio.pipeline.saved import KEPT, in_effect, place_of, save, with_answer, with_mapping
from nescio.sources.arrow import items_of
from nescio.sources.source import Source
from nescio.tables import lexicon
from nescio.tables.asking import AskedError, ask_in_terminal
from nescio.tables.mapping import NONE
from nescio.verbs._file_summary import MOST_NAMED, CheckedFile, FileSummary, summarize
from nescio.verbs._shared import SOURCE, Reading, Sourced


class CheckRequest(Reading, Sourced):
    """The options of `nescio check`."""

    source: Any = argument(
        default=(), kw_only=False, kind=SOURCE, argument=True, help="Files, folders or tables; see above."
    )
    lexicon: bool = option(
        default=False, help="Print the names of columns and the words for outcomes that nescio knows, and exit."
    )
    save: bool = option(
        default=False,
        writes=True,
        help="Save the options for reading a table as FILE.reading.toml. Later commands find this file by themselves.",
    )


class Checked(Struct, frozen=True):
    """The content of files: one summary if they can be read together, else one for each group that can."""

    groups: tuple[FileSummary, ...]
    lexicon: str = ""

    def __iter__(self) -> Iterator[FileSummary]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, place: int) -> FileSummary:
        return self.groups[place]

    def __str__(self) -> str:
        return "\n".join(map(str, self.groups))

    def as_json(self) -> str:
        """Return the summaries as JSON: one as an object, several as a list."""
        laid_out = [summary.to_dict() for summary in self.groups]
        text = msgspec.json.encode(laid_out[0] if len(laid_out) == 1 else laid_out)
        return msgspec.json.format(text, indent=2).decode()

    @property
    def error(self) -> NescioError | None:
        """Return the error in the files, or None."""
        wrong = [summary for summary in self.groups if summary.error is not None]
        if len(self.groups) == 1 or not wrong:
            return wrong[0].error if wrong else None
        first = ", ".join(summary.files[0].file for summary in wrong[:MOST_NAMED])
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        return UsageError(
            f"these files do not all belong to one collection; {len(wrong)} of the {len(self.groups)} groups "
            f"shown {'has' if len(wrong) == 1 else 'have'} an error: {first}{more}"
        )


def present(checked: Checked, how: Any) -> None:
    """Print the summaries, and raise the error in the files, if any."""
    if checked.lexicon:
        print(checked.lexicon, end="")
        return
    group = checked.groups[0]
    if len(checked) == 1 and group.error is not None and not group.format:
        raise group.error
    if how.form == "json":
        print(checked.as_json())
    else:
        for at, summary in enumerate(checked):
            if at:
                print()
            summary.show(with_error=len(checked) > 1)
    if checked.error is not None:
        raise checked.error


@verb(CheckRequest, working="checking", present=present, prints="json", tool=True)
def check(request: CheckRequest) -> Checked:
    if request.lexicon:
        return Checked((), lexicon.text())
    items = items_of(request.source)
    if not items:
        raise UsageError("no files were given")
    reading = with_mapping(Options(**request.values(Reading)))
    together = _summary(items, reading)
    while isinstance(together.error, AskedError) and (answer := ask_in_terminal(together.error)):
        reading = with_answer(reading, answer)
        together = _summary(items, reading)
    if request.save:
        _save(items, reading, together)
    if together.error is None:
        return Checked((together,))
    items = [file for item in items for file in _files(item)]
    if len(items) < 2:
        return Checked((together,))
    groups, alone = _groups(items, reading)
    summaries = [summary for group in groups for summary in _of_group(group, reading)]
    summaries += [_of_none(item, error) for item, error in alone]

    def place(summary: FileSummary) -> int:
        """Return the index of the item that contains the first file of the summary."""
        first = summary.files[0].file
        return next((at for at, item in enumerate(items) if first.startswith(str(item))), len(items))

    return Checked(tuple(sorted(summaries, key=place)))


def _save(items: Sequence[Any], reading: Options, summary: FileSummary) -> None:
    """Save the options with which the only table among the items is read.

    Raises the error that reading the table gave, or UsageError for several items.
    """
    if summary.error is not None:
        raise summary.error
    if len(items) != 1 or not isinstance(items[0], (str, Path)):
        raise UsageError(f"{opt('save')} saves the options for reading one table, but {len(items)} files were given")
    notes = summary.contents.notes if summary.contents else ()
    used = {role: written for note in notes if note.code == "tables.mapping" for role, written in note["columns"]}
    place = place_of(Path(items[0]))
    reading, _ = in_effect(reading, items)
    options = {name: getattr(reading, name) for name in KEPT if name in reading.given}
    if used:
        options["column"] = {"run": NONE, **used}  # complete, so that no column added later is interpreted
    save(place, options)
    SAY.get()(f"saved {place}")


def _files(item: Any) -> list[Any]:
    """Return the files in a folder if they do not have one format, else a list with the item itself."""
    if isinstance(item, (str, Path)) and os.path.isdir(item):
        try:
            files_of([item])
        except NescioError:
            return every_file(Path(item)) or [item]
    return [item]


def _summary(items: Sequence[Any], options: Options) -> FileSummary:
    """Return one summary of all items together; the summary has no format if nescio does not recognise the items."""
    try:
        return summarize(list(items), options)
    except NescioError as error:
        return _of_none(items[0], error)


def _of_none(item: Any, error: NescioError) -> FileSummary:
    return FileSummary("", "", "", (CheckedFile(str(item), "", "", ()),), problems=(str(error),), error=error)


def _groups(items: Sequence[Any], options: Options) -> tuple[list[list[Any]], list[tuple[Any, NescioError]]]:
    """Return the items grouped by format, and the items of unknown format, each with its error."""
    groups: dict[str, list[tuple[Any, list[Source]]]] = {}
    lacking: list[tuple[Any, list[Source], NescioError]] = []
    for item in items:
        sources: list[Source] = []
        try:
            sources = open_files([item])[0]
            name = recognise(sources, options.format_in, options.column)[0].name
            groups.setdefault(name, []).append((item, sources))
        except NescioError as error:
            lacking.append((item, sources, error))
    alone = []
    for item, sources, why in lacking:
        for group in groups.values() if sources else ():
            with suppress(NescioError):  # as answers that have a format only beside their questions
                recognise([*group[0][1], *sources], options.format_in, options.column)
                group.append((item, sources))
                break
        else:
            alone.append((item, why))
    return [[item for item, _ in group] for group in groups.values()], alone


def _of_group(group: Sequence[Any], options: Options) -> list[FileSummary]:
    """Return one summary of files with the same format if they can be read together, else a summary of each file.

    If no file can be read by itself either, the one summary is returned.
    """
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
        clash = f"cannot be read together with the other files of its format: {between}"
        alone[sound[0]] = replace(first, problems=(*first.problems, clash), error=MismatchError(clash))
    return alone
