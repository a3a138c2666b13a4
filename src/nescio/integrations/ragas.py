"""ragas: a metric that separates abstentions from wrong answers, and any measure over its results.

    from nescio.integrations.ragas import measured, outcome

    result = evaluate(dataset, [outcome(worth=0.5, declined_pattern=["I don't know.*"])])
    measured("c@1", result)

A sample scores 1 if its response is right by the judge, and 0 if it is wrong. It scores `worth` if it is empty or
declines, and NaN without a reference. The mean m that ragas prints is penalty(t=worth) on another scale: (m - t)/(1 -
t). `nescio score result.csv`, with the table of `result.to_pandas()`, recovers the three outcomes from the column's
name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from nescio.errors import UsageError
from nescio.formats.logs.metrics import OUTCOME
from nescio.integrations import check_worth, outcome_of, state_of_score, value_of
from nescio.measures import parse


def outcome(*, worth: float = 0.5, judge: str = "exact", declined_pattern: Sequence[str] = ()) -> Any:
    """Return a metric for Ragas's `evaluate`: 1 for a right response, 0 for a wrong one, `worth` for an abstention, and
    NaN for one that is not graded.

    The judge (any of `nescio judge`) compares a response with its `reference`; no language model is called. A response
    that is empty, or matches a `declined_pattern` completely, is an abstention. Raises UsageError unless worth is
    between 0 and 1, and UnknownNameError for the judge.
    """
    check_worth(worth, judge)
    base = import_module("ragas.metrics.base")
    columns = {base.MetricType.SINGLE_TURN: {"reference", "response"}}

    @dataclass
    class Outcome(base.SingleTurnMetric):  # type: ignore[misc,name-defined]
        name: str = OUTCOME
        _required_columns: Any = field(default_factory=lambda: columns)

        def init(self, run_config: Any) -> None:
            """Do nothing, because the metric needs no model."""

        async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:  # noqa: ARG002
            if not sample.reference:
                return float("nan")
            word = outcome_of(sample.response, [sample.reference], judge=judge, declined_pattern=declined_pattern)
            return float("nan") if word is None else {"correct": 1.0, "incorrect": 0.0}.get(word, worth)

    return Outcome()


def measured(measure: str, result: Any) -> float:
    """Return the value of a measure over the results of Ragas's `evaluate`, by the scores of our metric; NaN if
    undefined.

    Samples with the same input are repeats of one question. Raises UnknownNameError for the measure, and UsageError if
    the metric was not used.
    """
    wanted = parse(measure)
    try:
        scores = result[OUTCOME]
    except KeyError:
        raise UsageError(f"there is no score of {OUTCOME}; run nescio.integrations.ragas.outcome()") from None
    questions = [str(sample.user_input) for sample in result.dataset.samples]
    states = np.array([state_of_score(score) for score in scores], dtype=np.int8)
    return value_of(wanted, states, questions=questions)
