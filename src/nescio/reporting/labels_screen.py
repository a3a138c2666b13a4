"""Which answers people should judge next, and whether they have judged enough: on the terminal."""

from __future__ import annotations

from typing import Any

from nescio.reporting.numbers import interval, number
from nescio.reporting.printing import show_signature
from nescio.reporting.screen import show_records


def show_draw(results: Any) -> None:
    """Print how many questions of each kind were drawn, and where the sheet is."""
    show_records(
        [
            {
                "judge": row.judge,
                "questions": row.questions,
                "drawn before": row.drawn_before,
                "drawn": row.drawn,
                "probability": f"{row.inclusion:.4f}",
                "judged": row.judged,
                "judge differs": row.judge_differs,
            }
            for row in results
        ]
    )
    show_signature(results.signature)


def show_label_looks(results: Any) -> None:
    """Print whether the labels of each run are enough."""
    show_records(
        [
            {
                "run": row.run,
                row.measure: f"{number(row.value)} {interval(row.low, row.high)}".strip(),
                "labels": f"{row.labels:,} of {row.answers:,}",
                "verdict": row.verdict if row.more is None else f"{row.verdict}: about {row.more:,} more",
            }
            for row in results
        ]
    )
    show_signature(results.signature)
