"""What a run would score on other questions: how often a prediction interval holds, and what it is made by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.special import ndtri

import nescio
from nescio.data.patterns import Patterns, compress
from nescio.measures import parse
from nescio.scoring.next_sample import next_samples
from nescio.scoring.samples import MeasureInput
from tests.comparison.runs import evidence, matrix


def predicted(found: Any) -> dict[tuple[str, str], Any]:
    return {(row.run, row.measure): row for row in found.tables["next_sample"]}


def test_counts_of_single_questions() -> None:
    """Statistics3, section 2.2: 50 right, 12 wrong and 8 silent of 70; 39 to 60 of the next 70, c@1 .637 to .911."""
    data = evidence(x="C" * 50 + "W" * 12 + "U" * 8)
    rows = predicted(nescio.score(data, ["c@1", "accuracy", "coverage"], next=70))
    one = rows["x", "c@1"]
    assert (one.low, one.high) == pytest.approx((3120 / 4900, 4466 / 4900), abs=1e-12)
    assert (one.value, one.n, one.questions, one.method) == (pytest.approx(0.7959183673), 70, 70, "counts")
    forty = predicted(nescio.score(data, "c@1", next=40))["x", "c@1"]
    assert (forty.low, forty.high) == pytest.approx((0.605, 0.93), abs=1e-12)
    assert {row.method for row in rows.values()} == {"counts"}
    accuracy = rows["x", "accuracy"]
    assert (accuracy.low, accuracy.high) == pytest.approx((0.5571428571, 0.8571428571), abs=1e-9)


def test_a_share_that_reads_no_counts_has_the_law_of_counts() -> None:
    """Coverage of 62 of 70, by the beta-binomial of 62.5 and 8.5."""
    from scipy.stats import betabinom

    row = predicted(nescio.score(evidence(x="C" * 62 + "U" * 8), "coverage", next=30))["x", "coverage"]
    law = betabinom(30, 62.5, 8.5)
    assert (row.low, row.high) == pytest.approx((law.ppf(0.025) / 30, law.ppf(0.975) / 30), abs=1e-12)


def test_means_without_limits_have_student_s_interval() -> None:
    """One, 2, 3 and 6: a mean of 3, s² of 14/3, and 3.182 times s√(1/4 + 1/m) to either side, unless few decide."""
    for more in (4, 8):
        row = predicted(nescio.score(matrix((1.0,), (2.0,), (3.0,), (6.0,)), "mean(score)", next=more))[
            "r1", "mean(score)"
        ]
        assert row.value == 3
        half = 3.182446305284263 * math.sqrt(14 / 3 * (1 / 4 + 1 / more))
        assert (row.high - row.low) / 2 == pytest.approx(half)


def test_clusters_have_the_interval_with_two_imagined_units() -> None:
    """Five clusters of four with 3, 3, 2, 1 and 1 right move the mean of 1/2 by 1, 1, 0, -1 and -1 of 22, units that are
    all wrong and all right by half of that: s² is (4/(1 - 4/22) + .5/(1 - 1/22))/22², √2 times as wide for as many
    questions again, by t of 4 degrees of freedom."""
    data = replace(evidence(x="CCCWCCCWCCWWCWWWCWWW"), clusters=np.arange(20) // 4)
    row = predicted(nescio.score(data, "accuracy", next=20))["x", "accuracy"]
    half = 2.7764451051977987 * math.sqrt(2 * (4 / (1 - 4 / 22) + 0.5 / (1 - 1 / 22))) / 22
    assert (row.low, row.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-9)


@pytest.mark.parametrize("outcomes", ["C" * 18 + "W", "C" * 30 + "W" * 3 + "U"])
@pytest.mark.parametrize("size", [1, 6])
def test_a_prediction_holds_the_interval_of_the_score(outcomes: str, size: int) -> None:
    data = evidence(x=outcomes)
    data = data if size == 1 else replace(data, clusters=np.arange(len(outcomes)) // size)
    found = nescio.score(data, ["c@1", "accuracy", "coverage", "UF"], next=1_000)
    for row in found:
        one = predicted(found)["x", row.measure]
        if row.low is not None and not math.isnan(row.low):
            assert one.low <= row.low
            assert one.high >= (row.high or 0)


@pytest.mark.parametrize(("measure", "code"), [("AURC", "next.none"), ("c@1", "next.about")])
def test_what_is_no_mean_has_none_and_says_so(measure: str, code: str) -> None:
    rng = np.random.default_rng(1)
    data = evidence(x="CW" * 20)
    data = replace(data, columns={**data.columns, "confidence": rng.random((1, 40))})
    found = nescio.score(data, measure, next=10, resamples=100)
    assert code in {one.code for one in found.notes}
    (row,) = found.tables["next_sample"]
    assert math.isnan(row.low) == (measure == "AURC")
    assert found.signature["next"] == "10"


def test_nothing_is_predicted_without_a_level_or_from_one_cluster() -> None:
    with pytest.raises(nescio.UsageError, match="needs intervals"):
        nescio.score(evidence(x="CW"), "c@1", ci=None, next=5)
    alone = replace(evidence(x="CWUC"), clusters=np.zeros(4, dtype=np.int64))
    assert math.isnan(nescio.score(alone, "c@1", next=5).tables["next_sample"][0].low)
    with pytest.raises(nescio.UsageError, match="next"):
        nescio.score(evidence(x="CW"), "c@1", next=0)


def answers(groups: int, size: int, repeats: int, right: float, rng: np.random.Generator) -> dict[str, Any]:
    """Outcomes of clustered questions, or of questions that were asked several times: shares of their answers."""
    n = groups * size
    ease = np.repeat(rng.normal(size=groups), size) * math.sqrt(0.3) + rng.normal(size=n) * math.sqrt(0.3)
    correct = ease[:, None] + rng.normal(size=(n, repeats)) * math.sqrt(0.4) < ndtri(right)
    silent = ~correct & (rng.random((n, repeats)) < 0.4)
    c, u = correct.mean(axis=1), silent.mean(axis=1)
    return {"correct": c, "incorrect": 1 - c - u, "unanswered": u}


@pytest.mark.proof
@pytest.mark.parametrize(("groups", "size", "repeats"), [(6, 5, 1), (10, 5, 1), (30, 5, 1), (30, 1, 4), (200, 1, 4)])
@pytest.mark.parametrize("right", [0.5, 0.9, 0.97])
def test_how_often_another_sample_of_clusters_or_repeats_is_met(
    groups: int, size: int, repeats: int, right: float
) -> None:
    """500 trials, with as many questions again, and with three times as many: .93 less three Monte Carlo errors."""
    rng = np.random.default_rng([groups, size, repeats, round(100 * right)])
    held = np.zeros(2)
    measure = parse("c@1")
    for _ in range(500):
        patterns = compress(answers(groups, size, repeats, right, rng), np.repeat(np.arange(groups), size))
        sample = MeasureInput(0, measure, patterns, groups * size, ())
        for i, times in enumerate((1, 3)):
            (row,), _ = next_samples(["x"], [sample], [], times * groups * size, level=0.95, seed=0, clustered=True)
            other = answers(times * groups, size, repeats, right, rng)
            whole = Patterns({**other, "n": np.ones(times * groups * size)}, np.ones(times * groups * size, dtype=int))
            held[i] += row.low - 1e-9 <= float(measure.value(whole, whole.counts)) <= row.high + 1e-9
    assert (held / 500 >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / 500)).all()
