"""Control variates: the worked figures of statistics3, section 6, to 1e-9, and the study's coverage in small."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from nescio.stats.control_variates import Floats, adjust, spread, variance

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


@pytest.mark.proof
@pytest.mark.parametrize(
    ("units", "n", "noise"), [(1_000, 100, 0.6), (1_000, 50, 0.6), (400, 40, 0.6), (1_000, 20, 2.0)]
)
def test_intervals_of_c_at_1_hold(units: int, n: int, noise: float) -> None:
    """600 samples each: within three Monte Carlo errors (.027) of .95."""
    rng, held, total = np.random.default_rng(606), 0, 0
    for _ in range(600):
        ease = rng.normal(0.3, 1, units)
        runs = []
        for shift in (0.0, 0.2):
            seen = ease + shift + rng.normal(0, noise, units)
            runs.append(np.column_stack([seen > 0.15, np.abs(seen) <= 0.15]).astype(float))
        old, new = runs
        drawn = rng.permutation(units)[:n]
        fit = adjust(new[drawn], old[drawn], old)
        if fit.covariates < 2:
            continue
        right, silent = fit.means
        left = spread((1 + silent) * fit.residuals[:, 0] + right * fit.residuals[:, 1], fit.leverages)
        half = student.ppf(0.975, n - 3) * variance(left, n, units) ** 0.5
        truth = new[:, 0].mean() * (1 + new[:, 1].mean())
        held += abs(right * (1 + silent) - truth) <= half
        total += 1
    assert held / total == pytest.approx(0.95, abs=0.027)
