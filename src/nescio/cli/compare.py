"""nescio compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app, _diff, _gates
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.data.results import Comparisons


FEWEST = 2  # resamples that lie beyond the ends of an interval


@click.command("compare")
@_app.FILES
@_app.MEASURES
@click.option("--baseline", metavar="RUN", help="Compare every run with this one. [default: all pairs]")
@click.option(
    "--run", metavar="RUN", help="Compare this run alone, with the baseline; with the other run where there are two."
)
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
@_gates.options
@_app.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    run: str | None,
    gate: bool,
    printed: str,
    output: Path | None,
    junit: Path | None,
    step_summary: str | None,
    **given: Any,
) -> int:
    """Paired differences between runs, with interval, p-value and a verdict in words.

    A difference is run minus baseline, on the questions that both have. FILES are as for `nescio score`, but for counts tables:
    they do not say which questions each run got right. Intervals are those of one comparison on its own; "p adjusted" and the
    verdicts better and worse account for all of them. Else it is "no difference larger than d" where the interval, of that
    comparison on its own, lies within the margin, or "too few questions to tell". "detectable" is the difference that as many questions would show in four of five cases.
    Three or more runs without a baseline are ranked, too: the ranks that each may have, and the groups not told apart.
    With -o FILE.html the page of what changed between two runs is written: won, lost, newly silent, newly answered.

    \b
    nescio compare outcomes.csv --baseline old
    nescio compare outcomes.csv -m c@1 --test tukey
    nescio compare outcomes.csv --baseline old --run mine -o diff.html
    nescio compare questions.jsonl runs/old.jsonl runs/mine.jsonl -m c@1 --baseline old --fail-on-regression --margin 0.01
    """
    from nescio.comparison import compare

    if gate and not given["baseline"]:
        raise UsageError("--fail-on-regression needs a --baseline: a regression is against something")
    if gate and given["resamples"] * (1 - given["ci"] / 100) < FEWEST:
        raise UsageError(
            f"--resamples {given['resamples']} make no {given['ci']:g} % interval that a gate could rest on"
        )
    _diff.check(output, files)
    reports = _gates.check(junit, step_summary, files, output, gated=gate)
    options = _app.reading(given)
    with _app.progress("comparing") as progress:
        source: Any = list(files)
        page = _diff.is_page(output)
        if run is not None or page:
            source, options = _diff.read_two(files, measures, given["baseline"], run, options, page=page), {}
            if len(source.data.runs) == 2:
                given["baseline"] = source.data.runs[0]
        found = compare(source, list(measures) or None, progress=progress, **given, **options)
    gates = _regressions(found, measures, 1 - given["ci"] / 100, given["margin"]) if gate else []
    _app.notes(found.notes)
    _gates.say(gates)
    _gates.write(reports, "compare", gates, found)
    if output is not None and _diff.is_page(output):
        _diff.write(source, found, files, output, given)
        output = None
    _app.emit(found, printed, output)
    return _gates.status(gates)


def _regressions(found: Comparisons, measures: tuple[str, ...], alpha: float, margin: float) -> list[_gates.Gate]:
    """The gate of each comparison: 0 passed, 1 worse, 3 cannot tell."""
    from nescio.comparison import regression
    from nescio.measures import parse
    from nescio.reporting.tables import signed

    gated = {parse(name).label for name in measures or (found.rows[0:1] and (found.rows[0].measure,))}
    gates = []
    for row in found:
        if row.measure not in gated:
            continue
        status = regression(row, alpha, margin)
        verdict = {0: "is not worse than", 1: "is worse than", 3: "may be worse than"}[status]
        which = ", which so few questions cannot tell" if status == 3 else ""
        shown = f"{signed(row.difference)} [{signed(row.low)}, {signed(row.high)}]"
        said = f"{row.measure} of run {row.run!r} {verdict} {row.baseline!r} by more than {margin:g}{which} ({shown})"
        asked = f"{row.measure} at most {margin:g} worse than {row.baseline}"
        gates.append(_gates.Gate(row.run, asked, status, said, shown))
    return gates
