"""nescio meta: the evaluation of measures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from nescio.cli import _app
from nescio.errors import UsageError


@click.group("meta", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """How good is the measure? Its stability and sensitivity on your collection."""


def drawing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How sub-collections are drawn."""
    for option in reversed(
        (
            click.option(
                "--size",
                type=click.IntRange(min=1),
                help="Questions in a sub-collection. [default: 250, or half of all]",
            ),
            click.option(
                "--trials",
                default="100",
                show_default=True,
                metavar="N|all",
                help="How many sub-collections; all takes every one there is.",
            ),
            click.option(
                "--fresh",
                is_flag=True,
                help="Draw anew for each pair of runs, as the published figure says. [default: shared by all pairs]",
            ),
            _app.SEED,
            _app.JOBS,
        )
    ):
        function = option(function)
    return function


def trials(text: str) -> int | None:
    """The number of trials that an option names, None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--trials takes a whole number from 1, or all (found {text!r})")
    return int(text)


@command.command("stability")
@_app.FILES
@_app.MEASURES
@drawing_options
@click.option(
    "--fuzziness", metavar="F,F,…", help="Relative differences below which runs tie. [default: 0.01,0.02,…,0.10]"
)
@click.option(
    "--literal",
    is_flag=True,
    help="Book two scores of 0 as the published figure does: for the second run, not as a tie.",
)
@_app.reading_options
@_app.output_options
def stability_(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    fuzziness: str | None,
    printed: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Error rate and proportion of ties (Buckley & Voorhees 2000).

    The error rate is how often a sub-collection ranks two runs against the majority; fewer ties discriminate better.

    \b
    nescio meta stability outcomes.csv -m c@1 -m accuracy -m UF
    """
    from nescio.meta import FUZZINESS, stability

    _app.check_output(output, files)
    options = _app.reading(given)
    values = FUZZINESS if fuzziness is None else _numbers(fuzziness)
    with _app.progress("drawing") as progress:
        found = stability(
            list(files),
            list(measures) or None,
            trials=trials(given.pop("trials")),
            fuzziness=values,
            progress=progress,
            **given,
            **options,
        )
    _app.notes(found.notes)
    _app.emit(found, printed, output)


@command.command("swap")
@_app.FILES
@_app.MEASURES
@drawing_options
@click.option(
    "--confidence",
    type=float,
    default=95.0,
    show_default=True,
    metavar="LEVEL",
    help="One minus the swap rate that is allowed, in percent.",
)
@_app.reading_options
@_app.output_options
def swap_(files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **given: Any) -> None:
    """Swap rates, and the difference that a measure requires (Voorhees & Buckley 2002).

    Two disjoint sub-collections may rank two runs differently: how often, by the size of the difference on the first?

    \b
    nescio meta swap outcomes.csv -m c@1 -m accuracy -m UF
    """
    from nescio.meta import swap

    _app.check_output(output, files)
    options = _app.reading(given)
    with _app.progress("drawing") as progress:
        found = swap(
            list(files),
            list(measures) or None,
            trials=trials(given.pop("trials")),
            progress=progress,
            **given,
            **options,
        )
    _app.notes(found.notes)
    _app.emit(found, printed, output)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--fuzziness takes numbers separated by commas (found {text!r})") from None
