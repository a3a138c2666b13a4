"""Total evaluation error: on the terminal."""

from __future__ import annotations

import math
from typing import Any

from nescio.data.results import Results
from nescio.reporting.numbers import interval, number
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_components(results: Results) -> None:
    """Print the scores with their intervals, the parts of the variance, what to add next, and the plan."""
    show_records([_record(row) for row in results])
    for name, shown in (("components", _part), ("next", _next), ("planned", _planned)):
        if name in results.tables:
            print()
            show_records([_whose(row) | shown(row) for row in results.tables[name]])
    show_signature(results.signature)


def _whose(row: Any) -> dict[str, Any]:
    compared = {} if row.baseline is None else {"baseline": row.baseline}
    return {"run": row.run} | compared | {"measure": row.measure}


def _record(row: Any) -> dict[str, Any]:
    return _whose(row) | {
        "value" if row.baseline is None else "difference": f"{number(row.value)} {interval(row.low, row.high)}".strip(),
        "other": ", ".join(row.over),
        "standard error": number(row.se),
        "questions alone": number(row.se_questions),
        "answers alone": number(row.se_answers),
        "design": " × ".join(f"{name} {size}" for name, size in row.levels.items()),
        "answers": row.answers,
    }


def _part(row: Any) -> dict[str, Any]:
    return {
        "due to": row.part,
        "component": f"{row.component:.4f}",
        "share": "undefined" if math.isnan(row.share) else f"{row.share:.0%}",
    }


def _next(row: Any) -> dict[str, Any]:
    return {
        "one more": row.add,
        "cost": f"{row.cost:g}",
        "standard error": f"{row.se_now:.4f} to {row.se_then:.4f}",
        "never below": f"{row.floor:.4f}",
    }


def _planned(row: Any) -> dict[str, Any]:
    return {
        "take": " × ".join(f"{name} {size}" for name, size in row.levels.items()),
        "standard error": f"{row.se:.4f}",
    }
