"""Split the variance of scores into differences between questions and the chance of single answers."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from statistics import NormalDist
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.estimating.statistic import influence as unit_influence
from nescio.measures import Measure, Measures
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.samples import columns_for, measure_inputs
from nescio.scoring.score import open_data, parse_all, strata
from nescio.stats.parallel import followed
from nescio.stats.variance_split import Split, intraclass, split


class Repeatability(Struct, frozen=True):
    """The value of a measure for a run whose questions were asked several times, and how much of it is chance.

    `se` is the standard error of the value over questions. `variance` is the variance of a question's contribution: the
    sum of `questions` (differences between questions) and `sampling` (other answers to the same questions). `noise` is
    the largest difference that two batches of answers of the same system show by chance, at the requested level.
    `intraclass` is the share of a single answer's variance that lies between questions. `flipping` counts the questions
    whose answers had different outcomes. Values are NaN if a question was asked once.
    """

    run: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    value: Annotated[float, Shown()]
    se: Annotated[float, Shown("standard error")]
    variance: float
    questions: float
    sampling: float
    noise: Annotated[float, Shown("noise floor")]
    intraclass: float
    flipping: Annotated[int, Shown("questions that flip")]
    n: Annotated[int, Shown()]
    repeats: Annotated[str, Shown()]

    @property
    def due_to_sampling(self) -> Annotated[float, Shown(form="percent", after="se")]:
        """Return the share of the variance that comes from sampling answers, NaN if there is no variance."""
        return min(self.sampling / self.variance, 1.0) if self.variance else math.nan


class OfRepeat(Row, frozen=True):
    """The value of a measure on one repeat of a run, over the `n` questions that have this repeat."""

    across: ClassVar[tuple[str, str] | None] = ("repeat", "value")

    run: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    repeat: Annotated[str, Shown()]
    value: Annotated[float, Shown()]
    n: int


class Noise(Struct, frozen=True):
    """How far the values of two runs may differ by the chance of their answers alone, at the requested level.

    A smaller `difference` than this `noise` shows nothing.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    difference: Annotated[float, Shown(form="signed")]
    noise: Annotated[float, Shown("noise floor")]


class Flip(Row, frozen=True):
    """A question whose answers had different outcomes, and the number of answers with each."""

    most_listed: ClassVar[int | None] = 10

    run: Annotated[str, Shown()]
    question: Annotated[str, Shown()]
    correct: Annotated[int, Shown()]
    incorrect: Annotated[int, Shown()]
    unanswered: Annotated[int, Shown()]


def repeats(
    source: Any, measures: Measures, *, ci: float, progress: Progress | None, **options: Any
) -> Results[Repeatability]:
    """Estimate how much of each score is the chance of single answers, if questions were asked several times.

        nescio.lab.repeats("trials.csv", "accuracy").rows[0].noise

    The variance of a value is split into differences between questions and sampling, by the delta method on the means
    of each question. The split is exact for means and c@1. `ci` is the confidence level of the noise floors in percent.
    `progress` is told how many runs and measures are done.

    Rows are `Repeatability`. `tables["noise"]` has the noise floor of each pair of runs, and `tables["by_repeat"]` the
    value of each repeat. `tables["flips"]` has the questions whose answers had different outcomes, the most divided
    first. Raises MismatchError if no question was asked twice. Raises UsageError for a measure whose variance cannot be
    split (of an order, or at k).
    """
    loaded = open_data(source, {"strata": (), **options}, measures)
    data = repeated_evidence(loaded)
    z = NormalDist().inv_cdf((1 + ci / 100) / 2)
    wanted = parse_all(measures, loaded)
    flips = _flips(data)
    unlike = Counter(flip.run for flip in flips)
    asked = dict(zip(data.runs, map(data.repeats.span, data.present[:, None]), strict=True)) if data.repeats else {}
    rows: list[Repeatability] = []
    pairs: list[Noise] = []
    notes: list[Note] = list(loaded.notes)
    each_one = followed([(measure, i) for measure in wanted for i in range(len(data.runs))], progress)
    splits = {(measure.label, i): run_split(data, measure, i) for measure, i in each_one}
    for measure in wanted:
        values = {data.runs[sample.run]: sample.value for sample in measure_inputs(data, [measure])[0]}
        parts = {run: splits[measure.label, i] for i, run in enumerate(data.runs)}
        for run, part in parts.items():
            rows.append(_row(run, measure, values[run], part, z, flipping=unlike[run], asked=asked[run]))
            notes += _doubts(run, measure, part[0])
        for x, y in combinations(data.runs, 2):
            floor = z * math.sqrt((parts[x][0].sampling + parts[y][0].sampling) / parts[x][0].units)
            shared = parts[x][0].units == parts[y][0].units
            pairs.append(Noise(y, x, measure.label, values[y] - values[x], floor if shared else math.nan))
    by_repeat = [
        OfRepeat(data.runs[sample.run], measure.label, str(stratum), sample.value, sample.n)
        for stratum, part in strata(data, "repeat")
        if stratum is not None
        for measure in wanted
        for sample in measure_inputs(part, [measure])[0]
        if sample.n
    ]
    line = sign(measures="+".join(m.name for m in wanted), **loaded.signature, ci=f"{ci:g}", interval="normal")
    tables = {"noise": tuple(pairs), "by_repeat": tuple(by_repeat), "flips": tuple(flips)}
    kept = {name: table for name, table in tables.items() if table}
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "repeats", kept)


def repeated_evidence(loaded: Loaded) -> Evidence:
    """Return the data if questions were asked several times. Raises MismatchError if they were not."""
    if loaded.data.repeats is None:
        raise MismatchError(
            "no question was asked twice, so the share of chance is unknown; if a column numbers the repeats of a "
            f"question, name it with {opt('column')} repeat=COLUMN"
        )
    return loaded.data


def run_split(data: Evidence, measure: Measure, run: int) -> tuple[Split, float]:
    """Return the split variance of a run's score, and the share of an answer's variance that lies between questions."""
    values, question = influence(data, measure, run)
    if not len(values):
        return Split(0, math.nan, math.nan, math.nan), math.nan
    unit = np.unique(question, return_inverse=True)[1]
    part = split(values, unit)
    if math.isnan(part.sampling) or part.units < 2:
        return part, math.nan
    _, within, _, between = intraclass(values, unit)
    between = max(between, 0.0)
    return part, between / (between + within) if between + within > 0 else math.nan


def influence(data: Evidence, measure: Measure, run: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return each answer's contribution to a measure, centred at 0, and the index of each answer's question.

    The contribution is a sum over columns: the derivative of the formula by the mean of the column, times the deviation
    of the answer from that mean. Raises UsageError for a measure that is not a function of means over the answers.
    """
    if not measure.of_counts:
        why = "depends on the order of all answers" if measure.order else "counts the answers to each question"
        raise UsageError(f"{measure.label} {why}, so its variance cannot be split; use accuracy, c@1 or another mean")
    assert data.repeats is not None
    measure, read, usable = columns_for(data, measure)
    use, question = usable[run], data.repeats.question[usable[run]]
    mapped = measure.each({name: np.asarray(read[name][run][use], dtype=np.float64) for name in measure.needs})
    if not len(question):
        return np.zeros(0), question
    units = np.unique(question, return_inverse=True)[1]
    weights = 1 / np.bincount(units)[units] / (units.max() + 1)
    return unit_influence(measure.of_totals, {**mapped, "n": np.ones(len(question))}, weights), question


def _row(
    run: str, measure: Measure, value: float, part: tuple[Split, float], z: float, *, flipping: int, asked: str
) -> Repeatability:
    of, share = part
    error, noise = (of.error, z * of.noise) if of.units else (math.nan, math.nan)
    between = of.between if math.isnan(of.between) else max(of.between, 0.0)
    figures = (value, error, of.total, between, of.sampling, noise, share)
    return Repeatability(run, measure.label, *figures, flipping, of.units, asked)


def _doubts(run: str, measure: Measure, part: Split) -> list[Note]:
    if part.units and math.isnan(part.sampling):
        return [
            note(
                "repeats.asked_once",
                "{measure}: run {subject!r} answered some questions only once, so its variance cannot be split",
                run,
                measure=measure.label,
            )
        ]
    if part.between < 0:
        return [
            note(
                "repeats.no_difference",
                "{measure}: chance alone would explain more than the whole variance of run {subject!r}, so the "
                "share due to questions is given as 0",
                run,
                measure=measure.label,
            )
        ]
    return []


def _flips(data: Evidence) -> list[Flip]:
    """Return the questions whose answers had different outcomes; those whose answers differ most come first."""
    if data.repeats is None or not {*OUTCOMES} <= {*data.columns}:
        return []
    question = data.repeats.question
    names = dict(zip(question.tolist(), data.questions, strict=True))
    flips = []
    for run, name in enumerate(data.runs):
        use = data.present[run]
        counts = np.stack([np.bincount(question[use], data.columns[o][run][use], len(names)) for o in OUTCOMES], axis=1)
        asked = counts.sum(axis=1)
        unlike = np.flatnonzero((counts > 0).sum(axis=1) > 1)
        agree = (counts * (counts - 1)).sum(axis=1) / np.maximum(asked * (asked - 1), 1)
        order = unlike[np.argsort(agree[unlike], kind="stable")]
        flips += [Flip(name, names[int(q)], *map(int, counts[q])) for q in order]
    return flips
