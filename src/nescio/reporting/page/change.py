"""Make the page of changes between two runs, which `nescio report --baseline OLD --run NEW` writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.results import Comparison, Comparisons
from nescio.errors import MismatchError
from nescio.pipeline import Loaded
from nescio.reporting import charts, diagrams
from nescio.reporting.layout import shortened
from nescio.reporting.numbers import number, signed
from nescio.reporting.page.browser import RIGHTLY_SILENT, Seen, browser, without_outcomes
from nescio.reporting.page.commands import Commands, measure_words
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.moves import APART, GROUPS, Moves, move_names, moves, payload
from nescio.reporting.page.pairs import compared, difference_in_words
from nescio.reporting.page.question_texts import Texts
from nescio.reporting.page.rendering import Shared, assembled, browser_lead
from nescio.reporting.page.sentence import Answer
from nescio.reporting.page.shown_text import names
from nescio.scoring.score import compute_scores
from nescio.text import plural

HEAD = 24  # characters of a run's name above the table of moves
NOT_SHOWN = "–"  # replaces a value on other questions than the difference
MOST_LISTED = 60  # questions of a group that the page lists beside its browser, for print


class Change(Struct, frozen=True, eq=False):
    """The content of a page on the change from an old run to a new one: their comparison, and the questions' moves.

    `moves` is None if the data has no outcomes. `old` and `new` are the runs' names as shown, and `pair` has their
    names in the data. `values` maps ("old" or "new", measure) to a value and its number of questions.
    """

    loaded: Loaded
    comparisons: Comparisons
    old: str
    new: str
    moves: Moves | None
    values: Mapping[tuple[str, str], tuple[float, int]]
    commands: Commands
    page_command: str
    level: float
    margin: float
    pair: tuple[str, str] = ("", "")


def gather_change(
    loaded: Loaded, comparisons: Comparisons, pair: tuple[str, str], commands: Commands, how: Mapping[str, float]
) -> Change:
    """Return the content of the page on the change from an old run to a new one; `pair` is (old run, new run).

    `how` has the level of the intervals, and the margin below which a difference does not matter.
    """
    data = loaded.data
    if not isinstance(data, Evidence):
        raise MismatchError("a counts table does not have the outcome of each question, which this page needs")
    places = [data.runs.index(name) for name in pair]
    rows = [row for row in comparisons if {row.run, row.baseline} == set(pair)]
    if rows and rows[0].run != pair[1]:
        raise MismatchError(
            f"the comparison is of {rows[0].run!r} against {rows[0].baseline!r}, but this page needs the reverse"
        )
    old, new = names(pair)
    chosen = ("--baseline", str(loaded.options.baseline_file or pair[0]), "--run", pair[1])
    page_command = commands.line("report", *measure_words([row.measure for row in rows]), *chosen, "-o", "diff.html")
    compared = comparisons.with_rows(rows)
    values = _values(loaded, data, places, [row.measure for row in rows])
    commands = replace(commands, reading=(*commands.reading, *chosen))
    return Change(
        loaded,
        compared,
        old,
        new,
        moves(loaded, *places),
        values,
        commands,
        page_command,
        how["ci"],
        how["margin"],
        pair,
    )


def _values(
    loaded: Loaded, data: Evidence, places: Sequence[int], measures: Sequence[str]
) -> dict[tuple[str, str], tuple[float, int]]:
    """Return the value of each measure for both runs on the questions that both have.

    Each value is given with its number of questions, and keyed by ("old" or "new", measure).
    """
    both = data.take_runs(places)
    present = both.present if both.repeats is None else both.repeats.same_question(both.present)
    both = both.select(np.asarray(present.all(axis=0)))
    if not both.questions:
        return {}
    scores = compute_scores(replace(loaded, data=both), list(measures), ci=None)
    which = dict(zip(both.runs, ("old", "new"), strict=True))
    return {(which[row.run], row.measure): (row.value, row.n) for row in scores}


def change_page(change: Change, *, title: str, texts: Texts | None = None) -> str:
    """Return the whole page on a change as one text of HTML."""
    figures = [figure for figure in (flow_figure(change), differences_figure(change)) if figure is not None]
    moved = change.moves
    browsing, unseen = browser(_seen(change), texts, payload(moved) if moved else None)
    notes = (*change.comparisons.notes, *_apart(change), *unseen)
    return assembled(
        "diff.html.jinja",
        ("page.js", "texts.js", "graded.js", "statistics.js", "own_scores.js", "reading.js", "questions.js"),
        Shared(title, sentence(change), [str(change.comparisons.signature)], notes),
        figures,
        browsing,
        old=change.old,
        new=change.new,
        heads=[shortened([change.old, change.new], HEAD).get(name, name) for name in (change.old, change.new)],
        groups=_groups(change),
        table=_table(change),
        rightly_silent=moved is not None and bool((moved.states == RIGHTLY_SILENT).any()),
        apart=_counted_apart(change),
        lines=[(row, *(_value_of(change, which, row) for which in ("old", "new"))) for row in change.comparisons],
        browser_lead=browser_lead(browsing, ", before and after"),
        level=change.level,
    )


def _seen(change: Change) -> Seen:
    """Return the question browser's content: both runs, and all questions that at least one of them has."""
    moved = change.moves
    if moved is None:
        shown = dict(zip(change.pair, (change.old, change.new), strict=True))
        measures = list(dict.fromkeys(row.measure for row in change.comparisons))
        return without_outcomes(change.loaded, change.pair, measures, shown)
    clusters = None if moved.clusters is None else list(moved.clusters)
    runs = (change.old, change.new)
    return Seen(runs, moved.questions, moved.states, moved.strata, clusters, change.level, names=change.pair)


def sentence(change: Change) -> Answer:
    """Return the page's first sentence, the decision on the new run, with both values and the questions' moves."""
    made = change.comparisons.decision
    if made is not None:
        shown = replace(made, row=replace(made.row, run=change.new, baseline=change.old))
        return Answer(
            f"{made.heading}: ", change.new, shown.after, (_values_in_words(change, made.row), *_moved(change))
        )
    if not len(change.comparisons):
        return Answer("", change.new, " cannot be compared: no measure was computed.")
    row = next(iter(change.comparisons))
    if math.isnan(row.difference):
        return Answer(
            "", change.new, f" cannot be compared with {change.old}: {row.measure} is undefined.", _moved(change)
        )
    return Answer("", change.new, f" beside {change.old}: {_values_in_words(change, row)}", _moved(change))


def _values_in_words(change: Change, row: Comparison) -> str:
    values = [_value_of(change, which, row) for which in ("new", "old")]
    known = "" if NOT_SHOWN in values else f"{values[0]} against {values[1]}, "
    return f"{row.measure}: {known}{difference_in_words(row)}; {row.verdict or 'undefined'}."


def _moved(change: Change) -> tuple[str, ...]:
    moved = change.moves
    if moved is None:
        return ()
    size = {slug: len(moved.group(slug)) for slug in GROUPS}
    n, unit = int(moved.table.sum()), "question" if change.loaded.data.repeats is None else "answer"
    return (
        f"Among the {n:,} shared {unit}{'' if n == 1 else 's'}, {change.new} wins {size['won']:,} and loses "
        f"{size['lost']:,}; {size['same']:,} did not change.",
        f"It newly abstains on {size['newly-silent']:,} and newly answers {size['newly-answered']:,}.",
    )


def _groups(change: Change) -> list[dict[str, Any]]:
    moved = change.moves
    if moved is None:
        return []
    shown = names(moved.questions, 120)
    listed = []
    for slug in ("won", "lost", "newly-silent", "newly-answered"):
        name, definition, _ = GROUPS[slug]
        places = moved.group(slug)
        some = [shown[i] for i in places[:MOST_LISTED]]
        listed.append(
            {
                "slug": slug,
                "name": name,
                "means": definition,
                "n": len(places),
                "some": some,
                "rest": len(places) - len(some),
            }
        )
    return listed


def _table(change: Change) -> list[dict[str, Any]]:
    """Return the table of the nine moves: a row for each outcome of the old run, with totals."""
    if change.moves is None:
        return []
    counts, slugs = change.moves.table, move_names()
    total = int(counts.sum())
    return [
        {
            "name": old,
            "n": int(counts[i].sum()),
            "cells": [
                {
                    "slug": slugs[3 * i + j][0],
                    "n": int(counts[i, j]),
                    "same": i == j,
                    "share": f"{counts[i, j] / total:.1%}" if total else "–",
                }
                for j in range(3)
            ],
        }
        for i, old in enumerate(OUTCOMES)
    ]


def _counted_apart(change: Change) -> list[dict[str, Any]]:
    """Return the numbers of questions outside the nine moves: those that one run lacks, and those without a grade."""
    moved = change.moves
    if moved is None:
        return []
    texts = {
        "only-old": f"only in {change.old}",
        "only-new": f"only in {change.new}",
        "not-graded": "not graded in one of the runs",
    }
    return [{"slug": slug, "text": texts[slug], "n": n} for code, (slug, _) in APART.items() if (n := moved.kind(code))]


def _apart(change: Change) -> tuple[Note, ...]:
    """Return notes on questions that the differences and the nine moves count in different ways."""
    moved = change.moves
    if moved is None:
        return ()
    notes = []
    if moved.counted_silent:
        notes.append(
            note(
                "page.counted_silent",
                "the differences count {questions:n question} that one run lacks as unanswered (--missing unanswered)",
                questions=moved.counted_silent,
            )
        )
    if moved.elsewhere:
        notes.append(
            note(
                "page.elsewhere",
                "{questions:n question} that both runs have are left out because another run in the files lacks them",
                questions=moved.elsewhere,
            )
        )
    return tuple(notes)


def _value_of(change: Change, which: str, row: Comparison) -> str:
    """Return a run's value by the measure of `row` as text; `which` is "old" or "new".

    The text is a dash if the value is for other questions than the difference in `row`.
    """
    value, n = change.values.get((which, row.measure), (math.nan, 0))
    return number(value) if n == row.n else NOT_SHOWN


def flow_figure(change: Change) -> Figure | None:
    """Return the figure of the questions' moves from outcome to outcome.

    Returns None if there are no outcomes, or no question that both runs have.
    """
    if change.moves is None or not change.moves.table.sum():
        return None
    counts = change.moves.table
    total = int(counts.sum())
    rows: list[dict[str, Any]] = [
        {"old": old, "new": new, "n": int(counts[i, j]), "share": int(counts[i, j]) / total}
        for i, old in enumerate(OUTCOMES)
        for j, new in enumerate(OUTCOMES)
    ]
    drawn = [
        row | {"tip": f"{row['old']} → {row['new']}: {row['n']:,} of {total:,} ({row['share']:.1%})"} for row in rows
    ]
    moved = sorted((row for row in rows if row["old"] != row["new"] and row["n"]), key=lambda row: -row["n"])
    listed = "; ".join(f"{row['old']} → {row['new']} {row['n']:,}" for row in moved) or "none"
    return Figure(
        "flow",
        f"From {change.old} to {change.new}",
        "Left: the outcomes before. Right: the outcomes now. Unchanged outcomes are pale.",
        f"The questions whose outcome changed, out of {plural(total, 'question')} that both runs have: {listed}.",
        tuple(rows),
        lambda width: diagrams.flow(drawn, (change.old, change.new), width),
        change.page_command,
    )


def differences_figure(change: Change) -> Figure | None:
    """Return the figure of the paired difference by each measure, or None if no difference is defined."""
    rows: list[dict[str, Any]] = [{"measure": row.measure} | compared(row) for row in change.comparisons]
    drawn: list[dict[str, Any]] = [
        {
            "measure": row.measure,
            **charts.between(row.difference, row.low, row.high, "difference"),
            "tip": f"{row.measure}: {difference_in_words(row)}; {row.verdict}",
        }
        for row in change.comparisons
        if not math.isnan(row.difference)
    ]
    if not drawn:
        return None
    listed = "; ".join(
        f"{row.measure} {signed(row.difference)}, {row.verdict or 'undefined'}" for row in change.comparisons
    )
    margin = (
        f" The band shows the margin of {change.margin:g}, within which a difference does not matter."
        if change.margin
        else ""
    )
    return Figure(
        "differences",
        "Differences of the measures",
        f"{change.new} minus {change.old}, with {change.level:g}% intervals.{margin}",
        f"{listed}.",
        tuple(rows),
        lambda width: charts.differences(drawn, [row["measure"] for row in drawn], width, change.margin),
        change.commands.line("compare", *measure_words([row["measure"] for row in rows])),
    )
