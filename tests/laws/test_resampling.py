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
from tests.laws.catalogue import MEASURES, apart, close, placed, usable, value_of, varied
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
    return lambda possible: stats.binom.pmf(possible, counts, 0.5).prod(axis=1)


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
    every = [np.array(w) for w in product(range(sum(counts) + 1), repeat=len(counts))]
    possible = [w for w, chance in zip(every, law(every), strict=True) if chance > 0]
    drawn, times = np.unique(outcomes_of(np.array(counts), draw), axis=0, return_counts=True)
    seen = dict(zip(map(tuple, drawn.tolist()), times.tolist(), strict=True))
    assert set(seen) <= {tuple(w.tolist()) for w in possible}
    often = [seen.get(tuple(w.tolist()), 0) for w in possible]
    assert stats.chisquare(often, SIZE * law(possible)).pvalue > 0.001


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
    if draw is resampling.picks:
        assert (every.sum(axis=0) == units).all()


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
    """The labels of each question exchanged by its coin, with its places in the orders."""
    data = varied(120)
    both = usable(data, parse(name), 0) & usable(data, parse(name), 1)
    own = data.select(np.array([i for i in np.argsort(np.array(data.questions)) if both[i]]))
    row = nescio.compare(data, name, test="permutation", resamples=40, seed=3).rows[0]
    coins = next(
        resampling.tables(resampling.coins, own.size, resampling.blocks(40, 3), Stream.LABEL_SWAPS, at_once=10_000)
    )

    def difference(of: Evidence) -> float:
        return value_of(of, name, 1) - value_of(of, name, 0)

    swapped, comparable = [], placed(own, parse(name))
    for swap in coins.T:
        columns = {column: np.where(swap, cells[::-1], cells) for column, cells in comparable.columns.items()}
        swapped.append(difference(replace(own, columns=columns)))
    hits = np.abs(swapped) >= abs(row.difference) - 1e-12
    assert row.p == (1 + hits.sum()) / 41
