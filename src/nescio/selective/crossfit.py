"""Choose a threshold on all questions, and one without each part of them in turn."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.measures import Measure
from nescio.selective.certified import GridPoint, Guarantee, bounds_on_grid, certify
from nescio.selective.curve import Bools, Floats, OneRun
from nescio.selective.thresholds import TIE, best_thresholds, sweep
from nescio.stats import resampling
from nescio.stats.streams import Stream


class Choice(Struct, frozen=True, eq=False):
    """The thresholds chosen for a run, which gives an answer if its confidence is at least the threshold.

    `threshold` was chosen on all questions, and `without[k]` on those outside part k; inf accepts nothing, -inf every
    answer. `fold` has the number of each question's part. `without` is empty if nothing can be held out. `grid` holds
    the tested thresholds if a risk is guaranteed.
    """

    threshold: float
    without: Floats
    fold: NDArray[np.int64]
    grid: tuple[GridPoint, ...] = ()
    notes: tuple[Note, ...] = ()

    def held_out(self, one: OneRun) -> Bools:
        """Return a mask of the questions that are answered if each has the threshold chosen without its part."""
        return one.accept(self.without[self.fold])


def choose(one: OneRun, wanted: Measure | Guarantee, folds: int, seed: int) -> Choice:
    """Return the thresholds that make a measure best, or that guarantee a risk (`wanted`).

    One threshold is chosen on all questions, and one without each of up to `folds` parts of the questions.
    """
    fold = deal(one.data, folds, seed)
    parts = int(fold.max()) + 1
    masks = np.ones((1, len(fold)), dtype=bool)
    if parts > 1:
        masks = np.concatenate([masks, fold != np.arange(parts)[:, None]])
    if isinstance(wanted, Guarantee):
        grids = [
            bounds_on_grid(one.confidence[mask & one.has_confidence], one.wrong[mask & one.has_confidence], wanted)
            for mask in masks
        ]
        chosen = [certify(grid, wanted) for grid in grids]
        thresholds = np.array([np.inf if point is None else point.threshold for point in chosen])
        none = int(np.isposinf(thresholds[1:]).sum())
        notes = []
        if none and np.isfinite(thresholds[0]) | np.isneginf(thresholds[0]):
            notes.append(
                note(
                    "tuning.silent_parts",
                    "on {silent} of {parts} held-out parts the run abstains on everything, because too few "
                    "questions are left to certify a threshold. So the held-out value describes the procedure with "
                    "fewer questions, not this threshold",
                    silent=none,
                    parts=parts,
                )
            )
        return Choice(float(thresholds[0]), thresholds[1:], fold, grids[0], tuple(notes))
    tried = sweep(one, wanted, masks)
    thresholds = best_thresholds(one, masks, tried, lower_is_better=wanted.declaration.lower_is_better)
    return Choice(float(thresholds[0]), thresholds[1:], fold, notes=tuple(_remarks(one, wanted, *tried)))


def deal(data: Evidence, folds: int, seed: int) -> NDArray[np.int64]:
    """Return, for each question, the number of the part with which it is held out.

    The questions of a cluster share a part.

    The parts depend on the seed and on the order of the questions' names. Parts differ by at most one question (or
    cluster), and there are at most as many parts as questions (or clusters). With a single question (or cluster),
    nothing can be held out, and all questions are in part 0.
    """
    clusters = np.arange(len(data.questions)) if data.clusters is None else data.clusters
    _, first, unit = np.unique(clusters, return_index=True, return_inverse=True)
    place = resampling.Block(0, 1, seed).generator(Stream.TUNING_FOLDS).permutation(len(first))
    by_name = np.argsort(np.argsort(first))  # a cluster takes the place of its first question
    return (place % min(folds, len(first)))[by_name][unit]


def _remarks(run: OneRun, measure: Measure, thresholds: Floats, values: Floats) -> list[Note]:
    notes, known = list[Note](), values[0][~np.isnan(values[0])]
    distinct = len(np.unique(run.confidence[run.has_confidence]))
    if len(thresholds) <= distinct:
        notes.append(
            note(
                "tuning.some_thresholds",
                "{subject} cannot be computed from sums over questions, "
                "so only {tried} of {thresholds:,} thresholds were tried, evenly "
                "spaced by rank",
                measure.label,
                tried=len(thresholds),
                thresholds=distinct + 1,
            )
        )
    if not len(known):
        notes.append(
            note("tuning.undefined", "{subject} is undefined at every threshold, so nothing is answered", measure.label)
        )
    elif distinct and np.ptp(known) <= TIE * max(1.0, float(np.abs(known).max())):
        notes.append(
            note(
                "tuning.same_everywhere",
                "{subject} has the same value at every threshold, so the lowest threshold is chosen, which gives "
                "every answer",
                measure.label,
            )
        )
    return notes
