"""nescio meta: the evaluation of measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio import meta
from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say_notes
from nescio.commands.places import check_results


@options.group("meta")
def command() -> None:
    """Study a measure on your collection: stability, sensitivity, agreement."""


drawing_options = options.together(
    click.option(
        "--size",
        multiple=True,
        callback=lambda _context, _option, values: ",".join(values) or None,
        metavar="N,N,…",
        help="Questions (or clusters) in a sub-collection; several sizes are studied one by one. [default: 250, or"
        " half of all]",
    ),
    click.option(
        "--trials",
        default="100",
        show_default=True,
        metavar="N|all",
        help="The number of sub-collections; `all` enumerates them.",
    ),
    click.option(
        "--fresh",
        is_flag=True,
        help=(
            "Draw new sub-collections for each pair of runs, as in the published algorithm. [default: shared by all"
            " pairs]"
        ),
    ),
    options.SEED,
    options.JOBS,
)


@command.command("stability")
@options.FILES
@options.MEASURES
@drawing_options
@click.option(
    "--fuzziness", metavar="F,F,…", help="Relative differences below which runs tie. [default: 0.01,0.02,…,0.10]"
)
@click.option(
    "--literal",
    is_flag=True,
    help="If both runs score 0, count a win for the second run instead of a tie, as in the published algorithm.",
)
@options.reading_options
@options.output_options
def stability_(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    fuzziness: str | None,
    printed: str,
    output: Path | None,
    **arguments: Any,
) -> None:
    """Error rate and proportion of ties (Buckley & Voorhees 2000).

    The error rate is how often a sub-collection ranks two runs against the majority. A measure with fewer ties
    discriminates better.

    \b
    nescio meta stability outcomes.csv -m c@1 -m accuracy -m UF
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    values = meta.FUZZINESS if fuzziness is None else options.numbers("--fuzziness", fuzziness)
    with progress("drawing") as watch:
        results = meta.stability(
            list(files),
            list(measures) or None,
            trials=options.number_or_all("--trials", arguments.pop("trials")),
            size=options.whole_numbers("--size", arguments.pop("size")),
            fuzziness=values,
            progress=watch,
            **arguments,
            **read_options,
        )
    say_notes(results.notes)
    emit(results, printed, output)


@command.command("swap")
@options.FILES
@options.MEASURES
@drawing_options
@click.option(
    "--confidence",
    type=float,
    default=95.0,
    show_default=True,
    metavar="LEVEL",
    help="100% minus the allowed swap rate, in percent.",
)
@options.reading_options
@options.output_options
def swap_(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **arguments: Any
) -> None:
    """Swap rates, and the difference that a measure requires (Voorhees & Buckley 2002).

    Two disjoint sub-collections can rank two runs differently. The swap rate is how often this happens, for each size
    of the difference on the first sub-collection.

    \b
    nescio meta swap outcomes.csv -m c@1 -m accuracy -m UF
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    with progress("drawing") as watch:
        results = meta.swap(
            list(files),
            list(measures) or None,
            trials=options.number_or_all("--trials", arguments.pop("trials")),
            size=options.whole_numbers("--size", arguments.pop("size")),
            progress=watch,
            **arguments,
            **read_options,
        )
    say_notes(results.notes)
    emit(results, printed, output)


@command.command("power")
@options.FILES
@options.MEASURES
@click.option(
    "--alpha",
    default="0.05",
    show_default=True,
    metavar="A,A,…",
    help="One or more significance levels, with a row for each.",
)
@click.option(
    "--resamples",
    default="1000",
    show_default=True,
    metavar="N|all",
    help="The number of resamples, shared by all pairs and measures; `all` enumerates them (ten questions at most).",
)
@options.SEED
@options.JOBS
@options.reading_options
@options.output_options
def power_(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **arguments: Any
) -> None:
    """Discriminative power: for how many pairs of runs a measure finds a significant difference (Sakai 2006).

    Each pair of runs gets a paired bootstrap test. "share" is the share of pairs whose achieved significance level
    (ASL) is below alpha, and "required difference" is the difference above which a pair is expected to be significantly
    different. If a measure is a mean over questions, the statistic is the studentised mean, as published. For other
    measures, such as c@1, it is the difference of the measure on each resample. The JSON output has the ASL of every
    pair.

    \b
    nescio meta power outcomes.csv -m c@1 -m accuracy -m UF
    nescio meta power ap.csv --alpha 0.01,0.05 -o power.json
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    with progress("resampling") as watch:
        results = meta.power(
            list(files),
            list(measures) or None,
            alpha=options.numbers("--alpha", arguments.pop("alpha")),
            resamples=options.number_or_all("--resamples", arguments.pop("resamples")),
            progress=watch,
            **arguments,
            **read_options,
        )
    say_notes(results.notes)
    emit(results, printed, output)


@command.command("agreement")
@options.FILES
@options.MEASURES
@click.option(
    "--rbo-p",
    type=float,
    default=0.9,
    show_default=True,
    metavar="P",
    help="The p of rank-biased overlap; the smaller it is, the more weight the top of the ranking has.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="The number of pairs of runs to show for each pair of measures.",
)
@options.reading_options
@options.output_options
def agreement_(
    files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **arguments: Any
) -> None:
    """Compare how measures rank the runs, and show where they disagree most.

    Prints Kendall's tau-b, tau_AP and rank-biased overlap (RBO) between the rankings, and then the pairs of runs on
    which two measures disagree most: one rates them equal (within 0.005 of its range) and the other does not, or each
    prefers a different run. A counts table is enough.

    \b
    nescio meta agreement outcomes.csv -m accuracy -m c@1
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    with progress("comparing") as watch:
        results = meta.agreement(list(files), list(measures) or None, progress=watch, **arguments, **read_options)
    say_notes(results.notes)
    emit(results, printed, output)
