"""What was typed: command lines that give results again, for pages and summaries that name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nescio.cli.app import ARGUMENTS
from nescio.cli.options import READING
from nescio.reporting.terminal import typed

if TYPE_CHECKING:
    from nescio.reporting.page.texts import Commands

RESAMPLING = ("resamples", "seed")


def commands_of(files: Sequence[Path], own: Sequence[str] = ()) -> Commands:
    """Keep the options of this call that other commands need to give the same figures; `own` are more of its
    options."""
    from nescio.reporting.page.texts import Commands

    return Commands(tuple(map(str, files)), _given(tuple(READING)), _given((*RESAMPLING, *own)))


def _given(names: Sequence[str]) -> tuple[str, ...]:
    """List those options that were given, as they would be typed."""
    context = click.get_current_context()
    words: list[str] = []
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name in names and context.get_parameter_source(option.name) != click.core.ParameterSource.DEFAULT:
            for item in value if isinstance(value, tuple) else (value,):
                words += [max(option.opts, key=len), str(item)]
    return tuple(words)


def command_line() -> str:
    """Give the command line that this process was called with, without the reports of gates."""
    context = click.get_current_context()
    kept: list[str] = []
    words = list(context.meta.get(ARGUMENTS, ()))
    while words:
        word = words.pop(0)
        if word == "--junit" or (word == "--step-summary" and words and context.params["step_summary"] == words[0]):
            words = words[1:]
        elif word != "--step-summary" and not word.startswith(("--junit=", "--step-summary=")):
            kept.append(word)
    return typed(["nescio", *kept])
