"""Systems asked one after the other: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.reporting.numbers import interval, number, signed
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_cascade(results: Any) -> None:
    """Print the ways of answering, what the cascade gains over each system alone, and what was written."""
    if results.rows:
        show_records([_record(row) for row in results])
    if results.tables.get("gains"):
        print()
        show_records([_gain(row) for row in results.tables["gains"]])
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    from_ = [f"{step.answer_from:.6g}" if step.answer_from is not None else "never" for step in row.steps]
    record = {
        "way": row.way,
        "answer from": ", ".join(from_),
        "utility": signed(row.utility),
        "right": f"{row.correct:.1%}",
        "wrong": f"{row.incorrect:.1%}",
        "silent": f"{row.unanswered:.1%}",
    }
    if row.cost is not None:
        record["cost"] = f"{row.cost:.4g}"
        record["per right"] = "" if row.price is None else f"{row.price:.4g}"
    record["in sample"] = signed(row.in_sample)
    if row.risk_upper is not None:
        record["wrong at most"] = f"{row.risk_upper:.1%}"
    return record | {"n": row.n}


def _gain(row: Any) -> dict[str, Any]:
    return {
        "gain over": row.over.removesuffix(" alone"),
        "gain": f"{signed(row.gain)} {interval(row.low, row.high)}".strip(),
        "n": number(row.n) if isinstance(row.n, float) else row.n,
    }
