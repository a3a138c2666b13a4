"""Draw the figures of requested studies of the measures: their stability, and how often differences are swapped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from nescio.data.results import Results
from nescio.reporting import charts
from nescio.reporting.page.commands import measure_words
from nescio.reporting.page.figure import Figure, Record
from nescio.reporting.page.report_data import ReportData
from nescio.text import enumerated

SWAPS_ALLOWED = 0.05  # the default level of `nescio meta swap`


def study_figures(report: ReportData) -> tuple[Figure, ...]:
    """Return the figures of the studies of measures that were made, in the order of the studies."""
    figures: list[Figure] = []
    for study in report.studies:
        figures += _stability_figures(report, study) if study.kind == "stability" else _swap_figures(report, study)
    return tuple(figures)


def _rows(study: Results, *names: str) -> list[Record]:
    return [{name: getattr(row, name) for name in names} for row in study]


def _stability_figures(report: ReportData, study: Results) -> list[Figure]:
    """Return figures of a study of stability: error rate over fuzziness, ties over fuzziness, and one over the other.

    Fuzziness is the relative difference of two scores up to which they count as tied.
    """
    rows = _rows(study, "measure", "fuzziness", "error_rate", "ties", "comparisons")
    drawn, top, left = _drawn(rows, ("error_rate", "ties"))
    if not drawn:
        return []
    last = {row["measure"]: row for row in rows}
    command = _command(report, "meta stability")
    across = ("fuzziness", "fuzziness: relative difference of ties")
    fuzzy = f"{rows[-1]['fuzziness']:g}"

    def said(what: str) -> str:
        return "; ".join(f"{name} {_percent(row[what])}" for name, row in last.items())

    both = "; ".join(f"{name} {_percent(row['ties'])} and {_percent(row['error_rate'])}" for name, row in last.items())

    def curve(field: str, title: str) -> Callable[[int], Any]:
        return lambda width: charts.curves(drawn, top, width, (across, (field, title)))

    return [
        Figure(
            "stability",
            "How often a smaller collection misranks runs",
            "Runs are compared on many random subsets of the questions. The error rate is how often a subset ranks "
            "two runs against the majority of the subsets (Buckley & Voorhees 2000).",
            f"Error rate at fuzziness {fuzzy}: {said('error_rate')}.{left}",
            tuple(rows),
            curve("error_rate", "error rate"),
            command,
        ),
        Figure(
            "ties",
            "How often runs are tied",
            "The share of the same comparisons that end in a tie. The fewer ties, the better a measure discriminates. "
            "A low error rate is worth little if it comes from many ties.",
            f"Ties at fuzziness {fuzzy}: {said('ties')}.{left}",
            tuple(rows),
            curve("ties", "proportion of ties"),
            command,
        ),
        Figure(
            "error_over_ties",
            "What fewer ties cost in errors",
            "Each point is a fuzziness: more ties make fewer errors. Of two measures, the one with the "
            "lower error rate at the same share of ties is better (Fig. 2 of Peñas & Rodrigo 2011).",
            f"At fuzziness {fuzzy}, ties and errors: {both}.{left}",
            tuple(rows),
            lambda width: charts.curves(
                drawn, top, width, (("ties", "proportion of ties"), ("error_rate", "error rate"))
            ),
            command,
        ),
    ]


def _swap_figures(report: ReportData, study: Results) -> list[Figure]:
    rows = _rows(study, "measure", "low", "high", "comparisons", "swaps", "swap_rate")
    drawn, top, left = _drawn(rows, ("swap_rate",))
    if not drawn:
        return []
    needs = study.tables["sensitivity"]
    words = "; ".join(
        f"{need.measure} {need.required_from_here_on:.2f}"
        for need in needs
        if not math.isnan(need.required_from_here_on)
    )
    lacking = [need.measure for need in needs if math.isnan(need.required_from_here_on)]
    claim = f"Differences of this size or more are reversed in at most 5% of cases: {words}." if words else ""
    none = f" No such size is known for {enumerated(lacking)}." if lacking else ""
    across, up = ("low", "difference on the first subset"), ("swap_rate", "swap rate")
    return [
        Figure(
            "swap",
            "How large a difference must be",
            "Two runs are compared on two disjoint subsets of the questions. How often does the second subset reverse "
            "the result of the first, by the size of the difference on the first (Voorhees & Buckley 2002)? The "
            "dashed line is 5%.",
            f"{claim}{none}{left}".strip(),
            tuple(rows),
            lambda width: charts.curves(drawn, top, width, (across, up), SWAPS_ALLOWED),
            _command(report, "meta swap"),
        )
    ]


def _drawn(rows: Sequence[Record], shown: Sequence[str]) -> tuple[list[Record], tuple[str, ...], str]:
    """Return the rows for a chart, the measures that it colours, and a sentence on measures that it leaves out.

    `shown` names the fields that a row needs for being drawn.
    """
    measures = tuple(dict.fromkeys(row["measure"] for row in rows))
    top = measures[: charts.MOST_NAMED]
    drawn = [
        row | {"run": row["measure"], "named": row["measure"], "tip": _tip(row, shown)}
        for row in rows
        if row["measure"] in top and not any(math.isnan(row[name]) for name in shown)
    ]
    more = len(measures) - len(top)
    return drawn, top, f" The chart shows {len(top)} of {len(measures)} measures; its data has all." if more else ""


def _tip(row: Record, shown: Sequence[str]) -> str:
    where = f"fuzziness {row['fuzziness']:g}" if "fuzziness" in row else _bin(row)
    values = ", ".join(f"{name.replace('_', ' ')} {_percent(row[name])}" for name in shown)
    return f"{row['measure']}, {where}: {values}, {row['comparisons']:,} comparisons"


def _bin(row: Record) -> str:
    return f"difference from {row['low']:.2f}" + ("" if row["high"] is None else f" to {row['high']:.2f}")


def _percent(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.2%}"


def _command(report: ReportData, verb: str) -> str:
    """Return the command line of a study of the measures. Of the options for resampling, it has only the seed."""
    arguments = report.commands.resampling
    seed = arguments[arguments.index("--seed") :][:2] if "--seed" in arguments else ()
    return report.commands.line(verb, *measure_words(report.measures), *seed, resampled=False)
