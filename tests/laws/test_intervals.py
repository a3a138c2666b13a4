"""What every interval keeps, by whatever method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import ArrayLike

import nescio
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, Evidence, outcome_tally
from nescio.data.results import Score
from nescio.measures import parse
from nescio.scoring.confidence_intervals import IntervalMethod
from tests import strategies as some
from tests.laws.catalogue import MEASURES, apart, of_today, run_of_answers, varied
from tests.rings import many, together

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


def run_of(right: ArrayLike, sure: ArrayLike) -> Evidence:
    """A run that answers every question."""
    return run_of_answers(list(zip(np.asarray(sure).tolist(), np.asarray(right).tolist(), strict=True)))


def calibrated(drawn: np.ndarray) -> Evidence:
    """A run that is right as often as it is sure: confidences, and numbers that decide by them."""
    return run_of(drawn[1] < drawn[0], drawn[0])


def ends(row: Score) -> tuple[float, float]:
    assert row.low is not None
    assert row.high is not None
    return row.low, row.high


@pytest.mark.sampled
@pytest.mark.parametrize("method", METHODS)
@given(data=some.evidence(max_runs=1))
def test_an_interval_lies_within_the_bounds_and_an_undefined_value_has_none(
    method: IntervalMethod, data: Evidence
) -> None:
    size = 6 if method == "dirichlet" else 20  # whose hulls of posteriors take their time
    names = of_today(method, size, tuple(name for name in MEASURES if possible(name, method)))
    for name, row in zip(names, nescio.score(data, names, interval=method, resamples=256), strict=True):
        low, high = ends(row)
        if math.isnan(row.value):
            assert math.isnan(low), name
            assert math.isnan(high), name
        elif not math.isnan(low):
            least, most = parse(name).bounds
            assert least - 1e-9 <= low <= high <= most + 1e-9, name


@pytest.mark.sampled
@given(counts=some.counts, seed=some.seeds)
def test_an_interval_holds_the_value_and_the_seed_alone_fixes_it(counts: tuple[int, int, int], seed: int) -> None:
    tally = outcome_tally(["run"], np.array([counts]))
    for method in METHODS:
        names = [name for name in ("accuracy", "coverage", "c@1", "UF", "penalty(t=0.75)") if possible(name, method)]
        one, other = (nescio.score(tally, names, interval=method, resamples=300, seed=seed) for _ in range(2))
        assert repr(one.rows) == repr(other.rows)
        for row in one:
            low, high = ends(row)
            assert math.isnan(low) or low - 1e-9 <= row.value <= high + 1e-9


def test_another_seed_gives_another_interval() -> None:
    tally = outcome_tally(["run"], np.array([[237, 156, 107]]))
    assert len({nescio.score(tally, "c@1", resamples=300, seed=seed).rows[0].low for seed in range(3)}) == 3


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
        (row,) = nescio.score(data, "coverage", interval=method, resamples=1000)
        low, high = ends(row)
        assert 0.3 < low < row.value == 0.5 < high < 0.7


@together("method", ["auto", "percentile", "bca"])
def test_a_run_without_a_usable_question_has_neither_value_nor_interval(method: IntervalMethod) -> None:
    none = np.zeros((1, 3), dtype=np.int8)
    columns = dict.fromkeys((*OUTCOMES, "answered"), none) | {"confidence": none + np.nan}
    data = Evidence(("run",), ("q1", "q2", "q3"), columns, np.full((1, 3), NO_ROW, dtype=np.uint8))
    for row in nescio.score(data, ["c@1", "accuracy", "Brier", "AURC", "CWS"], interval=method, resamples=256):
        assert (row.n, repr(row.value), repr(row.low), repr(row.high)) == (0, "nan", "nan", "nan")


@together(
    "name, method",
    [("c@1", "dirichlet"), ("c@1", "bca"), ("c@1", "percentile"), ("c@1", "logit"), ("accuracy", "wilson")],
)
def test_a_higher_level_is_a_wider_interval(name: str, method: IntervalMethod) -> None:
    tally = outcome_tally(["run"], np.array([[37, 21, 22]]))
    of_level = [
        ends(nescio.score(tally, name, interval=method, ci=ci, resamples=4000).rows[0])
        for ci in (50.0, 50.9, 80.0, 80.9, 95.0, 95.9, 99.0, 99.9)
    ]
    lows, highs = zip(*of_level, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    assert lows[0] < highs[0]


@together(
    "name, method, says",
    [
        ("c@1", "wilson", "wilson"),
        ("Brier", "dirichlet", "dirichlet"),
        ("AURC", "wilson", "wilson"),
        ("mean(graded)", "logit", "logit"),
        ("accuracy", "wilson", "clustered"),
        ("accuracy", "dirichlet", "clustered"),
    ],
)
def test_a_method_that_a_measure_or_its_data_lack_is_refused(name: str, method: IntervalMethod, says: str) -> None:
    with pytest.raises(nescio.UsageError, match=says):
        nescio.score(apart(varied(12)) if says == "clustered" else varied(12), name, interval=method)


@pytest.mark.parametrize(("wrong", "right"), [(20, 20), (5, 35)])
def test_a_perfect_ranking_has_an_interval_by_its_pairs(wrong: int, right: int) -> None:
    """Disjoint pairs of a right and a wrong answer, as many as there are of the fewer, are each in order with the chance
    AUROC: all of them with no more than its power. Of the ⌈.5n⌉ = 20 surest none is wrong: 0 of 20."""
    data = run_of(np.repeat([1, 0], [right, wrong]), np.linspace(0.9, 0.1, 40))
    area, risk = nescio.score(data, ["AUROC", "risk@coverage(0.5)"], resamples=256)
    assert ends(area) == (pytest.approx(0.025 ** (1 / wrong), abs=1e-12), 1.0)
    assert ends(risk) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20), abs=1e-12))
    assert math.isnan(ends(nescio.score(apart(data), "AUROC", resamples=256).rows[0])[0])  # pairs of clusters are not


@together("name", ["E-AURC", "PRR", "Brier", "pearson"])
def test_a_value_at_its_limit_has_no_logit_interval_and_says_so(name: str) -> None:
    """All right answers have the confidence 1, all wrong ones 0: no resample shows how a wrong one may be sure."""
    right = np.repeat([1, 0], 20)
    scores = nescio.score(run_of(right, right.astype(float)), name, resamples=256)
    (row,) = scores
    assert row.value == pytest.approx(min(parse(name).bounds, key=lambda bound: abs(bound - row.value)), abs=1e-12)
    assert np.isnan(ends(row)).all()
    assert "interval.no_spread" in {note.code for note in scores.notes}


def test_an_area_of_ties_is_at_no_limit() -> None:
    """Where all confidences are equal, AUROC is 0.5 on every resample."""
    scores = nescio.score(run_of(np.repeat([1, 0], 20), np.full(40, 0.9)), "AUROC", resamples=256)
    assert (scores.rows[0].value, {note.code for note in scores.notes}) == (0.5, {"interval.no_spread"})


@together("seed", range(5))
def test_the_default_interval_holds_the_value_whatever_the_data(seed: int) -> None:
    names = ["AUROC", "AURC", "E-AURC", "AUGRC", "PRR", "ECE", "Brier", "coverage@risk(0.1)"]
    for row in nescio.score(calibrated(np.random.default_rng(seed).random((2, 35))), names, resamples=256):
        low, high = ends(row)
        assert low <= row.value <= high, row.measure


@pytest.mark.sampled
@pytest.mark.parametrize("n", [30, 100, 1_000])
def test_the_calibration_error_of_a_calibrated_system_may_be_0(n: int) -> None:
    """Its true error is 0, which at least 95% of the intervals hold; 5 in 6 hold it with a chance above 1 - 1e-4 even if
    93% did. The percentile interval holds it never, and says that it does not hold what it should."""
    rng, times = np.random.default_rng(n), many(12, 60)
    data = [calibrated(rng.random((2, n))) for _ in range(times)]
    assert sum(nescio.score(each, "ECE").rows[0].low == 0 for each in data) >= times * 5 / 6
    scores = nescio.score(data[-1], "ECE", interval="percentile", resamples=500)
    assert ends(scores.rows[0])[0] > 0
    assert "interval.unfit" in {note.code for note in scores.notes}


def test_each_question_a_cluster_of_its_own_says_of_the_calibration_error_what_no_clusters_say() -> None:
    data = calibrated(np.random.default_rng(5).random((2, 400)))
    alone, clustered = (ends(nescio.score(each, "ECE").rows[0]) for each in (data, apart(data)))
    assert alone == pytest.approx(clustered, abs=0.01)


def test_the_interval_of_AUROC_is_that_of_DeLong_on_the_logit_scale() -> None:
    """DeLong, DeLong & Clarke-Pearson 1988, written out: the variance of the placements of the right answers, and of
    the wrong ones. With hundreds of questions Student's quantile is near the normal one."""
    drawn = np.random.default_rng(1).random((2, 600))
    (row,) = nescio.score(calibrated(drawn), "AUROC")
    right = drawn[1] < drawn[0]
    above: Any = drawn[0][right][:, None] > drawn[0][~right]
    area = above.mean()
    variance = sum(above.mean(axis=axis).var(ddof=1) / above.shape[1 - axis] for axis in (0, 1))
    half = 1.96 * math.sqrt(variance) / (area * (1 - area))
    odds = math.log(area / (1 - area))
    assert row.value == pytest.approx(area, abs=1e-12)
    assert ends(row) == pytest.approx([1 / (1 + math.exp(half * side - odds)) for side in (1, -1)], abs=0.003)
