"""Prepare graded scores of single questions for the browser, by each measure that is a mean of its questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, known
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.repeats import means
from nescio.errors import MismatchError, MissingColumnError
from nescio.measures import Measure, parse
from nescio.pipeline import Loaded
from nescio.scoring.samples import columns_for
from nescio.scoring.score import compute_scores

MOST_SCORES = 6_000_000  # scores in a page: at four bytes each, with base64, 32 MB

# maps a measure to each row's earnings, shape (runs, rows), NaN if there are none
Graded = Mapping[str, NDArray[np.float32]]


def graded_scores(loaded: Loaded, runs: Sequence[str], measures: Sequence[str]) -> tuple[Graded, tuple[Note, ...]]:
    """Return each question's value by each measure that is a mean over the questions, and notes.

    Only measures of graded scores are taken, or all measures if the data has no outcomes. A note names the measures
    that have too many values for the page. The values are in the order of `runs`.
    """
    data = loaded.data
    if not isinstance(data, Evidence) or data.answer_rows is not None:
        return {}, ()
    order = [data.runs.index(run) for run in runs]
    scores: dict[str, NDArray[np.float32]] = {}
    too_many = []
    for name in measures:
        measure = parse(name).on(data.columns)
        stored = [column for column in measure.needs if column in data.columns and column != "confidence"]
        reads_scores = any(known(column).dtype == "score" for column in stored)
        if not measure.of_counts or not (reads_scores or not set(OUTCOMES) <= data.columns.keys()):
            continue
        if (len(scores) + 1) * data.absence.size > MOST_SCORES:
            too_many.append(name)
            continue
        values = earned(data, measure)
        if values is not None and _is_mean(
            data, values, [row.value for row in compute_scores(loaded, [name], ci=None)]
        ):
            scores[name] = values[order].astype(np.float32)
    left_out = note(
        "page.too_many_scores",
        "the question browser lacks scores by {measures:list}, because these are more than a page can hold; --by "
        "question prints these scores",
        measures=too_many,
    )
    return scores, (left_out,) if too_many else ()


def earned(data: Evidence, measure: Measure) -> NDArray[np.float64] | None:
    """Return a measure's value for each row alone.

    Returns None if the data lacks columns that the measure needs, or if the measure works with bins.
    """
    try:
        measure, read, usable = columns_for(data, measure)
    except (MissingColumnError, MismatchError):
        return None
    values = np.full(usable.shape, np.nan)
    for run, use in enumerate(usable):
        columns = dict(measure.each({name: read[name][run][use] for name in measure.needs}))
        if any(column.ndim > 1 for column in columns.values()):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            values[run, use] = measure.of_totals(columns | {"n": np.ones(int(use.sum()))})
    return values


def _is_mean(data: Evidence, earned: NDArray[np.float64], values: Sequence[float]) -> bool:
    """Return whether each run's value is the mean over questions of the values `earned` on single rows.

    A question that was asked several times counts once, with the mean of its rows.
    """
    for earnings, value in zip(earned, values, strict=True):
        defined = ~np.isnan(earnings)
        if not defined.any() or math.isnan(value):
            continue
        of_questions = (
            earnings[defined] if data.repeats is None else means(earnings[defined], data.repeats.question[defined])
        )
        if not math.isclose(float(of_questions.mean()), value, rel_tol=1e-9, abs_tol=1e-9):
            return False
    return True
