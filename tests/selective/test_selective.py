"""Thresholds against brute force over all of them, the guaranteed risk against exact enumeration, and the edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import binomtest

import nescio
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.reporting.tables import render
from nescio.selective import (
    GridPoint,
    Guarantee,
    Tuning,
    bounds_on_grid,
    certify,
    needed,
    risk_coverage,
)
from nescio.selective.crossfit import deal
from nescio.selective.curve import one_run
from nescio.stats.intervals import clopper_pearson_upper
from tests.notes import in_words

# A question: what the system did with it (C, W: answered; c, w: declined, and what the candidate was; U: silent), how
# sure it was, and whether there is an answer. Lower case becomes upper case, and back, as the threshold moves.
Question = tuple[str, float, bool]
NOTHING = math.inf


def moved(question: Question, threshold: float) -> str:
    """What becomes of a question at a threshold, by the rule as it is worded."""
    did, sure, _ = question
    if did == "U":
        return "U"
    return did.upper() if sure >= threshold else did.lower()


def evidence(questions: Sequence[Question], did: Sequence[str] | None = None) -> Evidence:
    """One run of these questions, or of the same with something else done."""
    letters = np.array([q[0] for q in questions] if did is None else did)
    there = np.array([q[2] for q in questions])
    answered, right = np.isin(letters, ["C", "W"]), np.isin(letters, ["C", "c"]) & there
    columns = {
        "correct": np.where(there, letters == "C", ~answered),
        "incorrect": answered & ~right,
        "unanswered": ~answered & there,
        "answered": answered,
        "candidate_correct": (letters == "c") & there,
        "candidate_incorrect": np.isin(letters, ["c", "w"]) & ~right,
        "answerable": there,
    }
    cells: dict[str, Any] = {name: values.astype(np.int8)[None] for name, values in columns.items()}
    cells["confidence"] = np.where(letters == "U", np.nan, [q[1] for q in questions])[None]
    names = tuple(f"q{i:04}" for i in range(len(questions)))
    return Evidence(("run",), names, cells, np.zeros((1, len(questions)), dtype=np.uint8))


def at(questions: Sequence[Question], threshold: float | Sequence[float], measure: str) -> tuple[float, float]:
    """The measure and the coverage at a threshold, or at one a question, by scoring the run that it makes."""
    limits = [threshold] * len(questions) if isinstance(threshold, float) else threshold
    did = [moved(q, limit) for q, limit in zip(questions, limits, strict=True)]
    scores = nescio.score(evidence(questions, did), [measure], ci=None)
    return scores.rows[0].value, sum(letter in "CW" for letter in did) / len(did)


def best(questions: Sequence[Question], measure: str) -> float:
    """The best threshold by trying every one: of equal values the one with the highest coverage; inf for nothing."""
    sign = -1 if parse(measure).declaration.lower_is_better else 1
    found = (math.nan, 0.0, NOTHING)
    for threshold in (NOTHING, *sorted({q[1] for q in questions if q[0] != "U"}, reverse=True)):
        value, coverage = at(questions, threshold, measure)
        if math.isnan(value):
            continue
        equal = math.isclose(value, found[0], rel_tol=1e-11, abs_tol=1e-11)
        if math.isnan(found[0]) or (coverage > found[1] if equal else sign * value > sign * found[0]):
            found = (value, coverage, threshold)
    return found[2]


confidences = st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.8, 0.9, 1.0])
question_sets = st.lists(
    st.tuples(st.sampled_from("CCWcwU"), confidences, st.sampled_from([True, True, True, False])),
    min_size=1,
    max_size=9,
)
SUMS = [
    "c@1",
    "UF",
    "precision",
    "eq6",
    "penalty(t=0.75)",
    "validation",
    "false_refusal",
    "abstention_F1",
    "BAS",
    "K1",
    "K",
    "MRR",
]
ORDERED = ["CWS", "AP", "AURC"]


@pytest.mark.parametrize("measure", SUMS + ORDERED)
@pytest.mark.sampled
@given(questions=question_sets)
def test_the_threshold_is_the_best_of_all_tried_one_by_one(measure: str, questions: list[Question]) -> None:
    row: Tuning = nescio.tune(evidence(questions), measure, ci=None, folds=2).rows[0]
    threshold = best(questions, measure)
    value, coverage = at(questions, threshold, measure)
    assert row.threshold == (None if threshold == NOTHING else threshold)
    assert row.value_in_sample == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert row.coverage == coverage
    everything = at(questions, -math.inf, measure)[0]
    assert row.value_all_answered == pytest.approx(everything, abs=1e-12, nan_ok=True)
    as_given = nescio.score(evidence(questions), [measure], ci=None).rows[0].value
    assert row.value_as_given == pytest.approx(as_given, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("measure", ["c@1", "precision", "CWS"])
@pytest.mark.sampled
@given(questions=question_sets, folds=st.integers(2, 4), seed=st.integers(0, 9))
def test_held_out_outcomes_are_pooled_and_measured_once(
    measure: str, questions: list[Question], folds: int, seed: int
) -> None:
    data = evidence(questions)
    row: Tuning = nescio.tune(data, measure, folds=folds, seed=seed, resamples=20).rows[0]
    fold = deal(one_run(data).data, folds, seed)
    if len(questions) == 1:
        assert (row.folds, row.low) == (0, None)
        assert math.isnan(row.value)
        return
    assert row.folds == min(folds, len(questions)) == len(set(fold))
    assert np.ptp(np.bincount(fold)) <= 1
    limits = [best([q for q, f in zip(questions, fold, strict=True) if f != own], measure) for own in fold]
    value, coverage = at(questions, limits, measure)
    assert row.value == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert row.coverage_held_out == coverage
    did = [moved(q, limit) for q, limit in zip(questions, limits, strict=True)]
    pooled = nescio.score(evidence(questions, did), [measure], resamples=20, seed=seed).rows[0]
    assert (row.low, row.high) == pytest.approx((pooled.low, pooled.high), nan_ok=True)


def test_the_risk_coverage_curve_by_hand() -> None:
    answered: list[Question] = [("C", 0.9, True), ("w", 0.7, True), ("C", 0.7, True), ("W", 0.1, False)]
    questions = [*answered, ("U", 0.0, True)]
    points = risk_coverage(evidence(questions))
    assert [(p.threshold, p.coverage, p.risk) for p in points] == [(0.9, 0.2, 0), (0.7, 0.6, 1 / 3), (0.1, 0.8, 2 / 4)]
    assert risk_coverage(evidence([("U", 0.0, True)])) == ()
    many = evidence([("C", i / 5_000, True) for i in range(5_000)])
    kept = nescio.tune(many, ci=None).tables["curve"]
    assert len(kept) == 200
    assert (kept[0].threshold, kept[-1].coverage) == (4_999 / 5_000, 1)
    assert nescio.tune(many, ci=None, curve=True).tables["curve"] == risk_coverage(many)


# ---- a guaranteed risk ----


@pytest.mark.parametrize("level", [0.05, 0.0025, 0.3])
def test_the_bound_is_that_of_clopper_and_pearson(level: float) -> None:
    pairs = [(e, n) for n in (1, 7, 60, 500) for e in (0, 1, n // 3, n - 1, n) if e <= n]
    ours = clopper_pearson_upper([e for e, _ in pairs], [n for _, n in pairs], level)
    for (e, n), upper in zip(pairs, ours, strict=True):
        found = binomtest(e, n, alternative="less").proportion_ci(confidence_level=1 - level, method="exact").high
        assert upper == pytest.approx(found, abs=1e-9)
    assert clopper_pearson_upper([0], [0], level).tolist() == [1]


def test_how_many_answers_a_guarantee_takes() -> None:
    # 59 samples without a failure show 95% with confidence 95% (Wilks 1941): 0.95^59 < 0.05 < 0.95^58
    single = Guarantee(0.05, 0.95, (0.5,))
    assert needed(single) == 59
    assert needed(Guarantee(0.05, 0.95)) == math.ceil(math.log(0.05 / 20) / math.log(0.95)) == 117
    assert needed(single, 0.05) is None
    many = needed(single, 0.02)
    assert many is not None
    # the bound at that many answers, 2% of them wrong, is below 5%; a little fewer do not do
    assert clopper_pearson_upper([math.ceil(0.02 * many)], [many], 0.05)[0] <= 0.05
    assert clopper_pearson_upper([math.ceil(0.02 * (many - 60))], [many - 60], 0.05)[0] > 0.05


def test_the_grid_of_ranks_by_hand() -> None:
    # 40 confidences of which the 10 highest are tied: ranks 2, 4, …, 10 stand inside the tie and accept nothing,
    # rank 10 itself has the 11th largest as its v, and so all the tied lie strictly above it.
    confidence = np.concatenate([np.full(10, 0.9), np.arange(30) / 100])
    wrong = np.zeros(40, dtype=bool)
    wrong[[3, 39]] = True
    points = bounds_on_grid(confidence, wrong, Guarantee(0.5, 0.9))
    assert [p.accepted for p in points] == [0, 0, 0, 0, 10, *range(12, 40, 2), 40]
    assert [p.wrong for p in points] == [0, 0, 0, 0, 1, *[2] * 15]
    assert points[-1].threshold == -math.inf
    for point in points:
        assert (confidence >= point.threshold).sum() == point.accepted
    named = bounds_on_grid(confidence, wrong, Guarantee(0.5, 0.9, (0.05, 0.9)))
    assert [(p.threshold, p.accepted) for p in named] == [(0.9, 10), (0.05, 35)]


def test_the_largest_coverage_that_is_safe_is_taken() -> None:
    wanted = Guarantee(0.1, 0.95)
    bounds = ((0.9, 50, 0, 0.08), (0.8, 70, 2, 0.12), (0.7, 90, 3, 0.1), (0.6, 99, 9, 0.2))
    grid = [GridPoint(*one) for one in bounds]
    assert certify(grid, wanted) is grid[2]
    assert certify(grid[3:], wanted) is None


# Exact: P(the risk is broken) summed over all tables of a law of four kinds of question, (confidence, wrong).
LAWS = {
    "flat": {(1.0, False): 0.3, (1.0, True): 0.31, (0.0, False): 0.19, (0.0, True): 0.2},
    "surer is worse": {(1.0, False): 0.15, (1.0, True): 0.2, (0.0, False): 0.35, (0.0, True): 0.3},
    "surer is better": {(1.0, False): 0.4, (1.0, True): 0.15, (0.0, False): 0.1, (0.0, True): 0.35},
}


@pytest.mark.parametrize("grid", [None, (0.0, 1.0)])
@pytest.mark.parametrize("law", LAWS)
def test_the_guarantee_holds_exactly(law: str, grid: tuple[float, ...] | None) -> None:
    kinds, n, wanted = LAWS[law], 12, Guarantee(0.5, 0.6, grid)
    total = broken = 0.0
    missed = np.zeros(wanted.tries)
    for table in product(range(n + 1), repeat=len(kinds)):
        if sum(table) != n:
            continue
        chance = float(math.factorial(n))
        for count, p in zip(table, kinds.values(), strict=True):
            chance *= p**count / math.factorial(count)
        points = bounds_on_grid(
            np.repeat([c for c, _ in kinds], table), np.repeat([w for _, w in kinds], table), wanted
        )
        risks = np.array([true_risk(kinds, point.threshold) for point in points])
        chosen = certify(points, wanted)
        total += chance
        missed += chance * (risks > [point.upper for point in points])
        broken += chance * (chosen is not None and true_risk(kinds, chosen.threshold) > 0.5)
    assert total == pytest.approx(1)
    assert missed.max() <= wanted.level
    assert broken <= 0.4
    if law == "flat":
        assert missed.max() > wanted.level / 4  # no slack that would hide a mistake
        assert broken > 0.005


def true_risk(kinds: dict[tuple[float, bool], float], threshold: float) -> float:
    """The chance that an answer at or above the threshold is wrong; 0 where there is none."""
    inside = {kind: p for kind, p in kinds.items() if kind[0] >= threshold}
    return sum(p for kind, p in inside.items() if kind[1]) / max(sum(inside.values()), 1e-300)


def test_a_certified_threshold_end_to_end() -> None:
    # 400 answers in falling confidence, the last 100 of them wrong
    questions: list[Question] = [("C" if i >= 100 else "W", i / 400, True) for i in range(400)]
    found = nescio.tune(evidence(questions), max_risk=0.05, confidence=0.95, folds=5)
    row: Tuning = found.rows[0]
    # Rank 300 accepts the 300 right ones (bound 1 - 0.0025^(1/300) = 0.0198); rank 320 accepts 20 wrong ones with them.
    assert row.coverage == 300 / 400
    assert row.risk_upper == pytest.approx(1 - 0.0025 ** (1 / 300))
    assert row.threshold == np.nextafter(99 / 400, 1)
    assert row.risk == 0
    assert row.value_in_sample == pytest.approx(0.75 * 1.25)
    assert len(found.tables["grid"]) == 20
    assert found.applied is not None
    assert nescio.score(found.applied, ["c@1"], ci=None).rows[0].value == row.value_in_sample
    safe = nescio.tune(evidence(questions), max_risk=0.4, folds=5)
    assert (safe.rows[0].threshold, safe.rows[0].coverage) == (None, 1)
    assert any("no threshold is needed" in note for note in in_words(safe.notes))
    named = nescio.tune(evidence(questions), max_risk=0.05, grid=[0.5, 0.3], folds=5).rows[0]
    assert named.threshold == 0.3
    assert named.risk_upper == pytest.approx(1 - 0.025 ** (1 / 280))


def test_what_cannot_be_certified_is_said_with_what_it_would_take() -> None:
    found = nescio.tune(evidence([("C", i / 30, True) for i in range(30)]), max_risk=0.05, folds=3)
    row: Tuning = found.rows[0]
    assert (row.threshold, row.coverage, row.risk_upper, row.answers_needed) == (None, 0, None, 117)
    assert math.isnan(row.risk)
    assert math.isnan(row.value)
    assert math.isnan(row.value_in_sample)
    assert found.applied is None
    assert any("this needs 117 accepted answers without an error" in note for note in in_words(found.notes))
    wrong = nescio.tune(evidence([("CW"[i % 2], i / 30, True) for i in range(30)]), max_risk=0.05, folds=3)
    assert wrong.rows[0].answers_needed_at_rate is None
    assert any("no number of answers is enough" in note for note in in_words(wrong.notes))


# ---- the edges ----


@pytest.mark.parametrize(
    ("questions", "threshold", "value"),
    [
        ([("C", 0.3, True)], 0.3, 1.0),
        ([("W", 0.3, True)], 0.3, 0.0),  # answering and silence both earn 0: the higher coverage
        ([("U", 0.0, True)] * 3, None, 0.0),
        ([("C", 0.1 * i, True) for i in range(1, 6)], 0.1, 1.0),
        ([("C", 0.5, True), ("W", 0.5, True), ("W", 0.5, True)], 0.5, 1 / 3),  # ties are answered together
        ([("c", 0.9, True), ("w", 0.1, True)], 0.9, 0.75),  # a declined candidate becomes an answer
        ([("W", 0.2, False), ("C", 0.9, True)], 0.9, 1.0),  # declining what has no answer is right
    ],
)
def test_sane_answers_at_the_edges(questions: list[Question], threshold: float | None, value: float) -> None:
    row: Tuning = nescio.tune(evidence(questions)).rows[0]
    assert row.threshold == threshold
    assert row.value_in_sample == pytest.approx(value)
    assert row.n == len(questions)


def test_a_shuffle_and_more_jobs_change_no_byte() -> None:
    rng = np.random.default_rng(4)
    data = evidence([(str(rng.choice(list("CCWcwU"))), float(rng.integers(0, 40) / 40), True) for _ in range(90)])
    shuffled = data.select(rng.permutation(90))
    groups = np.arange(90) // 7
    clustered = replace(data, clusters=groups)
    relabelled = replace(data, clusters=12 - groups)
    for arguments in ({}, {"max_risk": 0.4}, {"measure": "CWS", "resamples": 300}, {"measure": "Brier"}):
        once, again = (render(nescio.tune(d, seed=3, **arguments), "json") for d in (data, shuffled))
        assert once == again == render(nescio.tune(data, seed=3, jobs=2, **arguments), "json")
    assert (deal(one_run(clustered).data, 10, 1) == deal(one_run(relabelled).data, 10, 1)).all()
    assert len({(int(g), int(f)) for g, f in zip(groups, deal(one_run(clustered).data, 10, 1), strict=True)}) == 13
    assert nescio.tune(clustered).signature["interval"] == "t"
    assert render(nescio.tune(data, seed=1), "json") != render(nescio.tune(data, seed=2), "json")


def test_measures_that_a_threshold_says_nothing_of_are_refused() -> None:
    data = evidence([("C", 0.4, True), ("W", 0.3, True)])
    ranked = replace(data, columns={**data.columns, "first_right": np.array([[1, 2]])})
    graded = replace(data, columns={**data.columns, "f1": np.array([[1.0, 0.2]])})
    without = replace(data, columns={n: c for n, c in data.columns.items() if n != "confidence"})
    clustered = replace(data, clusters=np.array([0, 1]))
    two = Evidence(
        ("a", "b"),
        data.questions,
        {n: np.repeat(c, 2, axis=0) for n, c in data.columns.items()},
        np.zeros((2, 2), dtype=np.uint8),
    )
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: nescio.tune(ranked, "MRR"), "lower ranks"),
        (lambda: nescio.tune(graded, "mean(f1)"), "the score of an abstention is unknown"),
        (lambda: nescio.tune(without), "no confidences"),
        (lambda: nescio.tune(clustered, max_risk=0.1), "independent"),
        (lambda: nescio.tune(two), "2 runs.*the runs are a, b"),
        (lambda: nescio.tune(two, run="c"), "unknown run"),
        (lambda: nescio.tune(data, max_risk=5), "a number between 0 and 1"),
        (lambda: nescio.tune(data, max_risk=0.1, confidence=0.3), "a share from .5 to below 1"),
        (lambda: nescio.tune(data, grid=[0.5]), "grid needs"),
        (lambda: nescio.tune(data, max_risk=0.1, grid=[]), "grid takes numbers"),
        (lambda: nescio.tune(data, folds=1), "2 or more"),
        (lambda: nescio.tune(data, ["c@1", "UF"]), "the name of one measure"),  # type: ignore[arg-type]
    ]
    for broken, says in refusals:
        with pytest.raises(nescio.NescioError, match=says):
            broken()
    dropped = nescio.tune(ranked, "c@1")
    assert dropped.rows[0].value_in_sample == nescio.tune(data, "c@1").rows[0].value_in_sample
    assert any("lower ranks are left out" in note for note in in_words(dropped.notes))
    assert nescio.tune(two, run="b").rows[0].run == "b"
