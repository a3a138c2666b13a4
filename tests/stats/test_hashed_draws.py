"""Draws by hashes: the same for a unit wherever it is met, and of the laws that they are named after."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from nescio.stats import hashed_draws

WORD = (1 << 64) - 1


def mix(number: int) -> int:
    """The finaliser of splitmix64, as its authors print it, in whole numbers."""
    z = number & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def key_of(name: str, seed: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest(), "little")


def weight(name: str, seed: int, resample: int) -> int:
    u = mix(key_of(name, seed) + (resample + 1) * 0x9E3779B97F4A7C15) >> 32
    return sum(threshold <= u for threshold in hashed_draws.THRESHOLDS)


def test_weights_that_were_computed_elsewhere() -> None:
    """Of the seed 7, by a script of its own before this was written; one draw that changed would change every tally."""
    table = hashed_draws.poisson(hashed_draws.keys(["q0", "q1"], 7), 16)
    assert table[0].tolist() == [2, 1, 0, 0, 1, 0, 2, 1, 1, 1, 1, 0, 1, 0, 0, 0]
    assert table[1, :8].tolist() == [1, 0, 0, 2, 0, 1, 2, 0]


def test_thresholds_are_those_of_poisson_with_mean_one() -> None:
    e = sum(Fraction(1, math.factorial(j)) for j in range(60))
    shares = [sum(Fraction(1, math.factorial(j)) for j in range(k + 1)) / e for k in range(13)]
    assert tuple(int(share * 2**32) for share in shares) == hashed_draws.THRESHOLDS


def test_weights_and_coins_are_those_of_the_definition() -> None:
    names = [f"Frage {i} ä" for i in range(150)]
    of = hashed_draws.keys(names, 3)
    weights, coins = hashed_draws.poisson(of, 70), hashed_draws.coins(of, 70)
    for i in (0, 63, 64, 149):
        assert weights[i].tolist() == [weight(names[i], 3, b) for b in range(70)]
        stream = mix(key_of(names[i], 3))
        words = [mix(stream + (j + 1) * 0x9E3779B97F4A7C15) for j in range(2)]
        assert coins[i].tolist() == [words[b // 64] >> b % 64 & 1 for b in range(70)]
    # fewer resamples are the first of more, and a unit's are its own in any company
    assert (hashed_draws.poisson(of[60:70], 20) == weights[60:70, :20]).all()
    assert (hashed_draws.coins(of[60:70], 20) == coins[60:70, :20]).all()


@pytest.mark.proof
def test_the_laws_of_weights_and_coins() -> None:
    """A million numbers each, by chi-squared tests that a right law fails once in 10^6 seeds; the seed is fixed."""
    of = hashed_draws.keys([f"question {i}" for i in range(1000)], 0)
    weights, coins = hashed_draws.poisson(of, 1000), hashed_draws.coins(of, 1000)
    seen = np.bincount(weights.ravel(), minlength=14)
    law = stats.poisson.pmf(np.arange(7), 1) * weights.size
    seen, law = np.append(seen[:7], seen[7:].sum()), np.append(law, weights.size - law.sum())
    assert stats.chisquare(seen, law).pvalue > 1e-6
    assert stats.binomtest(int(coins.sum()), coins.size).pvalue > 1e-6
    # independent: of units, of resamples, of one another. Correlations of 10^6 pairs have a standard error of 0.001.
    w, c = weights - 1.0, coins - 0.5
    for a, b in ((w[1:], w[:-1]), (w[:, 1:], w[:, :-1]), (c[1:], c[:-1]), (c[:, 1:], c[:, :-1]), (w, c)):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.005
