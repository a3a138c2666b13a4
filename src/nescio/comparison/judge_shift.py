"""Whether what a judge gets wrong of one run is what it gets wrong of another, and of which answers it errs more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from nescio.comparison.judge_traits import preferences
from nescio.data.assessors import Resolution
from nescio.data.evidence import UNGRADED
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.scoring.corrected_scores import open_labelled
from nescio.scoring.judge_agreement import chosen_labels
from nescio.scoring.labels import Labels, read_labels
from nescio.stats.contrasts import FEWEST, Contrast, Mask, contrast
from nescio.stats.intervals import wilson

Answer = Literal["pass", "fail", "inconclusive", "not graded", "not checked"]
Error = Literal["bias", "false-positives", "false-negatives"]
_WORDS: Mapping[Error, str] = {
    "bias": "labelled answers",
    "false-positives": "labelled answers that people call not correct",
    "false-negatives": "labelled answers that people call correct",
}


class Shift(Struct, frozen=True):
    """Whether a judge errs on a run as on the runs that its correction was learned on, and why that is the answer.

    `value` and `learned` are the judge's errors on the run and on those, `difference` the first minus the second with
    its interval. `labels` and `learned_labels` count the answers that they were computed from. NaN where not computed.
    """

    run: str
    learned_on: str
    answer: Answer
    why: str
    value: float
    learned: float
    difference: float
    low: float
    high: float
    labels: int
    learned_labels: int


class JudgeErrors(Struct, frozen=True):
    """The judge's errors on the labelled answers of a run: its bias (its share correct minus people's) with Student's
    interval; the share of people's wrong answers that it calls correct and of people's right ones that it does not,
    with Wilson's intervals."""

    run: str
    bias: float
    low: float
    high: float
    labels: int
    false_positives: float
    false_positives_low: float
    false_positives_high: float
    wrong: int
    false_negatives: float
    false_negatives_low: float
    false_negatives_high: float
    right: int


class Labelled(Struct, frozen=True, eq=False):
    """The labelled answers of all runs, one element an answer: its run, its question, the unit that it is resampled
    with, whether people call it correct, and whether the judge does."""

    run: Any
    question: Any
    unit: Any
    people: Any
    judge: Any

    def error(self, which: Error) -> tuple[Any, Mask]:
        """Return how far the judge is off on each answer, and the answers on which that is defined."""
        if which == "bias":
            return self.judge - self.people, np.ones(len(self.run), dtype=bool)
        people = which == "false-negatives"
        return (1.0 - self.judge if people else self.judge), self.people == people


def judge_shift(
    source: Any,
    options: Mapping[str, Any],
    labels: Any,
    *,
    margin: float,
    learned_on: Sequence[str] = (),
    error: Error = "bias",
    by: Sequence[str] = (),
    own: Sequence[str] = (),
    ci: float = 95.0,
    resolve: Resolution = "adjudicated",
) -> Results[Shift]:
    """Return whether the judge errs on each run as on those that it was corrected on (`learned_on`; none: all others).

    A run passes where the interval of the difference lies within the margin, and fails where it lies outside. Labels
    are taken for a random sample of each run's answers, and figures are about all answers of their kind. `by` names
    columns by whose values the bias is shown too, `own` the runs of the judge's own model. Raises MismatchError for one
    run alone, UsageError for labels that are no simple random sample.
    """
    loaded = open_labelled(
        source, None, {"texts": True, "graded": ("length", "position"), **options}, labels, ("position", *by)
    )
    laid = read_labels(loaded, labels, resolve=resolve)
    if laid.inclusion is not None:
        raise UsageError("an audit needs labels of a simple random sample, and these have probabilities of inclusion")
    runs = laid.data.runs
    for name in (*learned_on, *own):
        if name not in runs:
            raise UnknownNameError("run", name, runs)
    if not set(runs) - set(learned_on):
        raise MismatchError(
            "nothing is left to check: a correction is learned on some runs and checked on others"
            if learned_on
            else "there is one run: a correction is learned on one and checked on another"
        )
    if len(runs) == 1:
        raise MismatchError("there is one run: a correction is learned on one and checked on another")
    cells = labelled_cells(laid)
    level = ci / 100
    how_far: dict[str, Any] = {"error": error, "margin": margin, "level": level}
    rows = [
        _row(laid, cells, run, learned_on or [name for name in runs if name != runs[run]], **how_far)
        for run in range(len(runs))
        if runs[run] not in learned_on
    ]
    found, unchecked = preferences(loaded, laid, cells, by=by, own=own, level=level)
    how = {"learned_on": "+".join(learned_on) or "all others", "error": error, "margin": f"{margin:g}", "ci": f"{ci:g}"}
    line = sign(**loaded.signature, **laid.signature, **how)
    notes = [*loaded.notes, *laid.notes, *_notes(laid), *unchecked]
    tables: dict[str, tuple[Any, ...]] = {
        "errors": tuple(_errors(cells, run, name, level) for run, name in enumerate(runs))
    }
    if found:
        tables["preferences"] = tuple(found)
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "shift", tables)


def labelled_cells(laid: Labels) -> Labelled:
    """Return the answers that people judged and the judge graded, of those that need a verdict."""
    run, question = np.nonzero(laid.labelled)
    clusters = laid.data.clusters
    return Labelled(
        run,
        question,
        question if clusters is None else clusters[question],
        laid.said[run, question].astype(float),
        (laid.data.column("correct")[run, question] == 1).astype(float),
    )


def _row(
    laid: Labels, cells: Labelled, run: int, learned_on: Sequence[str], *, error: Error, margin: float, level: float
) -> Shift:
    names = laid.data.runs
    values, defined = cells.error(error)
    own = defined & (cells.run == run)
    learned = defined & np.isin(cells.run, [names.index(name) for name in learned_on])
    made = contrast(values, cells.unit, own, learned)
    graded = laid.data.present[run] & ~laid.known[run]
    low, high = math.nan, math.nan
    answer: Answer = "not checked"
    if not graded.any() and (laid.data.absence[run] == UNGRADED).any():
        answer, why = "not graded", "its answers carry no verdict of the judge"
    elif not graded.any():
        why = "it gave no answer that needs a verdict"
    elif made.sizes[0] < FEWEST:
        why = f"it has {made.sizes[0]:,} {_WORDS[error]}, and {FEWEST} are needed"
    elif made.sizes[1] < FEWEST:
        why = f"those that it was learned on have {made.sizes[1]:,} {_WORDS[error]}, and {FEWEST} are needed"
    else:
        low, high = made.interval(level)
        answer, why = _answer(low, high, margin)
    values_shown = (made.first, made.second, made.difference) if math.isfinite(low) else (math.nan,) * 3
    return Shift(names[run], " + ".join(learned_on), answer, why, *values_shown, low, high, *made.sizes)


def _answer(low: float, high: float, margin: float) -> tuple[Answer, str]:
    """Return what an interval of a difference says of a margin."""
    if -margin <= low and high <= margin:
        return "pass", f"the difference is within ±{margin:g}"
    if low > margin or high < -margin:
        return "fail", f"the difference is more than {margin:g}"
    return "inconclusive", f"the interval reaches across ±{margin:g}: more labels would tell"


def _errors(cells: Labelled, run: int, name: str, level: float) -> JudgeErrors:
    values, _ = cells.error("bias")
    own = cells.run == run
    bias: Contrast = contrast(values, cells.unit, own, np.zeros(len(own), dtype=bool))
    false_positives = _rate(cells, own, "false-positives", level)
    false_negatives = _rate(cells, own, "false-negatives", level)
    return JudgeErrors(name, bias.first, *bias.interval(level), int(own.sum()), *false_positives, *false_negatives)


def _rate(cells: Labelled, own: Mask, error: Error, level: float) -> tuple[float, float, float, int]:
    """Return a share of a run's answers with Wilson's interval, and of how many answers it is; NaN of none."""
    off, defined = cells.error(error)
    of = defined & own
    times, many = float(off[of].sum()), int(of.sum())
    low, high = wilson(times, many, level)
    return times / many if many else math.nan, float(low), float(high), many


def _notes(laid: Labels) -> list[Note]:
    """Say what the figures depend on."""
    labelled = laid.labelled
    notes = [
        note(
            "shift.about",
            "the bias is the judge's share of correct answers minus people's, on {labels:n labelled answer}; figures"
            " are about all answers of this kind, and assume that each run's labels are a random sample of its answers",
            labels=int(labelled.sum()),
        )
    ]
    notes += chosen_labels(laid.data.runs, laid.data.column("correct") == 1, laid.data.present & ~laid.known, labelled)
    return notes
