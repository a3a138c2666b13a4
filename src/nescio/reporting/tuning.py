"""A threshold on the terminal: what it is, in words, and what each figure is worth."""

from __future__ import annotations

import math

from nescio.reporting.grid import make_grid
from nescio.reporting.numbers import difference, interval, number, with_interval
from nescio.reporting.printing import show_grid, show_lines, show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.selective import Tuned, TunedPair, Tuning
from nescio.text import plural

CURVE_ROWS = 20


def show_tuned(tuned: Tuned, *, curve: bool = False) -> None:
    """Print the threshold and its figures, and with `curve` some points of the risk-coverage curve."""
    row: Tuning = tuned.rows[0]
    runs = int(tuned.signature.get("simultaneous", 1))
    show_lines(f"run {row.run!r}, {plural(row.n, 'question')}: {_verdict(row, runs)}\n")
    predicted = [
        (f"on {one.questions:,} others", interval(one.low, one.high), "a sample of so many (prediction interval)")
        for one in tuned.tables.get("next_sample", ())
    ]
    first, *others = _values(row)
    show_grid(make_grid(["", row.measure, ""], [first, *predicted, *others], [True, True, True]))
    if curve:
        points = tuned.records("curve")
        kept = {round(i * (len(points) - 1) / (CURVE_ROWS - 1)) for i in range(CURVE_ROWS)} if points else set()
        print()
        show_records([points[i] for i in sorted(kept)])
    print()
    show_signature(tuned.signature)


def _verdict(row: Tuning, runs: int) -> str:
    """Say the threshold in words, in lines that fit a terminal."""
    if row.max_risk is None or row.confidence is None:
        return f"{_rule(row)}\n{_share(row)}." if row.coverage else "no threshold: answer nothing."
    bound, sure = f"a risk of at most {100 * row.max_risk:g}%", f"{100 * row.confidence:g}% confidence"
    sure += f" for all {runs:,} runs together" if runs > 1 else ""
    if not row.coverage:
        return f"no threshold.\n{bound.capitalize()} cannot be certified with {sure}."
    return f"{_rule(row)}\n{_share(row)};\nof new answers, at most {_percent(row.risk_upper)} are wrong, with {sure}."


def _rule(row: Tuning) -> str:
    if row.threshold is None:
        return "no threshold: answer everything."
    below = math.nextafter(row.threshold, -math.inf)
    # The least number above a confidence is not one to type.
    return (
        f"answer above {below!r}." if len(repr(below)) < len(repr(row.threshold)) else f"threshold {row.threshold!r}."
    )


def _share(row: Tuning) -> str:
    return f"It answers {_percent(row.coverage)} of these questions, and {_percent(row.risk)} of the answers are wrong"


def _values(row: Tuning) -> list[tuple[str, str, str]]:
    """Say what the measure comes to, and what each figure is worth."""
    expected = with_interval(row.value, row.low, row.high)
    too_good = "too optimistic (same questions)" if row.max_risk is None else "on the questions used to choose it"
    held_out = f"expect this (held out; answers {_percent(row.coverage_held_out)})"
    if math.isnan(row.coverage_held_out):
        held_out = "nothing could be held out"
    if row.max_risk is not None:
        held_out = f"the procedure, certified again {row.folds} times"
    lines = [
        ("on new questions", expected, held_out),
        ("in sample", number(row.value_in_sample), too_good),
    ]
    if row.max_risk is not None and not row.coverage:
        lines = []
    lines.append(("all answered", number(row.value_all_answered), "without a threshold"))
    if row.rule_value is not None:
        rule = f"answer if p > A/(n + U) = {row.rule_break_even:.4f}"
        lines.append(("exact c@1 rule", number(row.rule_value), rule))
    return [*lines, ("as given", number(row.value_as_given), "the run before tuning")]


def _percent(share: float | None) -> str:
    return "–" if share is None or math.isnan(share) else f"{100 * share:.1f}%"


def show_tuned_pair(pair: TunedPair) -> None:
    """Print two runs at their own thresholds, and how they compare on held-out questions."""
    runs, measure = [row.run for row in pair], pair.rows[0].measure
    facts = {
        "answer from": [_threshold(row) for row in pair],
        "answers": [_percent(row.coverage_held_out) for row in pair],
        "of these wrong": [_percent(row.risk_held_out) for row in pair],
        f"{measure} on new questions": [with_interval(row.value, row.low, row.high) for row in pair],
        f"{measure} in sample": [number(row.value_in_sample) for row in pair],
        f"{measure} as given": [number(row.value_as_given) for row in pair],
    }
    show_grid(make_grid(["", *runs], [[name, *values] for name, values in facts.items()], [True, False, False]))
    show_text("")
    own, given = pair.comparison, pair.tables["as_given"][0]
    show_text(
        f"Each at its own threshold, on held-out questions: {runs[1]} minus {runs[0]} is {difference(own)}: "
        f"{own.verdict}."
    )
    show_text(f"As given: {difference(given)}: {given.verdict}.")
    show_text("")
    show_signature(pair.signature)


def _threshold(row: Tuning) -> str:
    return "nothing" if not row.coverage else "everything" if row.threshold is None else f"{row.threshold:.6g}"
