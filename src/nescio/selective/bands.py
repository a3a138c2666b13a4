"""Compute the band of a risk-coverage curve: the risk of other questions of the same kind, at each coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.selective.curve import Floats, OneRun, Point
from nescio.stats import resampling
from nescio.stats.intervals import wilson
from nescio.stats.streams import Stream

RESAMPLES = 1024  # number of draws; readers only look at a band
FEW = 5  # answers: with at most this many wrong (or right), resampling does not show how many others might be


def risk_band(
    run: OneRun, points: Sequence[Point], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[tuple[float, float], ...]:
    r"""Return an interval of the risk at the coverage of each point of a run's curve, (low, high), each in [0, 1].

    Questions, or clusters of them, are drawn with replacement. In each resample the surest share c of the questions is
    answered, ties broken evenly. The risk is the share of these answers that are wrong, and the interval spans the
    quantiles $(1 \mp \text{level})/2$ of these risks. If at most five answers up to a point are wrong, or right,
    Wilson's interval for the counts of that point replaces it. The intervals hold pointwise: each for its coverage, and
    not all at once.

    Args:
        run: one run, from `one_run`
        points: points of the curve of this run, the strictest first
        level: the level of each interval, in (0, 1)
        resamples: the number of draws
        seed: the seed of the draws

    Example:
        >>> from nescio.pipeline import Options, load
        >>> from nescio.selective.curve import curve_of, one_run
        >>> run = one_run(load(["examples/outcomes.csv"], Options()).data, "mine")
        >>> points = curve_of(run)
        >>> low, high = risk_band(run, points)[-1]
        >>> low < points[-1].risk < high
        True
    """
    if not points:
        return ()
    answers, wrong, units = _drawn(run, points, resamples, seed)
    risks = np.empty((len(answers), len(points)))
    wanted = np.array([point.coverage for point in points])
    for i, (given, bad, all_) in enumerate(zip(answers, wrong, units, strict=True)):
        sought = np.minimum(wanted * all_, given[-1])
        risks[i] = np.interp(sought, given, bad) / np.maximum(sought, 1e-12)
    tail = (1 - level) / 2
    low, high = np.quantile(risks, [tail, 1 - tail], axis=0)
    n, bounds = len(run.confidence), []
    for point, bottom, top in zip(points, low, high, strict=True):
        k = round(point.coverage * n)
        e = round(point.risk * k)
        if min(e, k - e) <= FEW:
            bounds.append(wilson(e, k, level))
        else:
            bounds.append((float(min(bottom, point.risk)), float(max(top, point.risk))))
    return tuple(bounds)


def _drawn(run: OneRun, points: Sequence[Point], resamples: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return counts on random resamples: the answers up to each point, the wrong answers among them, and the questions.

    The first two results have shape (resamples, points + 1) and start at 0. The last has shape (resamples,).
    """
    thresholds = np.array([point.threshold for point in points])
    many = len(points)
    # the first point that answers the question; `many` means none
    segment = np.searchsorted(-thresholds, -run.confidence)
    kind = np.where(segment < many, 2 * segment + run.wrong, 2 * many)
    drawn = _tables(run, kind, 2 * many + 1, resamples, seed)
    halves = drawn[:, :-1].reshape(len(drawn), many, 2)
    start = np.zeros((len(drawn), 1))
    answers = np.hstack([start, np.cumsum(halves.sum(axis=2), axis=1)])
    return answers, np.hstack([start, np.cumsum(halves[:, :, 1], axis=1)]), drawn.sum(axis=1)


def _tables(run: OneRun, kind: NDArray[np.int64], kinds: int, resamples: int, seed: int) -> Floats:
    """Return how many questions of each kind are drawn in each random resample; shape (resamples, kinds).

    `kind` has the kind of each question, as a number below `kinds`. Clusters, and repeats of a question, stay together.
    """
    blocks = resampling.blocks(resamples, seed)
    groups = run.data.groups
    if groups is None and run.data.repeats is not None:
        groups = run.data.repeats.question
    if groups is None:
        return resampling.bootstraps(np.bincount(kind, minlength=kinds), blocks).astype(np.float64)
    _, unit = np.unique(groups, return_inverse=True)
    units = int(unit.max()) + 1
    counts_of_units = np.zeros((units, kinds), dtype=np.float32)
    np.add.at(counts_of_units, (unit, kind), 1)
    tables = resampling.tables(resampling.picks, units, blocks, Stream.INTERVALS, at_once=resampling.BLOCK)
    return np.concatenate([(table.T.astype(np.float32) @ counts_of_units).astype(np.float64) for table in tables])
