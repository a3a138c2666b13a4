"""How many questions a comparison takes, on the terminal: a sentence, and a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nescio.data.results import Results
from nescio.reporting.printing import show_grid, show_sentences, show_signature
from nescio.reporting.screen import show_records
from nescio.reporting.tables import record_grid
from nescio.text import plural


def show_plan(results: Results) -> None:
    """Print each plan in words, and then as tables."""
    show_sentences(map(sentence, results))
    records = [_record(row) for row in results]
    show_grid(record_grid(records, {name: name in ("measure", "method") for row in records for name in row}))
    if "systems" in results.tables:
        print()
        show_records(results.records("systems"))
    show_signature(results.signature)


def sentence(row: Any) -> str:
    """Say a plan in words."""
    how = f"with power {row.power:.2f} at alpha {row.alpha:g}"
    if row.questions is None:
        return f"{row.measure}: no feasible number of questions detects a difference of {row.difference:.4g}"
    one = row.questions == 1
    size = f"{row.questions:,} question{'' if one else 's'}"
    size += "" if row.clusters is None else f" ({plural(row.clusters, 'cluster')})"
    if math.isnan(row.difference):
        return f"{row.measure}: {size} detect{'s' * one} no difference at alpha {row.alpha:g}"
    if row.solved == "questions":
        return f"{row.measure}: {size} detect{'s' * one} a difference of {row.difference:.4g} {how}"
    return f"{row.measure}: {size} detect{'s' * one} a difference of {row.difference:.3g} {how}"


def _record(row: Any) -> dict[str, Any]:
    """Lay out a row as a terminal of 80 columns holds it."""
    power = None if math.isnan(row.power) else f"{row.power:.3f}" + ("" if row.error is None else f" ± {row.error:.3f}")
    clusters = {} if row.clusters is None else {"clusters": row.clusters}
    return {
        "measure": row.measure,
        "difference": None if math.isnan(row.difference) else f"{row.difference:.4g}",
        "questions": row.questions,
        **clusters,
        "power": power,
        "unlike": None if row.apart is None else f"{row.apart:.0%}",
        "method": row.method,
    }


def show_label_plan(results: Results) -> None:
    """Print how many answers people must label, in words and as tables."""
    show_sentences(map(label_sentence, results))
    records = [
        {
            "measure": row.measure,
            "labels": row.labels,
            "people alone": row.people_alone,
            "answers": row.answers,
            "spread": f"{row.spread:.4g}",
            "correlation": f"{row.correlation:.3g}",
        }
        for row in results
    ]
    show_records(records)
    if "shares" in results.tables:
        print()
        show_records([_share(row) for row in results.records("shares")])
    show_signature(results.signature)


_SHARES = ("measure", "verdicts", "answers", "spread", "labels")


def _share(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table of shares; the head of the verdicts says whose comes first."""
    head = "verdicts" if row["baseline"] is None else f"verdicts ({row['run']}, {row['baseline']})"
    return {head if name == "verdicts" else name: row[name] for name in _SHARES}


def label_sentence(row: Any) -> str:
    """Say a plan of labels in words."""
    whose = f"{row.run} against {row.baseline}" if row.baseline else row.run
    what = "the value" if row.measure == "value" else f"{row.measure} of {whose}"
    aim = (
        f"a half width of {row.half_width:g}"
        if row.half_width is not None
        else f"finding a difference of {row.difference:g} with power {row.power:g}"
    )
    if row.labels is None:
        return f"{what}: no number of labels is enough for {aim}"
    alone = "not even all of them" if row.people_alone is None else f"{row.people_alone:,}"
    return (
        f"{what}: labels on {row.labels:,} of {plural(row.answers, 'answer')} are enough for {aim}; "
        f"without the judge it would take {alone}"
    )
