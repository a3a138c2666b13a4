"""nescio score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app, _gates
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.data.results import Scores


@click.command("score")
@_app.FILES
@_app.MEASURES
@click.option("--by", metavar="COLUMN", help="Break the scores down by a column that is constant within each question.")
@click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)
@click.option(
    "--interval",
    type=click.Choice(("auto", "percentile", "bca", "dirichlet", "wilson")),
    default="auto",
    show_default=True,
    help="How intervals are made; auto takes what the coverage study supports (docs/coverage.md).",
)
@click.option(
    "--mark/--no-mark",
    "mark",
    default=None,
    help="Mark the best run of each measure and those not told apart from it, by paired tests of all pairs. [default: on all questions, where exact tests cost little]",
)
@_app.resampling_options
@_app.reading_options
@click.option(
    "--fail-under",
    "floors",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit 1 where a run's whole interval is below VALUE, 3 where it spans VALUE. Repeatable.",
)
@click.option(
    "--fail-over",
    "ceilings",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="The same for measures that are better when lower: exit 1 above VALUE, 3 where it spans it.",
)
@_gates.options
@_app.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    printed: str,
    output: Path | None,
    junit: Path | None,
    step_summary: str | None,
    **given: Any,
) -> int:
    """Value and interval of any measure for every run.

    FILES are outcome tables (run, question, outcome), counts tables (run, correct, incorrect, unanswered), score matrices, or
    gold and answers given together: questions.jsonl runs/*.jsonl, or PAN's truth.jsonl runs/*/answers.jsonl.
    In the table * is the best run and † one not told apart from it; LaTeX has superscripts for the runs that are worse.

    \b
    nescio score outcomes.csv
    nescio score outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category
    nescio score questions.jsonl runs/*.jsonl -f json
    """
    from nescio.scoring.score import open_by, score

    limits = [(*_gate("--fail-under", text), False) for text in given.pop("floors")]
    limits += [(*_gate("--fail-over", text), True) for text in given.pop("ceilings")]
    level, mark = _app.level(given.pop("ci")), given.pop("mark")
    _app.check_output(output, files)
    reports = _gates.check(junit, step_summary, files, output, gated=bool(limits))
    options = _app.reading(given)
    asked = list(dict.fromkeys([*measures, *(name for name, _, _ in limits)])) if measures else None
    loaded = open_by(list(files), given["by"], options, asked)
    with _app.progress("scoring") as progress:
        scores = score(loaded, asked, ci=level, progress=progress, **given)
    for name, _, lower_is_better in limits:
        _check_gate(scores, name, lower_is_better=lower_is_better)
    if mark is not False:
        scores = _marked(scores, loaded, bool(mark), level, given)
    gates = [gate for limit in limits for gate in _gated(scores, *limit)]
    _app.notes(scores.notes)
    _gates.say(gates)
    _gates.write(reports, "score", gates, scores)
    _app.emit(scores, printed, output, legend=_why_unmarked(scores, loaded) if mark is None else "")
    return _gates.status(gates)


def _marked(scores: Scores, loaded: Any, every: bool, level: float | None, given: dict[str, Any]) -> Scores:
    from nescio.comparison.best import mark

    drawn = {name: given[name] for name in ("by", "resamples", "seed", "jobs")}
    with _app.progress("comparing") as progress:
        return mark(scores, loaded, every=every, ci=level, progress=progress, **drawn)


def _why_unmarked(scores: Scores, loaded: Any) -> str:
    """Why no run has a mark, where marks could be had; counts alone cannot be paired, and one run is not compared."""
    from nescio.comparison.best import MOST_WORK
    from nescio.data.evidence import Evidence

    data = loaded.data
    if not isinstance(data, Evidence) or len(data.runs) < 2 or any(row.best is not None for row in scores):
        return ""
    if data.origins:
        return (
            "no marks: runs whose ungraded answers are taken both ways are compared by nescio compare --ungraded bounds"
        )
    if data.clusters is not None:
        reason = "the questions are in clusters, whose tests take longer"
    elif math.comb(len(data.runs), 2) * len(data.questions) > MOST_WORK:
        reason = f"the tests of {math.comb(len(data.runs), 2):,} pairs of runs take long"
    else:
        reason = "no exact test of these measures is cheap"
    return f"no marks: {reason}; --mark makes them"


def _gate(option: str, text: str) -> tuple[str, float]:
    name, _, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not math.isfinite(limit):
        raise UsageError(f"{option} takes MEASURE=VALUE (found {text!r})")
    return name.strip(), limit


def _check_gate(scores: Scores, name: str, *, lower_is_better: bool) -> None:
    """Raise UsageError for a gate on a measure that is not scored, or that runs the other way."""
    from nescio.measures import parse

    declaration = parse(name).declaration
    if name not in {row.measure for row in scores}:
        raise UsageError(f"a gate names {name}, which is not among the measures scored; add -m {name!r}")
    if declaration.lower_is_better != lower_is_better:
        better, option = ("higher", "--fail-under") if lower_is_better else ("lower", "--fail-over")
        raise UsageError(f"{name} is better when {better}; use {option} {name}=VALUE")


def _gated(scores: Scores, name: str, limit: float, lower_is_better: bool) -> list[_gates.Gate]:
    """The gate of each run: 0 passed, 1 failed, 3 cannot tell (or undefined)."""
    from nescio.reporting.tables import number

    found = []
    for row in scores:
        if row.measure != name or row.stratum is not None:
            continue
        low, high = (row.value, row.value) if row.low is None else (row.low, row.high)
        worst, best = (-high, -low) if lower_is_better else (low, high)
        floor = -limit if lower_is_better else limit
        status = 0 if worst >= floor else 1 if best < floor else 3
        verdict = {
            0: "is at most" if lower_is_better else "is at least",
            1: "is above" if lower_is_better else "is below",
            3: "cannot be told from",
        }[status]
        shown = f"{number(row.value)} [{number(low)}, {number(high)}]"
        said = f"{name} of run {row.run!r} {verdict} {limit:g} ({shown})"
        asked = f"{name} {'at most' if lower_is_better else 'at least'} {limit:g}"
        found.append(_gates.Gate(row.run, asked, status, said, shown))
    return found
