"""Several people's verdicts held against each other: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.reporting.numbers import interval, number
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.text import plural


def show_assessors(results: Any) -> None:
    """Print who judges how well, how far they agree, and how many answers have one verdict."""
    show_records([_assessor(row) for row in results])
    print()
    show_records([_agreed(row) for row in results.tables["agreement"]])
    verdicts = results.tables["verdicts"]
    alike = sum(one.votes == one.of for one in verdicts)
    open_ = sum(one.verdict is None for one in verdicts)
    settled = len(verdicts) - alike - open_
    parts = f"{alike:,} judged alike, {settled:,} settled by the rule, {open_:,} in dispute"
    print()
    show_text(f"{plural(len(verdicts), 'answer')}: {parts}\n")
    show_signature(results.signature)


def _assessor(row: Any) -> dict[str, Any]:
    record = {"assessor": row.assessor, "answers": row.answers, "agrees": number(row.agrees), "over": row.with_others}
    if row.accuracy is not None:
        record |= {"accuracy": number(row.accuracy), "above commonest": number(row.above_commonest)}
    return record


def _agreed(row: Any) -> dict[str, Any]:
    return {
        "assessors": row.assessors,
        "measure": row.measure,
        "value": f"{number(row.value)} {interval(row.low, row.high)}".strip(),
        "answers": row.answers,
    }
