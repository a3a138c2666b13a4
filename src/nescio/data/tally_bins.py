"""Answers counted by bins of their confidence: what tallies of shards hold of an order, and which add up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nescio.data.outcomes import Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.errors import MismatchError

BINS = 4096  # of equal width, from 0 to 1
RIGHT, WRONG = 0, 1

Counts = NDArray[np.int64]


def bin_answers(outcomes: Outcomes, bins: int = BINS) -> Counts:
    """Count the right and the wrong answers of each run, judged candidates among them, by their confidence; shape
    (runs, 2, bins).

    A confidence c stands in the bin floor(bins c), and 1 in the last. Answers without a confidence count nowhere in a
    run that has none at all. Raises MissingColumnError without confidences, MismatchError where a run lacks some of
    them, or one is not between 0 and 1.
    """
    evidence, _ = apply_policies(outcomes, Policies(missing="unanswered", ungraded="exclude"))
    right, confidence = evidence.column("right"), evidence.column("confidence")
    use = evidence.present & ~np.isnan(right) & ~np.isnan(confidence)
    outside = use & ~((confidence >= 0) & (confidence <= 1))
    for run, question in zip(*np.nonzero(outside), strict=True):
        raise MismatchError(
            f"run {evidence.runs[run]!r}, question {evidence.questions[question]!r}: a tally bins confidences between "
            f"0 and 1 (found {float(confidence[run, question])!r}); rescale them, or score the files themselves"
        )
    counts = []
    for used, of_run, wrong in zip(use, confidence, right == 0, strict=True):
        place = np.minimum(of_run[used] * bins, bins - 1).astype(np.int64) + np.where(wrong[used], bins, 0)
        counts.append(np.bincount(place, minlength=2 * bins).reshape(2, bins))
    return np.stack(counts)
