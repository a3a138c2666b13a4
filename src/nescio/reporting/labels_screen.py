"""Which answers people should judge next, and whether they have judged enough: on the terminal."""

from __future__ import annotations

import math
from typing import Any

from nescio.reporting.numbers import difference, interval, number, signed, spaced_p, with_interval
from nescio.reporting.printing import show_signature, show_text
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


def show_shift(results: Any) -> None:
    """Print whether a correction holds for each run, the judge's errors on each, and whom it favours."""
    show_records(
        [
            {
                "run": row.run,
                "learned on": row.learned_on,
                "here": _signed(row.value),
                "there": _signed(row.learned),
                "difference": _signed(row.difference, row.low, row.high),
                "labels": f"{row.labels:,} and {row.learned_labels:,}",
                "answer": row.answer,
            }
            for row in results
        ]
    )
    for row in results:
        show_text(f"{row.run}: {row.answer}, as {row.why}.")
    print()
    show_records(
        [
            {
                "judge on": row.run,
                "error": row.error.replace("-", " "),
                "value": _signed(row.value, row.low, row.high)
                if row.error == "bias"
                else with_interval(row.value, row.low, row.high),
                "of labels": f"{row.labels:,}",
            }
            for row in results.tables["errors"]
        ]
    )
    if results.tables["preferences"]:
        print()
        show_records(
            [
                {
                    "by": row.trait,
                    "answers": row.group,
                    "against": row.against,
                    "bias": f"{_signed(row.bias)}, {_signed(row.other)}",
                    "difference": difference(row),
                    "p": spaced_p(row.p),
                    "p (Holm)": spaced_p(row.p_adjusted),
                    "labels": f"{row.labels:,} and {row.other_labels:,}",
                }
                for row in results.tables["preferences"]
            ]
        )
    show_signature(results.signature)


def _signed(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return a signed value with its interval, where there is one; a dash for one that was not computed."""
    if math.isnan(value):
        return "–"
    return signed(value) if math.isnan(low) else f"{signed(value)} [{signed(low)}, {signed(high)}]"
