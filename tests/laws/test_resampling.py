"""The ways of drawing share one law, and a result depends on the seed alone: not on batches or threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.stats import resampling
from nescio.stats.streams import Stream
from tests.laws.catalogue import MEASURES, apart, close, placed, sample_of, usable, value_of, varied
from tests.rings import together

SIZE = 20_000
Draw = Callable[[Array, int, np.random.Generator], Array]
Law = Callable[[list[Array]], Array]


def outcomes_of(counts: Array, draw: Draw) -> Array:
    return draw(counts, SIZE, np.random.default_rng(3))


def by_kind(draw: resampling.Draw) -> Draw:
    """Units drawn one by one, summed by the kind that each is of."""

    def drawn(counts: Array, size: int, rng: np.random.Generator) -> Array:
        kind = np.repeat(np.arange(len(counts)), counts)
        return draw(len(kind), size, rng).astype(np.int64) @ np.eye(len(counts), dtype=np.int64)[kind]

    return drawn


def tossed(counts: list[int]) -> Law:
    return lambda possible: np.array([np.prod(stats.binom(counts, 0.5).pmf(w)) for w in possible])


BOOTSTRAPS = [resampling.pick_units, resampling.bootstrap, by_kind(resampling.picks)]


@together(
    "draw, counts, law",
    [
        *((draw, [2, 1, 1], stats.multinomial(4, [0.5, 0.25, 0.25]).pmf) for draw in BOOTSTRAPS),
        *(
            (draw, counts, tossed(counts))
            for draw in (resampling.label_swaps, by_kind(resampling.coins))
            for counts in ([1, 1, 1], [3, 1, 2])
        ),
    ],
)
def test_a_bootstrap_of_kinds_is_multinomial_and_label_swaps_toss_a_coin_for_every_unit(
    draw: Draw, counts: list[int], law: Law
) -> None:
    """Every possible resample is as frequent as the law says."""
    found = outcomes_of(np.array(counts), draw)
    possible = [np.array(w) for w in product(range(sum(counts) + 1), repeat=len(counts))]
    chances = law(possible)
    seen = np.array([(found == w).all(axis=1).sum() for w in possible])
    assert seen[chances > 0].sum() == SIZE
    assert stats.chisquare(seen[chances > 0], SIZE * chances[chances > 0]).pvalue > 0.001


@pytest.mark.parametrize("draw", BOOTSTRAPS)
def test_every_way_of_drawing_has_the_moments_of_the_multinomial(draw: Draw) -> None:
    counts = np.array([25, 10, 5])
    assert resampling.prefers_multinomial(counts)
    found, share = outcomes_of(counts, draw), counts / 40
    covariance = 40 * (np.diag(share) - np.outer(share, share))
    assert found.sum(axis=1).tolist() == [40] * SIZE
    assert found.mean(axis=0) == pytest.approx(counts, abs=4 * (10 / SIZE) ** 0.5)
    assert np.cov(found.T) == pytest.approx(covariance, abs=0.4)
    both = [found[:, 0], resampling.bootstrap(counts, SIZE, np.random.default_rng(5))[:, 0]]
    table = [np.bincount(np.clip(column, 16, 34), minlength=35)[16:] for column in both]
    assert stats.chi2_contingency(table).pvalue > 0.001


def test_dirichlet_shares_follow_the_posterior() -> None:
    counts = np.array([12, 5, 0])
    found = outcomes_of(counts, resampling.dirichlet) / 17
    assert found.sum(axis=1) == pytest.approx(1)
    for kind, count in enumerate(counts):
        marginal = stats.beta(count + 0.5, 17 + 1.5 - count - 0.5)
        assert stats.kstest(found[:, kind], marginal.cdf).pvalue > 0.001


def test_nothing_drawn_from_nothing_is_nothing() -> None:
    assert resampling.bootstrap(np.zeros(3, dtype=np.int64), 4, np.random.default_rng(0)).tolist() == [[0, 0, 0]] * 4


def test_the_first_blocks_of_a_longer_run_are_the_same() -> None:
    short, long = resampling.blocks(3 * resampling.BLOCK, seed=7), resampling.blocks(1000, seed=7)
    assert long[:3] == short
    assert sum(block.size for block in long) == 1000
    counts = np.array([30, 20, 10])
    for one, other in zip(short, long, strict=False):
        drawn = [resampling.bootstrap(counts, block.size, block.generator()) for block in (one, other)]
        assert drawn[0].tobytes() == drawn[1].tobytes()


@together("draw", [resampling.picks, resampling.coins])
@together("units", [1, 33, 300])
def test_a_table_of_weights_does_not_depend_on_how_many_are_drawn_at_once(draw: resampling.Draw, units: int) -> None:
    def whole(resamples: int, at_once: int) -> Array:
        made = resampling.tables(draw, units, resampling.blocks(resamples, 5), Stream.INTERVALS, at_once=at_once)
        return np.concatenate(list(made), axis=1)

    every = whole(700, 10_000)
    assert every.shape == (units, 700)
    for at_once in (1, 100, 256, 513):
        assert whole(700, at_once).tobytes() == every.tobytes()
    assert whole(300, 512).tobytes() == np.ascontiguousarray(every[:, :300]).tobytes()


def test_every_unit_is_drawn_as_often_as_any_other_and_tossed_as_often_either_way() -> None:
    """Each of 40 units n times in n resamples, and half of them; all of 40 in each resample."""
    rng = np.random.default_rng(4)
    drawn, coins = resampling.picks(40, SIZE, rng), resampling.coins(40, SIZE, rng)
    assert (drawn.sum(axis=1) == 40).all()
    assert stats.chisquare(drawn.sum(axis=0, dtype=np.int64)).pvalue > 0.001
    assert set(np.unique(coins)) == {0, 1}
    assert coins.mean(axis=0) == pytest.approx(0.5, abs=4.5 * 0.5 / SIZE**0.5)
    assert np.abs(np.corrcoef(coins.T) - np.eye(40)).max() < 5 / SIZE**0.5


def test_blocks_and_streams_and_seeds_are_unlike() -> None:
    block, after = resampling.blocks(512, seed=1)
    (other,) = resampling.blocks(256, seed=2)
    streams = [block.generator(), block.generator(Stream.LABEL_SWAPS), after.generator(), other.generator()]
    assert len({tuple(rng.integers(0, 1 << 30, 4)) for rng in streams}) == 4


LOW_BITS = """
import numpy as np, nescio
from nescio.data.evidence import Evidence
rng, shape = np.random.default_rng(0), (1, 15_000)
right = (rng.random(shape) < 0.6).astype(np.int8)
columns = {"correct": right, "incorrect": 1 - right, "unanswered": 0 * right, "answered": 0 * right + 1}
questions = tuple(map(str, range(shape[1])))
data = Evidence(("run",), questions, {**columns, "confidence": rng.random(shape)}, np.zeros(shape, dtype=np.uint8))
print(nescio.score(data, ["ECE", "Brier", "pearson"], resamples=256).rows)
"""


@pytest.mark.slow
def test_threads_of_the_matrix_product_change_no_bit() -> None:
    root = Path(__file__).parents[2]
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(root / "src")])
    printed = [
        subprocess.run(
            [sys.executable, "-c", LOW_BITS],
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
        ).stdout
        for threads in ("1", "2")
    ]
    assert printed[0] == printed[1] != ""


@together("name", ["accuracy", "Brier", "mean(graded)"])
def test_clusters_of_one_question_resample_like_questions(name: str) -> None:
    """The bootstrap variance of a mean is its population variance over n; both ways of drawing must show it."""
    data = varied(50, runs=1)
    spreads = []
    for form in (data, apart(data)):
        sample = sample_of(form, name)
        weights = resampling.bootstrap(sample.patterns.counts, SIZE, np.random.default_rng(11))
        values = sample.measure.value(sample.patterns, weights)
        assert values.mean() == pytest.approx(sample.value, abs=4 * values.std() / SIZE**0.5)
        spreads.append(values.var())
    a = value_of(data, name)
    assert a == pytest.approx(value_of(apart(data), name))
    assert spreads[0] == pytest.approx(spreads[1], rel=0.06)
    if name == "accuracy":
        assert spreads == pytest.approx([a * (1 - a) / 50] * 2, rel=0.05)


def test_a_question_asked_twice_is_no_more_evidence_when_clustered() -> None:
    """Copies that move together leave the interval as it was, where independent copies would narrow it."""
    data = varied(40, runs=1)
    twice = data.select(np.repeat(np.arange(40), 2))
    clustered = replace(twice, clusters=np.repeat(np.arange(40), 2))
    names = ["accuracy", "c@1", "precision", "UF", "pan.F1", "mean(graded)"]
    every = (
        nescio.score(form, names, interval="percentile", mark=False, resamples=1000).records()
        for form in (apart(data), clustered, twice)
    )
    for once, copied, narrowed in zip(*every, strict=True):
        assert (copied["low"], copied["high"]) == pytest.approx((once["low"], once["high"]))
        assert narrowed["high"] - narrowed["low"] < 0.85 * (once["high"] - once["low"])


def test_questions_of_a_cluster_move_together() -> None:
    """Two clusters, one all right and one all wrong: a resample holds whole clusters, so accuracy is 0, 1/2 or 1."""
    data = varied(10, runs=1)
    right = np.array([[1] * 5 + [0] * 5], dtype=np.int8)
    columns = {"correct": right, "incorrect": 1 - right, "unanswered": 0 * right, "answered": 0 * right + 1}
    sample = sample_of(replace(data, columns=columns, clusters=np.repeat([0, 1], 5)), "accuracy")
    weights = resampling.bootstrap(sample.patterns.counts, SIZE, np.random.default_rng(4))
    values, times = np.unique(sample.measure.value(sample.patterns, weights), return_counts=True)
    assert values.tolist() == [0, 0.5, 1]
    assert stats.chisquare(times, [SIZE / 4, SIZE / 2, SIZE / 4]).pvalue > 0.001


def test_the_value_does_not_depend_on_the_clusters() -> None:
    data = varied(40)
    clustered = replace(data, clusters=np.repeat([0, 1], [5, 35]))
    assert [value_of(clustered, name) for name in MEASURES] == close([value_of(data, name) for name in MEASURES])


@together("clusters", [None, np.arange(90) % 30])
@together("name", ["Brier", "mean(graded)", "ECE", "AUROC", "AURC", "AURC(fd-shifts)", "AP", "pan.AUC"])
def test_an_interval_is_that_of_the_questions_drawn_gathered(name: str, clusters: Array | None) -> None:
    """The obvious way: the questions in the sorted order of their ids, each as often as it was drawn, scored anew."""
    data = replace(varied(90), clusters=clusters)
    shuffled = data.select(np.random.default_rng(9).permutation(90))
    row = nescio.score(shuffled, name, interval="percentile", mark=False, resamples=20, seed=3).rows[1]
    use = np.array([i for i in np.argsort(np.array(data.questions)) if usable(data, parse(name), 1)[i]])
    unit = list(range(len(use))) if clusters is None else list(dict.fromkeys(clusters[use].tolist()))
    member = np.array(unit if clusters is None else [unit.index(c) for c in clusters[use]])
    (weights,) = resampling.tables(
        resampling.picks, len(unit), resampling.blocks(20, 3), Stream.INTERVALS, at_once=10_000
    )
    values = [value_of(data.select(np.repeat(use, times[member])), name, 1) for times in weights.T]
    assert (row.low, row.high) == close(tuple(np.quantile(values, [0.025, 0.975])))


@together("name", ["Brier", "AUROC", "c@1"])
def test_a_difference_is_that_of_two_runs_on_the_same_draws(name: str) -> None:
    """The labels of each question exchanged by its coin, with its places in the orders, and both runs weighed alike."""
    data = varied(120)
    both = usable(data, parse(name), 0) & usable(data, parse(name), 1)
    own = data.select(np.array([i for i in np.argsort(np.array(data.questions)) if both[i]]))
    row = nescio.compare(data, name, test="permutation", resamples=40, seed=3).rows[0]
    weights, coins = (
        next(resampling.tables(draw, own.size, resampling.blocks(40, 3), stream, at_once=10_000))
        for draw, stream in ((resampling.picks, Stream.INTERVALS), (resampling.coins, Stream.LABEL_SWAPS))
    )

    def difference(of: Evidence) -> float:
        return value_of(of, name, 1) - value_of(of, name, 0)

    drawn = [difference(own.select(np.repeat(np.arange(own.size), times))) for times in weights.T]
    if parse(name).order is not None:  # the others have Student's interval (tests/stats/test_few_units.py)
        assert (row.low, row.high) == close(tuple(np.quantile(drawn, [0.025, 0.975])))
    swapped, comparable = [], placed(own, parse(name))
    for swap in coins.T:
        columns = {column: np.where(swap, cells[::-1], cells) for column, cells in comparable.columns.items()}
        swapped.append(difference(replace(own, columns=columns)))
    hits = np.abs(swapped) >= abs(row.difference) - 1e-12
    assert row.p == (1 + hits.sum()) / 41
