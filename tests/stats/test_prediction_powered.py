"""Values of a pool by labels and a judge, or by an older run: worked figures, derivations by hand, and coverage."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from nescio.errors import UsageError
from nescio.stats.bias_correction import (
    Estimate,
    human_sample_mean,
    prediction_powered,
    rogan_gladen,
    superpopulation,
)
from nescio.stats.control_variates import Floats, adjust, spread, variance
from nescio.stats.prediction_powered import (
    Mean,
    Sample,
    Values,
    labels_needed,
    simple,
    spread_over_strata,
    stratified,
    superpopulation_of_terms,
    weighted,
)

Z = 1.959963984540054


def verdicts(text: str) -> np.ndarray:
    return np.array([float(sign == "1") for sign in text])


FX, FY = verdicts("110S1011S0"), verdicts("10S0110100")
YX, YY = verdicts("111S00"), verdicts("10S000")


def sample(a: float, b: float) -> Sample:
    every = a * FX - b * FY
    return Sample(a * YX - b * YY, every[:6], every)


def half(mean: Mean) -> float:
    return mean.interval()[1] - mean.value


@pytest.mark.parametrize(
    ("a", "b", "value", "weight", "error", "p"),
    [
        (1, 1, 0.3850574713, 0.5172413793, 0.1178931623, 0.0309008892),
        (1.2, 1.1, 0.4732466356, 0.5143633540, 0.1406948763, 0.0282095165),  # c@1: 2 and 1 of 10 are unanswered
    ],
)
def test_worked_differences(a: float, b: float, value: float, weight: float, error: float, p: float) -> None:
    found = simple(sample(a, b), least=0)
    assert (found.value, found.weights[0]) == pytest.approx((value, weight), abs=1e-9)
    assert math.sqrt(found.variance) == pytest.approx(error, abs=1e-9)
    assert half(found) == pytest.approx(2.7764451051977987 * error, abs=1e-9)
    assert found.p_value() == pytest.approx(p, abs=1e-9)


def test_one_run() -> None:
    """A is .5, so that c@1 is 1.2 · .5, UF 2 · .5 + .2 - 1, and penalty(t=0.75), with κ = 3, 4 · .5 - 3 · .8."""
    c_at_1 = simple(sample(1.2, 0), least=0)
    assert (simple(sample(1, 0), least=0).value, c_at_1.value) == pytest.approx((0.5, 0.6), abs=1e-9)
    assert simple(sample(2, 0)).value + 0.2 - 1 == pytest.approx(0.2, abs=1e-9)
    assert simple(sample(4, 0)).value - 3 * 0.8 == pytest.approx(-0.4, abs=1e-9)
    assert math.sqrt(c_at_1.variance) == pytest.approx(0.1789972067, abs=1e-9)
    a, u = 0.5, 0.2
    spread = (1 + u) ** 2 * a * (1 - a) + a * a * u * (1 - u) - 2 * (1 + u) * a * a * u
    assert math.sqrt(c_at_1.superpopulation(spread).variance) == pytest.approx(0.2450306103, abs=1e-9)


def test_known_probabilities_of_inclusion() -> None:
    inclusion = np.array([0.8, 0.8, 0.5, 0.5, 0.8, 0.5, 0.5, 0.8, 0.5, 0.5])
    people, drawn = np.append(YX - YY, np.full(4, np.nan)), np.arange(10) < 6
    found = weighted(people, FX - FY, inclusion, drawn, least=0)
    assert found.weights == pytest.approx((0.5017793594,), abs=1e-9)
    assert found.value == pytest.approx(0.4128113879, abs=1e-9)
    assert math.sqrt(found.variance) == pytest.approx(0.1606591109, abs=1e-9)
    assert math.sqrt(superpopulation_of_terms(found).variance) == pytest.approx(0.2124998546, abs=1e-9)


def test_labels_for_questions_of_this_kind() -> None:
    """No label helps below h = t·√(.4/1000): t with 998 degrees of freedom is 1.96234…, so h is .0392468."""
    assert labels_needed(0.4, 0.7, 1000, level=0.95, half_width=0.03924, population=0.4) == math.inf
    assert labels_needed(0.4, 0.7, 1000, level=0.95, half_width=0.0393, population=0.4) < 1000


@pytest.mark.parametrize("scale", [0.5, 1.2])
def test_a_price_scales_the_plan(scale: float) -> None:
    for aim in ({"half_width": 0.08}, {"difference": 0.1}):
        scaled = {name: scale * value for name, value in aim.items()}
        one, other = (0.114, 1.0, aim), (0.114 * scale**2, scale, scaled)
        found = [labels_needed(v, 0.85, 1000, level=0.95, scale=by, population=v, **how) for v, by, how in (one, other)]
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("won", "lost", "errs", "units"), [(0.1, 0.0, 0.02, 2000), (0.12, 0.02, 0.1, 800), (0.25, 0.05, 0.02, 400)]
)
@pytest.mark.parametrize("population", [True, False])
def test_planned_labels_find_the_difference_and_reach_the_width(
    won: float, lost: float, errs: float, units: int, population: bool
) -> None:
    """Rare residuals: normal quantiles without the floor promised a power of .8 that was 0 to .73."""
    rng = np.random.default_rng(5)

    def drawn(n: int) -> tuple[Values, Values]:
        u, wrong = rng.random(n), rng.random((2, n)) < errs
        old = np.where(u < won, 0.0, np.where(u < won + lost, 1.0, rng.random(n) < 0.6))
        new = np.where(u < won, 1.0, np.where(u < won + lost, 0.0, old))
        return new - old, np.abs(new - wrong[0]) - np.abs(old - wrong[1])

    d, g = drawn(400_000)
    spread, difference = float(d.var()), won - lost
    how: dict[str, Any] = {"level": 0.95, "population": spread if population else None}
    aims = ({"difference": difference}, {"half_width": difference / 1.5})
    for aim in aims:
        labels = int(labels_needed(spread, float(np.corrcoef(d, g)[0, 1]), units, **how, **aim))
        reached = 0
        for _ in range(1000):
            d, g = drawn(units)
            found = simple(Sample(d[:labels], g[:labels], g))
            found = found.superpopulation(float(d[:labels].var(ddof=1))) if population else found
            reached += found.p_value() <= 0.05 if "difference" in aim else half(found) <= aim["half_width"]
        assert reached / 1000 >= (0.75 if "difference" in aim else 0.5) - 0.03, aim  # 0.03 is two standard errors


def test_a_price_of_a_verdict_scales_the_interval_and_leaves_p() -> None:
    """UF is 2A and a constant: the floor of the residuals has to go with it."""
    one, two = simple(sample(1, 1)), simple(sample(2, 2), scale=2)
    assert two.value == pytest.approx(2 * one.value)
    assert half(two) == pytest.approx(2 * half(one))
    assert two.p_value() == pytest.approx(one.p_value())
    plain = simple(sample(1, 1), least=0)  # residuals that sum to .139: taken for 3
    assert half(one) == pytest.approx(half(plain) * math.sqrt(3 / (plain.residual * 4)))


def test_when_people_saw_all_nothing_is_left_open() -> None:
    d = YX - YY
    for found in (
        simple(Sample(d, d, d)),
        stratified([Sample(d[:3], d[:3], d[:3]), Sample(d[3:], d[3:], d[3:])]),
        weighted(d, d, np.ones(6), np.ones(6, bool)),
    ):
        assert (found.value, found.variance) == (pytest.approx(d.mean()), 0)
        assert found.interval() == pytest.approx((d.mean(), d.mean()))
        assert found.p_value() == 0


def test_two_judges_by_hand() -> None:
    """The second judge says what people say, the first is noise that is uncorrelated with both: λ = (0, 9/10 · 20/19 …)."""
    people = np.tile([1.0, 0.0], 10)
    noise = np.tile([1.0, 1.0, 0.0, 0.0], 5)
    every = np.stack([np.tile(noise, 2), np.tile(people, 2)], axis=1)
    found = simple(Sample(people, every[:20], every), least=0)
    assert found.weights == pytest.approx((0, 0.25 / (0.25 * 40 / 39)), abs=1e-12)
    assert found.freedom == 20 - 1 - 2
    assert found.value == pytest.approx(0.5)
    assert found.correlation == pytest.approx(1)
    with pytest.raises(UsageError, match="2 judges need at least 20 labels"):
        simple(Sample(people[:19], every[:19], every))


def test_strata_by_hand() -> None:
    """Two strata of 60 and 20, with 12 and 4 labels: the first has a weight of its own, the second the common one."""
    rng = np.random.default_rng(5)
    parts = []
    for units, labels in ((60, 12), (20, 4)):
        every = (rng.random(units) < 0.6).astype(float)
        parts.append(
            Sample(np.where(rng.random(labels) < 0.8, every[:labels], 1 - every[:labels]), every[:labels], every)
        )
    own = np.cov(parts[0].people, parts[0].judge, ddof=0)[0, 1] / parts[0].every.var(ddof=1)
    within = sum(len(p.people) * np.cov(p.people, p.judge, ddof=0)[0, 1] for p in parts) / 16
    common = within / (sum(len(p.every) * p.every.var() for p in parts) / 78)
    assert 0 < own < 1
    assert 0 < common < 1
    values, variance = [], 0.0
    for part, weight, divisor, share in zip(parts, (own, common), (10, 3), (0.75, 0.25), strict=True):
        values.append(part.people.mean() + weight * (part.every.mean() - part.judge.mean()))
        residuals = part.people - part.people.mean() - weight * (part.judge - part.judge.mean())
        variance += share**2 * 0.8 * np.sum(residuals**2) / divisor / len(part.people)
    found = stratified(parts, least=0)
    assert found.value == pytest.approx(0.75 * values[0] + 0.25 * values[1])
    assert found.variance == pytest.approx(variance)
    assert (found.freedom, found.labels, found.units) == (13, 16, 80)
    with pytest.raises(UsageError, match="each stratum needs 2 labels or more"):
        stratified([parts[0], Sample(parts[1].people[:1], parts[1].judge[:1], parts[1].every)])


def test_spread_over_strata() -> None:
    """Values 0, 0, 2, 2 of 4 units, and 1, 3 that stand for 6: means 1 and 2, centre 1.6; (3·4/3 + 5·2 + 4·.36 + 6·.16)/9."""
    found = spread_over_strata([(np.array([0.0, 0, 2, 2]), 4), (np.array([1.0, 3]), 6)])
    assert found == pytest.approx((4 + 10 + 1.44 + 0.96) / 9)
    alone = np.array([0.0, 1, 1, 5])
    assert spread_over_strata([(alone, 400)]) == pytest.approx(alone.var(ddof=1) * 399 / 399)


@pytest.mark.proof
@pytest.mark.parametrize("way", ["simple", "stratified", "weighted"])
def test_intervals_hold_what_they_say(way: str) -> None:
    """2,000 samples of 100 of 600 paired questions: 95%, within 3 Monte Carlo errors (1.5%)."""
    rng = np.random.default_rng(11)
    truth = rng.integers(-1, 2, size=600).astype(float)
    judge = np.where(rng.random(600) < 0.7, truth, rng.integers(-1, 2, size=600))
    inclusion = np.where(judge == 0, 0.1, 0.2)
    order = [np.flatnonzero(judge == g) for g in (-1, 0, 1)]
    held = 0
    for _ in range(2000):
        if way == "weighted":
            found = weighted(truth, judge, inclusion, rng.random(600) < inclusion)
        elif way == "stratified":
            chosen = [rng.permutation(units)[: len(units) // 6] for units in order]
            found = stratified([Sample(truth[c], judge[c], judge[u]) for c, u in zip(chosen, order, strict=True)])
        else:
            c = rng.permutation(600)[:100]
            found = simple(Sample(truth[c], judge[c], judge))
        low, high = found.interval()
        held += low <= truth.mean() <= high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_the_residual_of_a_worked_example() -> None:
    """Means 3/4 and 1/2; weight Cov/Var = (1/8)/(4/15) = 15/32 of 16 units, half of them called 1."""
    people, judge = np.array([1.0, 1, 1, 1, 1, 1, 0, 0]), np.array([1.0, 1, 1, 1, 0, 0, 0, 0])
    sample = Sample(people, judge, np.repeat([1.0, 0.0], 8))
    weight = 15 / 32
    left = people - 3 / 4 - weight * (judge - 1 / 2)
    plain = simple(sample, least=0)
    assert (plain.value, plain.weights) == (0.75, pytest.approx((weight,)))
    assert plain.residual == pytest.approx(left @ left / 6, abs=1e-12)


# 40 labelled answers: 18 that people and judge call correct, 6 that only people do, 3 that only the judge does, 13
# that neither does.
PEOPLE = np.repeat([1.0, 1.0, 0.0, 0.0], [18, 6, 3, 13])
JUDGE = np.repeat([1.0, 0.0, 1.0, 0.0], [18, 6, 3, 13])


@pytest.mark.parametrize(("correct", "rest", "width"), [(35, 60, 0.2741659111), (500, 900, 0.2555496534)])
def test_prediction_powered_intervals_are_about_those_of_its_authors(correct: int, rest: int, width: float) -> None:
    """Those of ppi-python 0.2.3 are about new answers, and have z and n where these have t and n - 2."""
    found = superpopulation(prediction_powered(PEOPLE, JUDGE, (21 + correct) / (40 + rest), 40 + rest), 40 + rest)
    assert 0.99 * width < found.high - found.low < 1.06 * width


def test_no_disagreement_in_the_sample_widens_rogan_and_gladen_s_interval_too() -> None:
    people = np.repeat([1.0, 0.0], [30, 10])
    found, other = (correct(people, people, 120 / 160, 160) for correct in (prediction_powered, rogan_gladen))
    assert other.value == pytest.approx(0.75)
    assert other.high - other.low >= found.high - found.low


def test_beyond_the_collection_both_errors_count() -> None:
    sure = superpopulation(Estimate(0.5, 0.5, 0.5), 100)  # Wilson for 50 of 100: [.4038, .5962], a textbook value
    assert (round(sure.low, 4), round(sure.high, 4)) == (0.4038, 0.5962)
    both = superpopulation(Estimate(0.5, 0.5 - 0.03, 0.5 + 0.04), 100)
    assert both.low == pytest.approx(0.5 - math.hypot(0.03, 0.5 - sure.low))
    assert both.high == pytest.approx(0.5 + math.hypot(0.04, sure.high - 0.5))
    assert superpopulation(Estimate(0.5, 0.4, 0.6, 0.25), 100).weight == 0.25
    one = superpopulation(Estimate(1.0, 1.0, 1.0), 1)  # Wilson for 1 of 1 begins at 1/(1 + z²)
    assert one.low == pytest.approx(1 / (1 + 1.959963984540054**2))
    assert one.high == 1
    for found in (Estimate(math.nan, math.nan, math.nan), Estimate(0.5, 0.4, 0.6)):
        assert superpopulation(found, 100 if math.isnan(found.value) else 0) is found


def test_more_labels_than_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="found 40 labels for 39"):
        prediction_powered(PEOPLE, JUDGE, 0.5, 39)


def test_the_average_over_every_sample_is_what_people_say_of_all() -> None:
    """All 3,003 samples of 10 of 15 answers: the tuned weight biases by a hundredth at most; the intervals hold."""
    people = np.array([1] * 7 + [0] * 8, dtype=float)
    judge = np.array([1] * 5 + [0] * 2 + [1] * 2 + [0] * 6, dtype=float)
    found = [
        prediction_powered(people[list(i)], judge[list(i)], float(judge.mean()), 15)
        for i in combinations(range(15), 10)
    ]
    truth = float(people.mean())
    assert np.mean([one.value for one in found]) == pytest.approx(truth, abs=0.01)
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.95


@pytest.mark.proof
@pytest.mark.parametrize(("only_people", "only_judge"), [(0.10, 0.05), (0.02, 0.0), (0.3, 0.1)])
def test_coverage_of_samples_from_a_collection(only_people: float, only_judge: float) -> None:
    """Samples of 100 of 500 answers, judges good and bad; where disagreements are few the intervals may hold more."""
    rng = np.random.default_rng(5)
    shares = [0.6 - only_people, only_people, only_judge, 0.4 - only_judge]
    cells = np.rint(np.array(shares) * 500).astype(int)
    people, judge = np.repeat([1.0, 1.0, 0.0, 0.0], cells), np.repeat([1.0, 0.0, 1.0, 0.0], cells)
    held = np.zeros(2)
    for _ in range(1_000):
        i = rng.choice(500, 100, replace=False)
        told = people[i], judge[i], float(judge.mean()), 500
        held += [one.low <= people.mean() <= one.high for one in (prediction_powered(*told), rogan_gladen(*told))]
    few = only_people + only_judge < 0.05
    assert (held / 1_000 > 0.93).all(), held
    assert few or (held / 1_000 < 0.97).all(), held


zeros_and_ones = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=30)


@given(zeros_and_ones, st.integers(0, 50), st.integers(0, 50))
def test_every_figure_is_a_share_or_undefined(pairs: list[tuple[bool, bool]], right: int, wrong: int) -> None:
    people, judge = np.array(pairs, dtype=float).T
    answers = len(pairs) + right + wrong
    told = people, judge, float((judge.sum() + right) / answers), answers
    for found in (prediction_powered(*told), rogan_gladen(*told), human_sample_mean(people, answers)):
        for one in (found, superpopulation(found, answers)):
            numbers = (one.value, one.low, one.high)
            assert all(map(math.isnan, numbers)) or 0 <= one.low <= one.value <= one.high <= 1


OLD, NEW = "CCWUCWUCCCUCCWCCC", "CCWCCWUW"


def cells(text: str) -> Floats:
    return np.array([[c == "C", c == "U"] for c in text], dtype=float)


X, Y = cells(OLD), cells(NEW)


def test_right_answers_alone() -> None:
    fit = adjust(Y[:, :1], X[:8, :1], X[:, :1])
    assert fit.slopes[0, 0] == pytest.approx(0.5, abs=1e-9)
    assert fit.means[0] == pytest.approx(39 / 68, abs=1e-9)
    assert fit.leverages == pytest.approx(np.full(8, 0.25), abs=1e-9)
    left = spread(fit.residuals[:, 0], fit.leverages)
    assert left == pytest.approx(8 / 21, abs=1e-9)
    error = variance(left, 8, 17) ** 0.5
    assert error == pytest.approx(0.1587768372, abs=1e-9)
    assert error * student.ppf(0.975, 6) == pytest.approx(0.3885129247, abs=1e-9)
    assert variance(left, 8, 17, Y[:, 0].var(ddof=1)) ** 0.5 == pytest.approx(0.2049800154, abs=1e-9)
    assert variance(spread(Y[:, 0] - 0.5, 0.0), 8, 17) ** 0.5 == pytest.approx(0.1375047746, abs=1e-9)


def test_right_and_silent_are_the_poststratified_estimate() -> None:
    fit = adjust(Y, X[:8], X)
    right, silent = fit.means
    assert (right, silent) == (pytest.approx(39 / 68, abs=1e-9), pytest.approx(3 / 34, abs=1e-9))
    strata = [np.all(kind == X, axis=1) for kind in ([1, 0], [0, 1], [0, 0])]
    assert right == pytest.approx(sum(s.mean() * Y[s[:8], 0].mean() for s in strata), abs=1e-12)
    assert right * (1 + silent) == pytest.approx(1443 / 2312, abs=1e-9)
    left = spread((1 + silent) * fit.residuals[:, 0] + right * fit.residuals[:, 1], fit.leverages)
    error = variance(left, 8, 17) ** 0.5
    assert error == pytest.approx(0.1411971299, abs=1e-9)
    assert error * student.ppf(0.975, 5) == pytest.approx(0.3629587774, abs=1e-9)
    moved = (1 + silent) * Y[:, 0] + right * Y[:, 1]
    assert variance(left, 8, 17, moved.var(ddof=1)) ** 0.5 == pytest.approx(0.1923899895, abs=1e-9)


def test_what_shows_nothing_is_left_out() -> None:
    alike = adjust(Y, np.ones((8, 2)), np.ones((17, 2)))
    assert (alike.covariates, alike.means.tolist()) == (0, Y.mean(axis=0).tolist())
    one_silent = np.array([[1.0, 0], [1, 0], [0, 0], [0, 0], [0, 1]])  # of whom one unit alone tells
    assert adjust(Y[:5], one_silent, X).covariates == 1


def test_the_estimates_of_the_second_page() -> None:
    """With one older run and with two; its errors have S² over n - 2, for these units and beyond them."""
    older, second = cells("CCWUCWCCWUCCWCUWCCWC")[:, :1], cells("CWCCCWCCWUCCWWUCCCWC")[:, :1]
    new = cells("CCWCCWUC")[:, :1]
    fit = adjust(new, older[:8], older)
    assert (fit.plain[0], fit.means[0], fit.slopes[0, 0]) == pytest.approx((0.625, 0.59, 0.4666666667), abs=1e-9)
    squares = (fit.residuals**2).sum() / 6
    errors = variance(squares, 8, 20) ** 0.5, variance(squares, 8, 20, new[:, 0].var(ddof=1)) ** 0.5
    assert (squares, *errors) == pytest.approx((0.2444444444, 0.1354006401, 0.1781184731), abs=1e-9)
    both = np.hstack([older, second])
    fit = adjust(new, both[:8], both)
    assert fit.slopes[:, 0] == pytest.approx([0.4545454545, 0.0909090909], abs=1e-9)
    assert fit.means[0] == pytest.approx(0.5772727273, abs=1e-9)
