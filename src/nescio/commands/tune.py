"""The run that a threshold makes, as an outcome table."""

from __future__ import annotations

from pathlib import Path

from nescio.commands.places import check_file
from nescio.data.columns import bare, known
from nescio.data.notes import note
from nescio.errors import UsageError
from nescio.formats import WriteResult
from nescio.formats.native.outcome_table.writer import SUFFIXES, write_outcomes
from nescio.measures import parse
from nescio.selective import Tuned, as_outcomes


def write_tuned(tuned: Tuned, output: Path | str) -> WriteResult:
    """Write the run with the threshold applied, candidates kept, as an outcome table (.csv, .tsv, .jsonl or .parquet).

        write_tuned(nescio.tune("outcomes.csv", run="mine", strata=None), "mine-tuned.csv")

    Raises UsageError where there is no threshold to apply, or the table cannot be written.
    """
    output = Path(output)
    check_file(output, "a run", SUFFIXES)
    if tuned.applied is None:
        raise UsageError(f"{output} is not written, because there is no threshold to apply")
    row, notes = tuned.rows[0], []
    rows = write_outcomes(as_outcomes(tuned.applied), output)
    if lost := sorted(bare(name) for name in parse(row.measure).reads if known(name).namespace):
        notes.append(
            note(
                "tune.no_columns",
                "an outcome table has no {columns}: {measure} cannot be scored from it",
                columns=" and no ".join(lost),
                measure=row.measure,
            )
        )
    return WriteResult(f"run {row.run!r} with the threshold applied, {rows:,} questions", tuple(notes))
