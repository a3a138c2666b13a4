"""Inspect: any measure as a metric of a scorer.

    from nescio.integrations.inspect import measure

    @scorer(metrics=[measure("c@1"), measure("coverage"), measure("penalty(t=0.75)")])
    def mine(): ...

A score is read as `nescio score` reads it in a log (`nescio.formats.logs.inspect.inspect_reader`). Abstentions are the
value N, a `reason` of refusal, no_response or invalid_response_format, and a wrong answer that is empty. P (partial)
or a number below 1 is wrong. NaN is not graded and is left out, as in Inspect. A metric gets every epoch as it was
scored (`scores="unreduced"`), as repeats of its sample. Inspect's reduction of epochs, even of one epoch, is a number
that counts an abstention as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.formats.logs.inspect.inspect_reader import answer_of, grade_of
from nescio.formats.logs.inspect.log import Sample, Score
from nescio.formats.logs.kit import settle, take, verdict
from nescio.formats.registry import Declined, ReadOptions
from nescio.integrations import value_of
from nescio.measures import parse


def measure(name: str, *, threshold: float = 1.0, declined_pattern: Sequence[str] = ()) -> Any:
    """Return a measure of nescio as a metric of Inspect, with the same name.

    An answer is right if its score is at least `threshold`, and an abstention if it matches a `declined_pattern`
    completely. Measures that need a confidence are not available, because Inspect's scores have none. Raises
    UnknownNameError, or UsageError if Inspect is too old.
    """
    wanted = parse(name)
    options = ReadOptions(declined=Declined(tuple(declined_pattern)))

    def create() -> Any:
        def compute(scores: Sequence[Any]) -> float:
            questions = [str(score.sample_id) for score in scores]
            return value_of(wanted, states(scores, options, threshold), questions=questions)

        return compute

    metric = import_module("inspect_ai.scorer").metric
    if "scores" not in signature(metric).parameters:
        raise UsageError(
            "this version of inspect_ai gives metrics only reduced scores, in which an abstention is a wrong "
            "answer; update inspect_ai"
        )
    return metric(name=wanted.label, scores="unreduced")(create)()


def states(scores: Sequence[Any], options: ReadOptions, threshold: float = 1.0) -> NDArray[np.int8]:
    """Return the outcome of each SampleScore of Inspect, as a number of `nescio.data.outcomes`."""
    return np.array([_state(score, options, threshold) for score in scores], dtype=np.int8)


def _state(sample_score: Any, options: ReadOptions, least: float) -> int:
    where = f"sample {sample_score.sample_id!r}"
    value, answer = sample_score.score.value, sample_score.score.answer
    if isinstance(value, (dict, list)):
        raise UsageError(
            f"{where}: the score has several values; define metrics for each value by its name, as Inspect allows"
        )
    score = Score(value, str(answer or ""), str(getattr(sample_score.score, "reason", None) or ""))
    # Inspect tells a metric nothing about the sample itself. Only an existing but empty answer can be seen.
    sample = Sample(str(sample_score.sample_id), 1, {}, "", "", None, answer == "", "", (), (), {}, where)
    grade = grade_of(score, sample, options)
    if grade.label is not None:
        raise UsageError(
            f"{where}: the score {grade.label!r} is not an outcome; Inspect's outcomes are C, I, P, N and numbers"
        )
    answer = take(answer_of(sample, score, grade, least), options)
    settle(answer, verdict(answer, least))
    return answer.state
