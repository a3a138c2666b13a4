"""nescio plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say_notes
from nescio.commands.places import check_results
from nescio.errors import UsageError
from nescio.meta import plan
from nescio.meta.planning.labels import plan_labels
from nescio.meta.planning.repeats import plan_repeats
from nescio.reporting.planning import show_label_plan, show_plan
from nescio.reporting.repeats import show_design


@options.command("plan")
@click.argument("files", nargs=-1, type=options.PATH, metavar="[FILES...]")
@options.MEASURES
@click.option("--run", metavar="RUN", help="The run of the pilot to compare with the baseline.")
@click.option("--baseline", metavar="RUN", help="The other run of the pilot. [default: the first, if there are two]")
@click.option(
    "--difference",
    type=float,
    help="The difference to detect: run minus baseline. [default: that of the pilot or the rates]",
)
@click.option(
    "--questions",
    type=int,
    metavar="N",
    help=(
        "Also report what N questions can detect; with --labels and --spread, which need it, how many questions there"
        " are. [default: the pilot's number]"
    ),
)
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="The probability of detecting the difference (p at most alpha).",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The level of the two-sided test.")
@click.option(
    "--rates",
    multiple=True,
    metavar="C,W,U",
    help=(
        "Correct, incorrect and unanswered, as shares, percentages or counts: once for both systems, or for the run and"
        " then the baseline."
    ),
)
@click.option(
    "--agreement",
    type=float,
    help=(
        "With --rates: how similar the answers are, from 0 (independent) to 1 (as similar as the rates allow); this is"
        " kappa if the rates are equal. [default: 0]"
    ),
)
@click.option(
    "--repeats",
    is_flag=True,
    help=(
        "Plan how many questions to ask, and how often to ask each, within --budget. The pilot has several answers to"
        " each question."
    ),
)
@click.option("--budget", type=float, help="With --repeats: the largest total cost, in any unit.")
@click.option(
    "--per-question", type=float, default=0.0, show_default=True, help="With --repeats: the cost of a question, once."
)
@click.option("--per-answer", type=float, default=1.0, show_default=True, help="With --repeats: the cost of an answer.")
@click.option(
    "--variances",
    metavar="Q,S",
    help="With --repeats, in place of a pilot: the variance between questions, and that of a single answer.",
)
@click.option(
    "--labels",
    type=options.PATH,
    is_flag=False,
    flag_value=Path(),
    metavar="[FILE]",
    help=(
        "Plan how many answers people must label for a --half-width or a --difference. FILE has the labels that you"
        " have; without it, state the --correlation that you expect."
    ),
)
@click.option("--half-width", type=float, help="With --labels: half the width of the interval to reach.")
@click.option(
    "--correlation",
    type=float,
    help="With --labels: the correlation of people's and the judge's verdicts. [default: that of the labels in FILE]",
)
@click.option(
    "--spread",
    type=float,
    help=(
        "With --labels, in place of FILES: the standard deviation of people's verdicts, or of their difference; needs"
        " --correlation and --questions."
    ),
)
@options.TARGET
@options.SEED
@options.reading_options
@options.output_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    rates: tuple[str, ...],
    printed: str,
    output: Path | None,
    *,
    repeats: bool,
    labels: Path | None,
    **arguments: Any,
) -> None:
    """Plan how many questions it takes to detect a difference between two systems.

    Plans from a pilot (FILES with two runs, or --run and --baseline) or from --rates. The power refers to the paired
    test of `nescio compare`. It is simulated on collections drawn from the two systems' joint outcome table,
    reweighted to give the difference.

    \b
    nescio plan outcomes.csv --run mine --baseline old --difference 0.03
    nescio plan --rates 0.5,0.3,0.2 --agreement 0.4 --difference 0.03 --questions 1000
    nescio plan --repeats trials.csv --run agent-2 --budget 1000 --per-question 2 --per-answer 0.1
    nescio plan questions.jsonl runs/*.jsonl --run mine --baseline old --labels people.csv --half-width 0.15
    """
    check_results(output, files)
    read_options = options.reading(arguments)
    own = {name: arguments.pop(name) for name in ("budget", "per_question", "per_answer", "variances")}
    of_labels = {name: arguments.pop(name) for name in ("half_width", "correlation", "spread", "target")}
    if labels is not None:
        if repeats or rates:
            raise UsageError(
                f"a plan of labels is no plan {'of repeats' if repeats else 'from rates'}; give one of them"
            )
        of_labels["target"] = of_labels["target"] or "population"
        shared = {n: arguments[n] for n in ("run", "baseline", "difference", "questions", "power", "alpha")}
        _plan_labels(files, measures, labels, of_labels | shared | read_options, (printed, output))
        return
    if given := next((name for name, value in of_labels.items() if value is not None), None):
        raise UsageError(f"--{given.replace('_', '-')} is for plans of --labels")
    if repeats:
        _plan_repeats(
            files, measures, own | {n: arguments[n] for n in ("run", "baseline")} | read_options, printed, output
        )
        return
    if given := next((name for name, value in own.items() if value not in (None, _COSTS.get(name))), None):
        raise UsageError(f"--{given.replace('_', '-')} is for plans of --repeats")
    with progress("planning") as watch:
        planned = plan(
            list(files) or None,
            list(measures) or None,
            rates=[_numbers(text) for text in rates] or None,
            progress=watch,
            **arguments,
            **read_options,
        )
    say_notes(planned.notes)
    emit(planned, printed, output, show=show_plan)


_COSTS = {"per_question": 0.0, "per_answer": 1.0}


def _plan_labels(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    labels: Path,
    how: dict[str, Any],
    where: tuple[str, Path | None],
) -> None:
    """Plan how many answers people must label."""
    planned = plan_labels(
        list(files) or None, list(measures) or None, labels=None if labels == Path() else labels, **how
    )
    say_notes(planned.notes)
    emit(planned, *where, show=show_label_plan)


def _plan_repeats(
    files: tuple[Path, ...], measures: tuple[str, ...], how: dict[str, Any], printed: str, output: Path | None
) -> None:
    """Plan how often to ask each question."""
    if how["budget"] is None:
        raise UsageError("--repeats plans within a budget; say what all answers may cost with --budget")
    stated = how.pop("variances")
    variances = None if stated is None else options.numbers("--variances", stated)
    planned = plan_repeats(list(files) or None, list(measures) or None, variances=variances, **how)
    say_notes(planned.notes)
    emit(planned, printed, output, show=show_design)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part.strip().removesuffix("%")) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--rates takes three numbers separated by commas (found {text!r})") from None
