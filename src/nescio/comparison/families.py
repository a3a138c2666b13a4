"""Group comparisons into the families whose p-values are adjusted together."""

from __future__ import annotations

from collections.abc import Iterable

from nescio.data.results import Comparison
from nescio.measures import parse


def families(rows: Iterable[Comparison]) -> list[list[Comparison]]:
    """Return the comparisons grouped by the family within which their p-values are adjusted.

    The first measure that is not descriptive decides. Its comparisons are a family of their own, which no other measure
    weakens. The other measures are a second family, and the descriptive ones (coverage) a third.
    """
    by_measure: dict[str, list[Comparison]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, []).append(row)
    descriptive = {name for name in by_measure if parse(name).declaration.descriptive}
    first = next((name for name in by_measure if name not in descriptive), None)
    sorted_rows: list[list[Comparison]] = [[], [], []]
    for name, own in by_measure.items():
        sorted_rows[2 if name in descriptive else int(name != first)] += own
    return [family for family in sorted_rows if family]
