"""nescio compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import early, gates, options, suites
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.cli.typed import commands_of
from nescio.commands.gates import check_regression_gate, early_gates, exit_status, regression_gates
from nescio.commands.places import check_file, check_results
from nescio.commands.report import PAGES, compared
from nescio.comparison import Correction, Test
from nescio.data.results import Comparisons
from nescio.errors import UsageError
from nescio.reporting.early import show_looks
from nescio.reporting.tiles import tiles

if TYPE_CHECKING:
    from nescio.reporting.page.change import Change

OWN = ("test", "correction", "margin", "ci")  # options of compare that its page repeats


@options.command("compare")
@options.FILES
@options.MEASURES
@suites.suite_options
@click.option(
    "--baseline",
    metavar="RUN|FILE",
    help="Compare every run with this run, or with the one in a file from `nescio baseline`. [default: all pairs]",
)
@click.option(
    "--run", metavar="RUN", help="Compare only this run with the baseline, or with the other run if there are two."
)
@click.option(
    "--test",
    type=options.choice(Test),
    default="auto",
    show_default=True,
    help=(
        "How the p-value is computed: exact permutation test (exact), random permutations (permutation), exact where"
        " feasible and else random (auto), paired bootstrap (bootstrap), or randomised Tukey HSD over all runs at once"
        " (tukey)."
    ),
)
@click.option(
    "--correction",
    type=options.choice(Correction),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for the number of comparisons (Tukey's test needs no adjustment).",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.01,
    show_default=True,
    help=(
        "The largest difference that does not matter. With --sequential there is no default, and it must be above 0."
    ),
)
@click.option(
    "--fail-on-regression",
    "gate",
    is_flag=True,
    help=(
        "Exit with 1 if a run is worse than the baseline by more than the margin, and with 3 if its interval spans the"
        " margin. Checks the measures named by -m, or the first default measure."
    ),
)
@early.early_options
@options.CI
@options.label_options
@options.resampling_options
@options.reading_options
@gates.gate_options
@options.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    *,
    gate: bool,
    sequential: bool,
    printed: str,
    output: Path | None,
    junit: Path | None,
    step_summary: str | None,
    **arguments: Any,
) -> int:
    """Compare runs: paired differences with intervals, p-values and verdicts in words.

    A difference is run minus baseline, on the questions that both have. FILES are as for `nescio score`, except that
    counts tables do not work, because they do not say which questions each run got right. Intervals are not adjusted
    for multiple comparisons. "p adjusted" and the verdicts better and worse account for all comparisons by the first
    measure, which decides, or for all by the others. By a measure that only describes a run, such as coverage, a run
    is higher or lower. If neither applies, the verdict is "differences above d are ruled out" if the interval lies
    within the margin, and otherwise "too few questions to tell". "detectable" is the smallest difference that this test
    would detect (80% power). Without a baseline, three or more runs are also ranked: each has the range of its possible
    ranks, P(best) (how often it is best when the questions are resampled), its mean rank over the same resamples, and
    its groups of tied runs. -o FILE.html writes a page of what changed between two runs: won, lost, newly silent, newly
    answered. With --suite, the differences are between means over several benchmarks. A baseline file is refused if
    it was made on other questions, by another judge, or with other reading options.

    With --sequential the questions can arrive in blocks, and you can look at the interval after each block. The verdict
    is to stop (better, worse, no difference larger than --margin) or to go on. --fail-on-regression then exits with 0
    for better or no difference, 1 for worse, and 3 while it is too early to tell.

    \b
    nescio compare outcomes.csv --baseline old
    nescio compare outcomes.csv -m c@1 --test tukey
    nescio compare questions.jsonl runs/*.jsonl --baseline old --labels people.csv
    nescio compare outcomes.csv --baseline old --run mine -o diff.html
    nescio compare --suite suite/suite.toml --baseline model-a
    nescio compare questions.jsonl runs/*.jsonl -m c@1 --baseline old --fail-on-regression --margin 0.01
    nescio compare outcomes.csv -m accuracy --baseline old --run mine --sequential --state looks.json --margin 0.03
    """
    suite = suites.taken(files, arguments)
    early.check_options(sequential=sequential)
    if suite:
        suites.refuse({"--sequential": sequential})
    paged = output is not None and output.suffix.lower() in PAGES and not sequential
    if gate:
        check_regression_gate(arguments["baseline"], arguments["ci"], arguments["resamples"])
    if output is not None and paged:
        check_file(output, "the page", PAGES, files)
        if arguments["labels"]:
            raise UsageError("a page of what changed shows the judge's verdicts; with --labels write .json, .csv, .md")
    else:
        check_results(output, [*(suites.files_of(files, suite) if suite else files), *options.label_files(arguments)])
    reports = gates.reports(junit, step_summary, files, output, gated=gate)
    if sequential:
        looks = early.look(files, measures, arguments)
        checked = early_gates(looks) if gate else []
        say_notes(looks.notes)
        gates.report(reports, "compare", checked, looks)
        emit(looks, printed, output, show=show_looks)
        return exit_status(checked)
    change, show = None, None
    if suite:
        comparisons, show = _over_a_suite(files, measures, suite, arguments, paged=paged), suites.show_suite
    else:
        about_two = reports.summary is not None and not arguments["labels"]
        comparisons, change = _in_pairs(files, measures, arguments, output if paged else None, about_two=about_two)
    checked = regression_gates(comparisons, measures, ci=arguments["ci"], margin=arguments["margin"]) if gate else []
    say_notes(comparisons.notes)
    gates.report(reports, "compare", checked, comparisons, tiles(change) if change else ())
    if paged:
        say(f"wrote {output}")
    emit(comparisons, printed, None if paged else output, show=show)
    return exit_status(checked)


def _over_a_suite(
    files: Sequence[Path], measures: Sequence[str], suite: dict[str, Any], arguments: dict[str, Any], *, paged: bool
) -> Comparisons:
    early.drop_options(arguments)
    read_options = options.reading(arguments)
    suites.drop_labels(arguments)
    suites.refuse({"--test": arguments.pop("test") != "auto", "a page": paged})
    return suites.compare(files, measures, suite, {**arguments, **read_options})


def _in_pairs(
    files: Sequence[Path], measures: Sequence[str], arguments: dict[str, Any], page: Path | None, *, about_two: bool
) -> tuple[Comparisons, Change | None]:
    early.drop_options(arguments)
    read_options = options.reading(arguments)
    with progress("comparing") as watch:
        return compared(
            list(files),
            measures or None,
            commands_of(files, OWN),
            page=page,
            about_two=about_two,
            how={**arguments, "progress": watch},
            options=read_options,
        )
