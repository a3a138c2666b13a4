"""Measure how far two measures agree on the ranking of runs, and find the pairs of runs on which they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Data
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.measures import Measure, Measures
from nescio.options.edge import Progress
from nescio.scoring.samples import measure_inputs
from nescio.scoring.score import open_data, parse_all
from nescio.stats.agreement import kendall_tau_b, rbo, tau_ap_b
from nescio.stats.parallel import followed

ALIKE = 0.005  # as a share of a measure's range: such values round to the same two decimals in the paper's Table 3

Floats = NDArray[np.float64]


class Agreement(Struct, frozen=True):
    """The agreement of two measures on the ranking of runs.

    `discordant` is the number of pairs of runs that the two measures order oppositely.
    """

    measure: str
    other: str
    tau_b: float
    tau_ap: float
    rbo: float
    runs: int
    discordant: int


class Disagreement(Struct, frozen=True):
    """One run of a pair of runs that two measures order differently; each pair has two consecutive rows.

    `place` numbers the pairs, 1 for the largest disagreement. `how` is "opposite" if each measure prefers a different
    run, and "alike" if one measure treats both runs as equal. The first row of a pair is the run preferred by the
    measure with the larger difference, or by `measure` if the differences are equal.
    """

    measure: str
    other: str
    place: int
    how: str
    run: str
    value: float
    other_value: float


class CountedDisagreement(Disagreement, frozen=True):
    """A `Disagreement` that also has the counts of outcomes of its run, as in Table 3 of Peñas & Rodrigo 2011."""

    correct: int
    incorrect: int
    unanswered: int


def agreement(
    source: Any, measures: Measures, *, rbo_p: float, top: int, progress: Progress | None, **options: Any
) -> Results[Agreement]:
    """Return the rank correlations of each pair of measures over runs, and the runs on which they disagree most.

        nescio.meta.agreement("table3.csv", ["c@1", "accuracy"]).rows[0].tau_b

    Rankings start with the best run, whether high or low is better. `tau_ap` is the symmetric form, because neither
    measure is the truth; see `nescio.stats.agreement` for the three coefficients and their ties. `rbo_p` is the p of
    rank-biased overlap. `tables["disagreements"]` shows the `top` pairs of runs on which two measures differ most.
    Counts tables are enough. `progress` is called with the number of pairs compared so far. Raises the errors of
    `nescio.score`, and UsageError for fewer than two measures.
    """
    loaded = open_data(source, {"strata": (), **options}, measures)
    data, wanted = loaded.data, parse_all(measures, loaded)
    if len(data.runs) < 2:
        raise MismatchError(
            f"there is one run, {data.runs[0]!r}; this study compares pairs of runs, so it needs two runs or more"
        )
    if len(wanted) < 2:
        raise UsageError(f"agreement needs two measures or more (found {wanted[0].label})")
    inputs, notes = measure_inputs(data, wanted)
    scores = {measure.label: np.full(len(data.runs), np.nan) for measure in wanted}
    for sample in inputs:
        scores[sample.measure.label][sample.run] = sample.value
    counts = _counts(data)
    rows: list[Agreement] = []
    shown: list[Disagreement] = []
    for first, other in followed([*combinations(wanted, 2)], progress):
        values, others = scores[first.label], scores[other.label]
        known = np.flatnonzero(~np.isnan(values) & ~np.isnan(others))
        rows.append(_compare(first, other, values[known], others[known], rbo_p))
        for place, (how, pair) in enumerate(_disagreements(first, other, values, others, known)[:top], 1):
            for run in pair:
                row = Disagreement(
                    first.label, other.label, place, how, data.runs[run], float(values[run]), float(others[run])
                )
                shown.append(row if counts is None else CountedDisagreement(*astuple(row), *counts[run].tolist()))
    line = sign(measures="+".join(m.name for m in wanted), **loaded.signature, rbo_p=f"{rbo_p:g}")
    notes = list(dict.fromkeys([*loaded.notes, *notes, *_undefined(data.runs, scores)]))
    return Results(tuple(rows), line, tuple(notes), "agreement", {"disagreements": tuple(shown)})


def _compare(measure: Measure, other: Measure, values: Floats, others: Floats, p: float) -> Agreement:
    first, second = _upward(measure, values), _upward(other, others)
    opposite = np.sign(first[:, None] - first) * np.sign(second[:, None] - second) < 0
    return Agreement(
        measure=measure.label,
        other=other.label,
        tau_b=kendall_tau_b(first, second),
        tau_ap=tau_ap_b(first, second),
        rbo=rbo(first, second, p),
        runs=len(first),
        discordant=int(opposite.sum()) // 2,
    )


def _upward(measure: Measure, values: Floats) -> Floats:
    """Return the values of a measure, negated if lower is better.

    Values that differ only by rounding are made equal.
    """
    turned = -values if measure.declaration.lower_is_better else values
    largest = np.abs(turned).max(initial=0.0)
    return np.round(turned, 12 - int(np.ceil(np.log10(largest)))) if largest else turned


def _disagreements(
    measure: Measure, other: Measure, values: Floats, others: Floats, known: NDArray[np.int64]
) -> list[tuple[str, tuple[int, int]]]:
    """Return the pairs of runs on which two measures disagree, largest first, and how: "alike" or "opposite".

    "Opposite" means that each measure prefers a different run, "alike" that just one measure treats the runs as equal.
    A difference of two runs is a share of the measure's range (or of the runs' spread, if the range is infinite). Runs
    are equal if they differ by at most 0.005. The size of a disagreement is how far the two measures' differences lie
    apart.
    """
    first = _upward(measure, values[known]) / _range(measure, values[known])
    second = _upward(other, others[known]) / _range(other, others[known])
    disagreements = []
    for x, y in combinations(range(len(known)), 2):
        a, b = first[x] - first[y], second[x] - second[y]
        if min(abs(a), abs(b)) <= ALIKE < max(abs(a), abs(b)):
            how = "alike"
        elif a * b < 0 and min(abs(a), abs(b)) > ALIKE:
            how = "opposite"
        else:
            continue
        decided = a if abs(a) >= abs(b) * (1 - 1e-9) else b
        pair = (known[x], known[y]) if decided > 0 else (known[y], known[x])
        disagreements.append((-round(abs(a - b), 12), how, (int(pair[0]), int(pair[1]))))
    return [(how, pair) for _, how, pair in sorted(disagreements, key=lambda item: item[0])]


def _range(measure: Measure, values: Floats) -> float:
    low, high = measure.bounds
    return float(high - low if np.isfinite(high - low) else np.ptp(values) or 1.0)


def _counts(data: Data) -> NDArray[np.int64] | None:
    """Return the numbers of correct, incorrect and unanswered questions of each run, shape (runs, 3), or None if
    unknown."""
    if not {*OUTCOMES} <= {*data.columns}:
        return None
    totals = data.tally().totals()
    return np.stack([totals[name] for name in OUTCOMES], axis=1)


def _undefined(runs: Sequence[str], scores: dict[str, Floats]) -> list[Note]:
    notes = []
    for label, values in scores.items():
        without = [runs[run] for run in np.flatnonzero(np.isnan(values)).tolist()]
        if without:
            notes.append(
                note(
                    "meta.undefined_runs",
                    "the comparisons of {subject} leave out {runs:list 3}, because {subject} is undefined there",
                    label,
                    runs=list(map(repr, without)),
                )
            )
    return notes
