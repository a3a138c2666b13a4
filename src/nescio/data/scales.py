"""Tell whether the grades, costs or times of some runs seem to have another scale or unit than those of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nescio.data.columns import Array
from nescio.data.notes import Note, note
from nescio.data.reasons import MUCH

# Codes of notes on runs whose values seem to have different scales or units: those of `unit`, and those of `beyond`.
SCALES_DIFFER, GRADES_DIFFER = "measure.scales_differ", "measure.grades_differ"
UNITS_DIFFER, SIGNS_DIFFER = "measure.units_differ", "measure.signs_differ"
UNITS = (SCALES_DIFFER, GRADES_DIFFER, UNITS_DIFFER)  # a user may state that the scale and unit are the same
SCALES = (*UNITS, SIGNS_DIFFER)
_NUMBER = r"(-?(?:inf|\d+(?:\.\d+)?(?:e[+-]\d+)?))"
# "; " separates the ranges of joined runs.
_RANGE = re.compile(
    rf"(?:^|(?<=; )){_NUMBER} to {_NUMBER} \((.+?)(?:, from ([\d.e+-]+)|, up to (\S+), median {_NUMBER})?\)(?:; |$)",
    re.DOTALL,
)
_TOPS = (5, 10)  # the ends of common scales of grades, below 100
_FAR = 20  # Seconds and minutes differ by 60, so that a run may take three times as long and still seem faster.


def grades_in_words(
    column: str, values: Mapping[str, Sequence[float] | Array], threshold: float, *, most: bool = False
) -> dict[str, str]:
    """Return the range of each run's values in words, such as "0 to 1 (score)", for runs with values.

    If the `threshold` is the `most` that a right answer has, as of times, the words also have the median. They name a
    threshold that is not between 0 and 1, because only runs with the same threshold are compared. `column` and `values`
    are as in `scales_differ`.
    """
    words = {}
    for run, grades in ((run, _given(of_run)) for run, of_run in values.items()):
        if grades.size:
            named = column if 0 < threshold < 1 else f"{column}, from {threshold:g}"
            named = f"{column}, up to {threshold:g}, median {np.median(grades):.4g}" if most else named
            words[run] = f"{grades.min():.4g} to {grades.max():.4g} ({named})"
    return words


def ranges_differ(ranges: Iterable[tuple[str, str]]) -> list[Note]:
    """Return the notes of `scales_differ`, or of `units_differ`, on pairs of a run and its range in words."""
    compared: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for run, text in ranges:
        for *ends, column, least, most, median in _RANGE.findall(text):
            values = [*ends, median] if most else ends
            compared.setdefault((column, least, most), {}).setdefault(run, []).extend(map(float, values))
    notes = list[Note]()
    for (column, _, most), values in compared.items():
        differ = units_differ(column, values) if most else scales_differ(column, values, shares=True)
        # A threshold of 0 is the same in all units.
        notes += [remark for remark in differ if remark.code != UNITS_DIFFER or float(most)]
    return notes


def scales_differ(column: str, values: Mapping[str, Sequence[float] | Array], *, shares: bool = False) -> list[Note]:
    """Return notes if the values of a column seem to be grades on another scale in some runs than in others.

    They are between 0 and 1 in some runs and reach 2 or more in others, or at most 5 (or 10) in some runs, and higher
    in a tenth of the answers of others. `values` has the values of each run, with NaN for missing ones. Whole numbers
    between 0 and 1 may be counts, unless they are `shares` because the user compares them with a threshold.
    """
    given = {run: grades for run, of_run in values.items() if (grades := _given(of_run)).size}
    notes = list[Note]()
    far = [run for run, grades in given.items() if grades.max() >= 2]
    unit = [
        run
        for run, grades in given.items()
        if grades.min() >= 0 and grades.max() <= 1 and (shares or np.any(grades % 1 > 0))
    ]
    if unit and far:
        notes.append(
            note(
                SCALES_DIFFER,
                "the values of {column!r} are between 0 and 1 in {unit:list 3}, but reach {most:.4g} in {beyond:list "
                "3}: values on different scales cannot be compared",
                column=column,
                unit=unit,
                beyond=far,
                most=max(float(given[run].max()) for run in far),
            )
        )
        given = {run: given[run] for run in given if run not in unit}
    for top in _TOPS:
        within = [run for run, grades in given.items() if grades.max() <= top]
        beyond = [run for run, grades in given.items() if np.mean(grades > top) >= MUCH]
        if within and beyond:
            notes.append(
                note(
                    GRADES_DIFFER,
                    "the values of {column!r} are at most {top:g} in {unit:list 3}, but reach {most:.4g} in "
                    "{beyond:list 3}: they may be on different scales",
                    column=column,
                    top=top,
                    unit=within,
                    beyond=beyond,
                    most=max(float(given[run].max()) for run in beyond),
                )
            )
            given = {run: given[run] for run in given if run not in within}
    return notes


def units_differ(column: str, values: Mapping[str, Sequence[float] | Array]) -> list[Note]:
    """Return notes if costs or times seem to have another unit in some runs than in others, or are below 0 in some.

    A run whose values are all 0 may not know its costs. `values` is as in `scales_differ`.
    """
    given = {run: costs for run, of_run in values.items() if (costs := _given(of_run)).size}
    negative = [run for run, costs in given.items() if costs.min() < 0]
    notes = list[Note]()
    if negative and len(negative) < len(given):
        notes.append(
            note(
                SIGNS_DIFFER,
                "the values of {column!r} are never below 0 in {unit:list 3}, but some are in {beyond:list 3}: they "
                "may mark values that are missing",
                column=column,
                unit=[run for run in given if run not in negative],
                beyond=negative,
            )
        )
    medians = {run: float(np.median(costs)) for run, costs in given.items() if run not in negative}
    within = [run for run in medians if not given[run].any()]
    beyond = {run: median for run, median in medians.items() if 0 < median < np.inf}
    while beyond:
        if within:
            notes.append(
                note(
                    UNITS_DIFFER,
                    "the median of {column!r} is at most {least:.4g} in {unit:list 3}, but at least {most:.4g} in "
                    "{beyond:list 3}: they may be in different units",
                    column=column,
                    unit=within,
                    beyond=list(beyond),
                    least=max(medians[run] for run in within),
                    most=min(beyond.values()),
                )
            )
        near = _FAR * min(beyond.values())
        within = [run for run, median in beyond.items() if median < near]
        beyond = {run: median for run, median in beyond.items() if median >= near}
    return notes


def _given(values: Sequence[float] | Array) -> Array:
    numbers = np.asarray(values, dtype=np.float64)
    return numbers[~np.isnan(numbers)]
