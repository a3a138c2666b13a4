"""nescio compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import gates, options
from nescio.cli.output import emit, progress, say, say_notes
from nescio.cli.typed import commands_of
from nescio.commands.gates import check_regression_gate, exit_status, regression_gates
from nescio.commands.places import check_results
from nescio.commands.report import PAGES, report_change
from nescio.comparison import Correction, Test, compare

OWN = ("test", "correction", "margin", "ci")  # options of compare that its page repeats


@click.command("compare")
@options.FILES
@options.MEASURES
@click.option("--baseline", metavar="RUN", help="Compare every run with this one. [default: all pairs]")
@click.option(
    "--run", metavar="RUN", help="Compare this run alone, with the baseline; with the other run where there are two."
)
@click.option(
    "--test",
    type=options.choice(Test),
    default="auto",
    show_default=True,
    help="How p is had: from all exchanges of the two labels on each question, from random ones (auto: all where that is affordable), by a paired bootstrap, or by the randomised Tukey HSD test over all runs at once.",
)
@click.option(
    "--correction",
    type=options.choice(Correction),
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
@options.CI
@options.resampling_options
@options.reading_options
@gates.gate_options
@options.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    gate: bool,
    printed: str,
    output: Path | None,
    junit: Path | None,
    step_summary: str | None,
    **arguments: Any,
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
    paged = output is not None and output.suffix.lower() in PAGES
    if gate:
        check_regression_gate(arguments["baseline"], arguments["ci"], arguments["resamples"])
    if not paged:
        check_results(output, files)
    reports = gates.reports(junit, step_summary, files, output, gated=gate)
    again = commands_of(files, OWN)
    read_options = options.reading(arguments)
    with progress("comparing") as watch:
        if output is not None and paged:
            comparisons = report_change(
                list(files), output, measures or None, commands=again, progress=watch, **arguments, **read_options
            )
        else:
            comparisons = compare(list(files), measures or None, progress=watch, **arguments, **read_options)
    results = regression_gates(comparisons, measures, ci=arguments["ci"], margin=arguments["margin"]) if gate else []
    say_notes(comparisons.notes)
    gates.report(reports, "compare", results, comparisons)
    if paged:
        say(f"wrote {output}")
    emit(comparisons, printed, None if paged else output)
    return exit_status(results)
