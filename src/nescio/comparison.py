"""Paired comparison of runs: the difference of a measure, its interval, and how surprising it is if the labels mean nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio import draws, intervals, parallel
from nescio.draws import Block
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.evaluate import check_resampling, open_data, parse_all
from nescio.evidence import Array, Evidence, Patterns, compress_ordered, distinct
from nescio.exact import Difference, exact_p
from nescio.load import Loaded
from nescio.measures import Measure, parse
from nescio.results import Comparison, Comparisons, signature
from nescio.samples import columns_for
from nescio.uncertainty import gather_remarks
from nescio.uncertainty import remarks as remarks_on

TESTS = ("auto", "exact", "permutation")
CORRECTIONS = ("holm", "bh", "none")
FEW_KINDS = 23  # 2**23 exchanges can be enumerated
_SWAPS = 1  # the stream of draws that label swaps come from; intervals use stream 0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two runs seen by one measure: the units of both side by side.

    `patterns` has the kinds of unit of the first run followed by the same kinds of the second. Weights (w, 0) give the first
    run its own questions and (0, w) the second; (kept, swapped) and (swapped, kept) exchange the labels of some.
    """

    measure: Measure
    patterns: Patterns
    counts: NDArray[np.int64]
    n: int

    def difference(self, first: Array, second: Array) -> NDArray[np.float64]:
        """The measure under the first weights minus the measure under the second."""
        return self.measure.value(self.patterns, first) - self.measure.value(self.patterns, second)

    def resampled(self, weights: Array) -> NDArray[np.float64]:
        """The difference when each kind of question has this weight for both runs; shape (…,)."""
        none = np.zeros_like(weights)
        return self.difference(np.concatenate([weights, none], axis=-1), np.concatenate([none, weights], axis=-1))

    def swapped(self, swaps: Array) -> NDArray[np.float64]:
        """The difference when so many questions of each kind have the labels of the two runs exchanged."""
        kept = self.counts - swaps
        return self.difference(np.concatenate([kept, swaps], axis=-1), np.concatenate([swaps, kept], axis=-1))

    def exchanges(self) -> tuple[Difference, NDArray[np.int64]] | None:
        """The difference as a function of how many units of each kind fall one way, and how many units there are.

        Units on which the two runs agree do not matter, and (a, b) is the kind of (b, a) too. None where kinds are many.
        """
        if self.measure.order is not None:
            return (self.swapped, self.counts) if len(self.counts) <= FEW_KINDS else None
        rows = np.concatenate([np.reshape(v, (len(v), -1)) for v in self.patterns.columns.values()], axis=1)
        _, row = distinct(rows)
        one, other = np.split(row, 2)
        kinds, kind = distinct(np.stack([np.minimum(one, other), np.maximum(one, other)], axis=1))
        n = np.bincount(kind, weights=self.counts, minlength=len(kinds)).astype(np.int64)
        apart = kinds[:, 0] != kinds[:, 1]
        if apart.sum() > FEW_KINDS:
            return None
        first = np.unique(row, return_index=True)[1]
        patterns = Patterns(
            {name: v[first] for name, v in self.patterns.columns.items()}, np.ones(len(first), dtype=np.int64)
        )
        place = np.eye(len(first))
        shared, low, high = n[~apart] @ place[kinds[~apart, 0]], place[kinds[apart, 0]], place[kinds[apart, 1]]
        n = n[apart]

        def difference(one_way: Array) -> NDArray[np.float64]:
            back = n - one_way
            ahead = self.measure.value(patterns, shared + one_way @ low + back @ high)
            return ahead - self.measure.value(patterns, shared + one_way @ high + back @ low)

        return difference, n


def compare(
    given: Any,
    measures: Sequence[str] | str | None = None,
    *,
    baseline: str | None = None,
    ci: float = 95.0,
    test: str = "auto",
    correction: str = "holm",
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Comparisons:
    """The difference of each measure between runs: against `baseline`, or for all pairs (the later run minus the earlier).

    Always paired: both runs on the questions that both have. The interval is a percentile bootstrap of the difference. p is
    two-sided, over exchanges of the two labels on each question (or cluster): `exact` is the share of all exchanges with a
    difference at least as large, where they can be summed or enumerated (c@1, accuracy, UF and their kin at any size);
    `permutation` is $(1 + hits)/(1 + B)$ over random ones; `auto` takes the first where it can. Either is a test of labels
    that can be exchanged, not of "equal c@1".
    The interval and p are those of one comparison on its own; `p_adjusted` and the verdict account for all of the call.
    `correction` adjusts the p-values of one call for their number: holm, bh or none. Other arguments as in `score`.
    """
    check_resampling(ci, resamples, jobs, seed)
    if ci is None:
        raise UsageError("compare always gives an interval; ci is its level in percent")
    for name, value, allowed in (("test", test, TESTS), ("correction", correction, CORRECTIONS)):
        if value not in allowed:
            raise UsageError(f"{name} must be one of {', '.join(allowed)} (found {value!r})")
    loaded = open_data(given, {"strata": ()} | options, measures)
    data = _evidence(loaded)
    wanted = parse_all(measures, loaded)
    pairs = _pairs(data, baseline)
    plan = _Plan(ci / 100, draws.blocks(resamples, seed), jobs, test)
    rows: list[Comparison] = []
    said: list[tuple[str, str, str]] = []
    for measure in wanted:
        columns, _ = columns_for(data, measure)
        for pair in pairs:
            row, remarks = _compare(data, measure, columns, pair, plan)
            rows.append(row)
            said += [(remark, measure.label, f"{row.run!r} against {row.baseline!r}") for remark in remarks]
            if progress:
                progress(len(rows), len(wanted) * len(pairs))
    adjusted = adjust([row.p for row in rows], correction)
    level = 1 - ci / 100
    rows = [replace(row, p_adjusted=p, verdict=_verdict(row, p, level)) for row, p in zip(rows, adjusted, strict=True)]
    how = {
        "ci": f"{ci:g}",
        "interval": "percentile (paired)",
        "test": "+".join(sorted({row.test for row in rows if row.test})) or test,
        "correction": correction,
    }
    drawn = {
        "draw": f"patterns of {'questions' if data.clusters is None else 'clusters'}",
        "resamples": resamples,
        "seed": seed,
    }
    line = signature(measures="+".join(m.name for m in wanted), **loaded.signature, **how, **drawn)
    return Comparisons(tuple(rows), line, (*loaded.notes, *gather_remarks(said)), "comparisons")


def _evidence(loaded: Loaded) -> Evidence:
    if not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a counts table does not say which questions each run got right, so its runs cannot be paired; compare needs an outcome table"
        )
    if len(loaded.data.runs) < 2:
        raise MismatchError(f"there is one run, {loaded.data.runs[0]!r}, and nothing to compare it with")
    return loaded.data


def _pairs(data: Evidence, baseline: str | None) -> list[tuple[int, int]]:
    """(run, baseline) as indices."""
    if baseline is None:
        return [(y, x) for x, y in combinations(range(len(data.runs)), 2)]
    if baseline not in data.runs:
        raise UnknownNameError("run", baseline, data.runs)
    base = data.runs.index(baseline)
    return [(run, base) for run in range(len(data.runs)) if run != base]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How every pair of one call is resampled, and by which test p is computed."""

    level: float
    blocks: Sequence[Block]
    jobs: int
    test: str


def _compare(
    data: Evidence, measure: Measure, columns: dict[str, Array], runs: tuple[int, int], plan: _Plan
) -> tuple[Comparison, list[str]]:
    """One row, and what its reader should know."""
    # Runs are paired in the order of their names, so that a against b is b against a turned round, to the last bit.
    x, y = sorted(runs, key=lambda run: data.runs[run])
    usable = data.present[x] & data.present[y]
    for values in columns.values():
        usable &= ~np.isnan(values[x]) & ~np.isnan(values[y])
    n, some = int(usable.sum()), int((data.present[x] | data.present[y]).sum())
    names = (data.runs[runs[0]], data.runs[runs[1]])
    found = [f"on the {n} of {some} questions where both have what it needs"] if n < some else []
    low = high = observed = float("nan")
    p: float | None = float("nan")
    how = "permutation" if plan.test == "permutation" else "exact"
    if n:
        clusters = None if data.clusters is None else data.clusters[usable]
        pair = pair_up(measure, {name: (v[x][usable], v[y][usable]) for name, v in columns.items()}, clusters)
        observed = float(pair.resampled(pair.counts))
        p, how = _exact(pair, observed) if plan.test != "permutation" else (None, "permutation")
        if p is None and plan.test == "exact":
            raise UsageError(
                f"{measure.label}: its exchanges are too many to sum or enumerate; use --test permutation or auto"
            )
        resampled, exchanged = _all_blocks(pair, replace(plan, test=how))
        found += remarks_on("percentile", resampled, int(pair.counts.sum()))
        p = p_value(observed, exchanged) if p is None else p
        if not np.isnan(observed):
            low, high = intervals.percentile(resampled, plan.level)
    if (x, y) != runs:
        observed, low, high = 0 - observed, 0 - high, 0 - low  # not -x: no difference is 0, not -0
    return Comparison(*names, measure.label, observed, low, high, p, None, how, n), found


def _exact(pair: Pair, observed: float) -> tuple[float | None, str]:
    """The exact p-value and "exact", or None and "permutation" where there are too many exchanges."""
    exchanges = pair.exchanges()
    p = exact_p(*exchanges, observed) if exchanges else None
    return p, "permutation" if p is None else "exact"


def _all_blocks(pair: Pair, plan: _Plan) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    cells = len(pair.counts) * sum(block.size for block in plan.blocks)
    parts = parallel.in_chunks(partial(_resample, pair, plan.test), plan.blocks, plan.jobs, cells)
    resampled, exchanged = zip(*parts, strict=True)
    return np.concatenate(resampled), np.concatenate(exchanged)


def _resample(pair: Pair, test: str, blocks: Iterable[Block]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The difference on every resample and, for the Monte Carlo test, on every exchange of labels."""
    resampled, exchanged = [], [np.zeros(0)]
    for block in blocks:
        resampled.append(pair.resampled(draws.bootstrap(pair.counts, block.size, block.generator())))
        if test == "permutation":
            exchanged.append(pair.swapped(draws.label_swaps(pair.counts, block.size, block.generator(_SWAPS))))
    return np.concatenate(resampled), np.concatenate(exchanged)


def pair_up(measure: Measure, columns: dict[str, tuple[Array, Array]], clusters: Array | None = None) -> Pair:
    """Two runs' columns over the same questions as a Pair; `columns` maps a name to (of the first run, of the second)."""
    cells = np.stack(
        [np.asarray(side, dtype=np.float64) for both in zip(*columns.values(), strict=True) for side in both], axis=1
    )
    n, ordered = len(cells), measure.order is not None
    # Units are numbered by what they hold, not by where they stand, so that a shuffle of the questions changes no draw.
    rows, kind = distinct(cells)
    if clusters is None and not ordered:
        sides = _sides(measure, rows, list(columns))
        counts = np.bincount(kind, minlength=len(rows))
        return Pair(measure, Patterns(sides, np.tile(counts, 2)), counts, n)
    unit = (
        np.argsort(np.argsort(kind, kind="stable")) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    )
    order = np.lexsort((kind, unit))
    cells, unit = cells[order], unit[order]
    counts = np.ones(int(unit.max()) + 1, dtype=np.int64)
    if ordered:
        width = len(columns)
        both = np.concatenate([cells[:, :width], cells[:, width:]])
        own = {name: both[:, i] for i, name in enumerate(columns)}
        key = own[str(measure.order)]
        needs = {name: own[name] for name in measure.needs}
        return Pair(measure, compress_ordered(needs, key, np.concatenate([unit, unit + len(counts)])), counts, n)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    sides = _sides(measure, cells, list(columns))
    sums = {
        name: np.concatenate([np.add.reduceat(side, starts) for side in np.split(values, 2)])
        for name, values in sides.items()
    }
    return Pair(measure, Patterns(sums, np.tile(counts, 2)), counts, n)


def _sides(measure: Measure, cells: Array, names: list[str]) -> dict[str, Array]:
    """The per-question columns of the first run, and after them those of the second."""
    width = len(names)
    both = np.concatenate([cells[:, :width], cells[:, width:]])
    return {**measure.each({name: both[:, i] for i, name in enumerate(names)}), "n": np.ones(len(both))}


def p_value(observed: float, exchanged: NDArray[np.float64]) -> float:
    """$(1 + hits)/(1 + B)$, two-sided; ties count as hits with a relative tolerance, and so do undefined exchanges."""
    if np.isnan(observed):
        return float("nan")
    rounding = 1e-12 * float(np.nanmax(np.abs(exchanged), initial=0.0))
    hits = ~(np.abs(exchanged) < abs(observed) * (1 - 1e-10) - rounding)
    return float((1 + hits.sum()) / (1 + len(exchanged)))


def adjust(p: Sequence[float | None], correction: str) -> list[float | None]:
    """p-values adjusted for their number: Holm (family-wise error), Benjamini-Hochberg (false discovery rate) or not at all."""
    known = [i for i, value in enumerate(p) if value is not None and not np.isnan(value)]
    values = np.array([p[i] for i in known], dtype=np.float64)
    order, m = np.argsort(values, kind="stable"), len(values)
    adjusted = values.copy()
    if correction == "holm":
        adjusted[order] = np.minimum(1, np.maximum.accumulate(values[order] * (m - np.arange(m))))
    elif correction == "bh":
        scaled = values[order] * m / np.arange(1, m + 1)
        adjusted[order] = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    found: list[float | None] = [value if value is None else float("nan") for value in p]
    for i, value in zip(known, adjusted, strict=True):
        found[i] = float(value)
    return found


def _verdict(row: Comparison, p: float | None, alpha: float) -> str | None:
    if p is None or np.isnan(p):
        return None
    if p > alpha:
        return "not told apart"
    lower_is_better = parse(row.measure).declaration.lower_is_better
    return "worse" if (row.difference > 0) == lower_is_better else "better"
