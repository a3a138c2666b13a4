"""nescio's measures inside other tools: Inspect, lm-evaluation-harness and scikit-learn. None of them is needed by
nescio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.data.outcomes import Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.data.repeats import repeats_of
from nescio.measures import Measure, parse
from nescio.scoring.samples import measure_inputs

__all__ = ["value_of"]


def value_of(
    measure: str | Measure,
    state: NDArray[np.int8],
    *,
    confidence: NDArray[np.float64] | None = None,
    candidate: NDArray[np.int8] | None = None,
    answerable: NDArray[np.int8] | None = None,
    questions: Sequence[str] | None = None,
) -> float:
    """Return a measure of one run; NaN where it is undefined (0/0, or nothing was graded).

    `state` has an outcome a question (`nescio.data.outcomes`: CORRECT, INCORRECT, SILENT, or NOT_GRADED, which is left
    out); the others are as in `nescio.data.outcomes.Outcomes`, each of shape (questions,). Where questions were asked
    several times, `questions` names the one that each answer is to. Raises UnknownNameError for the measure, and
    MissingColumnError where it needs what is not given.
    """
    wanted = parse(measure)
    if not len(state):
        return float("nan")

    def row(values: NDArray[np.int8] | None) -> NDArray[np.int8] | None:
        return None if values is None else np.asarray(values, dtype=np.int8)[None]

    sure = None if confidence is None else np.asarray(confidence, dtype=np.float64)[None]
    names = tuple(map(str, range(len(state))))
    asked = names if questions is None else tuple(questions)
    states = np.asarray(state, dtype=np.int8)[None]
    known = None if answerable is None else answerable
    repeats = repeats_of(asked, names)
    outcomes = Outcomes(("run",), asked, states, sure, row(candidate), known, repeats=repeats)
    data, _ = apply_policies(outcomes, Policies(ungraded="exclude"))
    return measure_inputs(data, [wanted])[0][0].value
