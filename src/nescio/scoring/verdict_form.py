"""Express measures as linear functions of accuracy for a known share of unanswered questions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import OUTCOMES
from nescio.errors import UsageError
from nescio.measures import Measure

_STEP = 1e-3  # step of a derivative from five points, exact for polynomials up to degree four
_CLOSE = 1e-9


class VerdictForm(Struct, frozen=True):
    r"""A measure as a linear function $c + \alpha A$ of accuracy A, for a known share U of unanswered questions.

    `slope` is α, the gain of an answer that is right instead of wrong, and `constant` is c. c@1 has α = 1 + U and c =
    0. UF has α = 2 and c = U - 1. penalty(t) with $\kappa = t/(1-t)$ has α = $1 + \kappa$ and c = $-\kappa(1 - U)$.
    Accuracy has α = 1 and c = 0.
    """

    measure: Measure
    unanswered: float
    slope: float
    constant: float

    def silence(self, accuracy: float) -> float:
        """Return δ, the rate at which the measure grows with the share U of unanswered questions at this accuracy."""
        at = _values(self.measure, [(accuracy, self.unanswered + k * _STEP) for k in (-2, -1, 1, 2)])
        slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * _STEP)
        return slope if math.isfinite(slope) else 0.0


def form_of(measure: Measure, unanswered: float) -> VerdictForm:
    """Return the linear form of a measure for a run with this share of unanswered questions.

    Raises UsageError for a measure that reads more than the three outcomes, is not a linear function of accuracy, or
    does not depend on which answers are right.
    """
    if not measure.of_counts or set(measure.needs) - {*OUTCOMES, "n"}:
        raise UsageError(
            "labels can correct only measures of the three outcomes, such as accuracy, c@1, UF and penalty(t=0.75); "
            f"{measure.label} uses other data too"
        )
    if {"correct", "incorrect"}.isdisjoint(measure.needs):
        raise UsageError(f"{measure.label} does not depend on what is correct, so labels cannot correct it")
    if unanswered == 1:
        return VerdictForm(measure, 1.0, 0.0, _values(measure, [(0.0, 1.0)])[0])
    some = (0.0, (1 - unanswered) / 2, 1 - unanswered)
    none, half, all_right = _values(measure, [(accuracy, unanswered) for accuracy in some])
    if not abs(none + all_right - 2 * half) <= _CLOSE * max(1.0, abs(none), abs(all_right)):
        raise UsageError(f"{measure.label} is not a linear function of accuracy, so labels cannot correct it")
    return VerdictForm(measure, unanswered, (all_right - none) / (1 - unanswered), none)


def _values(measure: Measure, at: Sequence[tuple[float, float]]) -> list[float]:
    """Return the measure's value at each pair of an accuracy and a share of unanswered questions."""
    kinds = measure.each(dict(zip(OUTCOMES, np.eye(3), strict=True)) | {"n": np.ones(3)})
    shares = [np.array([accuracy, 1 - accuracy - unanswered, unanswered]) for accuracy, unanswered in at]
    totals = {name: np.array([values @ share for share in shares]) for name, values in kinds.items()}
    values: list[float] = measure.of_totals(totals).tolist()
    return values
