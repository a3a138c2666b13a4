"""nescio score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.results import Scores


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
@_app.resampling_options
@_app.reading_options
@click.option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit 1 if a run scores below VALUE, 3 if its interval spans VALUE. Repeatable.",
)
@_app.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    gates: tuple[str, ...],
    printed: str,
    output: Path | None,
    **given: Any,
) -> int:
    """Value and interval of any measure for every run.

    FILES are outcome tables (run, question, outcome), counts tables (run, correct, incorrect, unanswered), score matrices, or
    gold and answers given together: questions.jsonl runs/*.jsonl, or PAN's truth.jsonl runs/*/answers.jsonl.

    \b
    nescio score outcomes.csv
    nescio score outcomes.parquet -m c@1 -m 'penalty(t=0.75)' --by category
    nescio score questions.jsonl runs/*.jsonl -f json
    """
    from nescio.evaluate import score

    floors = [_gate(gate) for gate in gates]
    level = _level(given.pop("ci"))
    options = _app.reading(given)
    asked = list(dict.fromkeys([*measures, *(name for name, _ in floors)])) if measures else None
    with _app.progress("scoring") as progress:
        scores = score(list(files), asked, ci=level, progress=progress, **given, **options)
    for name, _ in floors:
        if name not in {row.measure for row in scores}:
            raise UsageError(f"--fail-under {name}: this measure is not among those scored; add -m {name!r}")
    _app.notes(scores.notes)
    _app.emit(scores, printed, output)
    return max_status([_status(scores, name, floor) for name, floor in floors])


def _level(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--ci takes a level in percent, or none (found {text!r})") from None


def _gate(text: str) -> tuple[str, float]:
    name, _, floor = text.rpartition("=")
    try:
        return name.strip(), float(floor)
    except ValueError:
        raise UsageError(f"--fail-under takes MEASURE=VALUE (found {text!r})") from None


def _status(scores: Scores, name: str, floor: float) -> int:
    """0 passed, 1 failed, 3 cannot tell; says why where it is not 0."""
    found = []
    for row in scores:
        if row.measure != name or row.stratum is not None:
            continue
        low, high = (row.value, row.value) if row.low is None else (row.low, row.high)
        status = 0 if low >= floor else 1 if high < floor else 3
        if status:
            verdict = "is below" if status == 1 else "cannot be told from"
            _app.say(f"gate: {name} of run {row.run!r} {verdict} {floor:g} ({row.value:.4f} [{low:.4f}, {high:.4f}])")
        found.append(status)
    return max_status(found)


def max_status(found: list[int]) -> int:
    """A failure outweighs a gate that cannot tell, and that outweighs a pass."""
    return 1 if 1 in found else 3 if 3 in found else 0
