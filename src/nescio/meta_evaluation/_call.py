"""Provide helpers that the functions of this package share: data with two runs or more, a loop over measures, notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.evidence import Data, Evidence, with_pairs, with_questions
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.measures import Measure
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.score import open_data, parse_all
from nescio.stats import parallel


def prepare(source: Any, measures: Any, options: Mapping[str, Any]) -> tuple[Evidence, Loaded, list[Measure]]:
    """Return the data, their loading record (`Loaded`), and the measures.

    Raises MismatchError for a single run, and for tables of counts, because they have no questions to resample.
    """
    data, loaded, wanted = prepare_pairs(source, measures, options)
    return with_questions(data, "resample", "use the tables themselves"), loaded, wanted


def prepare_pairs(source: Any, measures: Any, options: Mapping[str, Any]) -> tuple[Data, Loaded, list[Measure]]:
    """Return the same as `prepare`, but accept tables of counts too, if they have a table for each pair of runs.

    Raises MismatchError for a single run.
    """
    loaded = open_data(source, {"strata": (), **options}, measures)
    data = with_pairs(loaded.data)
    if len(data.runs) < 2:
        raise MismatchError(
            f"there is one run, {loaded.data.runs[0]!r}; this study compares pairs of runs, so it "
            "needs two runs or more"
        )
    return data, loaded, parse_all(measures, loaded)


def in_order(data: Evidence) -> Evidence:
    """Return the data with questions sorted by name, and clusters by their first question.

    Units are drawn by their number, so the order of the questions changes no draw.
    """
    order = data.sorted_rows()
    if order != list(range(len(order))):  # This avoids copying a large table.
        data = data.select(np.array(order, dtype=np.int64))
    if data.clusters is None:
        return data
    _, first, cluster = np.unique(data.clusters, return_index=True, return_inverse=True)
    return replace(data, clusters=np.argsort(np.argsort(first))[cluster])


def by_name(data: Data) -> Data:
    """Return the data with runs and questions sorted by name."""
    data = in_order(data) if data.has_questions else data
    runs = sorted(range(len(data.runs)), key=data.runs.__getitem__)
    return data if runs == list(range(len(runs))) else data.take_runs(runs)


def each_measure(
    compute: Callable[[Measure], Any], wanted: Sequence[Measure], jobs: int, progress: Progress | None
) -> list[Any]:
    """Return the result of `compute` for each measure, in order."""
    parts = []
    for part in parallel.each(compute, wanted, jobs):
        parts.append(part)
        if progress:
            progress(len(parts), len(wanted))
    return parts


def undefined(rows: Sequence[Any]) -> list[Note]:
    """Return a note for each measure that is undefined in some comparisons, with the number of such comparisons.

    The rows have the fields `measure` and `undefined`, which is the number of undefined comparisons.
    """
    counts = {row.measure: row.undefined for row in rows if row.undefined}
    return [
        note(
            "meta.undefined",
            "{subject}: {comparisons} comparisons have an undefined score and are left out",
            measure,
            comparisons=comparisons,
        )
        for measure, comparisons in counts.items()
    ]
