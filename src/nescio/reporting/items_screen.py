"""Items, the most suspicious first: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.data.plain_tables import shown_p
from nescio.data.results import Results
from nescio.reporting.numbers import number
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.text import plural

MOST_SHOWN = 20  # items; JSON has all
LONGEST = 30  # characters of an answer


def show_items(results: Results) -> None:
    """Print the first items, and how reliably all of them rank the runs."""
    modelled = "abilities" in results.tables
    show_records([_record(row, modelled=modelled) for row in results.rows[:MOST_SHOWN]])
    if len(results.rows) > MOST_SHOWN:
        show_text(f"{plural(len(results.rows) - MOST_SHOWN, 'more question')}; -f json lists them\n")
    (table,) = results.tables["reliability"]
    without = f", {number(table.flagged_left_out)} without those flagged" if any(row.flagged for row in results) else ""
    show_text(f"\nreliability of the ranking of these {table.runs} runs (KR-20): {number(table.kr20)}{without}\n")
    show_signature(results.signature)


def _given(value: float | None) -> str:
    return "" if value is None else number(value)


def _record(row: Any, *, modelled: bool) -> dict[str, Any]:
    text = row.other_answer
    return {
        "question": row.question,
        "right": f"{row.right:.0%}",
        "silent": f"{row.unanswered:.0%}",
        "discrimination": number(row.discrimination),
        "p": shown_p(row.p),
        "silence": number(row.silence),
        **({"slope": _given(row.slope), "difficulty": _given(row.difficulty)} if modelled else {}),
        "other answer": "" if text is None else text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…",
        "p (other answer)": "" if row.p_other is None else shown_p(row.p_other),
        "suspicion": shown_p(row.suspicion),
        "": "check the key" if row.flagged else "",
    }
