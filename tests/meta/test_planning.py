"""Planning: the joint table by hand, the power by enumeration, published sample sizes, and the laws of a sane plan."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats

import nescio
from nescio.data.evidence import PRESENT, Evidence
from nescio.data.results import Results
from nescio.meta_evaluation import PowerPlan
from nescio.meta_evaluation.planning.rejections import p_values
from nescio.stats.exact_p_values import exact_p
from nescio.verbs.plan import plan
from tests.meta.test_trials import evidence
from tests.notes import in_words
from tests.rings import many, together

RATES = (0.5, 0.3, 0.2)
# of 100 questions: run against baseline as correct/incorrect, …; accuracy differs by (12 + 9 - 5 - 3)/100
CELLS = {"CW": 12, "WC": 5, "CU": 9, "UC": 3, "UW": 2, "WU": 8, "CC": 40, "WW": 21}


def pilot(cells: dict[str, int], clusters: np.ndarray[Any, Any] | None = None) -> Evidence:
    """Two runs, `run` and `baseline`, from how many questions end as CW: the first correct, the second incorrect."""
    baseline, run = ("".join(kind[side] * many for kind, many in cells.items()) for side in (1, 0))
    return replace(evidence(baseline=baseline, run=run), clusters=clusters)


def graded(values: np.ndarray[Any, Any], clusters: np.ndarray[Any, Any] | None = None) -> Evidence:
    """Two runs with a score a question; shape (2, questions)."""
    questions = tuple(f"q{i}" for i in range(values.shape[1]))
    return Evidence(
        ("old", "new"), questions, {"score": values}, np.full(values.shape, PRESENT, dtype=np.uint8), {}, clusters
    )


def only(found: Results, solved: str = "questions") -> PowerPlan:
    (row,) = (row for row in found if row.solved == solved)
    assert isinstance(row, PowerPlan)
    return row


@cache
def size(**asked: Any) -> int:
    questions = only(plan(**{"rates": RATES, "measures": "accuracy", **asked})).questions
    assert questions is not None
    return questions


def mcnemar_power(n: int, ahead: float, behind: float, alpha: float = 0.05) -> float:
    """The chance that the exact two-sided sign test has p ≤ alpha: of n questions N are unlike, of which Bin(N, …)
    are ahead."""
    total = 0.0
    for unlike in range(1, n + 1):
        chance = stats.binom.pmf(unlike, n, ahead + behind)
        if chance > 1e-12:
            # The largest k with 2 P(B ≤ k) ≤ alpha under Bin(unlike, ½).
            k = np.arange(unlike + 1)
            below = k[2 * stats.binom.cdf(k, unlike, 0.5) <= alpha].max(initial=-1)
            side = stats.binom(unlike, ahead / (ahead + behind))
            total += chance * (side.cdf(below) + side.sf(unlike - below - 1))
    return total


def miettinen(ahead: float, behind: float, power: float, alpha: float = 0.05) -> float:
    """Miettinen 1968, Connor 1987: pairs for McNemar's test."""
    unlike, apart = ahead + behind, ahead - behind
    z, z_power = stats.norm.isf(alpha / 2), stats.norm.ppf(power)
    return float((z * unlike**0.5 + z_power * (unlike - apart**2) ** 0.5) ** 2 / apart**2)


@pytest.mark.parametrize(
    ("ahead", "behind", "power"), [(20, 10, 0.5), (20, 10, 0.8), (20, 10, 0.9), (9, 3, 0.8), (30, 5, 0.8)]
)
def test_the_power_is_that_of_mcnemars_exact_test(ahead: int, behind: int, power: float) -> None:
    data = pilot({"CW": ahead, "WC": behind, "CC": 30, "WW": 70 - ahead - behind})
    row = only(plan(data, "accuracy", power=power))
    assert row.questions is not None
    assert row.error is not None
    assert row.method == "simulated exact test"
    assert row.apart == pytest.approx((ahead + behind) / 100)
    true = mcnemar_power(row.questions, ahead / 100, behind / 100)
    assert abs(row.power - true) < 4 * row.error
    # Up to 50 questions it is the smallest number that is enough, and one more may add more than .02.
    assert abs(true - power) < 0.02 or (row.questions <= 50 and true > power)
    # The exact test asks for one discordant question more (Yates): n d - 1 = λ √(n p) moves the published n by
    # about 2/d.
    published = miettinen(ahead / 100, behind / 100, power) + 2 / (ahead - behind) * 100
    assert row.questions == pytest.approx(published, rel=0.05, abs=4)


def test_a_tilted_pilot_of_accuracy_keeps_its_odds() -> None:
    """ψ of accuracy is 1, -1 or 0 less the difference, so a tilt multiplies the cells by t, 1/t and 1 and rescales them.

    Of seven questions 3 are won, 1 is lost, 3 are alike: (3t - 1/t)/(3t + 1/t + 3) = -.1 where 3.3 t² + .3 t - .9 = 0.
    """
    data = pilot({"CW": 30, "WC": 10, "CC": 10, "WW": 20})
    t = (-0.3 + (0.3**2 + 4 * 3.3 * 0.9) ** 0.5) / 6.6
    row = only(plan(data, "accuracy", difference=-0.1, power=0.3))
    assert row.difference == pytest.approx(-0.1, abs=1e-12)
    assert row.apart == pytest.approx((3 * t + 1 / t) / (3 * t + 1 / t + 3), abs=1e-9)


@pytest.mark.parametrize("agreement", [0.0, 0.3, 1.0])
def test_agreement_moves_questions_from_unlike_ends_to_like_ones(agreement: float) -> None:
    """Of independent systems with the rates (.6, .3, .1) and (.5, .2, .3), .61 end unlike: 1 - .3 - .06 - .03. At most .8
    can end alike: .5 + .2 + .1."""
    row = only(plan(rates=[(0.6, 0.3, 0.1), (0.5, 0.2, 0.3)], measures="c@1", agreement=agreement, power=0.3))
    assert row.difference == pytest.approx(0.6 * 1.1 - 0.5 * 1.3)
    assert row.apart == pytest.approx((1 - agreement) * 0.61 + agreement * 0.2)


@pytest.mark.sampled
@pytest.mark.parametrize("measure", ["c@1", "precision"])
def test_the_power_is_the_share_of_drawn_collections_on_which_the_exact_test_rejects(measure: str) -> None:
    """Questions drawn one by one from two independent systems, and compared."""
    rates = [(0.7, 0.2, 0.1), (0.3, 0.5, 0.2)]
    row = only(plan(rates=rates, measures=measure, power=0.8))
    assert row.questions is not None
    rng, size = np.random.default_rng(1), many(60, 2_000)
    rejections = 0
    for _ in range(size):
        run, baseline = ("".join(rng.choice(list("CWU"), row.questions, p=shares)) for shares in rates)
        drawn = evidence(run=run, baseline=baseline)
        (pair,) = nescio.compare(drawn, measure, baseline="baseline", test="exact", resamples=16).rows
        rejections += pair.p is not None and pair.p <= 0.05
    assert rejections / size == pytest.approx(row.power, abs=4 * (0.16 / size) ** 0.5 + 4 * (row.error or 0))


@pytest.mark.parametrize("classes", [1, 2, 3, 4])
def test_many_p_values_at_once_are_those_of_exact_p(classes: int) -> None:
    rng = np.random.default_rng(classes)
    sizes = rng.integers(0, (2000, 60, 30, 9)[classes - 1], (60, classes))
    weights = rng.choice([0.0, 1.0, 2.0, 0.37, 1.9], (60, classes)) * rng.choice([-1, 1], (60, classes))
    weights[:, 0] = 1.0
    sizes[:, 0] += 1
    balances = 2 * rng.binomial(sizes, 0.6) - sizes
    observed = np.abs(np.sum(weights * balances, axis=1))
    found = p_values(sizes, weights, observed)
    for n, w, d, p in zip(sizes, weights, observed, found, strict=True):

        def difference(one_way: np.ndarray[Any, Any], n: Any = n, w: Any = w) -> np.ndarray[Any, Any]:
            return np.asarray((2 * one_way - n) @ w)

        assert p == pytest.approx(exact_p(difference, n, d), rel=1e-9)


def test_more_is_needed_for_less() -> None:
    base = size(difference=0.1)
    assert size(difference=0.07) > base > size(difference=0.15)
    assert size(difference=0.1, power=0.9) > base > size(difference=0.1, power=0.6)
    assert size(difference=0.1, alpha=0.01) > base
    assert size(difference=0.1, agreement=0.5) < 0.7 * base
    assert abs(size(difference=-0.1) - base) < 0.03 * base


def test_the_two_questions_are_each_others_answer() -> None:
    found = plan(rates=RATES, difference=0.15, questions=150, measures=["c@1"])
    needed, resolved = only(found), only(found, "difference")
    assert resolved.questions == 150
    back = only(plan(rates=RATES, measures="c@1", difference=resolved.difference))
    assert back.questions == pytest.approx(150, rel=0.03)
    assert needed.questions is not None
    again = only(plan(rates=RATES, measures="c@1", questions=needed.questions), "difference")
    assert again.difference == pytest.approx(0.15, rel=0.015)


def test_a_pilot_answers_both_questions_by_itself() -> None:
    found = plan(pilot(CELLS), "c@1")
    assert only(found).difference == pytest.approx(0.61 * 1.05 - 0.48 * 1.17)
    assert only(found, "difference").questions == 100
    assert [row.system for row in found.tables["systems"]] == ["run", "baseline"]
    assert found.tables["systems"][1].unanswered == pytest.approx(0.17)
    assert any(
        "the difference on the 100 pilot questions, which is partly due to chance" in note
        for note in in_words(found.notes)
    )
    turned = plan(pilot(CELLS), "c@1", run="baseline")
    assert only(turned).difference == pytest.approx(-only(found).difference)
    assert only(turned).questions == pytest.approx(only(found).questions, rel=0.05)


def test_a_plan_depends_on_its_seed_alone() -> None:
    one, again, other = (plan(pilot(CELLS), "accuracy", difference=0.3, seed=seed) for seed in (0, 0, 1))
    assert one.to_dict() == again.to_dict()
    assert one.rows != other.rows


def test_scores_are_planned_by_the_normal_approximation() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.1, (2, 400))
    values[1] += 0.3 * (values[0] - 0.5)
    deviation = (values[1] - values[0]).std()
    found = plan(graded(values), "mean(score)", difference=0.02, questions=1000)
    row, resolved = only(found), only(found, "difference")
    assert (row.method, row.error, row.apart) == ("normal approximation", None, None)
    # two-sided z test: n = ((z_.975 + z_.8) · sd / d)²; the bootstrap of the standard error is within 5% of its square
    z = stats.norm.isf(0.025) + stats.norm.ppf(0.8)
    assert row.questions == pytest.approx((z * deviation / 0.02) ** 2, rel=0.1)
    assert resolved.difference == pytest.approx(z * deviation / 1000**0.5, rel=0.05)
    assert row.power == pytest.approx(0.8, abs=0.003)


def test_questions_that_move_together_are_planned_by_the_cluster() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.1, (2, 200))
    alone = only(plan(graded(values), "mean(score)", difference=0.03))
    twice = only(
        plan(graded(np.repeat(values, 2, axis=1), np.repeat(np.arange(200), 2)), "mean(score)", difference=0.03)
    )
    assert twice.clusters is not None
    assert twice.questions == 2 * twice.clusters
    assert twice.clusters == pytest.approx(alone.questions, rel=0.1)
    cells = pilot({kind: 2 * many for kind, many in CELLS.items()}, np.arange(200) // 2)
    grouped = plan(cells, "c@1", difference=0.1)
    assert only(grouped).method == "normal approximation"
    assert only(grouped).clusters == pytest.approx(only(plan(pilot(CELLS), "c@1", difference=0.1)).questions, rel=0.15)


def test_what_cannot_be_found_is_said_and_left_empty() -> None:
    few = plan(rates=RATES, questions=5)  # 2/2^5 > 0.05: no exchange of five labels is rare enough
    assert np.isnan(only(few, "difference").difference)
    assert any("cannot detect any difference" in note for note in in_words(few.notes))
    topics = plan(graded(np.random.default_rng(0).random((2, 40))), "mean(score)", questions=5)
    assert np.isnan(only(topics, "difference").difference)
    many = plan(rates=RATES, difference=1e-5)
    assert (only(many).questions, many.records()[0]["power"]) == (None, None)
    assert any("plans end at 10,000,000" in note for note in in_words(many.notes))
    mixed = plan(pilot({"CW": 20, "WC": 10, "CC": 30, "WW": 40}), ["accuracy", "coverage"])
    assert {row.measure for row in mixed} == {"accuracy"}
    assert any("coverage" in note and "score the same" in note for note in in_words(mixed.notes))


THREE = pilot(CELLS).take_runs([0, 1, 0])


@together(
    "given, asked, says",
    [
        (None, {}, "from a pilot .* or from rates"),
        (pilot(CELLS), {"rates": RATES}, "rates cannot be used with a pilot"),
        (pilot(CELLS), {"agreement": 0.5}, "agreement needs rates"),
        (pilot(CELLS).take_runs([0]), {}, "one run"),
        (THREE, {}, "there are 3 runs .* compares two"),
        (THREE, {"run": "run"}, "there are 3 runs .* compares two"),
        (pilot(CELLS), {"run": "rum"}, "did you mean run"),
        (pilot(CELLS), {"run": "run", "baseline": "run"}, "are both 'run'"),
        (pilot({"CC": 5, "WW": 5}), {}, "score the same"),
        (pilot({"CC": 5, "WW": 5}), {"difference": 0.1}, "score the same"),
        (pilot({"UU": 5, "WU": 5}), {"measures": "precision"}, "undefined"),
        (pilot(CELLS), {"measures": "AURC"}, "no confidence"),
        (None, {"rates": RATES, "measures": "AURC", "difference": 0.1}, "use a pilot"),
        (None, {"rates": RATES}, "give the difference to detect"),
        (
            None,
            {"rates": [(0.6, 0.4, 0), (0.35, 0.15, 0.5)], "measures": "UF"},
            "UF: both systems score the same at these rates",
        ),
        (None, {"rates": RATES, "difference": 0}, "difference of 0"),
        (None, {"rates": RATES, "difference": 1.2}, "cannot give a difference .* give is 1"),
        (None, {"rates": (0.5, 0.5, 0), "difference": -0.1, "measures": "coverage"}, "score the same"),
        (None, {"rates": (0.5, 0.3, 0.1), "difference": 0.1}, "sum to 1.*0.9"),
        (None, {"rates": (0.7, 0.5, -0.2), "difference": 0.1}, "cannot be negative"),
        (None, {"rates": (0.7, 0.3), "difference": 0.1}, "three numbers"),
        (None, {"rates": "0.5", "difference": 0.1}, "three numbers"),
        (None, {"rates": [RATES] * 3}, "found 3"),
        (None, {"rates": RATES, "difference": 0.1, "agreement": 1.1}, "agreement takes a number"),
        (None, {"rates": RATES, "difference": 0.1, "agreement": 1}, "lower agreement"),
        (None, {"rates": RATES, "difference": 0.1, "run": "a"}, "run cannot be used with rates"),
        (None, {"rates": RATES, "difference": 0.1, "alpha": 0}, "alpha takes a number between 0 and 1"),
        (None, {"rates": RATES, "difference": 0.1, "power": 1}, "power takes a number, above 0 and at most 0.999"),
        (None, {"rates": RATES, "difference": 0.1, "power": 0.05}, "power=0.05 must be above alpha"),
        (None, {"rates": RATES, "difference": float("nan")}, "difference takes a number"),
        (None, {"rates": RATES, "questions": 0}, "questions takes a whole number, from 1 to"),
        (None, {"rates": RATES, "questions": 10.5}, "questions takes a whole number, from 1 to"),
        (None, {"rates": RATES, "difference": 0.1, "seed": -1}, "seed"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(given: Evidence | None, asked: dict[str, Any], says: str) -> None:
    with pytest.raises(nescio.NescioError, match=says):
        plan(given, **asked)


def test_rates_are_shares_percentages_or_counts() -> None:
    alike: list[Any] = [(50, 30, 20), (5, 3, 2), (0.5, 0.3, 0.2), [(500, 300, 200), (0.5, 0.3, 0.2)]]
    for rates in alike:
        found = nescio.plan(rates=rates, difference=0.3, measures="accuracy")
        for system in found.tables["systems"]:
            assert (system.correct, system.incorrect, system.unanswered) == pytest.approx(RATES)
        assert only(found).questions == size(difference=0.3)
