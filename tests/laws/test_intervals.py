"""What every interval keeps, by whatever method."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, Evidence, outcome_tally
from nescio.measures import parse
from nescio.scoring.confidence_intervals import IntervalMethod
from tests import strategies as some
from tests.laws.catalogue import MEASURES, apart, one_in, varied

METHODS: tuple[IntervalMethod, ...] = ("auto", "percentile", "bca", "logit", "dirichlet", "wilson")


def possible(name: str, method: str) -> bool:
    """Whether the measure has intervals by this method."""
    measure = parse(name)
    has = {
        "wilson": measure.declaration.proportion is not None,
        "dirichlet": measure.counts_outcomes,
        "logit": not np.isinf(measure.bounds).all(),
    }
    return has.get(method, True)


@pytest.mark.parametrize("method", METHODS)
@given(data=some.evidence(max_runs=1))
@one_in(4)
def test_an_interval_lies_within_the_bounds_and_an_undefined_value_has_none(
    method: IntervalMethod, data: Evidence
) -> None:
    names = [name for name in MEASURES if possible(name, method)]
    for name, row in zip(names, nescio.score(data, names, interval=method, resamples=256), strict=True):
        assert row.low is not None, name
        assert row.high is not None, name
        if math.isnan(row.value):
            assert math.isnan(row.low), name
            assert math.isnan(row.high), name
        elif not math.isnan(row.low):
            low, high = parse(name).bounds
            assert low - 1e-9 <= row.low <= row.high <= high + 1e-9, name


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in ("accuracy", "coverage") for method in METHODS if possible(name, method)],
)
@given(counts=some.counts)
@one_in(4)
def test_an_interval_holds_the_value(name: str, method: IntervalMethod, counts: tuple[int, int, int]) -> None:
    (row,) = nescio.score(outcome_tally(["run"], np.array([counts])), name, interval=method, resamples=1000)
    if not math.isnan(row.low or 0):
        assert (row.low or 0) - 1e-9 <= row.value <= (row.high or 0) + 1e-9


@pytest.mark.parametrize("method", ["auto", "dirichlet"])
def test_the_interval_of_coverage_knows_right_silence_from_answers(method: IntervalMethod) -> None:
    """40 questions answered rightly, 40 unanswerable ones declined: all 80 are correct, and half of them are answered.

    A share of 40/80 lies well within 0.3 and 0.7. (To offer no Dirichlet interval for coverage would be right as well.)
    """
    correct = np.ones((1, 80), dtype=np.int8)
    answered = np.repeat([[1, 0]], 40, axis=1).astype(np.int8)
    columns = {"correct": correct, "incorrect": 0 * correct, "unanswered": 0 * correct, "answered": answered}
    columns["answerable"] = answered
    data = Evidence(("run",), tuple(f"q{i}" for i in range(80)), columns, np.zeros((1, 80), dtype=np.uint8))
    if possible("coverage", method):
        (row,) = nescio.score(data, "coverage", interval=method, resamples=2000)
        assert row.value == 0.5
        assert 0.3 < (row.low or 0) < 0.5 < (row.high or 0) < 0.7


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
@pytest.mark.parametrize("name", ["c@1", "accuracy", "Brier", "AURC", "CWS"])
def test_a_run_without_a_usable_question_has_neither_value_nor_interval(name: str, method: IntervalMethod) -> None:
    none = np.zeros((1, 3), dtype=np.int8)
    columns = dict.fromkeys((*OUTCOMES, "answered"), none) | {"confidence": none + np.nan}
    data = Evidence(("run",), ("q1", "q2", "q3"), columns, np.full((1, 3), NO_ROW, dtype=np.uint8))
    (row,) = nescio.score(data, name, interval=method, resamples=256)
    assert (row.n, repr(row.value), repr(row.low), repr(row.high)) == (0, "nan", "nan", "nan")


@pytest.mark.parametrize("level", [50.0, 80.0, 95.0, 99.0])
def test_a_higher_level_is_a_wider_interval(level: float) -> None:
    tally = outcome_tally(["run"], np.array([[37, 21, 22]]))
    forms: tuple[tuple[str, IntervalMethod], ...] = (
        ("c@1", "dirichlet"),
        ("c@1", "bca"),
        ("c@1", "percentile"),
        ("c@1", "logit"),
        ("accuracy", "wilson"),
    )
    for name, method in forms:
        narrow, wide = (
            nescio.score(tally, name, interval=method, ci=ci, resamples=4000).rows[0] for ci in (level, level + 0.9)
        )
        assert (wide.low or 0) <= (narrow.low or 0) < (narrow.high or 0) <= (wide.high or 0)


@given(counts=some.counts, name=st.sampled_from(["c@1", "UF", "eq6", "penalty(t=0.75)"]), seed=some.seeds)
@one_in(3)
def test_the_seed_alone_fixes_the_interval(counts: tuple[int, int, int], name: str, seed: int) -> None:
    tally = outcome_tally(["run"], np.array([counts]))
    one, other = (nescio.score(tally, name, resamples=300, seed=seed) for _ in range(2))
    assert repr(one.rows) == repr(other.rows)


def test_another_seed_gives_another_interval() -> None:
    tally = outcome_tally(["run"], np.array([[237, 156, 107]]))
    lows = {nescio.score(tally, "c@1", resamples=300, seed=seed).rows[0].low for seed in range(3)}
    assert len(lows) == 3


def test_a_method_that_a_measure_lacks_is_refused() -> None:
    data = varied(12)
    lacking: tuple[tuple[str, IntervalMethod], ...] = (
        ("c@1", "wilson"),
        ("Brier", "dirichlet"),
        ("AURC", "wilson"),
        ("mean(graded)", "logit"),
    )
    for name, method in lacking:
        with pytest.raises(nescio.UsageError, match=method):
            nescio.score(data, name, interval=method)
    independent: tuple[IntervalMethod, ...] = ("wilson", "dirichlet")
    for method in independent:
        with pytest.raises(nescio.UsageError, match="clustered"):
            nescio.score(apart(data), "accuracy", interval=method)


@pytest.mark.parametrize(("wrong", "right"), [(20, 20), (5, 35)])
def test_a_perfect_ranking_has_an_interval_by_its_pairs(wrong: int, right: int) -> None:
    """Disjoint pairs of a right and a wrong answer, as many as there are of the fewer, are each in order with the chance
    AUROC: all of them with no more than its power. Of the ⌈.5n⌉ = 20 surest none is wrong: 0 of 20."""
    outcomes = np.repeat([[1, 0]], [right, wrong], axis=1).astype(np.int8)
    columns = {"correct": outcomes, "incorrect": 1 - outcomes, "unanswered": 0 * outcomes, "answered": 0 * outcomes + 1}
    sure = np.linspace(0.9, 0.1, 40)[None]
    names = tuple(f"q{i:02}" for i in range(40))
    data = Evidence(("run",), names, {**columns, "confidence": sure}, np.zeros((1, 40), dtype=np.uint8))
    (area,) = nescio.score(data, "AUROC", resamples=256)
    assert (area.low or 0, area.high) == (pytest.approx(0.025 ** (1 / wrong), abs=1e-12), 1.0)
    (risk,) = nescio.score(data, "risk@coverage(0.5)", resamples=256)
    assert (risk.low, risk.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20), abs=1e-12))
    assert math.isnan(nescio.score(apart(data), "AUROC", resamples=256).rows[0].low or 0)  # pairs of clusters are not


@pytest.mark.parametrize("name", ["E-AURC", "PRR", "Brier", "pearson"])
def test_a_value_at_its_limit_has_no_logit_interval_and_says_so(name: str) -> None:
    """All right answers have the confidence 1, all wrong ones 0: no resample shows how a wrong one may be sure."""
    right = np.repeat([[1, 0]], 20, axis=1).astype(np.int8)
    columns = {"correct": right, "incorrect": 1 - right, "unanswered": 0 * right, "answered": 0 * right + 1}
    data = Evidence(
        ("run",),
        tuple(f"q{i:02}" for i in range(40)),
        {**columns, "confidence": right.astype(float)},
        np.zeros((1, 40), dtype=np.uint8),
    )
    scores = nescio.score(data, name, resamples=256)
    (row,) = scores
    assert row.value == pytest.approx(min(parse(name).bounds, key=lambda bound: abs(bound - row.value)), abs=1e-12)
    assert math.isnan(row.low or 0)
    assert math.isnan(row.high or 0)
    assert "interval.at_limit" in {note.code for note in scores.notes}


@pytest.mark.parametrize("name", ["AUROC", "AURC", "E-AURC", "AUGRC", "PRR", "ECE", "Brier", "coverage@risk(0.1)"])
def test_the_default_interval_holds_the_value_whatever_the_data(name: str) -> None:
    for seed in range(5):
        data = one_run(np.random.default_rng(seed).random((2, 35)))
        (row,) = nescio.score(data, name, resamples=256)
        assert (row.low or 0) <= row.value <= (row.high or 0)


def one_run(drawn: np.ndarray) -> Evidence:
    """A run that is right as often as it is sure: confidences, and numbers that decide by them."""
    right = (drawn[1:] < drawn[:1]).astype(np.int8)
    columns = {"correct": right, "incorrect": 1 - right, "unanswered": 0 * right, "answered": 0 * right + 1}
    names = tuple(f"q{i:04}" for i in range(drawn.shape[1]))
    return Evidence(("run",), names, {**columns, "confidence": drawn[:1]}, np.zeros(right.shape, dtype=np.uint8))


@pytest.mark.parametrize("n", [30, 100, 1_000])
def test_the_calibration_error_of_a_calibrated_system_may_be_0(n: int) -> None:
    """Its true error is 0, which at least 95% of the intervals hold; 50 of 60 hold it with a chance above 1 - 1e-4 even
    if 93% did. The percentile interval holds it never, and says that it does not hold what it should."""
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(60):
        data = one_run(rng.random((2, n)))
        (row,) = nescio.score(data, "ECE")
        held += row.low == 0
    assert held >= 50
    scores = nescio.score(data, "ECE", interval="percentile", resamples=500)
    assert (scores.rows[0].low or 0) > 0
    assert "interval.unfit" in {note.code for note in scores.notes}


def test_each_question_a_cluster_of_its_own_says_of_the_calibration_error_what_no_clusters_say() -> None:
    data = one_run(np.random.default_rng(5).random((2, 400)))
    alone, clustered = (nescio.score(one, "ECE").rows[0] for one in (data, apart(data)))
    assert (alone.low or 0, alone.high or 0) == pytest.approx((clustered.low or 0, clustered.high or 0), abs=0.01)


def test_the_interval_of_AUROC_is_that_of_DeLong_on_the_logit_scale() -> None:
    """DeLong, DeLong & Clarke-Pearson 1988, written out: the variance of the placements of the right answers, and of
    the wrong ones. With hundreds of questions Student's quantile is near the normal one."""
    rng = np.random.default_rng(1)
    drawn = rng.random((2, 600))
    data = one_run(drawn)
    (row,) = nescio.score(data, "AUROC")
    right = data.columns["correct"][0] == 1
    sure, unsure = drawn[0][right], drawn[0][~right]
    above = [[float(s > w) for w in unsure] for s in sure]
    of_right = [sum(line) / len(unsure) for line in above]
    of_wrong = [sum(line[j] for line in above) / len(sure) for j in range(len(unsure))]
    area = sum(of_right) / len(sure)

    def spread(placements: list[float]) -> float:
        return sum((p - area) ** 2 for p in placements) / (len(placements) - 1) / len(placements)

    half = 1.96 * math.sqrt(spread(of_right) + spread(of_wrong)) / (area * (1 - area))
    odds = math.log(area / (1 - area))
    ends = [1 / (1 + math.exp(half * side - odds)) for side in (1, -1)]
    assert row.value == pytest.approx(area, abs=1e-12)
    assert (row.low or 0, row.high or 0) == pytest.approx(ends, abs=0.003)
