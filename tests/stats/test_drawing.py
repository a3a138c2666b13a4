"""What is drawn: sub-collections and tables, and draws with known probabilities."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from nescio.errors import UsageError
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
    with pytest.raises(UsageError, match="enough of each kind"):
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
