"""Use nescio's measures inside other tools: Inspect, lm-evaluation-harness, HELM, DeepEval, ragas and scikit-learn.

nescio needs none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nescio import judging
from nescio.data.model import Question
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, STATES, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.data.repeats import repeats_of
from nescio.data.stakes import is_marked, unmarked
from nescio.errors import UsageError
from nescio.formats.registry import Declined
from nescio.judging import AnswerToJudge
from nescio.measures import Measure, parse
from nescio.scoring.samples import measure_inputs

__all__ = ["check_worth", "outcome_of", "state_of", "state_of_score", "value_of"]


def value_of(
    measure: str | Measure,
    state: NDArray[np.int8],
    *,
    confidence: NDArray[np.float64] | None = None,
    candidate: NDArray[np.int8] | None = None,
    answerable: NDArray[np.int8] | None = None,
    questions: Sequence[str] | None = None,
) -> float:
    """Return the value of a measure for one run, or NaN if it is undefined (0/0, or nothing was graded).

    `state` has the outcome of each question: CORRECT, INCORRECT, SILENT, or NOT_GRADED, which is left out. The other
    columns of shape (questions,) are described in `nescio.data.outcomes.Outcomes`. If questions were asked several
    times, `questions` has the name of the question in each place. Raises UnknownNameError for the measure, and
    MissingColumnError if it needs an argument that was not given.
    """
    wanted = parse(measure)
    if not len(state):
        return float("nan")
    held = None if candidate is None else np.asarray(candidate, dtype=np.int8)[None]
    sure = None if confidence is None else np.asarray(confidence, dtype=np.float64)[None]
    names = tuple(map(str, range(len(state))))
    asked = names if questions is None else tuple(questions)
    states = np.asarray(state, dtype=np.int8)[None]
    repeats = None if all(map(is_marked, asked)) else repeats_of(asked, names)
    outcomes = unmarked(Outcomes(("run",), asked, states, sure, held, answerable, repeats=repeats))
    data, _ = apply_policies(outcomes, Policies(ungraded="exclude"))
    return measure_inputs(data, [wanted])[0][0].value


def state_of(
    answer: str | None, golds: Sequence[str], *, judge: str = "exact", declined_pattern: Sequence[str] = ()
) -> int:
    """Return the outcome of an answer: CORRECT, INCORRECT, SILENT or NOT_GRADED, as numbers of `nescio.data.outcomes`.

    None, an empty text, and a text that matches a `declined_pattern` completely are SILENT. The judge compares any
    other text with `golds`, all right answers. Raises UnknownNameError for the judge.
    """
    if answer is None or not answer.strip() or Declined(tuple(declined_pattern)).fits(answer):
        return SILENT
    question = Question("0", "", tuple(map(str, golds)))
    return judging.known(judge).grade([AnswerToJudge("run", question, answer)])[0].state


def outcome_of(
    answer: str | None, golds: Sequence[str], *, judge: str = "exact", declined_pattern: Sequence[str] = ()
) -> str | None:
    """Return the outcome of an answer as a word such as "correct", or None if it is not graded; arguments as in
    `state_of`."""
    state = state_of(answer, golds, judge=judge, declined_pattern=declined_pattern)
    return next((word for word, code in STATES.items() if code == state), None)


def state_of_score(score: float | None) -> int:
    """Return the outcome for a score of the metric `nescio_outcome`, as a number of `nescio.data.outcomes`.

    1 is right, 0 is wrong, and a value between them is an abstention. None and NaN are not graded. Raises UsageError
    for any other number.
    """
    if score is None or np.isnan(score):
        return NOT_GRADED
    if not 0 <= score <= 1:
        raise UsageError(f"a score of nescio_outcome must be between 0 and 1 (found {score!r})")
    return CORRECT if score == 1 else INCORRECT if score == 0 else SILENT


def check_worth(worth: float, judge: str) -> None:
    """Raise UsageError unless `worth`, the score of an abstention, is between 0 and 1, and UnknownNameError for an
    unknown judge."""
    if isinstance(worth, bool) or not isinstance(worth, (int, float)) or not 0 < worth < 1:
        raise UsageError(f"worth, the score that abstaining earns, must be between 0 and 1 (found {worth!r})")
    judging.known(judge)
