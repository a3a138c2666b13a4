"""Sub-collections and their weights and tables: every one is as likely as it should be, in the shape that is
promised."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from nescio.stats.resampling import Block, as_weights, label_swaps, subcollections, subtables
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


def test_the_labels_of_single_units_are_swapped_in_small_numbers() -> None:
    swaps = label_swaps(np.ones(1000, dtype=np.int64), 4, np.random.default_rng(5))
    assert swaps.dtype == np.int8
    assert set(np.unique(swaps)) == {0, 1}
    assert label_swaps(np.array([1000, 1000]), 50, np.random.default_rng(5)).max() > 127


def test_weights_are_small_ones_where_a_unit_was_chosen() -> None:
    weights = as_weights(np.array([[0, 2], [3, 1]]), 5)
    assert weights.tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0]]
    assert weights.dtype == np.int8  # there is one for each question and trial


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
