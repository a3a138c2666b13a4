"""From any log that can be scored to an outcome table, or to files of another format."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Unpack

from msgspec import Struct
from msgspec.structs import replace

from nescio.commands.places import check_file, listed
from nescio.data.judges import named
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, UsageError
from nescio.formats import BY_SUFFIX, WRITERS, Unjudged, Writer
from nescio.pipeline import Options, ReadingOptions, check_names, judge, judges_of, read
from nescio.pipeline.loading import merged
from nescio.sources.writing import check_new_folder
from nescio.stats.parallel import Progress

OUTCOME_TABLE = "outcomes"  # what is written where nothing else is asked for


class Converted(Struct, frozen=True):
    """What was read, who judged it on the way ("" where nobody had to), what was written and where, and notes."""

    format: str
    judge: str
    what: str
    output: Path
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        how = f", judged by {self.judge}" if self.judge else ""
        return f"read {self.format}{how}; wrote {self.what} to {self.output}"


def convert(
    source: Any,
    output: Path | str,
    *,
    to: str = OUTCOME_TABLE,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Converted:
    """Write any log that can be scored as an outcome table, or as files of another format.

        nescio.convert("log.eval", "log.csv")

    `source` is a path or several, or a table; `output` the outcome table (.csv, .tsv, .jsonl or .parquet), or with `to`
    the new folder for the files of another format (`nescio.formats.WRITERS` has them). `progress` hears how many rows,
    or runs, are written. Options are those of
    `nescio.score` that say how files are read; those about scoring change nothing here. Raises NescioError:
    MismatchError for what a format cannot hold, UnknownNameError for a format that is not written, UsageError where the
    output cannot be written.
    """
    check_names(convert, options)
    items, output, reading = listed(source), Path(output), Options(**options)
    writer = WRITERS.find(to)
    _check_place(writer, output, items)
    result = read(items, reading, runs=writer.takes is not Unjudged, judging=writer.takes is Unjudged)
    judged_by = ""
    if isinstance(result.data, Unjudged) and writer.takes is Outcomes:
        result = judge(result, reading.judge)
        judged_by = named(judges_of(result))
    elif isinstance(result.data, Outcomes) and writer.takes is Unjudged:
        raise MismatchError(
            f"this is {result.about}: its answers are graded already and nescio reads no texts of them, so it can be"
            f" written --to outcomes, and not --to {to}"
        )
    if reading.repeats_of:
        result = replace(result, data=merged(result.data, reading))
    if not isinstance(result.data, writer.takes):
        raise MismatchError(
            f"this is {result.about}, which holds no outcome of a single question; nescio score --by question -o"
            " scores.csv writes the scores of each"
        )
    watched = {"progress": progress} if "progress" in signature(writer.write).parameters else {}
    written = writer.write(result.data, output, **watched)
    return Converted(result.format, judged_by, written.what, output, (*result.notes, *written.notes))


def _check_place(writer: Writer, output: Path, inputs: Sequence[Any]) -> None:
    """Raise UsageError where the writer cannot write there, before anything is read."""
    if writer.suffixes:
        check_file(output, f"--to {writer.name}", writer.suffixes, inputs)
    elif output.suffix.lower() in BY_SUFFIX:
        raise UsageError(f"{output}: --to {writer.name} is written to a folder; name one")
    else:
        check_new_folder(output)
