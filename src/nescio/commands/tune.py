"""One run tuned, or two of them compared; and the run that a threshold makes, as an outcome table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nescio.commands.places import check_file
from nescio.data.columns import bare, known
from nescio.data.notes import note
from nescio.errors import UsageError
from nescio.formats import WriteResult
from nescio.formats.native.outcome_table.writer import SUFFIXES, write_outcomes
from nescio.measures import parse
from nescio.pipeline import Options
from nescio.scoring.score import open_data
from nescio.selective import Tuned, TunedPair, as_outcomes, tune, tune_pair

READING = {*Options.__struct_fields__}


def tune_one_or_two(
    source: Any, measure: str, *, baseline: str | None = None, run: str | None = None, alone: Any = None, **options: Any
) -> Tuned | TunedPair:
    """Tune one run, or compare two, each at its own threshold: where a baseline is named, or where there are two runs
    and none is named. `alone` are options that only one run can have, by name; other arguments as in `nescio.tune`."""
    alone = {name: value for name, value in (alone or {}).items() if value is not None}
    loaded = open_data(source, {"strata": (), **{name: options.pop(name) for name in READING & {*options}}}, [measure])
    if baseline is None and (run is not None or len(loaded.data.runs) != 2 or alone):
        alone.pop("output", None)
        return tune(loaded, measure, run=run, **alone, **options)
    if alone:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in alone)
        raise UsageError(f"{named}: for one run, named with --run, and no baseline")
    return tune_pair(loaded, measure, run=run, baseline=baseline, **options)


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
