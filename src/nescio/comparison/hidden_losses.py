"""Find runs that answer worse than their baseline, although no measure of the comparison shows it.

Some measures do not fall if right answers become wrong, such as the Brier score and the share of false refusals. By
others a run wins that answers nothing, such as the rate of hallucinations and precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist, harmonic_mean
from types import SimpleNamespace
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import USER, known
from nescio.data.evidence import Data, Evidence
from nescio.data.notes import Note, note
from nescio.data.reasons import MUCH
from nescio.data.repeats import Repeats
from nescio.data.results import Comparison, Results
from nescio.errors import NescioError
from nescio.measures import Measure, parse
from nescio.measures._measure import KINDS_OF_ANSWER
from nescio.scoring.samples import measure_inputs
from nescio.stats.intervals import FEW

# The codes of notes on a run with fewer right and more wrong answers, and on one that answers less.
WORSE_ANSWERS, LESS = "hidden_losses.worse_answers", "hidden_losses.less"
LOSSES = (WORSE_ANSWERS, LESS)
_RIGHT, _WRONG = "accuracy", "simpleqa.incorrect"
_ATTEMPTS = 2
# of imagined runs: how many questions have each of the kinds of answer; the first is nearly always right
_NUMBERS = ([158, 1, 1, 40], [0, 0, 160, 40], [1, 0, 159, 40])


def share_of(data: Data, measure: Measure) -> dict[str, float]:
    """Return the share of questions that a measure counts, keyed by run; a run without answers is left out."""
    of_runs = ((data.runs[sample.run], sample.patterns) for sample in measure_inputs(data, [measure])[0])
    sums = (
        (run, patterns.counts @ patterns.columns[measure.needs[0]], patterns.counts.sum()) for run, patterns in of_runs
    )
    return {run: float(counted / asked) for run, counted, asked in sums if asked}


def on_losses(
    benchmarks: Iterable[Data],
    rows: Iterable[Any],
    share_of: Callable[[Data, Measure], Mapping[str, float]] = share_of,
) -> Iterator[Note]:
    """Yield a note on each run that answers worse or less than its baseline.

    `rows` compare the runs. Shares come from `share_of`, and are means over the benchmarks that both runs have.
    """
    benchmarks, rows = [*benchmarks], [*rows]
    yield from _on_worse_answers(benchmarks, rows, share_of)
    besides = dict.fromkeys(parse(row.measure).declaration.beside for row in rows)
    values = {beside: _values(benchmarks, parse(beside)) for beside in besides if beside}
    for row in rows:
        if beside := parse(row.measure).declaration.beside:
            yield from _on_less(values[beside], row, beside)


def _on_worse_answers(
    benchmarks: Iterable[Data], rows: Iterable[Any], share_of: Callable[[Data, Measure], Mapping[str, float]]
) -> Iterator[Note]:
    """Yield a note on each run that has fewer right answers than its baseline, as `worse_answers` says."""
    by_silence: dict[tuple[str, str], bool] = {}
    for row in rows:
        by_silence[row.run, row.baseline] = by_silence.get((row.run, row.baseline), False) or wins_by_silence(
            row.measure
        )
    counted = [data for data in benchmarks if {"correct", "incorrect"} <= {*data.columns}]
    shares = [[share_of(data, parse(name)) for name in (_RIGHT, _WRONG)] for data in counted]
    for (run, baseline), silent in by_silence.items():
        both = [by_kind for by_kind in shares if {run, baseline} <= by_kind[0].keys() & by_kind[1].keys()]
        units = _units([data for data in counted if {run, baseline} <= {*data.runs}])
        if both:
            before, now = (
                [float(np.mean([by_kind[kind][name] for by_kind in both])) for kind in (0, 1)]
                for name in (baseline, run)
            )
            yield from worse_answers(run, baseline, before, now, units, by_silence=silent)


def _values(benchmarks: Sequence[Data], measure: Measure) -> list[tuple[Data, dict[str, float]]]:
    """Return each benchmark with the columns of a measure, and the measure's value of each run on it."""
    having = [data for data in benchmarks if {*measure.on(data.columns).needs} <= {*data.columns}]
    return [
        (data, {data.runs[sample.run]: float(sample.value) for sample in measure_inputs(data, [measure])[0]})
        for data in having
    ]


def _on_less(values: Sequence[tuple[Data, Mapping[str, float]]], row: Any, beside: str) -> Iterator[Note]:
    """Yield a note if a run falls by a tenth in the measure `beside` its own; `values` has those of each benchmark."""
    both = [(data, of_runs) for data, of_runs in values if {row.run, row.baseline} <= of_runs.keys()]
    if not both:
        return
    before, now = (float(np.mean([of_runs[name] for _, of_runs in both])) for name in (row.baseline, row.run))
    if (units := _units([data for data, _ in both])) >= FEW and before - now >= MUCH - 1e-9:
        yield note(
            LESS,
            "run {subject!r} against {baseline!r}: {beside} {before:.2f} → {right:.2f}",
            row.run,
            baseline=row.baseline,
            measure=row.measure,
            beside=beside,
            before=before,
            right=now,
            units=units,
        )


def _units(benchmarks: Sequence[Data]) -> float:
    """Return the number of independent units by which a mean over benchmarks varies."""
    sizes = [max(1, data.units if isinstance(data, Evidence) else data.size or 0) for data in benchmarks]
    return len(sizes) * harmonic_mean(sizes) if sizes else 0.0


def worse_answers(
    run: str, baseline: str, before: Sequence[float], now: Sequence[float], units: float, *, by_silence: bool
) -> Iterator[Note]:
    """Yield a note if a run has fewer right and more wrong answers than its baseline, or only fewer right ones.

    The latter is enough if a measure of the comparison is one by which a run wins `by_silence`. `before` holds the
    baseline's shares of right and of wrong answers, and `now` those of the run, over so many independent `units`. A
    difference of less than a tenth has no note, nor one on fewer than 30 units.
    """
    fell, rose = before[0] - now[0], now[1] - before[1]
    if units >= FEW and (fell if by_silence else min(fell, rose)) >= MUCH - 1e-9:
        yield note(
            WORSE_ANSWERS,
            "run {subject!r} against {baseline!r}: right answers {before:.0%} → {right:.0%}, wrong answers "
            "{wrong_before:.0%} → {wrong:.0%}",
            run,
            baseline=baseline,
            before=before[0],
            right=now[0],
            wrong_before=before[1],
            wrong=now[1],
            units=units,
        )


def hidden_loss(comparisons: Results[Any], row: Any, gated: Collection[str]) -> str:
    """Return why the difference of a row decides nothing: the run answers worse, and no measure of `gated` shows it.

    A run answers worse if right answers fell and wrong ones rose, both by a tenth of the questions and beyond chance. A
    measure shows it if its difference is significantly worse, or worse by at least half of the lost share of right
    answers. By a measure by which a run wins that answers nothing, it is enough that right answers fell, unless one of
    `gated` counts both right and wrong answers.
    """
    pair = (row.run, row.baseline)
    rows = [other for other in comparisons if (other.run, other.baseline) == pair and other.measure in gated]
    remarks = [n for n in comparisons.notes if n.code in LOSSES and (n.subject, n["baseline"]) == pair]
    less = next((n for n in remarks if n.code == LESS and n["measure"] == row.measure), None)
    if less and _rose(less["right"], less["before"], less["units"]) and not any(_shows(other, less) for other in rows):
        return (
            f"{row.measure} does not show that {less['beside']} fell from {less['before']:.2f} to {less['right']:.2f}; "
            f"decide by {less['beside']}, too"
        )
    remarks = [n for n in remarks if n.code == WORSE_ANSWERS]
    if not remarks or any(_shows(other, remarks[0]) for other in rows):
        return ""
    was = remarks[0]
    rose = _rose(was["wrong_before"], was["wrong"], was["units"])
    kinds = [parse(other.measure).declaration.descriptive or wins_by_silence(other.measure) for other in rows]
    silent = wins_by_silence(row.measure) and all(kinds)
    if not _rose(was["right"], was["before"], was["units"]) or not (rose or silent):
        return ""
    wrong = f", and wrong ones rose from {was['wrong_before']:.0%} to {was['wrong']:.0%}" if rose else ""
    return (
        f"{row.measure} does not show that right answers fell from {was['before']:.0%} to {was['right']:.0%} of the "
        f"questions{wrong}; decide by a measure of right answers, too"
    )


def hidden_between(benchmarks: Iterable[Data], results: Results[Any], row: Comparison) -> str:
    """Return why the difference of a row on these benchmarks decides nothing (`hidden_loss`), or "" if it may."""
    remarks = tuple(on_losses(benchmarks, [row]))
    return hidden_loss(replace(results, rows=(row,), notes=remarks), row, {row.measure})


@lru_cache(maxsize=1024)
def wins_by_silence(name: str) -> bool:
    """Return whether a run that answers nothing, or one question, scores as well as one that is nearly always right.

    The silent runs decline wrong candidates. Every measure of confidences counts as one by which silence wins, and so
    does one of the user's own columns alone. No measure does whose columns of a task depend on each other in an unknown
    way.
    """
    measure = parse(name)
    if measure.declaration.beside:
        return True
    if not {"confidence", "probability"}.isdisjoint(measure.reads):
        return True
    scores = [read for read in measure.reads if read.startswith(USER)]
    unknown = [read for read in map(known, measure.reads) if read.namespace and not (read.simulate or read.derive)]
    if {*measure.reads} <= {"n", *scores}:  # silence costs nothing, and may be as faithful or polite as any answer
        return True
    if len(unknown) - len(scores) > 1:
        return False
    # All answers of an imagined run to a question are alike, so any number of them gives the same value.
    if measure.declaration.repeats and "k" in measure.parameters:
        measure = replace(measure, parameters={**measure.parameters, "k": _ATTEMPTS})
    try:
        right, *few = (sample.value for sample in measure_inputs(_imagined(measure.reads), [measure])[0])
    except NescioError:  # a measure of columns whose values follow other rules
        return False
    return any(value <= right if measure.declaration.lower_is_better else value >= right for value in few)


def _imagined(reads: Sequence[str]) -> Evidence:
    """Return three runs with the columns `reads`: one that is nearly always right, a silent one, and one right answer.

    Every question is asked twice. A fifth of the questions has no answer, and all runs decline these. A user's column
    describes the question. A task's column is what it imagines (`simulate`), or else 1 for what is right.
    """
    kinds = np.array([np.repeat(np.arange(4), numbers) for numbers in _NUMBERS]).repeat(_ATTEMPTS, axis=1)
    shape, question = kinds.shape, np.arange(kinds.shape[1]) // _ATTEMPTS
    columns: dict[str, Any] = {name: values[kinds] for name, values in KINDS_OF_ANSWER.items()}
    answered, right, side = columns["answered"] == 1, columns["correct"] == 1, np.broadcast_to(question % 2, shape)
    columns |= {"answerable": kinds < 3, "candidate_correct": np.zeros(shape), "candidate_incorrect": ~answered}
    columns |= {"confidence": np.where(answered, right, np.nan)}
    about = SimpleNamespace(behaviour=kinds, answered=answered, right=right, side=side, sure=columns["confidence"])
    for name in reads:
        column = known(name)
        if name not in columns and not (column.derive and not column.validated):
            cells = side if name.startswith(USER) else column.simulate(about) if column.simulate else right
            columns[name] = cells
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    names = tuple(f"q{number:03}" for number in question)
    repeats = Repeats(question, np.arange(shape[1]) % _ATTEMPTS)
    absence = np.zeros(shape, dtype=np.uint8)
    return Evidence(("right", "silent", "few"), names, columns, absence, clusters=question, repeats=repeats)


def _shows(row: Any, remark: Note) -> bool:
    loss = row.difference if parse(row.measure).declaration.lower_is_better else -row.difference
    return row.verdict == "worse" or loss >= (remark["before"] - remark["right"]) / 2


def _rose(less: float, more: float, units: float) -> bool:
    """Return whether a share rose by a tenth, and by more than chance moves two independent samples."""
    chance = NormalDist().inv_cdf(0.95) / math.sqrt(units) * math.sqrt(_variance(more) + _variance(less))
    return more - less >= MUCH - 1e-9 and more - less > chance


def _variance(share: float) -> float:
    return max(0.0, share * (1 - share))  # rounding, or a correction by labels, may lead beyond 1
