"""What is drawn: sub-collections and tables, draws with known probabilities, and draws by hashes."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from nescio.errors import UsageError
from nescio.stats import hashed_draws
from nescio.stats.drawing import inclusion, systematic
from nescio.stats.prediction_powered import weighted
from nescio.stats.resampling import Block, subcollections, subtables
from nescio.stats.streams import Stream

MANY = 12_000


def test_subcollections_are_drawn_without_replacement_and_their_parts_are_disjoint() -> None:
    chosen = subcollections(7, 3, 5, np.random.default_rng(0), parts=2)
    assert chosen.shape == (2, 5, 3)
    for first, second in zip(*chosen, strict=True):
        assert len({*first.tolist(), *second.tolist()}) == 6
        assert {*first.tolist(), *second.tolist()} <= set(range(7))
    assert subcollections(7, 3, 5, np.random.default_rng(0)).shape == (1, 5, 3)
    assert chosen.dtype == np.int64  # they are places in an array


def test_every_subcollection_is_as_likely_as_any_other() -> None:
    (chosen,) = subcollections(4, 2, MANY, np.random.default_rng(1))
    seen = [(np.sort(chosen, axis=1) == pair).all(axis=1).sum() for pair in combinations(range(4), 2)]
    assert sum(seen) == MANY
    assert stats.chisquare(seen).pvalue > 0.001


def test_tables_of_a_subcollection_follow_the_multivariate_hypergeometric_law() -> None:
    """Every possible table of two of 2 + 1 + 2 units is as frequent as the law says."""
    counts = np.array([2, 1, 2])
    drawn = subtables(np.broadcast_to(counts, (MANY, 3)), 2, np.random.default_rng(3))
    possible = [np.array(table) for table in product(range(3), range(2), range(3)) if sum(table) == 2]
    seen = [int((drawn == table).all(axis=1).sum()) for table in possible]
    assert sum(seen) == MANY
    expected = [MANY * stats.multivariate_hypergeom(counts, 2).pmf(table) for table in possible]
    assert stats.chisquare(seen, expected).pvalue > 0.001


def test_tables_of_unlike_collections_are_drawn_side_by_side() -> None:
    counts = np.array([[[2, 0, 0], [0, 1, 1]], [[5, 5, 5], [0, 0, 9]]])
    drawn = subtables(counts, 2, np.random.default_rng(4))
    assert drawn.shape == counts.shape
    assert (drawn.sum(axis=-1) == 2).all()
    assert drawn[0].tolist() == [[2, 0, 0], [0, 1, 1]]
    assert drawn[1, 1].tolist() == [0, 0, 2]


@pytest.mark.parametrize(("seed", "stream", "start"), [(0, Stream.INTERVALS, 0), (7, Stream.LABEL_SWAPS, 512)])
def test_a_stream_that_is_begun_again_is_that_of_numpys_own_seeds(seed: int, stream: Stream, start: int) -> None:
    block = Block(start, 256, seed)
    own = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(stream), start // 256)))
    expected = own.integers(0, 1 << 60, 1000)
    for _ in range(2):
        assert np.array_equal(block.generator(stream).integers(0, 1 << 60, 1000), expected)


def test_draws_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="2 questions"):
        inclusion(np.ones(2), 3)
    with pytest.raises(UsageError, match="too few for each kind"):
        inclusion(np.ones(2), 3, units=np.array([50.0, 50]), least=np.array([0.04, 0.04]))


def test_a_draw_has_the_size_that_is_wanted_and_each_unit_its_probability() -> None:
    rng, kinds = np.random.default_rng(3), np.repeat([0, 1], [200, 100])
    draws = np.array([systematic(np.repeat([0.05, 0.3], [200, 100]), kinds, rng) for _ in range(4_000)])
    assert {*draws.sum(axis=1).tolist()} == {40}
    assert {*draws[:, kinds == 0].sum(axis=1).tolist()} == {10}
    shares = draws.mean(axis=0)
    assert shares[kinds == 0] == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / 4_000))
    assert shares[kinds == 1] == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 4_000))


@pytest.mark.proof
@pytest.mark.parametrize(
    ("right", "hits", "slips"), [(0.7, 0.9, 0.15), (0.9, 0.95, 0.3), (0.5, 0.75, 0.25), (0.3, 0.9, 0.02)]
)
def test_draws_that_follow_the_labels_keep_the_intervals_word(right: float, hits: float, slips: float) -> None:
    """500 campaigns of 30 and 30 labels of 1,000, the second draw where the first found the judge wrong."""
    rng, held, away = np.random.default_rng(505), 0, []
    for _ in range(500):
        people = (rng.random(1_000) < right).astype(float)
        judge = np.where(people == 1, rng.random(1_000) < hits, rng.random(1_000) < slips).astype(float)
        kinds = judge.astype(np.int64)
        units, drawn, odds = np.bincount(kinds, minlength=2), np.zeros(1_000, dtype=bool), np.zeros(2)
        for _ in range(2):
            seen = np.bincount(kinds[drawn], minlength=2)
            wrong = np.bincount(kinds[drawn & (people != judge)], minlength=2)
            new = inclusion(
                np.sqrt((wrong + 1) / (seen + 2)), 30, units=(units - seen).astype(float), before=odds, least=2 / units
            )
            left = ~drawn
            drawn[left] = systematic(((new - odds) / (1 - odds))[kinds[left]], kinds[left], rng)
            odds = new
        found = weighted(people, judge, odds[kinds], drawn)
        low, high = found.interval()
        held += low <= people.mean() <= high
        away.append(found.value - people.mean())
    assert held / 500 >= 0.93
    assert abs(np.mean(away)) < 4 * np.std(away) / np.sqrt(500)


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
