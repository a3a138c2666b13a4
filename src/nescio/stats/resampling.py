"""Draw resampling weights: how often each unit occurs in each resample. Pure NumPy; knows nothing of questions.

Draws come in fixed blocks of 256 rows, each with its own child of `SeedSequence(seed)`. A result therefore depends on
the seed alone, to the last bit, and not on the number of workers or the order of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats.intervals import RARE
from nescio.stats.streams import Stream

Table = NDArray[np.uint8]  # how often each unit occurs in each resample; shape (units, resamples)
# maps units, resamples and a generator to draws of shape (resamples, units)
Draw = Callable[[int, int, "np.random.Generator"], Table]

BLOCK = 256
WEIGHTS_AT_ONCE = 1 << 16
PICKS_AT_ONCE = 1 << 16

# Measured once on one core: a category of a multinomial costs about as much as this many picks of a unit.
PICKS_PER_CATEGORY = 12


class Block(Struct, frozen=True):
    """A batch of `size` resamples, of which the first has the number `start`, and the seed of their draws."""

    start: int
    size: int
    seed: int

    def generator(self, stream: Stream = Stream.INTERVALS) -> np.random.Generator:
        """Return a new generator of random numbers for this block.

        The numbers depend on the seed, the block and the `stream`: each purpose, such as intervals, has a stream of its
        own.
        """
        return np.random.Generator(np.random.PCG64(_beginning(self.seed, int(stream), self.start // BLOCK)))


@lru_cache(maxsize=1 << 12)
def _beginning(seed: int, stream: int, block: int) -> Any:
    """Return the initial state of the random numbers of a block in a stream.

    The state is cached, because every pair of runs needs the same few states.
    """
    child = np.random.SeedSequence(seed, spawn_key=(stream, block))
    return _remembering()(child.generate_state(4, np.uint64))


@cache
def _remembering() -> Callable[[NDArray[Any]], Any]:
    """Return a class of seed sequences that returns stored words instead of computing them.

    The class is created when first needed, because NumPy's random generators take time to import.
    """
    from numpy.random.bit_generator import ISeedSequence

    class Remembered(ISeedSequence):
        def __init__(self, words: NDArray[Any]) -> None:
            self.words = words

        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
            if (n_words, np.dtype(dtype)) != (len(self.words), self.words.dtype):
                raise ValueError("these words are for PCG64")
            return self.words

    return Remembered


def blocks(resamples: int, seed: int) -> list[Block]:
    """Return the blocks into which `resamples` resamples are divided, always in the same way."""
    return [Block(start, min(BLOCK, resamples - start), seed) for start in range(0, resamples, BLOCK)]


def together(blocks: Sequence[Block], kinds: int) -> Iterator[Sequence[Block]]:
    """Yield groups of blocks that are computed at once, because their weights fit into a core's cache."""
    at_once = max(1, WEIGHTS_AT_ONCE // (BLOCK * max(1, kinds)))
    for start in range(0, len(blocks), at_once):
        yield blocks[start : start + at_once]


def on_draws(
    draw: Callable[[Sequence[Block]], Any], values: Sequence[Callable[[Any], Any]], blocks: Sequence[Block], kinds: int
) -> list[NDArray[np.float64]]:
    """Return the results of each function in `values` on the same draws, which `draw` makes from blocks of resamples.

    `kinds` is the number of kinds of unit in a draw.
    """
    made: list[list[Any]] = [[] for _ in values]
    for part in together(blocks, kinds):
        drawn = draw(part)
        for results, value in zip(made, values, strict=True):
            results.append(value(drawn))
    return [np.concatenate(results, axis=-1) for results in made]


def bootstrap(counts: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the number of units of each of K kinds among sum(counts) draws with replacement; shape (size, K).

    `counts` has the number of units of each kind. Drawing multinomial counts of kinds and picking units one by one give
    the same distribution, and the cheaper way is used. The cost of a multinomial grows with K, that of picking with the
    number of units.
    """
    total = int(counts.sum())
    if total == 0:
        return np.zeros((size, len(counts)), dtype=np.int64)
    if prefers_multinomial(counts):
        return rng.multinomial(total, counts / total, size=size)
    return pick_units(counts, size, rng)


def bootstraps(counts: NDArray[np.int64], blocks: Sequence[Block]) -> NDArray[np.int64]:
    """Return multinomial draws of the number of units of each kind, for all `blocks` in turn; shape (resamples, K)."""
    total = int(counts.sum())
    shares = counts / max(1, total)
    return np.concatenate([block.generator().multinomial(total, shares, size=block.size) for block in blocks])


def picks(units: int, size: int, rng: np.random.Generator) -> Table:
    """Return how often each unit occurs among `units` draws with replacement; shape (size, units).

    Rows are drawn one by one, so the first rows do not depend on `size`.
    """
    # One byte is enough: the probability that a unit is drawn 256 times is below 1e-500.
    weights = np.empty((size, units), dtype=np.uint8)
    at_once = max(1, PICKS_AT_ONCE // max(1, units))
    for start in range(0, size, at_once):
        rows = min(at_once, size - start)
        drawn = rng.integers(0, units, size=(rows, units))
        drawn += np.arange(rows)[:, None] * units
        weights[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
    return weights


def coins(units: int, size: int, rng: np.random.Generator) -> Table:
    """Return a fair coin toss (0 or 1) for each unit, shape (size, units), drawn row by row like `picks`."""
    words = -(-units // 32)  # words of four bytes, the generator's own output size
    tossed = np.frombuffer(rng.bytes(4 * words * size), dtype=np.uint8).reshape(size, 4 * words)
    return np.unpackbits(tossed, axis=1, count=units)


def tables(draw: Draw, units: int, blocks: Sequence[Block], stream: Stream, *, at_once: int) -> Iterator[Table]:
    """Yield the draws of all blocks as tables of shape (units, resamples), of about `at_once` resamples each.

    The draws depend only on the number of units, the seed and the stream, so equal numbers of units have the same
    draws.
    """
    waiting: list[Table] = []
    for block in blocks:
        rng = block.generator(stream)
        step = min(block.size, max(1, at_once))
        for start in range(0, block.size, step):
            waiting.append(draw(units, min(step, block.size - start), rng))
            if sum(map(len, waiting)) + step > at_once:
                yield _side_by_side(waiting)
                waiting = []
    if waiting:
        yield _side_by_side(waiting)


def _side_by_side(drawn: Sequence[Table]) -> Table:
    """Return draws of shape (resamples, units) as one table of shape (units, resamples)."""
    table = np.empty((drawn[0].shape[1], sum(map(len, drawn))), dtype=np.uint8)
    start = 0
    for rows in drawn:
        table[:, start : start + len(rows)] = rows.T
        start += len(rows)
    return table


def prefers_multinomial(counts: NDArray[np.int64]) -> bool:
    """Return whether it is cheaper to draw the number of units of each kind than to pick unit by unit."""
    return len(counts) * PICKS_PER_CATEGORY <= int(counts.sum())


def pick_units(counts: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the draws that `bootstrap` describes, by picking every unit and counting the picks."""
    kinds, total = len(counts), int(counts.sum())
    picked = rng.integers(0, total, size=(size, total))
    if total != kinds:
        picked = np.repeat(np.arange(kinds), counts)[picked]
    picked += np.arange(size)[:, None] * kinds
    return np.bincount(picked.ravel(), minlength=size * kinds).reshape(size, kinds)


def priors(correct: int, incorrect: int) -> NDArray[np.float64]:
    """Return the priors for a measure of three outcomes, whose interval must cover every posterior; shape (priors, 3).

    Usually there is Jeffreys' prior alone. If hardly any answer was right, or hardly any wrong, there are three priors,
    each with one more unit of one outcome. With such counts the prior decides the posterior. Take c@1 of 50 questions
    with the shares (.97, 0, .03). By enumeration, Jeffreys' interval holds the true value in 81% of samples, and the
    hull of the three in 98% (docs/evidence/coverage.md).
    """
    return np.eye(3) if min(correct, incorrect) <= RARE else np.full((1, 3), 0.5)


def dirichlet(
    counts: NDArray[np.int64], size: int, rng: np.random.Generator, prior: NDArray[np.float64] | float = 0.5
) -> NDArray[np.float64]:
    """Return shares drawn from Dirichlet(counts + prior), scaled to sum(counts); shape (size, K).

    This is the posterior of the shares, by default under Jeffreys' prior.
    """
    shares: NDArray[np.float64] = rng.dirichlet(counts + prior, size=size)
    return shares * counts.sum()


def posterior(counts: NDArray[np.int64], blocks: Sequence[Block], priors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the draws of all blocks from the posterior under each prior; shape (priors, draws, K)."""
    draws = [[dirichlet(counts, block.size, block.generator(), prior) for block in blocks] for prior in priors]
    return np.stack([np.concatenate(parts) for parts in draws])


def label_swaps(counts: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return how many units of each of K kinds have swapped labels, each with probability ½; shape (size, K).

    The integers are small if each kind has one unit, because there are many kinds in that case.
    """
    if len(counts) and int(counts.min()) == int(counts.max()) == 1:
        return rng.integers(0, 2, size=(size, len(counts)), dtype=np.int8)
    return rng.binomial(counts, 0.5, size=(size, len(counts)))


def subcollections(units: int, size: int, rows: int, rng: np.random.Generator, parts: int = 1) -> NDArray[np.int64]:
    """Return disjoint sub-collections drawn without replacement, as indices of units; shape (parts, rows, size)."""
    chosen = np.empty((rows, parts * size), dtype=np.int64)
    for row in chosen:
        row[:] = rng.choice(units, parts * size, replace=False, shuffle=parts > 1)
    return chosen.reshape(rows, parts, size).swapaxes(0, 1)


def as_weights(chosen: NDArray[np.int64], units: int) -> NDArray[np.int8]:
    """Return weights of 0 and 1, shape (rows, units), for chosen units of shape (rows, size)."""
    weights = np.zeros((len(chosen), units), dtype=np.int8)
    np.put_along_axis(weights, chosen, 1, axis=1)
    return weights


def subtables(counts: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the counts of K kinds in a sub-collection of `size` units, drawn from counts alone; shape (…, K).

    The draw is multivariate hypergeometric, one kind at a time. A second, disjoint sub-collection can be drawn from
    `counts` minus the first.
    """
    drawn = np.zeros(counts.shape, dtype=np.int64)
    rest, left = counts.sum(axis=-1), np.full(counts.shape[:-1], size)
    for kind in range(counts.shape[-1]):
        rest = rest - counts[..., kind]
        drawn[..., kind] = rng.hypergeometric(counts[..., kind], rest, left)
        left = left - drawn[..., kind]
    return drawn
