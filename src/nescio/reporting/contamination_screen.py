"""Originals against paraphrases: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.data.plain_tables import shown_p
from nescio.data.results import Results
from nescio.reporting.numbers import interval, number, signed
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_contamination(results: Results) -> None:
    """Print what rewording costs the suspect, the references, and the suspect beyond them."""
    show_records([_record(row) for row in results])
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    drops = ((row.original, row.paraphrase), (row.reference_original, row.reference_paraphrase))
    own, other = (f"{number(one)} to {number(two)}" for one, two in drops)
    return {
        "measure": row.measure,
        row.suspect: own,
        row.references[0] if len(row.references) == 1 else f"{len(row.references)} references": other,
        "difference": f"{signed(row.difference)} {interval(row.low, row.high)}".strip(),
        "explained": signed(row.explained),
        "p": "not given" if row.p is None and row.p_exchange is not None else shown_p(row.p),
        "test": row.test,
        "n": row.n,
    }
