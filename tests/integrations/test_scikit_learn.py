"""Measures as scorers of real scikit-learn classifiers."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

from nescio.errors import MissingColumnError, UnknownNameError, UsageError
from nescio.integrations.scikit_learn import metric, scorer


class Cautious(ClassifierMixin, BaseEstimator):
    """Says the sign of x where it is far from 0, and else the label "?"."""

    def __init__(self, width: float = 0.0) -> None:
        self.width = width

    def fit(self, X: Any, y: Any) -> Cautious:  # noqa: ARG002
        self.classes_ = np.array(["minus", "plus"])
        return self

    def predict(self, X: Any) -> Any:
        x = np.asarray(X)[:, 0]
        return np.where(np.abs(x) < self.width, "?", np.where(x > 0, "plus", "minus"))


X = np.array([[-3.0], [-2.0], [-0.1], [0.2], [2.0], [3.0]])
Y = np.array(["minus", "minus", "plus", "minus", "plus", "plus"])  # the two in the middle are on the wrong side


def test_an_abstaining_classifier() -> None:
    model = Cautious(width=1.0).fit(X, Y)
    # 4 right, 2 silent: c@1 = (4 + 2 · 4/6)/6; without silence 4 of 6
    assert scorer("c@1", unanswered="?")(model, X, Y) == pytest.approx(8 / 9)
    assert scorer("c@1", unanswered="?")(Cautious().fit(X, Y), X, Y) == pytest.approx(4 / 6)
    assert make_scorer(metric("c@1", unanswered="?"))(model, X, Y) == pytest.approx(8 / 9)


def test_a_grid_search_finds_that_silence_pays() -> None:
    grid = {"width": [0.0, 1.0, 10.0]}
    scoring = {"c@1": scorer("c@1", unanswered="?"), "wrong": scorer("simpleqa.incorrect", unanswered="?")}
    search = GridSearchCV(Cautious(), grid, scoring=scoring, refit="c@1", cv=[(np.arange(6), np.arange(6))])
    search.fit(X, Y)
    assert search.best_params_ == {"width": 1.0}
    # better when lower, so its sign is turned round: 2 of 6 wrong, then none
    assert search.cv_results_["mean_test_wrong"] == pytest.approx([-2 / 6, 0, 0])


def test_a_threshold_on_probabilities() -> None:
    model = LogisticRegression().fit(X, Y)
    chances = model.predict_proba(X).max(axis=1)
    right = model.predict(X) == Y
    said = chances >= 0.6
    correct, silent, n = (right & said).sum(), (~said).sum(), len(Y)
    assert 0 < silent < n
    expected = (correct + silent * correct / n) / n
    assert scorer("c@1", reject_below=0.6)(model, X, Y) == pytest.approx(expected)
    found = cross_val_score(LogisticRegression(), X, Y, scoring=scorer("coverage", reject_below=0.0), cv=3)
    assert found == pytest.approx([1, 1, 1])


def test_confidence_measures_read_the_probability() -> None:
    """Two right answers at 0.9 and 0.8, a wrong one at 0.6: the risk at coverage 1/3, 2/3, 1 is 0, 0, 1/3; their
    mean 1/9."""

    class Fixed:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X: Any) -> Any:  # noqa: ARG002
            return np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])

    truth = np.array(["a", "b", "b"])
    assert scorer("AURC", reject_below=0.0)(Fixed(), None, truth) == pytest.approx(-1 / 9)
    # The declined candidate keeps its place on the curve.
    assert scorer("AURC", reject_below=0.7)(Fixed(), None, truth) == pytest.approx(-1 / 9)
    with pytest.raises(MissingColumnError):
        scorer("AURC", unanswered="?")(Cautious().fit(X, Y), X, Y)


def test_a_question_without_an_answer() -> None:
    """The true label is silence: silence is right (counts as correct), an answer is wrong."""
    found = metric("accuracy", unanswered=-1)
    assert found([-1, -1, 3, 3], [-1, 3, 3, -1]) == pytest.approx(2 / 4)
    assert metric("c@1", unanswered=float("nan"))([1.0, 2.0], [1.0, math.nan]) == pytest.approx((1 + 1 / 2) / 2)


def test_undefined_is_nan_and_scorers_travel() -> None:
    silent = DummyClassifier(strategy="constant", constant="?").fit(X, ["?"] * 6)
    assert math.isnan(scorer("precision", unanswered="?")(silent, X, Y))
    for each in (scorer("c@1", reject_below=0.5), metric("c@1", unanswered="?")):
        assert pickle.loads(pickle.dumps(each)) == each


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        scorer("c@2", unanswered="?")
    for options in ({}, {"unanswered": "?", "reject_below": 0.5}, {"reject_below": 1.5}):
        with pytest.raises(UsageError):
            scorer("c@1", **options)
    with pytest.raises(UsageError, match="shapes"):
        metric("c@1", unanswered="?")(["a"], ["a", "b"])
    with pytest.raises(UsageError, match="probability"):
        scorer("c@1", reject_below="0.7")  # type: ignore[arg-type]


def test_labels_of_a_list_stay_what_they_are() -> None:
    """numpy would make texts of [0, 1, "?"], and no text equals a number."""
    found = metric("c@1", unanswered="?")
    assert found([0, 1, 1, 0], [0, 1, "?", 1]) == pytest.approx((2 + 2 / 4) / 4)
    with pytest.raises(UsageError, match="true labels are numbers and the predicted labels are texts"):
        found([0, 1, 1], np.array([0, 1, "?"]))
    with pytest.raises(UsageError, match="true labels are texts and the predicted labels are numbers"):
        found(["0", "1", "1"], [0, 1, "?"])
    probabilities = LogisticRegression().fit(X, Y == "plus")
    with pytest.raises(UsageError, match="none can be right"):
        scorer("c@1", reject_below=0.5)(probabilities, X, Y)


def test_nothing_is_silence_in_whatever_form_a_column_keeps_it() -> None:
    """A pandas column of numbers turns None into NaN, and a nullable one into NA."""
    pandas = pytest.importorskip("pandas")
    expected = pytest.approx((1 + 1 / 3) / 3)
    for nothing in (None, math.nan, pandas.NA):
        found = metric("c@1", unanswered=nothing)
        assert found([0, 1, 1], [0, None, 0]) == expected
        assert found(pandas.Series([0, 1, 1]), pandas.Series([0, None, 0])) == expected
        assert found(pandas.Series([0, 1, 1], dtype="Int64"), pandas.Series([0, None, 0], dtype="Int64")) == expected
