"""Notes on each benchmark of a comparison: what a gate could be won by, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from nescio.comparison.each_pair import on_part
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, gather, note
from nescio.data.reasons import NOT_DECLINED, notes_on_pairs
from nescio.measures import Measure
from nescio.suites.choices import CLUSTERED, LACKING
from nescio.suites.definition import Suite
from nescio.suites.macro_differences import PairOverSuite


def on_lacking(suite: Suite, runs: Iterable[str], baseline: str | None) -> Iterator[Note]:
    """Yield a note on each of these runs that lacks a benchmark which the baseline has."""
    for run in runs:
        names = [b.name for b in suite.benchmarks if baseline in b.data.runs and run not in b.data.runs]
        if names:
            yield note(
                LACKING,
                "run {subject!r} lacks {lacking:and 3}, which {baseline!r} has",
                run,
                lacking=names,
                baseline=baseline,
            )


def on_clusters(suite: Suite) -> Iterator[Note]:
    """Yield a note on each benchmark whose questions are in clusters."""
    for benchmark in suite.benchmarks:
        data = benchmark.data
        if isinstance(data, Evidence) and data.groups is not None:
            remark = note(
                CLUSTERED,
                "{questions:,} questions are in {clusters:n cluster}{named:/, which no option names}",
                questions=data.size,
                clusters=data.units,
                named=bool(benchmark.loaded.options.cluster),
            )
            yield replace(remark, benchmarks=(benchmark.name,))


def on_silence(suite: Suite, pairs: Sequence[tuple[str, str]]) -> Iterator[Note]:
    """Yield the notes on outputs of two runs that are no answers; each benchmark alone may forbid a decision, as each
    counts the same."""
    for remark in notes_on_pairs(pairs, [benchmark.loaded.silence for benchmark in suite.benchmarks]):
        if remark.code != NOT_DECLINED:
            yield remark
    for benchmark in suite.benchmarks:
        excluded = benchmark.loaded.options.ungraded == "exclude"
        for remark in notes_on_pairs(pairs, [benchmark.loaded.silence], ungraded_left_out=excluded):
            if remark.code == NOT_DECLINED:
                yield replace(remark, benchmarks=(benchmark.name,))


def on_questions(suite: Suite, differences: Sequence[tuple[Measure, PairOverSuite]]) -> Iterator[Note]:
    """Yield notes on the benchmarks of which two runs are compared on some questions alone, or on none."""
    for name in suite.names:
        remarks = [
            (remark, measure.label, f"{pair.runs[0]!r} against {pair.runs[1]!r}")
            for measure, pair in differences
            for part in pair.parts
            if part.benchmark == name
            for remark in ([_none()] if not part.n else on_part(part.n, part.of, every=False))
        ]
        yield from (replace(remark, benchmarks=(name,)) for remark in gather(remarks))


def _none() -> Note:
    return note(
        "suite.no_pair",
        "no question has what the measure needs of both runs, so that the mean difference is undefined",
    )
