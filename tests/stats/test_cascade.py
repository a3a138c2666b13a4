"""Cascades and votes, worked by independent scripts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.stats.cascade import MOST_POLICIES, Answers, Choice, Risk, choose, follow, grids
from nescio.stats.intervals import student
from nescio.stats.votes import vote

# Section 4: confidence and verdict of A, then of B.
WORKED = """.95 1 .90 1; .90 1 .80 1; .85 0 .95 1; .80 1 .60 0; .75 1 .85 1; .60 0 .90 1; .55 1 .70 1; .50 0 .65 0;
    .40 0 .75 1; .35 1 .55 0; .30 0 .50 1; .20 0 .40 0"""
PART = np.arange(12) % 3


def answers() -> Answers:
    """The twelve questions, where an error costs 1, asking 1 and 5, and a right answer is worth 50."""
    table = np.array([[float(cell) for cell in row.split()] for row in WORKED.split(";")]).T
    right = table[[1, 3]]
    cost = np.repeat([[1 / 50], [5 / 50]], 12, axis=1)
    return Answers(2 * right - 1, right == 0, table[[0, 2]], cost, np.zeros(12))


def letters(
    a: str, sure_a: list[float], b: str, sure_b: list[float], cost: tuple[float, float], worth: float
) -> Answers:
    gain = np.array([[{"C": 1.0, "W": -1.0, "U": 0.0}[letter] for letter in row] for row in (a, b)])
    sure = np.where(gain == 0, -np.inf, np.array([sure_a, sure_b]))
    return Answers(gain, gain < 0, sure, np.repeat(np.array(cost)[:, None] / worth, len(a), axis=1), np.zeros(len(a)))


OTHER = letters(
    "CCWCWCUWCWCW",
    [0.95, 0.9, 0.85, 0.8, 0.7, 0.65, 0, 0.5, 0.45, 0.4, 0.3, 0.2],
    "CCCWCCCUCWWC",
    [0.9, 0.6, 0.8, 0.7, 0.9, 0.5, 0.85, 0, 0.75, 0.55, 0.35, 0.95],
    (0.01, 0.05),
    0.5,
)


def held_out(of: Answers, found: tuple[Choice, ...]) -> np.ndarray:
    limits = np.array([one.thresholds for one in found[1:]]).T
    return follow(of, limits[:, PART]).utility


def moments(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def test_the_best_policy_and_its_cross_fitted_value() -> None:
    of = answers()
    found = choose(of, grids(of), PART)
    assert [one.thresholds for one in found] == [(0.9, 0.7), (0.9, 0.75), (0.95, 0.7), (0.35, 0.5)]
    done = follow(of, (0.9, 0.7))
    assert (int((~done.wrong & (done.by >= 0)).sum()), int(done.wrong.sum())) == (7, 0)
    assert (float(done.paid.mean()) * 50, found[0].utility) == pytest.approx((31 / 6, 12 / 25), abs=1e-12)
    assert held_out(of, found).mean() == pytest.approx(-13 / 150, abs=1e-12)


def test_the_rule_of_one_standard_error() -> None:
    """Section 4, worked: the cheapest policy within one standard error."""
    of = answers()
    found = choose(of, grids(of), PART, spare=True)
    assert [one.thresholds for one in found] == [(0.75, 0.7), (0.9, 0.75), (0.8, 0.7), (0.55, math.inf)]
    done = follow(of, (0.75, 0.7))
    assert (int((~done.wrong & (done.by >= 0)).sum()), int(done.wrong.sum())) == (7, 1)
    assert (float(done.paid.mean()) * 50, found[0].utility) == pytest.approx((47 / 12, 253 / 600), abs=1e-12)
    assert held_out(of, found).mean() == pytest.approx(1 / 75, abs=1e-12)


def test_a_declared_grid_and_silent_answers() -> None:
    """Section 5 of statistics3-b, worked: a grid that was named, answers that are silent, and systems as they are."""
    found = choose(OTHER, grids(OTHER, [0, 0.3, 0.5, 0.7, 0.9]), PART)
    assert [one.thresholds for one in found] == [(0.9, 0.7), (0.9, 0.5), (0.5, 0.7), (0.7, 0.7)]
    done = follow(OTHER, (0.9, 0.7))
    assert [int((~done.wrong & (done.by >= 0)).sum()), int(done.wrong.sum()), int((done.by < 0).sum())] == [7, 1, 4]
    assert (float(done.paid.mean()) * 0.5, found[0].utility) == pytest.approx((0.0516666667, 0.3966666667), abs=1e-9)
    held = held_out(OTHER, found)
    expected = [0.98, 0.98, -1.02, -1.12, -1.02, -0.12, 0.88, -1.02, 0.88, -1.12, -0.12, 0.88]
    assert held == pytest.approx(expected, abs=1e-12)
    first, second = follow(OTHER, (0, math.inf)).utility, follow(OTHER.only(1), (0,)).utility
    chosen = choose(OTHER.only(0), grids(OTHER.only(0), [0, 0.3, 0.5, 0.7, 0.9]), PART)
    assert [one.thresholds for one in chosen[1:]] == [(0.9,), (0.5,), (0.9,)]
    alone = held_out(OTHER.only(0), chosen)
    for values, mean, error, half in (
        (held, -0.0783333333, 0.2728797974, 0.6006043846),
        (first, 0.0633333333, 0.2875795893, 0.6329584085),
        (second, 0.3166666667, 0.2599048000, 0.5720466078),
        (alone, -0.0200000000, 0.1740776560, 0.3831423375),
        (held - first, -0.1416666667, 0.2890575945, 0.6362114759),
        (held - second, -0.3950000000, 0.2516987738, 0.5539852659),
        (held - alone, -0.0583333333, 0.2101436498, 0.4625230546),
    ):
        assert moments(values) == pytest.approx((mean, error), abs=1e-9)
        assert float(student(11, 0.95)) * moments(values)[1] == pytest.approx(half, abs=1e-9)


def test_every_policy_of_a_grid_is_valued_as_if_it_were_followed() -> None:
    rng = np.random.default_rng(4)
    right = rng.random((3, 60)) < 0.7
    sure = np.where(rng.random((3, 60)) < 0.2, -np.inf, rng.integers(1, 5, (3, 60)) / 5)
    cost = rng.random((3, 60)) / 10
    of = Answers(np.where(right, 1.0, -2.0), ~right, sure, cost, (rng.random(60) < 0.1).astype(float))
    tried = grids(of)
    values: dict[tuple[float, ...], float] = {
        (a, b, c): float(follow(of, (a, b, c)).utility.mean()) for a in tried[0] for b in tried[1] for c in tried[2]
    }
    (found,) = choose(of, tried, np.zeros(60, dtype=np.int64))
    assert found.thresholds is not None
    assert found.utility == pytest.approx(max(values.values()), abs=1e-12)
    assert values[found.thresholds] == pytest.approx(found.utility, abs=1e-12)
    skipped = follow(of, (0.6, math.inf, 0.2))
    assert not skipped.asked[1].any()
    assert skipped.asked[2].sum() == (sure[0] < 0.6).sum()


def test_of_many_confidences_so_many_ranks_are_tried_that_there_are_not_too_many_policies() -> None:
    rng = np.random.default_rng(1)
    sure, none = rng.random((3, 300)), np.zeros((3, 300))
    tried = grids(Answers(none + 1, none == 1, sure, none, none[0]))
    assert MOST_POLICIES / 2 < math.prod(map(len, tried)) <= MOST_POLICIES
    assert [(grid[0], grid[-2]) for grid in tried] == [(own.min(), own.max()) for own in sure]


def test_only_certified_policies_are_chosen() -> None:
    """Of 40 sure answers none is wrong, of the others half; only the first system can be trusted."""
    right = np.concatenate([np.ones(40), np.tile([1.0, 0.0], 20)])[None].repeat(2, axis=0)
    sure = np.concatenate([np.full(40, 0.9), np.full(40, 0.4)])[None].repeat(2, axis=0)
    of = Answers(2 * right - 1, right == 0, sure, np.zeros((2, 80)), np.zeros(80))
    part = np.zeros(80, dtype=np.int64)
    (found,) = choose(of, grids(of, [0.3, 0.8]), part, risk=Risk(0.2, 0.05))
    assert found.thresholds is not None
    assert min(found.thresholds) == 0.8
    # None of 40 wrong, at a ninth of 0.05 for each of the nine policies.
    assert found.upper == pytest.approx(1 - (0.05 / 9) ** (1 / 40), abs=1e-12)
    assert choose(of, grids(of, [0.3, 0.8]), part, risk=Risk(0.1, 0.05))[0].thresholds is None


def keys(*rows: str, right: str, silent: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.array([[-1 if letter == silent else ord(letter) for letter in row] for row in rows])
    return table, table == ord(right)


def figures(found: object) -> tuple[float, float, float]:
    return tuple(float(getattr(found, name).mean()) for name in ("right", "wrong", "silent"))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("of", "at_least", "right", "wrong", "silent", "c_at_1", "uf"),
    [
        (1, 1, 2 / 5, 1 / 2, 1 / 10, 11 / 25, -1 / 10),
        (3, 2, 13 / 40, 13 / 40, 7 / 20, 351 / 800, 0),
        (3, 3, 1 / 40, 1 / 10, 7 / 8, 3 / 64, -3 / 40),
        (5, 3, 1 / 4, 1 / 4, 1 / 2, 3 / 8, 0),
        (5, 4, 0, 1 / 4, 3 / 4, 0, -1 / 4),
    ],
)
def test_votes_that_need_so_many(
    of: int, at_least: int, right: float, wrong: float, silent: float, c_at_1: float, uf: float
) -> None:
    """Section 4, worked: R right, 1 and 2 wrong answers, S silent."""
    table, good = keys("RRR12", "RR11S", "1111R", "RR12S", right="R", silent="S")
    found = figures(vote(table, good, of, "answers", at_least))
    assert found == pytest.approx((right, wrong, silent), abs=1e-12)
    assert found[0] * (1 + found[2]) == pytest.approx(c_at_1, abs=1e-12)
    assert found[0] - found[1] == pytest.approx(uf, abs=1e-12)


def test_three_rules() -> None:
    table, good = keys("aaabU", "aabbU", "aabcU", "aUUUU", "UUUUU", "bbbac", right="a", silent="U")
    for rule, expected in (("answers", "CUUCUW"), ("samples", "CUUUUW"), ("plurality", "CUCCUW")):
        found = vote(table, good, 5, rule)  # type: ignore[arg-type]
        said = ["C" if c else "W" if w else "U" for c, w in zip(found.right, found.wrong, strict=True)]
        assert "".join(said) == expected


def test_votes_of_fewer_samples_than_there_are() -> None:
    """Section 5 of statistics3-b, worked: the mean over all sets of three of five."""
    table, good = keys("aaabU", "aabbU", "aabcU", "aUUUU", "UUUUU", "bbbac", right="a", silent="U")
    for rule, expected, c_at_1 in (
        ("answers", (0.3166666667, 0.1666666667, 0.5166666667), 0.4802777778),
        ("samples", (0.2166666667, 0.1666666667, 0.6166666667), 0.3502777778),
    ):
        found = figures(vote(table, good, 3, rule))  # type: ignore[arg-type]
        assert found == pytest.approx(expected, abs=1e-9)
        assert found[0] * (1 + found[2]) == pytest.approx(c_at_1, abs=1e-9)


def test_an_answer_with_two_verdicts_has_that_of_most() -> None:
    table = np.array([[1, 1, 1], [1, 1, -1]])
    right = np.array([[True, True, False], [True, False, False]])
    found = vote(table, right, 3, "answers")
    assert (found.right.tolist(), found.wrong.tolist()) == ([1, 0], [0, 1])


def test_more_sets_than_can_be_counted_are_refused() -> None:
    with pytest.raises(UsageError, match="too many sets of 15 of 30"):
        vote(np.zeros((1, 30), dtype=np.int64), np.ones((1, 30), dtype=bool), 15, "answers")
