"""Make notes on runs and benchmarks of a comparison that no gate may trust, such as a benchmark that a run lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from nescio.comparison.each_pair import on_part
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, gather, note
from nescio.data.policy_notes import FEW_CLUSTERS, LACKING
from nescio.data.reasons import NOT_DECLINED, notes_on_pairs
from nescio.measures import Measure
from nescio.suites.definition import Suite
from nescio.suites.macro_differences import PairOverSuite

FEWEST_CLUSTERS = 10  # fewer clusters decide nothing (docs/which-method.md)


def on_lacking(suite: Suite, runs: Iterable[str], baseline: str | None) -> Iterator[Note]:
    """Yield a note on each of `runs` that lacks a benchmark which the baseline has. The note names these benchmarks."""
    for run in runs:
        names = [b.name for b in suite.benchmarks if baseline in b.data.runs and run not in b.data.runs]
        if names:
            yield note(
                LACKING, "run {subject!r} lacks {lacking:and 3}, which {old!r} has", run, lacking=names, old=baseline
            )


def on_benchmarks(suite: Suite, differences: Sequence[tuple[Measure, PairOverSuite]]) -> Iterator[Note]:
    """Yield notes on the pairs of runs that are compared, and on the benchmarks.

    The notes are on few clusters, on questions that a measure cannot use, and on abstentions that no system decided on,
    such as lost answers. Each benchmark has notes of its own, because each counts as much as any other in the mean.
    """
    pairs = [pair.runs for _, pair in differences]
    for remark in notes_on_pairs(pairs, [benchmark.loaded.silence for benchmark in suite.benchmarks]):
        if remark.code != NOT_DECLINED:
            yield remark
    for benchmark in suite.benchmarks:
        excluded = benchmark.loaded.ungraded_left_out
        silent = notes_on_pairs(pairs, [benchmark.loaded.silence], ungraded_left_out=excluded)
        remarks = [remark for remark in silent if remark.code == NOT_DECLINED]
        data = benchmark.data
        if isinstance(data, Evidence) and data.groups is not None and data.units < FEWEST_CLUSTERS:
            remarks.append(note(FEW_CLUSTERS, "its questions are in {clusters:n cluster}", clusters=data.units))
        remarks += gather(
            [
                (remark, measure.label, f"{pair.runs[0]!r} against {pair.runs[1]!r}")
                for measure, pair in differences
                for part in pair.parts
                if part.benchmark == benchmark.name
                for remark in on_part(part.n, part.of, every=False, alike=part.alike)
            ]
        )
        yield from (replace(remark, benchmarks=(benchmark.name,)) for remark in remarks)
