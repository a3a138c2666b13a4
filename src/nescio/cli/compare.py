"""nescio compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.results import Comparisons


FEWEST = 2  # resamples that lie beyond the ends of an interval


@click.command("compare")
@_app.FILES
@_app.MEASURES
@click.option("--baseline", metavar="RUN", help="Compare every run with this one. [default: all pairs]")
@click.option(
    "--test",
    type=click.Choice(("auto", "exact", "permutation", "bootstrap", "tukey")),
    default="auto",
    show_default=True,
    help="How p is had: from all exchanges of the two labels on each question, from random ones (auto: all where that is affordable), by a paired bootstrap, or by the randomised Tukey HSD test over all runs at once.",
)
@click.option(
    "--correction",
    type=click.Choice(("holm", "bh", "none")),
    default="holm",
    show_default=True,
    help="How p is adjusted for the number of comparisons (Tukey's is by itself).",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.01,
    show_default=True,
    help="The largest difference that does not matter.",
)
@click.option(
    "--fail-on-regression",
    "gate",
    is_flag=True,
    help="Exit 1 where a run is worse than the baseline by more than the margin, 3 where its interval spans the margin. Looks at the measures named by -m, or at the first of the default ones.",
)
@click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the intervals in percent."
)
@_app.resampling_options
@_app.reading_options
@_app.output_options
def command(
    files: tuple[Path, ...], measures: tuple[str, ...], gate: bool, printed: str, output: Path | None, **given: Any
) -> int:
    """Paired differences between runs, with interval, p-value and a verdict in words.

    A difference is run minus baseline, on the questions that both have. FILES are as for `nescio score`, but for counts tables:
    they do not say which questions each run got right. Intervals are those of one comparison on its own; "p adjusted" and the
    the verdicts better and worse account for all of them. Else it is "no difference larger than d" where the interval, of that
    comparison on its own, lies within the margin, or "too few questions to tell". "detectable" is the difference that as many questions would show in four of five cases.
    Three or more runs without a baseline are ranked, too: the ranks that each may have, and the groups not told apart.

    \b
    nescio compare outcomes.csv --baseline old
    nescio compare outcomes.csv -m c@1 --test tukey
    nescio compare questions.jsonl old.jsonl new.jsonl -m c@1 --baseline old --fail-on-regression --margin 0.01
    """
    from nescio.comparison import compare

    if gate and not given["baseline"]:
        raise UsageError("--fail-on-regression needs a --baseline: a regression is against something")
    if gate and given["resamples"] * (1 - given["ci"] / 100) < FEWEST:
        raise UsageError(
            f"--resamples {given['resamples']} make no {given['ci']:g} % interval that a gate could rest on"
        )
    _app.check_output(output, files)
    options = _app.reading(given)
    with _app.progress("comparing") as progress:
        found = compare(list(files), list(measures) or None, progress=progress, **given, **options)
    status = _regressions(found, measures, 1 - given["ci"] / 100, given["margin"]) if gate else 0
    _app.notes(found.notes)
    _app.emit(found, printed, output)
    return status


def _regressions(found: Comparisons, measures: tuple[str, ...], alpha: float, margin: float) -> int:
    """The worst of the gates, each said where it is not passed."""
    from nescio.comparison import regression
    from nescio.measures import parse
    from nescio.report.tables import signed

    gated = {parse(name).label for name in measures or (found.rows[0:1] and (found.rows[0].measure,))}
    rows = [row for row in found if row.measure in gated]
    statuses = []
    for row in rows:
        status = regression(row, alpha, margin)
        if status:
            verdict = "is worse than" if status == 1 else "may be worse than"
            which = "" if status == 1 else ", which so few questions cannot tell"
            _app.say(
                f"gate: {row.measure} of run {row.run!r} {verdict} {row.baseline!r} by more than {margin:g}{which} "
                f"({signed(row.difference)} [{signed(row.low)}, {signed(row.high)}])"
            )
        statuses.append(status)
    return _app.max_status(statuses)
