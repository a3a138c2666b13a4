"""DeepEval: a metric that separates abstentions from wrong answers, and any measure over its results.

    from nescio.integrations.deepeval import measured, outcome

    results = evaluate(cases, [outcome(worth=0.5, declined_pattern=["I don't know.*"])])
    measured("c@1", results)

A case scores 1 if its output is right by the judge, 0 if it is wrong, and `worth` if it is empty or declines. With the
threshold at `worth`, a case that declines passes and a wrong one fails. The mean m of the scores is penalty(t=worth) on
another scale: (m - t)/(1 - t). `nescio score .deepeval` recovers the three outcomes from the metric's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from nescio.errors import UsageError
from nescio.formats.logs.metrics import OUTCOME
from nescio.integrations import check_worth, outcome_of, state_of_score, value_of
from nescio.measures import parse


def outcome(*, worth: float = 0.5, judge: str = "exact", declined_pattern: Sequence[str] = ()) -> Any:
    """Return a metric for DeepEval's `evaluate` and `assert_test`, with the score 1 for a right output, 0 for a wrong
    one, and `worth` for an abstention.

    The judge (any of `nescio judge`) compares a case's output with its `expected_output`. An output that is empty, or
    matches a `declined_pattern` completely, is an abstention. Raises UsageError unless worth is between 0 and 1, and
    UnknownNameError for the judge.
    """
    check_worth(worth, judge)
    base = import_module("deepeval.metrics").BaseMetric
    missing = import_module("deepeval.errors").MissingTestCaseParamsError

    class Outcome(base):  # type: ignore[misc,valid-type]
        # DeepEval copies a metric by calling its class with the attributes named like its arguments.
        def __init__(self, worth: float, judge: str, declined_pattern: Sequence[str]) -> None:
            self.worth, self.judge, self.declined_pattern = worth, judge, declined_pattern
            self.threshold = worth
            self.async_mode, self.strict_mode, self.include_reason = False, False, True
            self.evaluation_model = f"nescio judge {judge}"

        def measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            gold = test_case.expected_output
            if gold is None:
                self.error = "expected_output is missing"
                raise missing(f"'expected_output' cannot be None for the '{self.__name__}' metric")
            word = outcome_of(test_case.actual_output, [gold], judge=self.judge, declined_pattern=self.declined_pattern)
            self.score = None if word is None else {"correct": 1.0, "incorrect": 0.0}.get(word, self.worth)
            self.success = self.score is not None and self.score >= self.threshold
            self.reason = word or "not graded"
            return self.score  # type: ignore[return-value]

        async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return OUTCOME

    return Outcome(worth, judge, tuple(declined_pattern))


def measured(measure: str, results: Any) -> float:
    """Return the value of a measure over the results of DeepEval's `evaluate`, by the scores of our metric; NaN if
    undefined.

    Cases with the same input are repeats of one question. Raises UnknownNameError for the measure, and UsageError if
    the metric was not used.
    """
    wanted = parse(measure)
    states, questions = [], []
    for case in getattr(results, "test_results", results):
        outcomes = [metric for metric in case.metrics_data or () if metric.name == OUTCOME]
        if not outcomes:
            raise UsageError(
                f"a case has no score of {OUTCOME}; run nescio.integrations.deepeval.outcome() on every case"
            )
        states.append(state_of_score(None if outcomes[0].error else outcomes[0].score))
        questions.append(str(case.input))
    return value_of(wanted, np.array(states, dtype=np.int8), questions=questions)
