"""Compute the changes between two runs for pages and summaries, and the commands that pages repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.comparison.comparing import compare
from nescio.comparison.two_runs import take_two, two_runs
from nescio.comparison.verdicts import margin_in
from nescio.data.evidence import Evidence
from nescio.data.results import Comparisons
from nescio.pipeline import Loaded, both_named, file_of
from nescio.reporting.page.change import Change, gather_change
from nescio.reporting.page.commands import Commands
from nescio.scoring.score import open_data
from nescio.verbs._shared import Labelled, Reading, Resampled, option_words, source_words

REPEATED = ("test", "correction", "margin", "ci")  # options of a comparison that its page repeats


def commands_of(request: Any) -> Commands:
    """Return the words of a command line that reproduce a request's figures: source, reading and resampling options."""
    reading, resampling = option_words(request, Reading), option_words(request, Resampled, *REPEATED)
    return Commands(source_words(request.source), reading, resampling)


def load_two(
    source: Any,
    measures: Sequence[str] | str | None,
    baseline: str | Path | None,
    run: str | None,
    options: Mapping[str, Any],
) -> tuple[Loaded, str | None]:
    """Load both runs from `source`; return the data and the name of the baseline run (None if none was named).

    `baseline` is the name of a run, or a baseline file. `options` are the options for reading the source.
    """
    runs = {"baseline_file": file_of(baseline), "only": both_named(baseline, run)}
    loaded = open_data(source, {**runs, **options}, measures)
    return loaded, loaded.baseline or (None if baseline is None else str(baseline))


def change_of(
    loaded: Loaded,
    measures: Sequence[str] | str | None,
    baseline: str | None,
    run: str | None,
    *,
    commands: Commands,
    how: Mapping[str, Any],
) -> Change:
    """Return the changes from the run `baseline` to the other run; `how` holds the further arguments of `compare`."""
    old, new = two_runs(loaded, baseline, run)
    loaded = take_two(loaded, old, new)
    comparisons = compare(loaded, measures, baseline=old, **how)
    return gather_change(
        loaded, comparisons, (old, new), commands, {"ci": how["ci"], "margin": margin_in(comparisons) or 0.0}
    )


def compared(
    source: Any,
    measures: Sequence[str] | None,
    commands: Commands,
    *,
    about_two: bool,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Comparisons, Change | None]:
    """Return comparisons of runs, and the changes between two runs (None unless `about_two`).

    Changes need two runs with outcomes of single questions. `how` holds the arguments of `compare`, including the runs,
    and `options` the options for reading the source.
    """
    if not about_two:
        return compare(source, measures, **how, **options), None
    run = how["run"]
    loaded, baseline = load_two(source, measures, how["baseline"], run, {"strata": (), **options})
    how = {name: value for name, value in how.items() if name not in ("baseline", "run", *Labelled.options)}
    apart = isinstance(loaded.data, Evidence) and not loaded.data.origins
    if apart and baseline is not None and (run is not None or len(loaded.data.runs) == 2):
        change = change_of(loaded, measures, baseline, run, commands=commands, how=how)
        return change.comparisons, change
    return compare(loaded, measures, baseline=baseline, run=run, **how), None
