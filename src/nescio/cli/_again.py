"""The command line of a call, for pages that say which command gives each of their figures again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from nescio.reporting.page.texts import Commands

READING = (
    "format_in",
    "judge",
    "missing",
    "ungraded",
    "unanswerable",
    "missing_confidence",
    "max_unpacked",
    "words",
    "choices",
    "declined_pattern",
    "cluster",
)
RESAMPLING = ("resamples", "seed")


def repeatable(files: tuple[Path, ...], own: Sequence[str] = ()) -> Commands:
    """The options of this call that other commands need to give the same figures; `own` are more of its options."""
    from nescio.reporting.page.texts import Commands

    return Commands(tuple(map(str, files)), _given(READING), _given((*RESAMPLING, *own)))


def _given(names: Sequence[str]) -> tuple[str, ...]:
    """Those options that were given, as they would be typed."""
    context = click.get_current_context()
    parts: list[str] = []
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name in names and context.get_parameter_source(option.name) != click.core.ParameterSource.DEFAULT:
            for each in value if isinstance(value, tuple) else (value,):
                parts += [max(option.opts, key=len), str(each)]
    return tuple(parts)
