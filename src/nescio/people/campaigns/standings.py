"""Make the first screen of a campaign's site: the best run, runs tied with it, a chart, and scores by run and topic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.data import signature
from nescio.data.results import Score
from nescio.measures import parse
from nescio.people.campaigns.layouts import Table, intervals_of, merit
from nescio.reporting.numbers import number, with_interval
from nescio.reporting.page.drawing import Drawn, drawn
from nescio.reporting.page.figures import value_figure
from nescio.reporting.page.heat import Cell, shaded
from nescio.reporting.page.report_data import MOST_BROKEN_DOWN
from nescio.text import enumerated

NAMED = 4  # runs that the sentence names before it counts the rest


class Standing(Struct, frozen=True, eq=False):
    """The ranking of the runs of one language ("" for all) by the first measure.

    It consists of a sentence on the best run, a chart, and the runs in their order.
    """

    language: str
    sentence: str
    chart: Drawn
    runs: Sequence[str]


def standings(parts: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> list[Standing]:
    """Return the ranking of runs in each language; `shown` holds the names of runs that a reader may see."""
    made = (_standing(part, shown) for part in parts)
    return [standing for standing in made if standing is not None]


def _standing(part: Mapping[str, Any], shown: Mapping[str, str]) -> Standing | None:
    rows = [row for row in part["scores"] if row["measure"] == part["scores"][0]["measure"] and not row["stratum"]]
    rows = [row for row in rows if row["run"] in shown and row["value"] is not None and not math.isnan(row["value"])]
    if not rows:
        return None
    measure, language = rows[0]["measure"], part["language"]
    rows.sort(key=lambda row: (-merit(measure, row["value"]), shown[row["run"]]))
    names = [shown[row["run"]] for row in rows]
    spans = intervals_of(signature.parse(part["signature"]))
    figure = value_figure(
        f"standing-{language}" if language else "standing",
        measure,
        [(name, row["value"], row["low"], row["high"], row["n"]) for name, row in zip(names, rows, strict=True)],
        f"with {spans}, each for its run alone" if spans and rows[0]["low"] is not None else "without intervals",
        "",
    )
    chart = drawn([figure], names)[figure.name]
    return Standing(language, _sentence(rows, names, measure), chart, [row["run"] for row in rows])


def _sentence(rows: Sequence[Mapping[str, Any]], names: Sequence[str], measure: str) -> str:
    """Return a sentence that names the best run, and the runs that do not differ significantly from it."""
    merits = [merit(measure, row["value"]) for row in rows]
    best = [name for name, score in zip(names, merits, strict=True) if score == merits[0]]
    which = (
        f"{enumerated(best, NAMED)} {'is' if len(best) == 1 else 'are'} best by {measure}: {number(rows[0]['value'])}"
    )
    if len(rows) == 1:
        return f"{names[0]} scores {with_interval(rows[0]['value'], rows[0]['low'], rows[0]['high'])} by {measure}."
    if not any(row["best"] for row in rows):
        return f"{which}. Ties are not marked."
    tied = [name for name, row in zip(names, rows, strict=True) if row["tied_with_best"]]
    if tied:
        return f"{which}; not significantly different from {enumerated(tied, NAMED)}."
    return f"{which}; significantly different from every other run." if len(best) < len(rows) else f"{which}."


def agreement_sentence(tables: Sequence[Table]) -> str:
    """Return a sentence with the assessors' agreement; empty if no answer was judged by two assessors."""
    rows = next((table.rows for table in tables if table.name == "agreement"), ())
    by_measure = {row[0]: row for row in rows}
    if "Krippendorff's alpha" not in by_measure:
        return ""
    _, value, *ends, _, over = by_measure["Krippendorff's alpha"]
    interval = "".join(f" {end}" for end in ends if end.startswith("["))
    return f"Krippendorff's alpha of the assessors is {value}{interval}, over {over} that two or more judged."


class Topics(Struct, frozen=True):
    """The runs that have a column in the table of topics, and the number of runs that have none (`more`)."""

    runs: Sequence[str]
    more: int


def topic_columns(standing: Sequence[Standing], runs: Sequence[str]) -> Topics:
    """Return the runs that get a column in the table of topics, and the number of the other runs.

    The best runs of the first languages get a column; without a ranking, the first runs of `runs` do.
    """
    ranked = [run for ranking in standing for run in ranking.runs] or list(runs)
    return Topics(ranked[:MOST_BROKEN_DOWN], max(0, len(ranked) - MOST_BROKEN_DOWN))


def topic_cells(
    scores: Mapping[tuple[str, tuple[str, str]], float | None],
    topics: Sequence[tuple[str, str]],
    runs: Sequence[str],
    measure: str,
) -> list[list[Cell]]:
    """Return a row of shaded table cells for each topic: the score of each run, or a dash if the run has none."""
    nan = math.nan
    listed = [
        Score(run, measure, nan if scores[run, topic] is None else scores[run, topic], None, None, 1)  # type: ignore[arg-type]
        if (run, topic) in scores
        else None
        for topic in topics
        for run in runs
    ]
    lower = bool(measure) and parse(measure).declaration.lower_is_better
    cells = shaded(listed, lower=lower, missing="–")
    return [cells[i : i + len(runs)] for i in range(0, len(cells), len(runs))] if runs else [[] for _ in topics]
