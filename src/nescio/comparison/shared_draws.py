"""Compute the values of all runs on the same resamples of the questions, for statements about several runs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.data.evidence import Data, Evidence
from nescio.data.patterns import by_unit, numbered
from nescio.measures import Measure
from nescio.scoring.resampled import Subject, on_resamples
from nescio.scoring.samples import columns_for, compress_run, question_of
from nescio.stats.resampling import Block

Values = NDArray[np.float64]
MOST_PICKS = 150_000_000  # most questions drawn in all
MOST_CELLS = 1 << 22  # most runs times questions: larger tables take too much memory


def shared_draws(data: Data, measures: Sequence[Measure], blocks: Sequence[Block], jobs: int) -> list[Values | None]:
    """Return for each measure the values of all runs on the same resamples, shape (runs, resamples).

    An entry is None if the runs cannot be drawn together: their questions are unknown or differ, or there are too many.
    """
    if not data.has_questions or len(data.runs) * len(data.questions) > MOST_CELLS:
        return [None] * len(measures)
    together = [_subjects(data, measure) for measure in measures]
    values: list[Values | None] = [None] * len(measures)
    size = sum(block.size for block in blocks)
    by_units: dict[int, list[int]] = {}
    for at, subjects in enumerate(together):
        units = subjects[0].patterns.units if subjects else 0
        if 0 < units * size <= MOST_PICKS:
            by_units.setdefault(units, []).append(at)
    for units, places in by_units.items():
        drawn = on_resamples([subject for at in places for subject in together[at]], units, blocks, jobs)
        for i, at in enumerate(places):
            values[at] = np.stack(drawn[i * len(data.runs) : (i + 1) * len(data.runs)])
    return values


def _subjects(data: Evidence, measure: Measure) -> list[Subject]:
    """Return every run as a measure sees it, unit by unit, or an empty list if the runs have different questions."""
    measure, read, usable = columns_for(data, measure)
    by_name = np.array(data.sorted_rows(), dtype=np.int64)
    usable = usable[:, by_name]
    if not usable[0].any() or (data.repeats is None and (usable != usable[0]).any()):
        return []
    groups = data.groups if data.repeats is not None and measure.order is None else data.clusters
    asked, subjects = None, []
    for run, use in enumerate(usable):
        rows = by_name[use]
        if data.repeats is not None:
            questions = np.unique(data.repeats.question[rows])
            if asked is not None and not np.array_equal(asked, questions):
                return []
            asked = questions
        columns = {name: read[name][run][rows] for name in measure.needs}
        key = read[measure.order][run][rows] if measure.order else None
        clusters = None if groups is None else numbered(groups[rows])
        patterns = compress_run(measure, columns, key, clusters, question_of(data, rows))
        subjects.append(Subject(measure, by_unit(patterns)))
    return subjects if len({subject.patterns.units for subject in subjects}) == 1 else []
