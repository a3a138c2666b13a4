"""Measure discriminative power (Sakai 2006): how many pairs of runs differ significantly by a bootstrap test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.evidence import NO_ROW, PRESENT, Evidence
from nescio.data.notes import Note, note
from nescio.data.patterns import compress
from nescio.data.repeats import grouped
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.measures import Measure, Measures
from nescio.meta_evaluation._asl import CELLS_AT_ONCE, Differences, Floats, Resampling, centred, studentised, sums
from nescio.meta_evaluation._call import each_measure, in_order, prepare
from nescio.meta_evaluation._scorers import scorers, unit_columns, unit_count
from nescio.options.edge import Progress
from nescio.scoring.samples import by_question, columns_for
from nescio.stats import resampling
from nescio.stats.streams import Stream

MEAN = "studentised mean"
ADAPTED = "centred difference (adaptation)"
PROBES = 512
Pairs = NDArray[np.int64]  # shape (P, 2): run and baseline


class Power(Struct, frozen=True):
    """The number of pairs of runs that differ significantly at `alpha`, and the difference that significance requires.

    `statistic` names the statistic that is resampled. `undefined` counts the pairs of runs without any difference,
    whose significance is undefined. They count among `pairs`, and are not significant.
    """

    measure: str
    alpha: float
    pairs: int
    significant: int
    share: float
    required_difference: float
    statistic: str
    undefined: int = 0


class Significance(Struct, frozen=True):
    """One pair of runs on a measure's curve, which ranks pairs by rising achieved significance level (`asl`).

    Pairs whose level is undefined come last.
    """

    measure: str
    rank: int
    run: str
    baseline: str
    asl: float


def power(
    source: Any,
    measures: Measures,
    *,
    alpha: float | Sequence[float],
    resamples: int | None,
    seed: int,
    jobs: int,
    progress: Progress | None,
    **options: Any,
) -> Results[Power]:
    """Return the share of pairs of runs that differ significantly by each measure (Sakai's paired bootstrap, 2006).

        nescio.meta.power("ap.csv", "mean(ap)").rows[0].share

    `alpha` is one level, or several. `resamples` is the number of resamples; None means every possible resample, for at
    most ten questions. All pairs and measures share the resamples, and clusters are drawn if questions are clustered.
    The number of pairs is not corrected for, because this compares measures; to compare runs, use `nescio.compare`.
    There is a row for each measure and level. `tables["asl_curve"]` has the achieved significance level of every pair.
    Raises the errors of `nescio.score`.
    """
    levels = [float(a) for a in ([alpha] if isinstance(alpha, (int, float)) else alpha)]
    data, loaded, wanted = prepare(source, measures, options)
    data = in_order(data)
    resampling = Resampling(unit_count(data), resamples, seed)
    studies = each_measure(partial(_study, data, resampling=resampling, levels=levels), wanted, jobs, progress)
    rows = [row for study in studies for row in study.rows]
    curve = [point for study in studies for point in study.curve]
    line = sign(
        measures="+".join(measure.name for measure in wanted),
        **loaded.signature,
        alpha="+".join(f"{level:g}" for level in levels),
        test="paired bootstrap",
        draw=f"{data.resampled}, shared by all pairs",
        resamples="all" if resamples is None else resamples,
        seed=seed,
    )
    notes = (*loaded.notes, *(remark for study in studies for remark in study.notes))
    return Results(tuple(rows), line, notes, "power", {"asl_curve": tuple(curve)})


class _Study(Struct, frozen=True):
    rows: list[Power]
    curve: list[Significance]
    notes: list[Note]


def _study(data: Evidence, measure: Measure, resampling: Resampling, levels: Sequence[float]) -> _Study:
    r"""Return the shares of pairs of runs that differ significantly by one measure, and the significance of every pair.

    The achieved significance level of a pair is $\#\{|t(w^*_b)| \ge |t(z)|\}/B$, where z is the difference per question
    and w the centred difference. For a measure that is not a mean over questions, the level is $\#\{|d^*_b - d| \ge
    |d|\}/B$. $d^*_b$ is the difference on a resample of the questions, and B counts the resamples where $d^*_b$ is
    defined. The required difference is the largest over all pairs of $|\bar w^*_b|$, or $|d^*_b - d|$, at the $\lceil
    B\alpha\rceil$-th largest statistic.
    """
    data, measure = by_question(data, measure)
    pairs = np.array([(y, x) for x, y in combinations(range(len(data.runs)), 2)])
    mean = is_mean(data, measure)
    times = resampling.times()
    levels_found, required, lost = [], [], 0
    for differences in (_means if mean else _values)(data, measure, pairs, resampling):
        levels_found.append(differences.significance(times))
        required.append(differences.required(times, levels))
        lost += int((times.sum() - differences.total(times))[~np.isnan(differences.observed)].sum())
    asl, needed = np.concatenate(levels_found), np.concatenate(required)
    undefined = int(np.isnan(asl).sum())
    rows = []
    for level, of_pairs in zip(levels, needed.T, strict=True):
        significant = int((asl < level).sum())
        largest = float(np.fmax.reduce(of_pairs, initial=-np.inf))
        rows.append(
            Power(
                measure=measure.label,
                alpha=level,
                pairs=len(pairs),
                significant=significant,
                share=significant / len(pairs),
                required_difference=largest if largest >= 0 else float("nan"),
                statistic=MEAN if mean else ADAPTED,
                undefined=undefined,
            )
        )
    order = np.argsort(asl, kind="stable")  # undefined ones last
    curve = [
        Significance(measure.label, rank, data.runs[pairs[at, 0]], data.runs[pairs[at, 1]], float(asl[at]))
        for rank, at in enumerate(order, 1)
    ]
    return _Study(rows, curve, _notes(data, measure, pairs, undefined, lost))


def _notes(data: Evidence, measure: Measure, pairs: Pairs, undefined: int, lost: int) -> list[Note]:
    usable = columns_for(data, measure)[2]
    partly = 0 if usable.all() else sum(not (usable[x] & usable[y]).all() for x, y in pairs)
    notes = []
    if partly:
        notes.append(
            note(
                "power.part",
                "{subject}: {partly} of {pairs} pairs are compared only on the questions for which both runs have the "
                "data that the measure needs",
                measure.label,
                partly=partly,
                pairs=len(pairs),
            )
        )
    if undefined:
        notes.append(
            note(
                "power.no_difference",
                "{subject}: {undefined} of {pairs} pairs have no difference to test (the runs are identical, a score "
                "is undefined, or there are fewer than two questions); these pairs count as not significant",
                measure.label,
                undefined=undefined,
                pairs=len(pairs),
            )
        )
    if lost:
        notes.append(
            note(
                "power.undefined_resamples",
                "{subject}: {lost:,} resampled differences are undefined and left out",
                measure.label,
                lost=lost,
            )
        )
    return notes


def is_mean(data: Evidence, measure: Measure) -> bool:
    """Return whether the measure is a mean over questions on these data.

    We find out by trial: the measure on a collection of several kinds of question must be the mean of its values on
    each kind alone. (For a run that answers everything, c@1 is its accuracy, and so a mean.)
    """
    if measure.order is not None:
        return False
    measure, read, usable = columns_for(data, measure)
    patterns = compress({name: read[name][usable] for name in measure.needs}, None, measure.each)
    kinds = len(patterns.counts)
    alone = measure.of_totals(patterns.columns)
    if not kinds or np.isnan(alone).any():
        return False
    rng = resampling.Block(0, 1, 0).generator(Stream.POWER)
    chosen, weights = rng.integers(0, kinds, (PROBES, 8)), rng.integers(1, 4, (PROBES, 8))
    few = {name: np.einsum("pk,pk...->p...", weights, values[chosen]) for name, values in patterns.columns.items()}
    many = patterns.counts * np.concatenate([np.ones((1, kinds)), rng.integers(1, 4, (7, kinds))])
    both_ways = np.concatenate([measure.of_totals(few), measure.value(patterns, many)])
    means = [np.average(alone[chosen], axis=1, weights=weights), many @ alone / many.sum(axis=1)]
    return bool((np.abs(both_ways - np.concatenate(means)) <= 1e-9 * np.abs(alone).max()).all())


def _means(data: Evidence, measure: Measure, pairs: Pairs, resampling: Resampling) -> Iterator[Differences]:
    """Yield the tests of pairs of runs for a measure that is a mean, some pairs at a time (see `studentised`)."""
    columns = unit_columns(replace(data, clusters=None), measure)
    usable = columns["n"] > 0
    alone = measure.of_totals({name: values.astype(np.float64) for name, values in columns.items()})
    for part in _chunks(pairs, max(usable.shape[1], len(resampling.times()))):
        y, x = part.T
        both = usable[y] & usable[x]
        values = np.where(both, alone[y] - alone[x], 0.0)
        counts = both[:1] if (both == both[0]).all() else both
        yield studentised(_by_unit(data, values), _by_unit(data, counts.astype(np.float64)), resampling)


def _values(data: Evidence, measure: Measure, pairs: Pairs, resampling: Resampling) -> Iterator[Differences]:
    """Yield the tests of pairs of runs for any measure, some pairs at a time (see `centred`)."""
    usable = columns_for(data, measure)[2]
    value, resampled = _run_values(data, measure, resampling)
    for part in _chunks(pairs, max(usable.shape[1], len(resampling.times()))):
        sides = [(value[runs], resampled[runs]) for runs in part.T]
        both = usable[part[:, 0]] & usable[part[:, 1]]
        for (values, of_resamples), runs in zip(sides, part.T, strict=True):
            for at in np.flatnonzero((usable[runs] != both).any(axis=1)):  # The other run lacks some of its questions.
                absence = np.where(both[at : at + 1], PRESENT, NO_ROW).astype(np.uint8)
                shared = replace(data.take_runs(runs[at : at + 1]), absence=absence)
                values[at : at + 1], of_resamples[at : at + 1] = _run_values(shared, measure, resampling)
        differences = centred(*(side[0] for side in sides), *(side[1] for side in sides))
        few = (_by_unit(data, both.astype(np.float64)) > 0).sum(axis=1) < 2
        yield replace(differences, observed=np.where(few, np.nan, differences.observed))


def _run_values(data: Evidence, measure: Measure, resampling: Resampling) -> tuple[Floats, Floats]:
    """Return the measure of each run, shape (R,), and under each resample, shape (R, B)."""
    every = np.ones((1, resampling.units))
    if measure.order is not None:
        of_runs = scorers(data, measure)

        def score(weights: Floats) -> Floats:
            nothing = np.full(len(weights), np.nan)
            return np.stack([scorer(weights) if len(scorer.use) else nothing for scorer in of_runs])

    else:
        columns = {name: values.astype(np.float64) for name, values in unit_columns(data, measure).items()}

        def score(weights: Floats) -> Floats:
            return measure.of_totals({name: _totals(values, weights) for name, values in columns.items()})

    return score(every)[:, 0], np.concatenate([score(weights) for weights in resampling.weights()], axis=1)


def _totals(values: Floats, weights: Floats) -> Floats:
    """Return the sums of a column over the units, weighted for each of B resamples.

    Values of shape (R, U) give (R, B), and values of shape (R, U, parts) give (R, B, parts).
    """
    if values.ndim == 2:
        return sums(values, weights)
    return np.stack([sums(values[:, :, part], weights) for part in range(values.shape[2])], axis=-1)


def _chunks(pairs: Pairs, width: int) -> Iterator[Pairs]:
    step = max(1, CELLS_AT_ONCE // width)
    for start in range(0, len(pairs), step):
        yield pairs[start : start + step]


def _by_unit(data: Evidence, values: Floats) -> Floats:
    """Return the sums of `values` over the questions of each unit; shape (rows, questions) becomes (rows, units)."""
    if data.clusters is None:
        return values
    order, starts = grouped(data.clusters)
    return np.add.reduceat(values[:, order], starts, axis=1)
