"""Define laws that every measure keeps. `pytest --nescio-laws NAME` tests measures of plug-ins.

A law is a function of Evidence and a measure. It returns a text that says how the measure breaks the law on the first
run, or "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.measures import Measure
from nescio.meta_evaluation.audit import _kinds
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats import resampling

Law = Callable[[Evidence, Measure], str]
SLACK = 1e-12
TRIALS, MOST_QUESTIONS, LEVELS = 100, 10, 4  # Ids of so few questions sort like their numbers.


def within_bounds(data: Evidence, measure: Measure) -> str:
    """Check that the measure, on these data and on resamples of them, is within its bounds or undefined."""
    sample, (low, high) = _sample(data, measure), measure.bounds
    values = np.append(sample.measure.value(sample.patterns, _weights(sample, 64)), sample.value)
    outside = values[~(np.isnan(values) | ((values >= low - SLACK) & (values <= high + SLACK)))]
    return f"{outside[0]:g} is outside [{low:g}, {high:g}]" if outside.size else ""


def undefined_of_nothing(data: Evidence, measure: Measure) -> str:
    """Check that the measure is undefined if there are no questions, because 0/0 is never 0."""
    sample = _sample(data, measure)
    value = float(sample.measure.value(sample.patterns, 0 * sample.patterns.counts))
    return "" if np.isnan(value) else f"without questions the value is {value:g}, but it must be NaN (undefined)"


def as_often_as_weighed(data: Evidence, measure: Measure) -> str:
    """Check that a question of weight k counts as much as k copies of this question, and with weight 0 not at all."""
    read = [np.asarray(data.column(name)[0], dtype=float) for name in measure.on(data.columns).reads if name != "n"]
    usable = ~np.isnan(read).any(axis=0) if read else np.ones(len(data.questions), dtype=bool)
    weights = np.random.default_rng(1).integers(0, 4, len(data.questions))
    sample = _sample(replace(data, clusters=np.arange(len(data.questions))), measure)
    by_weight = float(sample.measure.value(sample.patterns, weights[usable]))
    by_row = _sample(data.select(np.repeat(np.arange(len(data.questions)), weights)), measure).value
    return _unlike(by_weight, by_row, "weights", "the same questions, each repeated as often as its weight,")


def alone_as_together(data: Evidence, measure: Measure) -> str:
    """Check that the measure of a resample is the same, whether it is computed alone or among other resamples."""
    sample = _sample(data, measure)
    weights = _weights(sample, 40)
    together = np.asarray(sample.measure.value(sample.patterns, weights))
    if together.shape != (40,):
        return f"40 resamples give an array of shape {together.shape}: sum over the last axis only"
    alone = [float(sample.measure.value(sample.patterns, row)) for row in weights]
    differences = (_unlike(a, b, "a resample alone", "among others") for a, b in zip(alone, together, strict=True))
    return next(filter(None, differences), "")


LAWS: dict[str, Law] = {
    law.__name__: law for law in (within_bounds, undefined_of_nothing, as_often_as_weighed, alone_as_together)
}


def broken(law: str, measure: Measure) -> str:
    """Return a text that says how a measure breaks a law on a data set from `trials`, or "" if it never does.

    The text ends with the counts of outcomes in that data set.
    """
    for data in trials(measure):
        if _sample(data, measure).n and (how := LAWS[law](data, measure)):
            sums = {name: int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")}
            return f"{measure.name}: {how} ({', '.join(f'{name} {value}' for name, value in sums.items())})"
    return ""


def trials(measure: Measure) -> Iterator[Evidence]:
    """Yield small random runs, on which the laws of a measure are checked.

    They have outcomes, tied confidences, and random values in other columns that the measure reads.
    """
    rng = np.random.default_rng(0)
    for trial in range(TRIALS):
        shape = (1, 1 + trial % MOST_QUESTIONS)
        did = rng.choice(rng.permutation(6)[: rng.integers(1, 7)], shape)  # often only some of the possible behaviours
        sure = np.where(did == _kinds.SILENT, np.nan, rng.integers(1, LEVELS + 1, shape) / LEVELS)
        data = _kinds.evidence(("run",), _kinds.Kinds(did, sure, rng.random(shape) < 0.5, rng.random(shape) < 0.8))
        scores = {name: rng.random(shape) for name in measure.on(data.columns).reads if name.startswith("user.")}
        scores |= {name: rng.random(shape) for name in _kinds.lacking(measure) if name not in data.columns}
        yield replace(data, columns={**data.columns, **scores})


def _sample(data: Evidence, measure: Measure) -> MeasureInput:
    """Return the first run of the data in the form from which the measure is computed."""
    inputs, _ = measure_inputs(data, [measure])
    return inputs[0]


def _weights(sample: MeasureInput, times: int) -> Array:
    weights: Array = resampling.bootstrap(sample.patterns.counts, times, np.random.default_rng(2))
    return weights


def _unlike(figure: float, other: float, what: str, against: str) -> str:
    """Return a text that says how two values differ; "" if they differ by rounding only, or if both are undefined.

    `what` and `against` name the sources of the two values in the text, such as "weights".
    """
    alike = np.isclose(figure, other, rtol=1e-9, atol=SLACK, equal_nan=True)
    return "" if alike else f"{what} give {figure:g}, {against} {other:g}"
