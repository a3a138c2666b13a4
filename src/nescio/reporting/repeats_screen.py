"""How much of a score is chance, and how often to ask: on the terminal."""

from __future__ import annotations

import math
from typing import Any

from nescio.data.results import Results
from nescio.reporting.numbers import number
from nescio.reporting.printing import show_sentences, show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.text import plural

MOST_FLIPS = 10  # questions that are listed; JSON has all


def show_repeats(results: Results) -> None:
    """Print the split of each score, the values of the repeats, and the questions that flip most."""
    show_records([_record(row) for row in results])
    for name, shown in (("noise", _noise), ("by_repeat", _by_repeat)):
        if name in results.tables:
            print()
            show_records(shown(results.tables[name]))
    flips = results.tables.get("flips", ())
    if flips:
        print()
        show_records(results.records("flips")[:MOST_FLIPS])
        if len(flips) > MOST_FLIPS:
            show_text(f"-f json lists {plural(len(flips) - MOST_FLIPS, 'more question')} that flip\n")
    show_signature(results.signature)


def _record(row: Any) -> dict[str, Any]:
    chance = row.sampling / row.variance if row.variance else float("nan")
    return {
        "run": row.run,
        "measure": row.measure,
        "value": number(row.value),
        "standard error": number(row.se),
        "due to sampling": "undefined" if math.isnan(chance) else f"{min(chance, 1.0):.0%}",
        "noise floor": number(row.noise),
        "questions that flip": row.flipping,
        "n": row.n,
        "repeats": row.repeats,
    }


def _noise(rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        {
            "run": row.run,
            "baseline": row.baseline,
            "measure": row.measure,
            "difference": number(row.difference),
            "noise floor": number(row.noise),
        }
        for row in rows
    ]


def _by_repeat(rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    repeats = dict.fromkeys(row.repeat for row in rows)
    places: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        places.setdefault((row.run, row.measure), {})[row.repeat] = number(row.value)
    return [
        {"run": run, "measure": measure} | {f"repeat {name}": own.get(name) for name in repeats}
        for (run, measure), own in places.items()
    ]


def show_design(results: Results) -> None:
    """Print how often to ask each question, in words and as a table."""
    show_sentences(sentence(row) for row in results if row.best)
    records = [
        {
            "measure": row.measure,
            "repeats": row.repeats,
            "questions": row.questions,
            "standard error": number(row.se),
            "half width": number(row.half_width),
            "cost": f"{row.cost:g}",
            "": "best" if row.best else "",
        }
        for row in results
    ]
    show_records(records)
    show_signature(results.signature)


def sentence(row: Any) -> str:
    """Say a design in words."""
    times = "once" if row.repeats == 1 else f"{row.repeats} times each"
    return f"{row.measure}: ask {plural(row.questions, 'question')} {times}, for a half width of {row.half_width:.3g}"
