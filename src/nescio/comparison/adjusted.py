"""Judge comparisons together: form families, adjust p-values within each, give verdicts, and count the tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.corrections import RANDOM, TestUsed, adjust
from nescio.comparison.margins import margin_of
from nescio.comparison.verdicts import decide, detectable
from nescio.data.notes import Note
from nescio.data.results import Comparison
from nescio.measures import parse


class TestedPairs(Struct, frozen=True):
    """Comparisons without verdicts yet, notes on them, and how labels (if given) corrected each difference."""

    __test__ = False  # else pytest collects the class because of its name

    rows: tuple[Comparison, ...]
    notes: tuple[Note, ...]
    how: tuple[Any, ...] = ()


def families(rows: Iterable[Comparison]) -> list[list[Comparison]]:
    """Return the comparisons grouped by the family within which their p-values are adjusted.

    The comparisons by the first measure that is not descriptive are one family, so that further measures do not weaken
    them. The other measures are a second family, and the descriptive ones (coverage) a third.
    """
    by_measure: dict[str, list[Comparison]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, []).append(row)
    descriptive = {name for name in by_measure if parse(name).declaration.descriptive}
    first = next((name for name in by_measure if name not in descriptive), None)
    sorted_rows: list[list[Comparison]] = [[], [], []]
    for name, group in by_measure.items():
        sorted_rows[2 if name in descriptive else int(name != first)] += group
    return [family for family in sorted_rows if family]


def adjusted_families(
    rows: Sequence[Comparison], alpha: float, correction: str, margin: float | None, *, every: int, resamples: int
) -> list[Comparison]:
    """Return the rows in their given order, each judged (`judged_rows`) with the other rows of its family."""
    judged = {
        (row.run, row.baseline, row.measure): row
        for family in families(rows)
        for row in judged_rows(family, alpha, correction, margin, every=every, resamples=resamples)
    }
    return [judged[row.run, row.baseline, row.measure] for row in rows]


def judged_rows(
    rows: Sequence[Comparison],
    alpha: float,
    correction: str,
    margin: float | None,
    *,
    every: int,
    resamples: int,
    adjusted: Sequence[float | None] | None = None,
) -> list[Comparison]:
    """Return the rows with adjusted p-values, verdicts, and the smallest difference that they could have detected.

    `every` counts all pairs of runs. If the rows are only some of these pairs, `adjusted` holds their p-values,
    adjusted over all pairs.
    """
    smallest = 1.5 / (1 + resamples)  # the least p of a random test, and half as much again for rounding
    # Tukey's p-values are adjusted by construction.
    tukey = any(row.test == "tukey" for row in rows)
    strictest = alpha / every if tukey or adjusted else alpha / len(rows) if correction == "holm" else alpha
    if adjusted is None:
        adjusted = adjust([row.p for row in rows], "none" if tukey else correction)
    measures = {name: parse(name) for name in {row.measure for row in rows}}
    # With fewer than two resamples beyond its ends, an interval cannot support a bounded null.
    margins = {
        name: margin_of(measure, margin) if resamples * alpha >= 2 else None for name, measure in measures.items()
    }
    return [
        decide(
            replace(row, p_adjusted=p, detectable=detectable(row, measures[row.measure], strictest)),
            alpha,
            margins[row.measure],
            smallest if row.test in RANDOM else 0.0,
        )
        for row, p in zip(rows, adjusted, strict=True)
    ]


def tests_used(rows: Sequence[Comparison], exact_for: Mapping[str, str]) -> tuple[TestUsed, ...]:
    """Return each test that the rows used, the number of rows that used it, and the hypothesis for which it is exact.

    `exact_for` maps the name of a test to that hypothesis.
    """
    names = [row.test for row in rows if row.test]
    return tuple(TestUsed(name, names.count(name), exact_for[name]) for name in dict.fromkeys(names))
