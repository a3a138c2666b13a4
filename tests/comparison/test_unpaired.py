"""Runs on questions of their own: unpaired differences, and partly paired ones."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import nescio
from nescio.errors import MismatchError, UsageError
from tests.notes import in_words


def asked(**runs: tuple[int, str]) -> pd.DataFrame:
    """Runs by the number of their first question and the letters of their outcomes."""
    words = {"C": "correct", "W": "incorrect", "U": "unanswered"}
    rows = [
        (run, f"q{first + i:03}", words[letter])
        for run, (first, letters) in runs.items()
        for i, letter in enumerate(letters)
    ]
    return pd.DataFrame(rows, columns=["run", "question", "outcome"])


def test_runs_that_share_no_question_are_compared_as_two_samples() -> None:
    """Welch's t and interval of two means, by SciPy; the exchanges of eight answers are counted one by one."""
    old, new = "CWWWCWWUCWWWWWWC", "CCCWCCUCCCCWCCCC"
    found = nescio.compare(asked(old=(0, old), new=(50, new)), "accuracy", resamples=20_000)
    (row,) = found.rows
    marks = [[float(letter == "C") for letter in letters] for letters in (new, old)]
    welch = stats.ttest_ind(*marks, equal_var=False)
    low, high = welch.confidence_interval(0.95)
    assert row.difference == pytest.approx(np.mean(marks[0]) - np.mean(marks[1]))
    assert (row.low, row.high) == (pytest.approx(low, abs=5e-3), pytest.approx(high, abs=5e-3))
    assert (row.test, row.n) == ("unpaired", 32)
    assert "differences are unpaired" in " ".join(in_words(found.notes))
    assert found.signature["interval"] == "t (unpaired)"
    exact = stats.fisher_exact([[sum(m), len(m) - sum(m)] for m in marks])[1]
    assert row.p == pytest.approx(exact, abs=0.01)


def test_every_exchange_of_a_few_answers_is_as_likely() -> None:
    few = asked(old=(0, "WWCU"), new=(9, "CCCU"))
    pool = np.array([1, 1, 0, 0, 0, 1, 1, 1])  # right by c@1's numerator and silence, below
    letters = "WWCUCCCU"

    def score(chosen: list[str]) -> float:
        right, silent = chosen.count("C"), chosen.count("U")
        return (right + silent * right / 4) / 4

    differences = [
        score([letters[i] for i in chosen]) - score([letters[i] for i in range(8) if i not in chosen])
        for chosen in itertools.combinations(range(8), 4)
    ]
    observed = score(list("CCCU")) - score(list("WWCU"))
    expected = np.mean([abs(d) >= observed - 1e-9 for d in differences])
    (row,) = nescio.compare(few, "c@1", resamples=40_000).rows
    assert len(pool) == len(letters)
    assert row.difference == pytest.approx(observed)
    assert row.p == pytest.approx(expected, abs=0.01)


def test_shared_questions_are_paired() -> None:
    """The same answers to what both were asked cancel: the interval is narrower than that of two samples."""
    common = "CWCWCCWUCWCWCCWU" * 3
    partly = asked(old=(0, common + "CWWWCWUW"), new=(0, common))
    partly.loc[partly.run == "new", "question"] = [f"q{i:03}" for i in range(48)]
    more = asked(new=(900, "CCCWCCUC"))
    table = pd.concat([partly, more])
    (row,) = nescio.compare(table, "accuracy", missing="own").rows
    apart = table.assign(question=table.question + table.run)
    (wide,) = nescio.compare(apart, "accuracy").rows
    assert row.difference == pytest.approx(wide.difference)
    assert (row.high or 0) - (row.low or 0) < 0.6 * ((wide.high or 0) - (wide.low or 0))
    assert (row.n, wide.n) == (64, 112)
    whole = pd.concat([asked(old=(0, common), new=(0, common[::-1]))])
    (own,), (paired,) = (nescio.compare(whole, "accuracy", missing=how).rows for how in ("own", "common"))
    assert (own.difference, own.low, own.high) == pytest.approx((paired.difference, paired.low, paired.high))


@pytest.mark.parametrize("shared", [True, False])
def test_few_questions_all_alike_have_a_wide_interval(shared: bool) -> None:
    """One run has two wrong answers. They do not show that all would be wrong: the exact end of 0 of 2 is 0.84."""
    table = pd.concat([asked(a=(0, "WWCC" + "CCW" * 24), b=(0 if shared else 900, "WW"))])
    (row,) = nescio.compare(table, "accuracy", baseline="a", missing="own").rows
    assert row.difference == pytest.approx(-50 / 76)
    assert row.low is None or math.isnan(row.low) or row.low < 0 < (row.high or 0)


def test_the_other_way_round_is_the_same_turned() -> None:
    table = asked(a=(0, "CWCUCWWC" * 4), b=(20, "CCCUCWCC" * 4))
    (one,) = nescio.compare(table, "c@1", baseline="a", missing="own").rows
    (other,) = nescio.compare(table, "c@1", baseline="b", missing="own").rows
    assert (one.difference, one.low, one.high) == pytest.approx(
        (-other.difference, -(other.high or 0), -(other.low or 0))
    )


def test_orders_clusters_and_repeats_are_compared_by_welch() -> None:
    rng = np.random.default_rng(5)
    sure = asked(a=(0, "CW" * 40), b=(100, "CCW" * 30))
    sure["confidence"] = rng.uniform(size=len(sure)).round(3)
    (row,) = nescio.compare(sure, "AUROC", resamples=200).rows
    assert row.test == "welch"
    assert row.p == pytest.approx(2 * stats.norm.sf(abs(row.difference) / (row.spread or math.nan)), abs=0.03)
    groups = asked(a=(0, "CWCUCWWC" * 6), b=(100, "CCCUCWCC" * 6))
    groups["story"] = groups.question.str[:3]
    (row,) = nescio.compare(groups, "c@1", cluster="story").rows
    assert row.test == "welch"
    again = pd.concat([groups.assign(repeat=at) for at in ("1", "2")]).drop(columns="story")
    (row,) = nescio.compare(again, "accuracy").rows
    assert row.test == "welch"


def test_what_needs_pairs_is_refused_and_no_gate_rests_on_questions_that_a_run_chose() -> None:
    apart: Any = asked(a=(0, "CWCU" * 5), b=(50, "CCCU" * 5))
    for test in ("exact", "tukey", "bootstrap"):
        with pytest.raises(UsageError, match="pairs questions"):
            nescio.compare(apart, "c@1", test=test)
    with pytest.raises(MismatchError, match="share no question"):
        nescio.compare(apart, "c@1", missing="common")
    with pytest.raises(UsageError, match="chooses its own questions"):
        nescio.compare(apart, "c@1", baseline="a", fail_on_regression=True)
    assert nescio.compare(apart, "c@1", baseline="a", fail_on_regression=True, missing="own").gates
    scores = nescio.score(apart, "c@1", mark=True)
    assert all(row.best is None for row in scores)
    assert "own questions" in scores.why_unmarked
