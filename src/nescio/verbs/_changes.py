"""Compute the changes between two runs for pages and summaries, and the commands that pages repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.comparison.comparing import compare
from nescio.comparison.two_runs import take_two, two_runs
from nescio.data.evidence import Evidence
from nescio.data.results import Comparisons
from nescio.pipeline import Loaded, both_named, file_of
from nescio.reporting.page.change import Change, gather_change
from nescio.reporting.page.commands import Commands
from nescio.scoring.score import open_data
from nescio.verbs._shared import Labelled, Reading, Resampled, option_words, source_words

REPEATED = ("test", "correction", "margin", "ci")  # options of a comparison that its page repeats


def commands_of(request: Any) -> Commands:
    """Return the words with which other commands reproduce the figures of a request.

    They are its source, and its options for reading and resampling.
    """
    reading, resampling = option_words(request, Reading), option_words(request, Resampled, *REPEATED)
    return Commands(source_words(request.source), reading, resampling)


class Pair(Struct, frozen=True):
    """The two runs to compare: the baseline (the name of a run, or a baseline file) and the other run."""

    baseline: str | Path | None
    run: str | None

    def read(
        self, source: Any, measures: Sequence[str] | str | None, options: Mapping[str, Any]
    ) -> tuple[Loaded, Pair]:
        """Return the source with both runs loaded, and the pair in which the baseline is the name of a run.

        The baseline may have been a file before.
        """
        runs = {"baseline_file": file_of(self.baseline), "only": both_named(self.baseline, self.run)}
        loaded = open_data(source, {**runs, **options}, measures)
        return loaded, Pair(loaded.baseline or (None if self.baseline is None else str(self.baseline)), self.run)


def change_of(
    source: Any,
    measures: Sequence[str] | str | None,
    pair: Pair,
    commands: Commands,
    *,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Change:
    """Return the changes between the two runs of `pair`.

    `how` holds the arguments of `compare`, and `options` the options for reading the source.
    """
    loaded, pair = pair.read(source, measures, options)
    old, new = two_runs(loaded, None if pair.baseline is None else str(pair.baseline), pair.run)
    loaded = take_two(loaded, old, new)
    comparisons = compare(loaded, measures, baseline=old, **how)
    return gather_change(loaded, comparisons, (old, new), commands, {"ci": how["ci"], "margin": how["margin"]})


def compared(
    source: Any,
    measures: Sequence[str] | None,
    commands: Commands,
    *,
    about_two: bool,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Comparisons, Change | None]:
    """Return comparisons of runs.

    With `about_two`, also returns the changes, if two runs with single questions are compared. `how` holds the
    arguments of `compare`, including the runs, and `options` the options for reading the source.
    """
    if not about_two:
        return compare(source, measures, **how, **options), None
    pair = Pair(how["baseline"], how["run"])
    how = {name: value for name, value in how.items() if name not in ("baseline", "run", *Labelled.options)}
    loaded, pair = pair.read(source, measures, {"strata": (), **options})
    apart = isinstance(loaded.data, Evidence) and not loaded.data.origins
    if apart and pair.baseline is not None and (pair.run is not None or len(loaded.data.runs) == 2):
        change = change_of(loaded, measures, pair, commands, how=how, options={})
        return change.comparisons, change
    return compare(loaded, measures, baseline=pair.baseline, run=pair.run, **how), None
