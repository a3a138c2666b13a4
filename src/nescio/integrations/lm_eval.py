"""lm-evaluation-harness: any measure as a metric with its aggregation, for tasks that generate text.

In a task's YAML, without a file of one's own, for c@1, accuracy and coverage by the judge "exact":

    metric_list:
      - metric: !function nescio.integrations.lm_eval.c_at_1
        aggregation: !function nescio.integrations.lm_eval.c_at_1_over_all
        higher_is_better: true

With a pattern, another judge or another measure, in the task's own Python file, `measures.py` beside its YAML:

    from nescio.integrations.lm_eval import aggregation, metric
    c_at_1, over_all = metric("c@1", declined_pattern=["I don't know.*"]), aggregation("c@1")

and in the YAML:

    metric_list:
      - metric: !function measures.c_at_1
        aggregation: !function measures.over_all
        higher_is_better: true

or, if tasks are run from Python, `register("c@1")` makes `metric: c@1` and `aggregation: c@1` known by name. Three
kinds of answers are abstentions, as in the logs that `nescio score` reads: empty ones, those from which the filter
extracted nothing ([invalid]), and those that match a pattern completely.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from nescio import judging
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.errors import UsageError
from nescio.formats.logs.lm_eval.lm_eval_reader import INVALID
from nescio.integrations import state_of, value_of
from nescio.measures import parse

ITEMS = {CORRECT: 1.0, INCORRECT: 0.0, NOT_GRADED: float("nan")}


class Silence(float):
    """The value of an abstention in lm-evaluation-harness, -1, which raises an error if it is used as true or false.

    For a task with several targets, the harness asks whether any value is true. The harness would count -1 as a right
    answer.
    """

    def __new__(cls) -> Silence:
        return super().__new__(cls, -1.0)

    def __reduce__(self) -> tuple[type[Silence], tuple[()]]:
        return Silence, ()

    def __bool__(self) -> NoReturn:
        raise UsageError(
            "for a task with several targets, the harness would count abstentions as right or wrong; join the "
            "targets into one, or grade in process_results with nescio.integrations.lm_eval.item"
        )


def item(
    answer: str, references: Sequence[str], *, judge: str = "exact", declined_pattern: Sequence[str] = ()
) -> float:
    """Return the value of one answer for the harness: 1 right, 0 wrong, -1 an abstention (a `Silence`), or NaN if not
    graded.

    `judge` is any judge of `nescio judge`, such as "numeric"; `references` are all right answers.
    """
    text = "" if str(answer).strip() == INVALID else str(answer)
    state = state_of(text, references, judge=judge, declined_pattern=declined_pattern)
    return Silence() if state == SILENT else ITEMS[state]


def metric(name: str, *, judge: str = "exact", declined_pattern: Sequence[str] = ()) -> Callable[..., float]:
    """Return a metric for lm-evaluation-harness, which is a function that returns the value of one document.

    Raises UnknownNameError for the measure or the judge.
    """
    label = parse(name).label
    judging.known(judge)

    def of_one(references: Sequence[Any], predictions: Sequence[Any]) -> float:
        return item(predictions[0], list(map(str, references)), judge=judge, declined_pattern=declined_pattern)

    of_one.__name__ = of_one.__qualname__ = label  # The harness shows it as the metric's name.
    return of_one


def aggregation(name: str) -> Callable[[Sequence[float]], float]:
    """Return the function with which the harness computes a measure from the values of all documents; NaN if undefined.

    The values come from the metric of the same name.
    """
    wanted = parse(name)

    def of_all(items: Sequence[float]) -> float:
        return value_of(wanted, np.array([_state(item) for item in items], dtype=np.int8))

    of_all.__name__ = of_all.__qualname__ = wanted.label
    return of_all


def register(*names: str, judge: str = "exact", declined_pattern: Sequence[str] = ()) -> None:
    """Register measures with lm-evaluation-harness, each as a metric and as an aggregation of the same name."""
    registry = import_module("lm_eval.api.registry")
    import_module("lm_eval.api.metrics")
    for name in names:
        wanted = parse(name)
        registry.register_aggregation(wanted.label)(aggregation(name))
        registry.register_metric(
            metric=wanted.label,
            higher_is_better=not wanted.declaration.lower_is_better,
            output_type="generate_until",
            aggregation=wanted.label,
        )(metric(name, judge=judge, declined_pattern=declined_pattern))


c_at_1, c_at_1_over_all = metric("c@1"), aggregation("c@1")
accuracy, accuracy_over_all = metric("accuracy"), aggregation("accuracy")
coverage, coverage_over_all = metric("coverage"), aggregation("coverage")


def _state(value: float) -> int:
    if math.isnan(value):
        return NOT_GRADED
    state = {-1.0: SILENT, 0.0: INCORRECT, 1.0: CORRECT}.get(float(value))
    if state is None:
        raise UsageError(
            f"an item must be 1, 0, -1 (abstention) or NaN (found {value!r}); make items with "
            "nescio.integrations.lm_eval.item"
        )
    return state
