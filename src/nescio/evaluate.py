"""Values and intervals: every measure of every run, from Evidence or from counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio import draws, intervals, parallel
from nescio.draws import Block
from nescio.errors import MismatchError, UsageError
from nescio.evidence import OUTCOMES, Evidence, Patterns, Tally, outcome_tally
from nescio.intervals import Interval
from nescio.load import Loaded, Options, load
from nescio.measures import Measure, parse
from nescio.results import Score, Scores, signature
from nescio.samples import Sample, samples

INTERVALS = ("auto", "percentile", "bca", "dirichlet", "wilson")
_BLOCKS_A_TASK = 8
_CHEAP = 1 << 22  # resampled cells below which a second process is not worth starting

Progress = Callable[[int, int], None]


def score(
    given: Any,
    measures: Sequence[str] | str | None = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    interval: str = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Scores:
    """The value of each measure for each run, with its interval.

    `given` is a path or several, a pandas, Polars or Arrow table, an Evidence or a Tally. `measures` are names such as
    "c@1" or "penalty(t=0.75)". `by` names a stratum to break the scores down by; `ci` is the level in percent, or None for
    no interval; `interval` is auto, percentile, bca, dirichlet or wilson. `options` are those of `nescio.load.Options`.

    Raises NescioError: FormatError and its kin for the data, UsageError for options that make no sense.
    """
    check_resampling(ci, resamples, jobs, seed)
    if interval not in INTERVALS:
        raise UsageError(f"interval must be one of {', '.join(INTERVALS)} (found {interval!r})")
    loaded = open_data(given, {"strata": (by,) if by else ()} | options)
    wanted = parse_all(measures, loaded)
    clustered = isinstance(loaded.data, Evidence) and loaded.data.clusters is not None
    methods = {m.label: method_for(m, interval, clustered=clustered) for m in wanted} if ci else {}
    notes = list(loaded.notes)
    work: list[tuple[str | None, list[Sample]]] = []
    for stratum, part in strata(loaded.data, by):
        found, more = samples(part, wanted)
        notes += more if stratum is None else []
        found.sort(key=lambda s: str(s.draw))
        work += [(stratum, list(group)) for _, group in groupby(found, key=lambda s: s.draw)]
    rows: dict[tuple[str | None, int, str], Score] = {}
    for done, (stratum, group) in enumerate(work):
        bounds = _bounds(group, methods, (ci or 0) / 100, draws.blocks(resamples, seed), jobs) if ci else {}
        for sample in group:
            label, run = sample.measure.label, loaded.data.runs[sample.run]
            low, high, remarks = bounds.get(label, (None, None, []))
            notes += [
                f"{label}, run {run!r}{f', {by} {stratum!r}' if stratum is not None else ''}: {r}" for r in remarks
            ]
            rows[stratum, sample.run, label] = Score(
                run, label, sample.value, low, high, sample.n, stratum, methods.get(label)
            )
        if progress:
            progress(done + 1, len(work))
    order = [
        (s, run, m.label) for s, _ in strata(loaded.data, by) for run in range(len(loaded.data.runs)) for m in wanted
    ]
    how = {"ci": f"{ci:g}", "interval": "+".join(dict.fromkeys(methods.values()))} if ci else {"interval": "none"}
    drawn = {"draw": "clusters" if clustered else "questions", "resamples": resamples, "seed": seed} if ci else {}
    by_part = {"by": by} if by else {}
    line = signature(measures="+".join(m.name for m in wanted), **loaded.signature, **by_part, **how, **drawn)
    return Scores(tuple(rows[key] for key in order), line, tuple(dict.fromkeys(notes)), "scores")


def open_data(given: Any, options: dict[str, Any]) -> Loaded:
    """What was given, read by `load` with these options (unknown ones raise UsageError)."""
    try:
        wanted = Options(**options)
    except TypeError as error:
        raise UsageError(str(error).replace("Options.__init__()", "this function")) from None
    return load(given, wanted)


def parse_all(measures: Sequence[str] | str | None, loaded: Loaded) -> list[Measure]:
    """The measures asked for, each once, or those that suit the data."""
    names = [measures] if isinstance(measures, str) else list(measures or loaded.measures)
    return [parse(name) for name in dict.fromkeys(name.strip() for name in names)]


def check_resampling(ci: float | None, resamples: int, jobs: int, seed: int) -> None:
    """Raise UsageError for a level, a number of resamples, of jobs or a seed that makes no sense."""
    if ci is not None and not 0 < ci < 100:
        raise UsageError(f"ci is a level in percent, between 0 and 100 (found {ci!r})")
    if resamples < 1:
        raise UsageError(f"resamples must be 1 or more (found {resamples!r})")
    if jobs == 0:
        raise UsageError("jobs must be 1 or more, or -1 for all cores (found 0)")
    if seed < 0:
        raise UsageError(f"seed must be 0 or more (found {seed!r})")


def strata(data: Evidence | Tally, by: str | None) -> list[tuple[str | None, Evidence | Tally]]:
    """All questions first, then, where a stratum is named, the questions of each of its values."""
    if by is None:
        return [(None, data)]
    if isinstance(data, Tally):
        raise MismatchError(f"a counts table has no questions, so it cannot be broken down by {by!r}")
    if by not in data.strata:
        have = ", ".join(data.strata) or "none were kept"
        raise MismatchError(f"no column {by!r} is constant within each question; columns that are: {have}")
    values = data.strata[by]
    return [(None, data), *((str(value), data.select(values == value)) for value in np.unique(values))]


def method_for(measure: Measure, asked: str, *, clustered: bool) -> str:
    """The interval method for a measure: the one asked for, or the one that the coverage study supports (docs/coverage.md).

    Raises UsageError where the method asked for does not exist for the measure.
    """
    proportion, counted = measure.declaration.proportion is not None, measure.counts_outcomes
    if asked == "auto":
        if clustered:
            return "percentile"
        return "wilson" if proportion else "dirichlet" if counted else "percentile"
    if asked == "wilson" and not proportion:
        raise UsageError(f"wilson is for plain proportions, and {measure.label} is none; use percentile, bca or auto")
    if asked == "dirichlet" and not counted:
        raise UsageError(
            f"dirichlet is for measures of correct, incorrect and unanswered, and {measure.label} reads more; use percentile, bca or auto"
        )
    if asked in ("wilson", "dirichlet") and clustered:
        raise UsageError(
            f"{asked} takes questions as independent, and these are clustered; use percentile, bca or auto"
        )
    return asked


def _bounds(
    group: Sequence[Sample], methods: dict[str, str], level: float, blocks: Sequence[Block], jobs: int
) -> dict[str, tuple[float, float, list[str]]]:
    """The interval of each sample of one draw, and remarks on it."""
    found: dict[str, tuple[float, float, list[str]]] = {}
    for method in dict.fromkeys(methods[sample.measure.label] for sample in group):
        members = [sample for sample in group if methods[sample.measure.label] == method]
        if method == "wilson":
            found |= {sample.measure.label: (*_wilson(sample, level), []) for sample in members}
            continue
        posterior = method == "dirichlet"
        resampled = [_as_outcomes(sample) for sample in members] if posterior else members
        values = _resample(resampled, blocks, jobs, posterior=posterior)
        for sample, column in zip(members, values, strict=True):
            if method == "bca":
                low, high = intervals.bca(column, sample.value, *_left_out(sample), level)
            else:
                low, high = intervals.percentile(column, level)
            if np.isnan(sample.value):
                low, high = intervals.UNDEFINED
            found[sample.measure.label] = (low, high, remarks(method, column, sample.n))
    return found


def _wilson(sample: Sample, level: float) -> Interval:
    part, whole = sample.measure.declaration.proportion or ("", "")
    totals = {name: float(sample.patterns.counts @ values) for name, values in sample.patterns.columns.items()}
    return intervals.wilson(totals[part], totals[whole], level)


def _as_outcomes(sample: Sample) -> Sample:
    """The same run as counts of the three outcomes, each of them possible."""
    counts = sample.patterns.counts
    totals = [[int(counts @ sample.patterns.columns[name]) for name in OUTCOMES]]
    tally = outcome_tally(("",), np.array(totals))
    patterns = Patterns({**sample.measure.each(tally.columns), "n": np.ones(3)}, tally.counts[0])
    return Sample(sample.run, sample.measure, patterns, sample.n, sample.draw)


def _resample(
    group: Sequence[Sample], blocks: Sequence[Block], jobs: int, *, posterior: bool
) -> list[NDArray[np.float64]]:
    """The value of each sample on every resample; the samples share the draws."""
    if not group[0].n:
        return [np.full(sum(block.size for block in blocks), np.nan) for _ in group]
    tasks = [blocks[i : i + _BLOCKS_A_TASK] for i in range(0, len(blocks), _BLOCKS_A_TASK)]
    cells = len(group[0].patterns.counts) * sum(block.size for block in blocks)
    parts = list(parallel.each(partial(_values, group, posterior), tasks, jobs if cells > _CHEAP else 1))
    return [np.concatenate([part[i] for part in parts]) for i in range(len(group))]


def _values(group: Sequence[Sample], posterior: bool, blocks: Iterable[Block]) -> list[NDArray[np.float64]]:
    draw = draws.dirichlet if posterior else draws.bootstrap
    columns: list[list[NDArray[np.float64]]] = [[] for _ in group]
    for block in blocks:
        weights = draw(group[0].patterns.counts, block.size, block.generator())
        for column, sample in zip(columns, group, strict=True):
            column.append(sample.measure.value(sample.patterns, weights))
    return [np.concatenate(column) for column in columns]


def _left_out(sample: Sample) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The value without one unit of each kind, and how many units there are of it."""
    counts = sample.patterns.counts
    parts = []
    for start in range(0, len(counts), draws.BLOCK):
        kinds = np.arange(start, min(start + draws.BLOCK, len(counts)))
        weights = np.repeat(counts[None], len(kinds), axis=0)
        weights[np.arange(len(kinds)), kinds] -= 1
        parts.append(sample.measure.value(sample.patterns, weights))
    return np.concatenate(parts), counts


def remarks(method: str, values: NDArray[np.float64], n: int) -> list[str]:
    """What the reader of an interval should know: resamples without a value, and methods known to fail on such data."""
    undefined = int(np.isnan(values).sum())
    found = (
        [f"undefined on {undefined} of {len(values)} resamples, which the {method} interval leaves out"]
        if undefined and n
        else []
    )
    doubt = intervals.doubt(method, values, n)
    return found + ([doubt] if doubt else [])
