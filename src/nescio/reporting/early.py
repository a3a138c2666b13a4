"""Runs that are compared while their questions arrive: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.data.results import Results
from nescio.reporting.numbers import difference
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.text import plural


def show_looks(results: Results[Any]) -> None:
    """Print the latest look in a sentence, and all looks, a row for each block."""
    last = results.rows[-1]
    show_records(
        [
            {
                "block": row.block,
                "questions": row.n,
                "discordant": row.discordant,
                "difference": difference(row),
                "verdict": row.verdict,
            }
            for row in results
        ]
    )
    about = f"{last.measure}, {last.run} against {last.baseline}"
    show_text(f"{about}, after {plural(last.n, 'question')}: {last.verdict}\n")
    show_signature(results.signature)
