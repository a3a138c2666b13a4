"""scikit-learn: any measure as a metric for `make_scorer`, or as a scorer for `cross_val_score` and `GridSearchCV`.

cross_val_score(model, X, y, scoring=scorer("c@1", reject_below=0.7))
GridSearchCV(model, grid, scoring=scorer("penalty(t=0.75)", unanswered="?"))
make_scorer(metric("c@1", unanswered="?"))
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.errors import UsageError
from nescio.integrations import value_of
from nescio.measures import parse

_NOTHING: Any = None  # no label means an abstention


class Metric(Struct, frozen=True):
    """A measure as a function of true and predicted labels, for scikit-learn's `make_scorer`."""

    measure: str
    unanswered: Any

    def __call__(self, y_true: Any, y_pred: Any) -> float:
        return _of_labels(self.measure, _labels(y_true), _labels(y_pred), self.unanswered)

    @property
    def __name__(self) -> str:
        return self.measure


class Scorer(Struct, frozen=True):
    """A measure as a scorer of scikit-learn, which takes a fitted classifier and data; higher is always better."""

    measure: str
    unanswered: Any = _NOTHING
    reject_below: float | None = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803  scikit-learn's own names
        truth = _labels(y)
        if self.reject_below is None:
            value = _of_labels(self.measure, truth, _labels(estimator.predict(X)), self.unanswered)
        else:
            value = _of_chances(self, truth, np.asarray(estimator.predict_proba(X)), np.asarray(estimator.classes_))
        return -value if parse(self.measure).declaration.lower_is_better else value


def metric(measure: str, *, unanswered: Any) -> Metric:
    """Return a function (y_true, y_pred) that computes the measure; a prediction equal to `unanswered` is an
    abstention.

    If the true label itself is `unanswered`, the question has no answer: abstaining is right there, and any answer
    wrong. If lower values of the measure are better, use `make_scorer(..., greater_is_better=False)`. NaN means
    undefined. Raises UnknownNameError or UsageError for the measure.
    """
    return Metric(parse(measure).label, unanswered)


def scorer(measure: str, *, unanswered: Any = _NOTHING, reject_below: float | None = None) -> Scorer:
    """Return a scorer (estimator, X, y) of the measure; its sign is reversed if lower values of the measure are better.

    With `unanswered`, an abstaining classifier predicts this label to abstain. With `reject_below`, a prediction is an
    abstention if its highest class probability is lower. This probability is then the confidence, which AURC and
    related measures read, and its class is the withheld answer. Raises UsageError unless exactly one of the two is
    given.
    """
    if (unanswered is _NOTHING) == (reject_below is None):
        raise UsageError("a scorer needs the label that means abstention (unanswered=) or a threshold (reject_below=)")
    if reject_below is not None and not (isinstance(reject_below, Real) and 0 <= reject_below <= 1):
        raise UsageError(f"reject_below must be a probability between 0 and 1 (found {reject_below!r})")
    return Scorer(parse(measure).label, unanswered, reject_below)


def _labels(labels: Any) -> NDArray[Any]:
    """Return labels as an array that keeps each item as it is; numpy itself would turn numbers beside a text into
    texts."""
    if not isinstance(labels, (list, tuple)) or any(isinstance(label, (list, tuple, np.ndarray)) for label in labels):
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _is(labels: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Return a mask of the items equal to a label; None, NaN and pandas' NA count as equal.

    Columns of numbers cannot distinguish these three.
    """
    if _nothing(label):
        return np.array([_nothing(value) for value in labels.tolist()], dtype=bool)
    return np.array([not _nothing(value) and bool(value == label) for value in labels.tolist()], dtype=bool)


def _nothing(value: Any) -> bool:
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    )


def _check(y_true: NDArray[Any], y_pred: NDArray[Any]) -> None:
    if y_true.ndim != 1 or y_pred.shape[:1] != y_true.shape:
        raise UsageError(f"there must be one label per question (found shapes {y_true.shape} and {y_pred.shape})")


def _equal(y_true: NDArray[Any], y_pred: NDArray[Any], where: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the predictions, among those in the mask `where`, that equal the true label.

    Raises UsageError if none can be equal, because the labels of one side are numbers and those of the other are texts.
    """
    equal = np.zeros(len(y_true), dtype=bool)
    pairs = list(zip(where.nonzero()[0], y_true[where].tolist(), y_pred[where].tolist(), strict=True))
    texts = [{isinstance(pair[side], str) for pair in pairs if not _nothing(pair[side])} for side in (1, 2)]
    if all(len(kinds) == 1 for kinds in texts) and texts[0] != texts[1]:
        truth, other = ("texts", "numbers") if True in texts[0] else ("numbers", "texts")
        raise UsageError(f"the true labels are {truth} and the predicted labels are {other}, so none can be right")
    for i, truth, other in pairs:
        equal[i] = not _nothing(truth) and not _nothing(other) and bool(truth == other)
    return equal


def _of_labels(measure: str, y_true: NDArray[Any], y_pred: NDArray[Any], unanswered: Any) -> float:
    _check(y_true, y_pred)
    silent, without = _is(y_pred, unanswered), _is(y_true, unanswered)
    right = _equal(y_true, y_pred, ~silent & ~without)
    state = np.where(silent, SILENT, np.where(right, CORRECT, INCORRECT)).astype(np.int8)
    return value_of(measure, state, answerable=(~without).astype(np.int8) if without.any() else None)


def _of_chances(scorer: Scorer, y_true: NDArray[Any], chances: NDArray[Any], classes: NDArray[Any]) -> float:
    _check(y_true, chances)
    predicted, sure = classes[chances.argmax(axis=1)], chances.max(axis=1)
    right = _equal(y_true, predicted, np.ones(len(predicted), dtype=bool))
    silent = sure < scorer.reject_below
    state = np.where(silent, SILENT, np.where(right, CORRECT, INCORRECT)).astype(np.int8)
    candidate = np.where(silent, right, -1).astype(np.int8)
    return value_of(scorer.measure, state, confidence=sure.astype(np.float64), candidate=candidate)
