"""Bounds of what was chosen and prediction intervals, against the figures of an independent script (statistics3, 2)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

from nescio.data.patterns import Patterns
from nescio.measures import parse
from nescio.scoring.influence import influence
from nescio.stats.chosen import _every_outcome, another_count, another_value, level_of_each, upper_of_chosen
from nescio.stats.few_units import unit_error
from nescio.stats.intervals import wilson

TABLE = {  # w/m: the bound of a run picked beforehand, and of one chosen out of five
    (3, 20): (0.3436638043, 0.4207289171),
    (5, 25): (0.3754051351, 0.4442740857),
    (8, 40): (0.3320277451, 0.3854421750),
    (0, 4): (0.5271291955, 0.6837722340),
    (0, 0): (1.0, 1.0),
}


@pytest.mark.parametrize(("counts", "bounds"), TABLE.items())
def test_the_bound_of_the_chosen_one(counts: tuple[int, int], bounds: tuple[float, float]) -> None:
    alone, chosen = (upper_of_chosen(*counts, tried, 0.95) for tried in (1, 5))
    assert (alone, chosen) == pytest.approx(bounds, abs=5e-10)


def test_thirty_equal_runs_keep_the_bound_and_a_plain_one_does_not() -> None:
    """30 independent runs, 80 answers, error .30: the chance that the bound of the run with the least errors holds."""
    errors = np.arange(81)
    least = 1 - binom.sf(errors - 1, 80, 0.3) ** 30  # P(minimum < w), as sf(w - 1) is P(X ≥ w)
    chance = np.append(np.diff(least), 1 - least[-1])  # P(minimum = w)
    for tried, true in ((1, 0.3982934285), (30, 0.9553543991)):
        holds = np.array([upper_of_chosen(int(w), 80, tried, 0.95) >= 0.3 for w in errors])
        assert chance[holds].sum() == pytest.approx(true, abs=5e-10)
    both_sides = np.array([upper_of_chosen(int(w), 80, 1, 0.975) >= 0.3 for w in errors])
    assert chance[both_sides].sum() == pytest.approx(0.6151724815, abs=5e-10)
    assert level_of_each(0.95, 30) == pytest.approx(1 - 0.05 / 30)


@pytest.mark.parametrize(
    ("tried", "bound"),
    [(1, 0.2877808713), (3, 0.3133485496), (10, 0.3376739399), (30, 0.3575695114), (100, 0.3775137905)],
)
def test_the_bound_of_the_best_of_many(tried: int, bound: float) -> None:
    """Statistics3, section 2.1: 16 errors among 80."""
    assert upper_of_chosen(16, 80, tried, 0.95) == pytest.approx(bound, abs=1e-9)


@pytest.mark.parametrize(
    ("runs", "counted", "chance"), [(1, 1, 0.9697804795), (3, 1, 0.9120534996), (3, 3, 0.9525761199)]
)
def test_how_often_the_bound_of_the_best_of_few_holds(runs: int, counted: int, chance: float) -> None:
    """Statistics3, section 2.1: independent runs of 80 answers at a true 30%, by enumeration."""
    least = 1 - binom.sf(np.arange(-1, 80), 80, 0.3) ** runs  # P(minimum < w)
    weight = np.append(np.diff(least), 1 - least[-1])
    holds = np.array([upper_of_chosen(errors, 80, counted, 0.95) >= 0.3 for errors in range(81)])
    assert weight[holds].sum() == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize(
    ("wrong", "answers", "bound"),
    [
        (0, 12, 0.3187079309),
        (1, 25, 0.2374860617),
        (3, 40, 0.2299068028),
        (7, 55, 0.2676792536),
        (14, 70, 0.3339506010),
    ],
)
def test_the_bound_of_the_best_of_five_thresholds(wrong: int, answers: int, bound: float) -> None:
    """Statistics3-a, section 2: thresholds .9 to .5."""
    assert upper_of_chosen(wrong, answers, 5, 0.95) == pytest.approx(bound, abs=1e-9)


@pytest.mark.parametrize(
    ("wrong", "answers", "risk", "p"),
    [
        (0, 40, 0.1, 0.0147808829),
        (1, 70, 0.1, 0.0054999690),
        (4, 110, 0.1, 0.0116990630),
        (9, 150, 0.1, 0.0600462228),
        (21, 200, 0.1, 0.6483522217),
        (1, 60, 0.1, 0.0137770790),
        (3, 110, 0.1, 0.0035497410),
        (7, 140, 0.1, 0.0256565778),
        (14, 180, 0.1, 0.1943217974),
        (0, 12, 0.2, 0.0687194767),
        (1, 25, 0.2, 0.0273897256),
        (3, 40, 0.2, 0.0284620945),
        (7, 55, 0.2, 0.1155649836),
        (14, 70, 0.2, 0.5708769645),
    ],
)
def test_a_bound_is_a_risk_where_its_level_is_that_of_the_p_value(
    wrong: int, answers: int, risk: float, p: float
) -> None:
    """P(Bin(N, r) ≤ E) ≤ δ if and only if the upper bound at 1 - δ is r or less: statistics3, sections 2.1 and 4,
    statistics3-a, section 2, statistics3-b, section 5. What is tested here is the bound; no sequence is offered."""
    assert upper_of_chosen(wrong, answers, 1, 1 - p) == pytest.approx(risk, abs=1e-9)


def test_the_least_number_of_answers_without_an_error() -> None:
    """Statistics3-a, section 2, and statistics3-b, section 5: 13.4251348780, so 14, for a risk of .2 at .05."""
    assert upper_of_chosen(0, 14, 1, 0.95) <= 0.2 < upper_of_chosen(0, 13, 1, 0.95)


def test_the_laws_of_another_sample() -> None:
    """Statistics3, section 2.2, and statistics3-a, section 2: 50 of 70 and 42 of 70; c@1 after 35, 14 and 21."""
    right, chances = law_of_right(50, 70, 70)
    assert chances[right <= 39].sum() == pytest.approx(0.0320487866, abs=1e-9)
    assert chances[right == 50].sum() == pytest.approx(0.0744422698, abs=1e-9)
    right, chances = law_of_right(42, 70, 70)
    mean = chances @ right
    assert mean == pytest.approx(41.9014084507, abs=1e-9)
    assert (chances @ (right - mean) ** 2) ** 0.5 == pytest.approx(5.7391935920, abs=1e-9)
    outcomes, chances = _every_outcome(np.array([35.5, 14.5, 21.5]), 70)
    assert chances @ c_at_1(outcomes) == pytest.approx(0.6416390506, abs=1e-9)


def law_of_right(right: int, n: int, more: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numbers of right answers with their chances, where there is hardly a third outcome."""
    outcomes, chances = _every_outcome(np.array([right + 0.5, n - right + 0.5, 1e-12]), more)
    return outcomes[:, 0], chances


def test_another_sample_of_the_first_page() -> None:
    """Statistics3, section 2.2: 50 of 70; and 50, 12, 8 by c@1."""
    assert another_count(50, 70, 70, 0.95) == (39, 60)
    ends = another_value((50, 12, 8), 70, c_at_1, 0.95)
    assert ends == pytest.approx((3120 / 4900, 4466 / 4900), abs=1e-9)
    assert another_value((50, 12, 8), 40, c_at_1, 0.95) == pytest.approx((0.605, 0.93), abs=1e-9)


def test_the_bounds_of_clopper_and_pearson() -> None:
    """Statistics3, section 2.2: 50 of 70, 95% of both sides."""
    ends = (1 - upper_of_chosen(20, 70, 1, 0.975), upper_of_chosen(50, 70, 1, 0.975))
    assert ends == pytest.approx((0.5937822016, 0.8159543914), abs=1e-9)


def test_another_sample_by_count() -> None:
    assert another_count(42, 70, 70, 0.95) == (30, 53)
    assert another_count(42, 70, 20, 0.95) == (7, 17)
    assert another_count(42, 70, 1000, 0.95) == (479, 713)
    assert another_count(1, 1, 10, 0.95) == (1, 10)
    assert all(math.isnan(end) for end in another_count(0, 0, 10, 0.95))


COVERED = {0.5: 0.9627229324, 0.6: 0.9556879333, 0.8: 0.9600629834, 0.95: 0.9640380911}
MISSED = {0.5: 0.8431407971, 0.6: 0.8326502327, 0.8: 0.8269660777, 0.95: 0.7947403000}


@pytest.mark.parametrize("truth", COVERED)
def test_another_sample_falls_inside_as_often_as_said(truth: float) -> None:
    """70 questions, then 70 more: every outcome of both. The interval of the mean holds the second far too seldom."""
    before, after = binom.pmf(np.arange(71), 70, truth), binom.pmf(np.arange(71), 70, truth)
    held = mean = 0.0
    for hits in range(71):
        low, high = another_count(hits, 70, 70, 0.95)
        held += before[hits] * after[int(low) : int(high) + 1].sum()
        low, high = wilson(hits, 70, 0.95)
        mean += before[hits] * after[(np.arange(71) / 70 >= low) & (np.arange(71) / 70 <= high)].sum()
    assert held == pytest.approx(COVERED[truth], abs=5e-10)
    assert mean == pytest.approx(MISSED[truth], abs=5e-10)


def c_at_1(counts: NDArray[Any]) -> NDArray[Any]:
    n = counts.sum(axis=1)
    values: NDArray[Any] = (counts[:, 0] + counts[:, 2] * counts[:, 0] / n) / n
    return values


def chances(shares: tuple[float, ...], outcomes: NDArray[Any]) -> NDArray[Any]:
    """Return the multinomial chance of each row of counts."""
    ways = gammaln(outcomes.sum(axis=1) + 1) - gammaln(outcomes + 1).sum(axis=1)
    return np.exp(ways) * np.power(shares, outcomes).prod(axis=1)


PRINTED = {  # shares of the outcomes: coverage of the predictive law, of the normal one, of the mean's interval
    (0.55, 0.25, 0.20): (0.9500, 0.944, 0.828),
    (0.8, 0.1, 0.1): (0.9494, 0.932, 0.823),
    (0.3, 0.5, 0.2): (0.9499, 0.944, 0.828),
    (0.7, 0.3, 0.0): (0.9574, 0.946, 0.827),
    (0.4, 0.1, 0.5): (0.9501, 0.944, 0.828),  # printed .829; the enumeration gives .82847
}
# As the other page prints it, whose sixth digit is off, and as a plain enumeration with whole numbers c(70 + u) has it.
OF_THE_OTHER_PAGE = {
    (0.5, 0.2, 0.3): (0.950155, 0.9501508861633),
    (0.3, 0.1, 0.6): (0.949998, 0.9499949851409),
    (0.7, 0.25, 0.05): (0.950477, 0.9504748588172),
}


def test_another_sample_by_c_at_1_falls_inside_as_often_as_said() -> None:
    """Statistics3, section 2.2 (four digits), and statistics3-a, section 2 (five): 70 questions, then 70 more, every
    outcome of both. The interval of the mean holds the second in about 83%."""
    outcomes, _ = _every_outcome(np.ones(3), 70)
    values = c_at_1(outcomes)
    order = np.argsort(values, kind="stable")

    def held(low: NDArray[Any], high: NDArray[Any], shares: tuple[float, ...]) -> float:
        chance = chances(shares, outcomes)
        reached = np.concatenate([[0], np.cumsum(chance[order])])
        within = (np.searchsorted(values[order], high + 1e-9, "right"), np.searchsorted(values[order], low - 1e-9))
        return float(chance @ (reached[within[0]] - reached[within[1]]))

    low, high = np.array([another_value(tuple(map(int, one)), 70, c_at_1, 0.95) for one in outcomes]).T
    half = 1.959963984540054 * np.array([plain_error("c@1", tuple(map(int, one))) for one in outcomes])
    for shares, (predictive, normal, mean) in PRINTED.items():
        assert held(low, high, shares) == pytest.approx(predictive, abs=5e-5)
        assert held(values - half * math.sqrt(2), values + half * math.sqrt(2), shares) == pytest.approx(
            normal, abs=5e-4
        )
        assert held(values - half, values + half, shares) == pytest.approx(mean, abs=5e-4)
    for shares, (page, plain) in OF_THE_OTHER_PAGE.items():
        found = held(low, high, shares)
        assert (found, found) == (pytest.approx(page, abs=5e-6), pytest.approx(plain, abs=1e-11))


def plain_error(measure: str, counts: tuple[int, ...]) -> float:
    """Return the standard error of a measure of these counts, with the variance over n."""
    columns = {name: np.eye(3)[i] for i, name in enumerate(("correct", "incorrect", "unanswered"))}
    patterns = Patterns({**columns, "n": np.ones(3)}, np.array(counts))
    n = sum(counts)
    error, _ = unit_error(influence(parse(measure), patterns), patterns.columns["n"], patterns.counts)
    return error * math.sqrt((n - 1) / n)


def test_normal_intervals_of_section_2_2() -> None:
    """50 of 70, and c@1 of 50, 12 and 8: the page works them with z and the variance over n, where its rule (and
    `score --next`) has Student's t and n - 1; the standard error behind both is the same."""
    z = 1.959963984540054
    error = plain_error("accuracy", (50, 20, 0))
    ends = (50 / 70 - z * error * math.sqrt(2), 50 / 70 + z * error * math.sqrt(2))
    assert ends == pytest.approx((0.5646221690, 0.8639492596), abs=1e-9)
    error = plain_error("c@1", (50, 12, 8))
    value = parse("c@1")(50, 12, 8)
    assert (value, error) == pytest.approx((0.7959183673, 0.0500133855), abs=1e-9)
    assert (value - z * error, value + z * error) == pytest.approx((0.6978939330, 0.8939428016), abs=1e-9)
    further = z * error * math.sqrt(2)
    assert (value - further, value + further) == pytest.approx((0.6572908829, 0.9345458518), abs=1e-9)


def test_another_sample_by_a_measure() -> None:
    low, high = another_value((35, 14, 21), 70, c_at_1, 0.95)
    assert (low, high) == pytest.approx((0.46, 0.8057142857), abs=5e-10)
    # Accuracy is a function of the counts as well, whose prior differs: two of three outcomes share ½ + ½.
    assert another_value((42, 0, 28), 70, lambda k: k[:, 0], 0.95) == pytest.approx((30, 53), abs=1)
    ends = [another_value((1000, 300, 200), more, c_at_1, 0.95) for more in (1_000, 1_001)]  # enumerated, and drawn
    assert ends[0] == pytest.approx(ends[1], abs=0.003)
    assert all(math.isnan(end) for end in another_value((0, 0, 0), 5, c_at_1, 0.95))
    assert all(math.isnan(end) for end in another_value((1, 1, 1), 5, lambda k: np.full(len(k), np.nan), 0.95))
