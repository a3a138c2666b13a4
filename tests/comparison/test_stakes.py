"""Stated stakes: statistics3, section 1, and statistics3-a, section 1, worked by independent scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import nescio
from nescio.errors import UsageError
from nescio.estimating.means import difference, mean
from nescio.stats import stakes as formulas
from nescio.stats.stakes import adaptation, exchange_p

OUTCOMES = {"C": "correct", "W": "incorrect", "U": "unanswered"}
X = ["CCCC", "CCCc", "CCcC", "CWwc", "WCww", "Ccww", "WWWw", "Wwww"]
Y = ["CCCC", "CCCC", "WCCW", "CWCC", "wwww", "WWwW", "cCCC", "WWWW"]
FOUR = ["0.25", "0.5", "0.75", "0.9"]
SURE = [0.95, 0.85, 0.80, 0.60, 0.55, 0.45, 0.30, 0.20]


def table(
    runs: Mapping[str, Sequence[str]],
    stakes: Sequence[str],
    sure: Mapping[str, Sequence[float]] | None = None,
    *,
    unanswerable: Sequence[int] = (),
    candidates: bool = True,
) -> list[dict[str, Any]]:
    """Answers: C right, W wrong, U silent; small: silent, and what the answer would have been."""
    rows = []
    for run, answers in runs.items():
        for i, row in enumerate(answers):
            f = sure[run][i] if sure and run in sure else None
            own = {
                "run": run,
                "question": f"q{i + 1}",
                "confidence": f,
                "answerable": str(i not in unanswerable).lower(),
            }
            for stake, letter in zip(stakes, row, strict=True):
                silent = letter == "U" or letter.islower()
                candidate = OUTCOMES[letter.upper()] if candidates and letter.islower() else None
                outcome = "unanswered" if silent else OUTCOMES[letter]
                rows.append(own | {"stake": stake, "outcome": outcome, "candidate": candidate})
    return rows


def by_run(found: Any, name: str) -> list[Any]:
    return [row for row in found if row.run == name]


def test_two_systems_at_four_stakes() -> None:
    """Section 1: figures per stake; with nothing earned by silence the eighth question is like any other."""
    rows = table({"x": X, "y": Y}, FOUR, {"x": SURE})
    found = nescio.lab.stakes(rows, scale="target", silence_earns=0)
    x, y = by_run(found, "x"), by_run(found, "y")
    assert [row.penalty for row in x] == pytest.approx([1 / 3, 1, 3, 9])
    assert [row.utility for row in x] == pytest.approx([1 / 2, 1 / 4, -1 / 8, 1 / 4], abs=1e-12)
    assert [row.normalised for row in x] == pytest.approx([3 / 8, 1 / 8, -1 / 32, 1 / 40], abs=1e-12)
    assert [row.utility for row in y] == pytest.approx([1 / 4, 1 / 8, 1 / 4, -23 / 8], abs=1e-12)
    assert [row.consistency for row in x] == pytest.approx([7 / 8, 7 / 8, 6 / 8, 7 / 8])
    assert [row.stated_regret for row in x] == pytest.approx([0.00625, 0.025, 0.0625, 0.0125], abs=1e-12)
    assert [row.rule for row in x] == pytest.approx([13 / 24, 3 / 8, 3 / 8, 1 / 8], abs=1e-12)
    assert [row.always for row in x] == pytest.approx([1 / 2, 1 / 4, -3 / 2, -4], abs=1e-12)
    rows = table({"x": X}, FOUR, {"x": SURE}, candidates=False)  # unknown candidates bracket the rule
    row = nescio.lab.stakes(rows, scale="target", silence_earns=0).rows[2]
    assert math.isnan(row.rule)
    ends = (row.utility + row.regret_least, row.utility + row.regret_most)
    assert ends == pytest.approx((-1 / 8, 3 / 8), abs=1e-12)


def test_areas_slopes_and_differences() -> None:
    rows = table({"y": Y, "x": X}, FOUR, {"x": SURE})
    found = nescio.lab.stakes(rows, scale="target", silence_earns=0, baseline="y")
    x, y = (by_run(found.tables["adaptation"], run)[0] for run in "xy")
    assert (x.area, y.area) == pytest.approx((59 / 221, 24 / 221), abs=1e-12)
    assert (x.per_tenfold, x.p) == pytest.approx((0.5501746095, 1 / 4608), abs=1e-9)
    assert (x.high - x.per_tenfold) / math.log(10) == pytest.approx(0.1071371697, abs=1e-9)
    assert (y.per_tenfold / math.log(10), y.p) == pytest.approx((-0.0227559807, 13 / 16), abs=1e-9)
    area, *single = found.tables["differences"]
    assert (area.difference, area.p) == pytest.approx((35 / 221, 43 / 64), abs=1e-9)
    assert area.high - area.difference == pytest.approx(0.7894396802, abs=1e-9)
    assert (area.high - area.difference) / 2.3646242516 == pytest.approx(0.3338541756, abs=1e-9)
    assert [row.difference for row in single] == pytest.approx([1 / 4, 1 / 8, -3 / 8, 25 / 8], abs=1e-9)
    assert [row.p for row in single] == pytest.approx([1 / 2, 1, 5 / 8, 1 / 4], abs=1e-9)
    # Student's quantile at 7 degrees of freedom is 2.3646242516.
    errors = [(row.high - row.difference) / 2.3646242516 for row in single]
    assert errors == pytest.approx([0.2419333504, 0.3503824441, 0.6797452254, 1.8267604034], abs=1e-9)


ONES, THREES = np.log([1 / 3, 1, 3, 9]), np.log([1, 3, 9])
SIX_X, SIX_Y = ["CCC", "CCU", "WUU", "CUC", "WWU", "WUU"], ["CCC", "CCC", "WWW", "CCW", "WWW", "WWW"]


@pytest.mark.parametrize(
    ("x", "runs", "slope", "error", "z", "p"),
    [
        (ONES, X, 0.2389377970, 0.0453083274, 3.3918059830, 1 / 4608),
        (ONES, Y, -0.0227559807, 0.0374906816, -0.6324555320, 13 / 16),
        (THREES, SIX_X, 0.3034130755, 0.0959476391, None, 6 / 243),
        (np.log1p([1, 3, 9]), SIX_X, 0.4020751371, 0.1367666627, None, 6 / 243),
    ],
)
def test_slopes_and_mantel_s_test(
    x: np.ndarray, runs: list[str], slope: float, error: float, z: float | None, p: float
) -> None:
    silent = np.array([[letter.islower() or letter == "U" for letter in row] for row in runs], dtype=float)
    found = adaptation(x, silent, 0.95, np.random.default_rng(0))
    assert (found.slope, found.error, found.p) == pytest.approx((slope, error, p), abs=1e-9)
    away = x - x.mean()
    kurtosis = stats.kurtosis(silent @ away, fisher=False)  # of what each question moves: all were asked at all stakes
    half = stats.t.ppf(0.975, min(len(runs) - 1, 2 * len(runs) / (kurtosis - 1))) * error
    assert (found.low, found.high) == pytest.approx((slope - half, slope + half), abs=1e-9)
    assert z is None or found.z == pytest.approx(z, abs=1e-9)
    assert found.how == "exact"


def test_silence_where_there_is_no_answer_earns_one() -> None:
    rows = table({"x": X}, FOUR, unanswerable=[7])
    found = nescio.lab.stakes(rows, scale="target")
    assert [row.utility for row in found] == pytest.approx([1 / 2, 3 / 8, 0, 3 / 8], abs=1e-12)
    assert [row.never for row in found] == pytest.approx([1 / 8] * 4)
    (note,) = [one.text for one in found.notes if one.code == "stakes.unanswerable"]
    assert "use only answerable questions" in note
    unpaid = nescio.lab.stakes(rows, scale="target", silence_earns=0).notes
    (note,) = [one.text for one in unpaid if one.code == "stakes.unanswerable"]
    assert "use only answerable questions" not in note


@pytest.mark.parametrize(
    ("earns", "utility", "area", "differences", "errors"),
    [
        (1.0, [0, 0, 1 / 2], 0.03125, [0.8020833333, 1, 37 / 6], [0.4099016792, 0.8164965809, 2.1200104822]),
        (0.0, [0, -1 / 6, 1 / 3], -0.0486111111, [0.7222222222, 5 / 6, 6], [0.3561085110, 0.7031674370, 2.0655911180]),
    ],
)
def test_the_other_page_s_six_questions(
    earns: float, utility: list[float], area: float, differences: list[float], errors: list[float]
) -> None:
    """Statistics3-a, section 1: stakes 1, 3 and 9; the sixth question has no answer."""
    rows = table({"y": SIX_Y, "x": SIX_X}, ["1", "3", "9"], unanswerable=[5])
    found = nescio.lab.stakes(rows, baseline="y", silence_earns=earns)
    assert [row.utility for row in by_run(found, "x")] == pytest.approx(utility, abs=1e-9)
    assert [row.utility for row in by_run(found, "y")] == pytest.approx([0, -1, -17 / 3], abs=1e-9)
    x, y = (by_run(found.tables["adaptation"], run)[0] for run in "xy")
    assert (x.area, y.area) == pytest.approx((area, -0.7708333333), abs=1e-9)
    assert (x.per_tenfold, x.p) == pytest.approx((0.6986344248, 6 / 243), abs=1e-9)
    assert (x.low / math.log(10), x.high / math.log(10)) == pytest.approx((0.0567718174, 0.5500543337), abs=1e-9)
    assert (y.per_tenfold, y.p) == (0, 1)
    areas, first, *others = found.tables["differences"]
    assert [row.difference for row in (areas, *others)] == pytest.approx(differences, abs=1e-9)
    spread = [(row.high - row.difference) / 2.5705818366 for row in (areas, *others)]
    assert spread == pytest.approx(errors, abs=1e-9)
    assert [row.p for row in (first, *others)] == pytest.approx([1, 1 / 2, 1 / 8], abs=1e-9)


def test_regret_of_six_questions() -> None:
    """A silent row takes the answer at the nearest lower stake; v = 0, and v = 1 where silence may be right."""
    sure = [0.95, 0.80, 0.60, 0.55, 0.30, 0.70]
    runs = {"x": SIX_X, "y": SIX_Y}
    rows = table(runs, ["1", "3", "9"], {"x": sure, "y": sure}, unanswerable=[5])
    found = nescio.lab.stakes(rows, silence_earns=0, candidates="lower")
    both = [*by_run(found, "x"), *by_run(found, "y")]
    regret = [0.1666666667, 0.5, -0.1666666667, 0.1666666667, 1.3333333333, 5.8333333333]
    assert [row.regret for row in both] == pytest.approx(regret, abs=1e-9)
    assert [row.consistency for row in both] == pytest.approx([5 / 6] * 4 + [1 / 3, 1 / 6])
    stated = [0.0666666667, 0.3, 0.5833333333, 0.0666666667, 0.5666666667, 2.5833333333]
    assert [row.stated_regret * (1 + row.penalty) for row in both] == pytest.approx(stated, abs=1e-9)
    found = nescio.lab.stakes(rows, candidates="lower")
    both = [*by_run(found, "x"), *by_run(found, "y")]
    assert [row.coverage for row in both] == pytest.approx([1, 1 / 2, 1 / 3, 1, 1, 1])
    assert [row.precision for row in both] == pytest.approx([1 / 2, 2 / 3, 1, 1 / 2, 1 / 2, 1 / 3])
    assert [row.always - row.utility for row in both] == pytest.approx([0, -1, -4.5, 0, 0, 0])
    never = [0.1666666667, 0.1666666667, -0.3333333333, 0.1666666667, 1.1666666667, 5.8333333333]
    assert [row.never - row.utility for row in both] == pytest.approx(never, abs=1e-9)
    # Of the first five the second, third and fifth have a slope of .4551196133, the others none: .2730717680 a question.
    said = [one.text for one in found.notes if one.code == "stakes.answerable" and one.subject == "x"]
    assert said == ["run 'x': silence per tenfold is 0.629 on the 5 answerable questions alone"]
    # The rule answers the first 4, 2 and 1 of five; of the first two all are right, and a third is at stake 1 alone.
    assert [row.consistency for row in both] == pytest.approx([4 / 5, 4 / 5, 4 / 5, 4 / 5, 2 / 5, 1 / 5])
    # It earns 2/5, 2/5 and 1/5; x has 1/5, -1/5 and 2/5 of these five, and y 1/5, -3/5 and -5.
    assert [row.regret for row in both] == pytest.approx([1 / 5, 3 / 5, -1 / 5, 1 / 5, 1, 26 / 5], abs=1e-12)


def test_an_answer_where_there_is_none_would_be_wrong() -> None:
    rows = table({"x": ["CU", "WU"]}, ["1", "3"], {"x": [0.9, 0.9]}, unanswerable=[1])
    first, second = nescio.lab.stakes(rows)
    assert (first.unknown, second.unknown) == (0, 1)
    assert first.always == pytest.approx((1 - 1) / 2)


def test_exchanges_of_many_questions_are_exact() -> None:
    """2,000 by convolution, one coin after another; 100,000 on a lattice of millions by the normal law."""
    rng = np.random.default_rng(5)
    values = rng.choice([-12, -5, -1, 0, 1, 4, 5], size=2_000)
    law = np.ones(1)
    for one in np.abs(values[values != 0]).tolist():
        law = (np.pad(law, (0, one)) + np.pad(law, (one, 0))) / 2
    most = int(np.abs(values).sum())
    p = law[np.abs(2 * np.arange(len(law)) - most) >= abs(values.sum())].sum()
    assert exchange_p(values, rng) == (pytest.approx(p, abs=1e-12), "exact")
    wide = rng.choice([-5_003, -3_001, -7, 0, 2, 2_999, 5_009], size=100_000)
    z = abs(wide.sum()) / math.sqrt((wide.astype(float) ** 2).sum())
    assert exchange_p(wide, rng) == (pytest.approx(2 * ndtr(-z), rel=1e-2), "exact")
    assert exchange_p(np.ones(70, dtype=np.int64), rng)[0] == pytest.approx(2.0**-69, rel=1e-9)


def test_orders_off_a_lattice_are_written_out_or_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    silent = (rng.random((15, 4)) < np.linspace(0.3, 0.5, 4)).astype(float)
    off = np.array([0.0, 1 + math.pi / 1e4, 2 + math.e / 1e4, 3])
    exact, written = (adaptation(x, silent, 0.95, rng) for x in (np.array([0.0, 1, 2, 3]), off))
    assert (exact.how, written.how) == ("exact", "exact")
    assert written.p == pytest.approx(exact.p, abs=0.03)
    six = np.array([[letter == "U" for letter in row] for row in SIX_X], dtype=float)
    monkeypatch.setattr(formulas, "MOST_CELLS", 0)
    for x, table_of, p in ((off, silent, written.p), (np.log1p([1, 3, 9]), six, 6 / 243)):
        drawn = adaptation(x, table_of, 0.95, rng)
        assert drawn.how == "permutation"
        assert drawn.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 9_999))


@pytest.mark.proof
def test_who_ignores_stakes_is_seldom_said_to_adapt() -> None:
    """400 systems and 60 questions, silent with a chance of their own at all four stakes."""
    rng = np.random.default_rng(31)
    hits = 0
    for _ in range(400):
        silent = (rng.random((60, 4)) < rng.beta(0.7, 1.3, size=(60, 1))).astype(float)
        hits += adaptation(ONES, silent, 0.95, rng).p <= 0.05
    assert hits / 400 <= 0.06 + 0.01


@pytest.mark.parametrize(
    ("stakes", "scale", "said"),
    [
        (["0.5", "1"], "target", "below 1"),
        (["-1", "1"], "penalty", "at least 0"),
        (["low", "high"], "auto", "'low' is not a stake"),
    ],
)
def test_what_is_no_stake_is_refused(stakes: list[str], scale: Any, said: str) -> None:
    rows = table({"x": ["CC", "CU"]}, stakes)
    with pytest.raises(UsageError, match=said):
        nescio.lab.stakes(rows, scale=scale)


def test_questions_without_all_stakes_are_left_out_of_the_area() -> None:
    rows = table({"x": ["CCC", "CUU", "WUC"]}, ["1", "3", "9"])
    found = nescio.lab.stakes(rows[:-1])
    (row,) = found.tables["adaptation"]
    assert (row.n, row.left_out) == (2, 1)
    assert [one.n for one in found] == [3, 3, 2]
    assert "stakes.incomplete" in {one.code for one in found.notes}


@pytest.mark.proof
@pytest.mark.parametrize(("n", "penalty"), [(10, 9), (30, 3), (30, 9), (50, 9), (200, 9)])
def test_the_interval_of_a_utility_holds_where_errors_are_rare_and_dear(n: int, penalty: int) -> None:
    """2,000 samples of a cautious system, calibrated, Beta(2, 1.2); the plain interval holds in about 45% of (30, 9)."""
    rng = np.random.default_rng([n, penalty])

    def earned(size: int) -> Any:
        sure = rng.beta(2, 1.2, size)
        answers = sure + rng.normal(0, 0.15, size) > penalty / (1 + penalty)
        return np.where(answers, np.where(rng.random(size) < sure, 1.0, -penalty), 0.0)

    truth = earned(2_000_000).mean()
    held = plain = 0
    for _ in range(2_000):
        values = earned(n)
        found, bare = mean(values, 0.95, bounds=(-penalty, 1)), mean(values, 0.95)
        held += found.low <= truth <= found.high
        plain += bare.low <= truth <= bare.high
    assert held / 2_000 >= 0.93
    if (n, penalty) == (30, 9):
        assert plain / 2_000 < 0.6


@pytest.mark.proof
@pytest.mark.parametrize("n", [20, 30, 50])
def test_the_interval_of_a_difference_holds_where_errors_are_rare_and_dear(n: int) -> None:
    """2,000 samples in which one question of twenty tells the systems apart; of 20 36% show none, and no interval."""
    rng = np.random.default_rng(n)
    held = given = 0
    for _ in range(2_000):
        values = np.where(rng.random(n) < 0.05, 10.0, 0.0)
        found = difference(values, 0.95, 10)
        given += not math.isnan(found.low)
        held += found.low <= 0.5 <= found.high
    assert held / given >= 0.93


def test_of_very_many_orders_of_silence_some_are_drawn() -> None:
    """Nine silences on 18 stakes in equal steps, 48,620 ways: the sum of their places is 76.5 on average, and as often 77
    or more as less."""
    silent = np.isin(np.arange(18), [0, 3, 4, 7, 8, 11, 12, 15, 17]).astype(float)[None]
    found = adaptation(np.arange(18.0), silent, 0.95, np.random.default_rng(0))
    assert found.p == pytest.approx(0.5, abs=5 * math.sqrt(0.25 / formulas.MOST_ORDERS))


def test_of_few_questions_the_p_value_of_a_difference_is_to_be_believed() -> None:
    for n in (1, 19, 20):  # of one there is no interval
        rows = table({"x": ["CU"] * n, "y": ["CC"] * n}, ["1", "9"])
        assert ("stakes.few" in {one.code for one in nescio.lab.stakes(rows).notes}) == (1 < n < 20)


def test_a_stake_with_all_digits_of_a_float_is_the_simple_fraction() -> None:
    runs = {"x": X, "y": Y}
    found = nescio.lab.stakes(table(runs, [repr(1 / 3), "1", "3", "9"]))
    simple = nescio.lab.stakes(table(runs, ["1/3", "1", "3", "9"]))
    assert [row.penalty for row in found] == [row.penalty for row in simple]
    assert found.tables["differences"] == simple.tables["differences"]
    assert {row.test for row in found.tables["differences"]} == {"exact"}


@pytest.mark.parametrize("seed", range(2))
def test_stakes_of_many_digits_are_compared_as_those_near_them(seed: int) -> None:
    """Their common unit is too small for whole numbers: earnings are rounded to 1e-9."""
    rng = np.random.default_rng(seed)
    runs = {run: ["".join(rng.choice([*"CWU"], 3)) for _ in range(30)] for run in "xy"}
    near = ["0.37", "2.23", "7.11"]
    found = nescio.lab.stakes(table(runs, [f"{one}{int(rng.integers(10**11, 10**12))}1" for one in near]))
    plain = nescio.lab.stakes(table(runs, near))
    for row, other in zip(found.tables["differences"], plain.tables["differences"], strict=True):
        assert row.difference == pytest.approx(other.difference, abs=0.02)
        assert row.p == pytest.approx(other.p, abs=0.03)
