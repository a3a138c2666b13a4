"""Votes over runs or repeats: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.reporting.numbers import interval, number, signed
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_votes(results: Any) -> None:
    """Print what votes earn, and what they gain over one answer alone."""
    show_records([_record(row) for row in results])
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    record = {
        "run": row.run,
        "of": row.of,
        "right": f"{row.correct:.1%}",
        "wrong": f"{row.incorrect:.1%}",
        "silent": f"{row.unanswered:.1%}",
        "c@1": number(row.value),
        "alone": number(row.alone),
        "gain": f"{signed(row.gain)} {interval(row.low, row.high)}".strip(),
    }
    if row.wrong_answers != "by their texts":
        record["wrong answers"] = row.wrong_answers
    return record | {"n": row.n}
