"""nescio convert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import _app
from nescio.errors import MismatchError, UsageError


@click.command("convert")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IN... OUT")
@_app.reading_options
def command(files: tuple[Path, ...], **given: Any) -> None:
    """Any log that can be scored, as an outcome table.

    IN are files as for `nescio score`; OUT is the outcome table to write: .csv, .tsv, .jsonl or .parquet. What was declined, silent or
    ungraded stays so: an ungraded answer has an empty outcome. Answers that nobody has judged are judged on the way.

    \b
    nescio convert log.eval outcomes.csv
    nescio convert samples_gsm8k.jsonl outcomes.parquet --choose filter=strict-match
    """
    from nescio import judging
    from nescio.formats import Unjudged
    from nescio.formats.writing import SUFFIXES, write_outcomes
    from nescio.load import Options, read_files
    from nescio.outcomes import Outcomes

    if len(files) < 2:
        raise UsageError("convert takes what is read and, last, the table to write")
    *inputs, output = files
    if output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{output}: an outcome table is written to {', '.join(SUFFIXES)} (found {output.suffix!r})")
    _app.check_place(output, tuple(inputs))
    options = Options(**_app.reading(given))
    format_, read = read_files(inputs, options)
    data, how = read.data, ""
    if isinstance(data, Unjudged):
        name = options.judge or judging.default_judge(data.collection)
        data, _ = judging.judge_runs(data.collection, data.runs, name, data.files)
        how = f", judged by {name}"
    if not isinstance(data, Outcomes):
        raise MismatchError(f"this is {format_.about}, which holds no outcome of a single question")
    rows = write_outcomes(data, output)
    _app.notes(read.notes)
    _app.say(
        f"read {format_.name}{how}; wrote {rows:,} outcomes of {len(data.runs)} run{'s' if len(data.runs) != 1 else ''} to {output}"
    )
