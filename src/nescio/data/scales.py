"""Tell whether the grades of some runs have another scale than those of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nescio.data.columns import Array
from nescio.data.notes import Note, note

# Codes of notes on runs whose values seem to have different scales or units: those of `unit`, and those of `beyond`.
SCALES_DIFFER, UNITS_DIFFER, SIGNS_DIFFER = "measure.scales_differ", "measure.units_differ", "measure.signs_differ"
SCALES = (SCALES_DIFFER, UNITS_DIFFER, SIGNS_DIFFER)
_NUMBER = r"(-?(?:inf|\d+(?:\.\d+)?(?:e[+-]\d+)?))"
# "; " separates the ranges of joined runs.
_RANGE = re.compile(rf"(?:^|(?<=; )){_NUMBER} to {_NUMBER} \((.+?)\)(?:; |$)", re.DOTALL)
_FAR = 300  # Medians that differ by this factor are hardly of one unit: milliseconds and seconds differ by 1,000.


def graded_by(
    column: str, values: Mapping[str, Sequence[float] | Array], threshold: float
) -> tuple[dict[str, str], list[Note]]:
    """Return the range of each run's values in words if `threshold` is a share, or else the notes of `scales_differ`.

    `column` and `values` are as in `scales_differ`. Values whose threshold is no share, such as 3, have no range,
    because files with other thresholds may rightly hold them on another scale.
    """
    if not 0 < threshold < 1:
        return {}, scales_differ(column, values)
    given = {run: own for run, of_run in values.items() if (own := _given(of_run)).size}
    return {run: f"{own.min():.4g} to {own.max():.4g} ({column})" for run, own in given.items()}, []


def ranges_differ(ranges: Iterable[tuple[str, str]]) -> list[Note]:
    """Return the notes of `scales_differ` on pairs of a run and its range in words."""
    of_columns: dict[str, dict[str, list[float]]] = {}
    for run, text in ranges:
        for *ends, column in _RANGE.findall(text):
            of_columns.setdefault(column, {}).setdefault(run, []).extend(map(float, ends))
    return [remark for column, values in of_columns.items() for remark in scales_differ(column, values, shares=True)]


def scales_differ(column: str, values: Mapping[str, Sequence[float] | Array], *, shares: bool = False) -> list[Note]:
    """Return a note if the values of a column are between 0 and 1 in some runs, and reach 2 or more in others.

    `values` has the values of each run, with NaN for missing ones. Whole numbers between 0 and 1 may be counts, unless
    they are `shares` because the user compares them with a number between 0 and 1.
    """
    unit, beyond, most = list[str](), list[str](), 0.0
    for run, of_run in values.items():
        given = _given(of_run)
        if not given.size:
            continue
        if given.max() >= 2:
            beyond.append(run)
            most = max(most, float(given.max()))
        elif given.min() >= 0 and given.max() <= 1 and (shares or np.any(given % 1 > 0)):
            unit.append(run)
    if not unit or not beyond:
        return []
    return [
        note(
            SCALES_DIFFER,
            "the values of {column!r} are between 0 and 1 in {unit:list 3}, but reach {most:.4g} in {beyond:list "
            "3}: values on different scales cannot be compared",
            column=column,
            unit=unit,
            beyond=beyond,
            most=most,
        )
    ]


def units_differ(column: str, values: Mapping[str, Sequence[float] | Array]) -> list[Note]:
    """Return notes if costs or times have another unit in some runs than in others, or are below 0 in some runs only.

    `values` is as in `scales_differ`.
    """
    given = {run: own for run, of_run in values.items() if (own := _given(of_run)).size}
    negative = [run for run, own in given.items() if own.min() < 0]
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
    medians = {run: float(np.median(own)) for run, own in given.items() if run not in negative}
    least = min((median for median in medians.values() if median > 0), default=np.inf)
    beyond = [run for run, median in medians.items() if median >= _FAR * least]
    if beyond:
        notes.append(
            note(
                UNITS_DIFFER,
                "the median of {column!r} is at most {least:.4g} in {unit:list 3}, but {most:.4g} in {beyond:list 3}: "
                "values in different units cannot be compared",
                column=column,
                unit=[run for run, median in medians.items() if median < _FAR * least],
                beyond=beyond,
                least=max(median for median in medians.values() if median < _FAR * least),
                most=max(medians[run] for run in beyond),
            )
        )
    return notes


def _given(values: Sequence[float] | Array) -> Array:
    numbers = np.asarray(values, dtype=np.float64)
    return numbers[~np.isnan(numbers)]
