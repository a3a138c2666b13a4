"""Runs at stated stakes, and whether their silence follows them: on the terminal."""

from __future__ import annotations

import math
from typing import Any

from nescio.data.plain_tables import shown_p
from nescio.data.results import Results
from nescio.reporting.numbers import interval, number
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_stakes(results: Results) -> None:
    """Print the utility at each stake, the slopes of silence with the areas, and the differences."""
    show_records([_record(row) for row in results])
    for name, of in (("adaptation", _adaptation), ("differences", _difference)):
        if name in results.tables:
            print()
            show_records([of(row) for row in results.tables[name]])
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    least, most = row.regret_least, row.regret_most
    return {
        "run": row.run,
        "stake": f"{row.penalty:g}",
        "utility": f"{number(row.utility)} {interval(row.low, row.high)}".strip(),
        "coverage": number(row.coverage),
        "precision": number(row.precision),
        "always": number(row.always),
        "never": number(row.never),
        "own rule": number(row.rule),
        "regret": number(row.regret)
        if least == most
        else f"{number(least)} to {number(most)}"
        if not math.isnan(least)
        else number(least),
        "consistent": number(row.consistency),
        "n": row.n,
    }


def _adaptation(row: Any) -> dict[str, Any]:
    return {
        "run": row.run,
        "silence per tenfold": f"{number(row.per_tenfold)} {interval(row.low, row.high)}".strip(),
        "p (ignores stakes)": shown_p(row.p),
        "test": row.test,
        "area": f"{number(row.area)} {interval(row.area_low, row.area_high)}".strip(),
        "n": row.n,
    }


def _difference(row: Any) -> dict[str, Any]:
    return {
        "run": row.run,
        "baseline": row.baseline,
        "stake": "all" if row.penalty is None else f"{row.penalty:g}",
        "difference": f"{number(row.difference)} {interval(row.low, row.high)}".strip(),
        "p": shown_p(row.p),
        "p adjusted": shown_p(row.p_adjusted),
        "n": row.n,
    }
