"""The advice of a report on the terminal: what to use, and what to read first."""

from __future__ import annotations

from typing import Any

from nescio.data.results import Results
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records

SHORT = 60  # characters of a question or an answer


def show_advice(results: Results) -> None:
    """Print the headline, the advice, and the errors to read."""
    for row in results.records("screen"):
        show_text(f"{row['text']}\n")
    if len(results):
        run, at = results.rows[0].run, results.rows[0].threshold
        where = "" if at is None else f" from confidence {at:.3g} on"
        show_text(f"Errors of {run}{where}, to be read first:")
        show_records([_record(row) for row in results])
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    record: dict[str, Any] = {"question": row.question}
    if row.confidence is not None:
        record["confidence"] = f"{row.confidence:.4g}"
    if row.others:
        record["others right"] = f"{row.others_right} of {row.others}"
    for name, text in (("asked", row.asked), ("answer", row.answer), ("gold", row.gold)):
        if text:
            flat = " ".join(text.split())
            record[name] = flat if len(flat) <= SHORT else f"{flat[: SHORT - 1]}…"
    return record
