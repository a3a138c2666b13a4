"""The worked figures of statistics3, section 7, and statistics3-b, section 8 (b8), and the fit that is published for
section 6 of the LSAT."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.stats.two_parameters import abilities, fit


def even(last: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal steps with weights in proportion to the normal density, as section 7 has them."""
    theta = np.arange(-last, last + step / 2, step)
    weights = np.exp(-(theta**2) / 2)
    return theta, np.log(weights / weights.sum())


def chance(right: str, a: list[float], b: list[float], theta: float, asked: str = "") -> float:
    """The chance of a pattern at one ability."""
    marked = np.array([[letter == "1" for letter in right]])
    use = np.array([[letter != "–" for letter in asked or right]])
    at = (np.array([theta]), np.zeros(1))
    return float(np.exp(abilities(marked, use, np.array(a), np.array(b), at).log_likelihood[0]))


def test_chances_of_section_7() -> None:
    """Statistics3, section 7: three items at .3; silent, right and wrong one after the other at 1."""
    found = [chance("1", [a], [b], 0.3) for a, b in ((1, 0), (2, 0.5), (0.5, -1))]
    assert found == pytest.approx([0.5744425168, 0.4013123399, 0.6570104627], abs=1e-9)
    answered, right = chance("1", [0.8], [-1], 1), chance("1", [1.2], [0.3], 1)
    sequential = [1 - answered, answered * right, answered * (1 - right)]
    assert sequential == pytest.approx([0.1679816149, 0.5811359011, 0.2508824840], abs=1e-9)


def test_abilities_of_section_7() -> None:
    """Patterns 1 1 0 and 1 – 0 (the second was not asked) on nodes −4 to 4; and the first two of five items."""
    right = np.array([[True, True, False], [True, False, False]])
    asked = np.array([[True, True, True], [True, False, True]])
    found = abilities(right, asked, np.array([1, 2, 0.5]), np.array([0, 0.5, -1]), even(4, 1))
    assert np.exp(found.log_likelihood[0]) == pytest.approx(0.0653771354, abs=1e-9)
    assert found.mean == pytest.approx([0.7839084664, 0.1508285154], abs=1e-9)
    assert found.sd[0] == pytest.approx(0.7208324027, abs=1e-9)
    two = abilities(
        np.array([[True, False]]), np.ones((1, 2), bool), np.array([1, 2.0]), np.array([0, 0.5]), even(4, 1)
    )
    assert two.mean == pytest.approx([-0.0879552064], abs=1e-9)


RUNS = ["CCWC", "CWUC", "CCCU", "WUWC", "UUWW", "CCUC"]
A, B = np.array([1, 1.5, 0.8, 0.6]), np.array([-1, 0, 0.5, -0.5])
CELLS = np.array([list(run) for run in RUNS])
ALL = np.ones(CELLS.shape, dtype=bool)


@pytest.mark.parametrize(
    ("slope", "nodes", "total"),
    [
        (1, 5, -14.5963164299),
        (1, 11, -14.5865630511),
        (1, 61, -14.5864216387),
        (4, 41, -15.1713233545),  # steep items need more nodes
        (4, 61, -15.1694525376),
    ],
)
def test_log_likelihoods_of_b8(slope: float, nodes: int, total: float) -> None:
    found = abilities(CELLS == "C", ALL, slope * A, B, nodes)
    assert found.log_likelihood.sum() == pytest.approx(total, abs=1e-9)


def test_abilities_of_b8() -> None:
    found = abilities(CELLS == "C", ALL, A, B)
    means = [0.5313116047, -0.2838020832, 0.6448513376, -0.8305776171, -1.1761679193, 0.5313116047]
    assert found.mean == pytest.approx(means, abs=1e-9)
    sds = [0.7503894064, 0.7327467288, 0.7566652187, 0.7496626716, 0.7691968884, 0.7503894064]
    assert found.sd == pytest.approx(sds, abs=1e-9)
    each = [-2.1455211430, -2.3262551066, -2.7279363771, -2.7711603728, -2.4700274967, -2.1455211430]
    assert found.log_likelihood == pytest.approx(each, abs=1e-9)


LSAT = [
    *[3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15],
    *[10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298],
]  # section 6: how many of 1,000 had each pattern 00000 to 11111 (Bock & Lieberman 1970)


def lsat() -> np.ndarray:
    return np.repeat([[int(bit) for bit in f"{i:05b}"] for i in range(32)], LSAT, axis=0).astype(bool)


def test_the_fit_of_the_lsat_is_the_published_one() -> None:
    """b8: log-likelihood −2466.6533773981; published: −2466.65, slopes .825 .723 .891 .689 .657 (ltm, mirt)."""
    right = lsat()
    found = fit(right, np.ones(right.shape, dtype=bool), penalised=False)
    assert found.abilities.log_likelihood.sum() == pytest.approx(-2466.6533773981, abs=1e-6)
    assert found.a == pytest.approx([0.8257, 0.7227, 0.8909, 0.6884, 0.6569], abs=2e-4)
    assert found.b == pytest.approx([-3.3588, -1.3701, -0.2797, -1.8664, -3.1259], abs=1e-3)
    flat = abilities(right, np.ones(right.shape, dtype=bool), np.ones(5), -np.ones(5))
    assert flat.log_likelihood.sum() == pytest.approx(-2780.4524983368, abs=1e-9)


def simulated(runs: int, items: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Slopes, difficulties, abilities, and outcomes that they made."""
    rng = np.random.default_rng(seed)
    a, b, theta = rng.uniform(0.6, 2.0, items), rng.normal(0, 1, items), rng.normal(0, 1, runs)
    return a, b, theta, rng.random((runs, items)) < 1 / (1 + np.exp(-a * (theta[:, None] - b)))


def test_the_gradient_is_that_of_the_penalised_likelihood() -> None:
    right = lsat()[::20]
    asked = np.ones(right.shape, dtype=bool)
    found = fit(right, asked, penalised=True)

    def value(a: np.ndarray, b: np.ndarray) -> float:
        prior = -0.5 * ((np.log(a) / 0.5) ** 2 + (b / 2) ** 2).sum()
        return float(abilities(right, asked, a, b).log_likelihood.sum() + prior)

    best = value(found.a, found.b)
    for at in range(5):
        for step in (-0.01, 0.01):
            moved = np.where(np.arange(5) == at, step, 0.0)
            assert value(found.a * np.exp(moved), found.b) < best
            assert value(found.a, found.b + moved) < best


def test_items_that_all_get_right_have_no_estimate() -> None:
    right = np.array([[True, True], [True, False], [True, True]])
    found = fit(right, np.ones((3, 2), dtype=bool), penalised=True)
    assert np.isnan(found.a[0])
    assert np.isnan(found.b[0])
    assert np.isfinite(found.b[1])
    none = fit(right[:, :1], np.ones((3, 1), dtype=bool), penalised=True)
    assert none.abilities.mean == pytest.approx([0, 0, 0], abs=1e-9)


def test_slopes_without_priors_may_be_negative_but_their_sum_is_not() -> None:
    """Either sign of the trait fits alike. What is fitted cannot be bettered by flatter slopes and the same shifts."""
    runs = ["000", "101", "100", "110", "000", "110", "011", "010", "001", "001"]
    right = np.array([[letter == "1" for letter in run] for run in runs])
    asked = np.ones(right.shape, dtype=bool)
    found = fit(right, asked, penalised=False)
    assert found.a.sum() > 0 > found.a.min()
    best = found.abilities.log_likelihood.sum()
    assert all(abilities(right, asked, k * found.a, found.b / k).log_likelihood.sum() < best for k in (0.5, 0.9, 1.1))


def test_many_items_have_steps_that_are_close_enough() -> None:
    """Held against steps of a hundredth; 41 Gauss-Hermite nodes stand too far apart for 300 items."""
    a, b, _, right = simulated(20, 300, 6)
    fine = np.linspace(-6, 6, 1201)
    p = 1 / (1 + np.exp(-a[:, None] * (fine - b[:, None])))
    logs = right @ np.log(p) + ~right @ np.log1p(-p) - fine**2 / 2
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    expected = (weights @ fine) / weights.sum(axis=1)
    asked = np.ones(right.shape, dtype=bool)
    assert abilities(right, asked, a, b).mean == pytest.approx(expected, abs=1e-6)
    assert np.abs(abilities(right, asked, a, b, 41).mean - expected).max() > 0.01
