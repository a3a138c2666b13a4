"""Print a threshold: its value, its meaning in words, and the reliability of each figure."""

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
    """Print a tuned threshold and its results, and with `curve` some points of the risk-coverage curve."""
    row: Tuning = tuned.rows[0]
    runs = int(tuned.signature.get("simultaneous", 1))
    show_lines(f"run {row.run!r}, {plural(row.n, 'question')}: {_verdict(row, runs)}\n")
    predicted = [
        (f"on {sample.questions:,} others", interval(sample.low, sample.high), "", "", "prediction interval")
        for sample in tuned.tables.get("next_sample", ())
    ]
    first, *others = _values(row)
    head = ["", row.measure, "answers", "of these wrong", ""]
    show_grid(make_grid(head, [first, *predicted, *others], [True, True, False, False, True]))
    if curve:
        points = tuned.records("curve")
        kept = {round(i * (len(points) - 1) / (CURVE_ROWS - 1)) for i in range(CURVE_ROWS)} if points else set()
        print()
        show_records([points[i] for i in sorted(kept)])
    print()
    show_signature(tuned.signature)


def _verdict(row: Tuning, runs: int) -> str:
    """Return lines that say which threshold was found, and whether it helps; `runs` is the number of tuned runs."""
    if row.max_risk is None or row.confidence is None:
        return _best(row)
    bound, sure = f"a risk of at most {100 * row.max_risk:g}%", f"{100 * row.confidence:g}% confidence"
    sure += f" for all {runs:,} runs together" if runs > 1 else ""
    if not row.coverage:
        return f"no threshold.\n{bound.capitalize()} cannot be certified with {sure}."
    return f"{_rule(row)}.\n{_share(row)}.\nAt most {_percent(row.risk_upper)} of new answers are wrong, with {sure}."


def _best(row: Tuning) -> str:
    """Return lines that say which threshold is best for the measure, and whether it helps."""
    if not row.coverage:
        return "no threshold: answer nothing."
    if row.coverage == row.coverage_all_answered:
        return f"no threshold helps.\n{row.measure} is best where the run gives every answer it has.\n{_share(row)}."
    if row.helps or math.isnan(row.value):
        return f"{_rule(row)}.\n{_share(row)}."
    significantly = "" if row.helps is False else " significantly"
    expected = f"expect {row.measure} {with_interval(row.value, row.low, row.high)} on new questions"
    return (
        f"the threshold does not help{significantly}:\n{expected}; the run as given has "
        f"{number(row.value_as_given)}.\nThe best threshold on these questions: {_rule(row)}.\n{_share(row)}."
    )


def _rule(row: Tuning) -> str:
    if row.threshold is None:
        return "answer everything, without a threshold"
    below = math.nextafter(row.threshold, -math.inf)
    # The least number above a confidence has too many digits to type.
    return f"answer above {below!r}" if len(repr(below)) < len(repr(row.threshold)) else f"threshold {row.threshold!r}"


def _share(row: Tuning) -> str:
    """Return a sentence on the shares of answered and wrongly answered questions, with and without the threshold."""
    before = f"as given, it answers {_percent(row.coverage_as_given)} ({_percent(row.risk_as_given)} wrong)"
    return (
        f"Then the run answers {_percent(row.coverage)} of these questions ({_percent(row.risk)} of them wrongly);"
        f"\n{before}"
    )


def _values(row: Tuning) -> list[tuple[str, str, str, str, str]]:
    """Return rows with the measure, the share answered and the share wrong.

    There is a row for new questions, one for the questions used in tuning, and so on. The last cell of a row says how
    far to trust the row.
    """
    expected = with_interval(row.value, row.low, row.high)
    too_good = "too optimistic" if row.max_risk is None else "same questions"
    held_out = "nothing could be held out" if math.isnan(row.coverage_held_out) else "expect this"
    if row.max_risk is not None:
        held_out = f"certified again {row.folds} times"
    lines = [
        ("on new questions", expected, _percent(row.coverage_held_out), _percent(row.risk_held_out), held_out),
        ("in sample", number(row.value_in_sample), _percent(row.coverage), _percent(row.risk), too_good),
    ]
    if row.max_risk is not None and not row.coverage:
        lines = []
    shares = (_percent(row.coverage_all_answered), _percent(row.risk_all_answered))
    lines.append(("every answer", number(row.value_all_answered), *shares, "no threshold"))
    shares = (_percent(row.coverage_as_given), _percent(row.risk_as_given))
    return [*lines, ("as given", number(row.value_as_given), *shares, "before tuning")]


def _percent(share: float | None) -> str:
    return "–" if share is None or math.isnan(share) else f"{100 * share:.1f}%"


def show_tuned_pair(pair: TunedPair) -> None:
    """Print two tuned runs, and the comparison of both at their thresholds on held-out questions."""
    runs, measure = [row.run for row in pair], pair.rows[0].measure
    facts = {
        "answer from": [
            "nothing" if not row.coverage else "everything" if row.threshold is None else f"{row.threshold:.6g}"
            for row in pair
        ],
        "answers": [_percent(row.coverage_held_out) for row in pair],
        "of these wrong": [_percent(row.risk_held_out) for row in pair],
        f"{measure} on new questions": [with_interval(row.value, row.low, row.high) for row in pair],
        f"{measure} in sample": [number(row.value_in_sample) for row in pair],
        f"{measure} as given": [number(row.value_as_given) for row in pair],
    }
    show_grid(make_grid(["", *runs], [[name, *values] for name, values in facts.items()], [True, False, False]))
    show_text("")
    held_out, given = pair.comparison, pair.tables["as_given"][0]
    show_text(
        f"Each at its own threshold, on held-out questions: {runs[1]} minus {runs[0]} is {difference(held_out)}: "
        f"{held_out.verdict}."
    )
    show_text(f"As given: {difference(given)}: {given.verdict}.")
    show_text("")
    show_signature(pair.signature)
