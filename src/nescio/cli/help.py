"""Help pages: options in groups, examples that a narrow terminal breaks as a shell does, and completion of words."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import click

VARIABLE = "_NESCIO_COMPLETE"  # what a shell asks for the words that may come next
GROUPS: dict[str, str] = {}  # the title of an option's group, by its long name; options without one are a command's own
OWN, COMMON = "Options", "Help"
SHELLS = ("bash", "zsh", "fish")


def grouped(title: str, *options: Any) -> None:
    """Give a group to options, by the decorators that declare them."""
    for option in options:

        def bare() -> None: ...

        option(bare)
        for parameter in bare.__click_params__:  # type: ignore[attr-defined]
            GROUPS[max(parameter.opts, key=len)] = title


class Command(click.Command):
    """A command whose help page has its own options first, and then those that it shares, in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section a group."""
        sections: dict[str, list[tuple[str, str]]] = {OWN: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                name = max(parameter.opts, key=len)
                title = COMMON if name == "--help" else GROUPS.get(name, OWN)
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            if records and title != COMMON:
                with formatter.section(title):
                    formatter.write_dl(records)
        with formatter.section(COMMON):
            formatter.write_dl(sections.get(COMMON, []))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and its examples in lines that fit."""
        text, self.help = self.help, fitted(self.help or "", formatter.width)
        try:
            super().format_help_text(ctx, formatter)
        finally:
            self.help = text


class Group(click.Group):
    """A command of commands."""

    command_class = Command


def fitted(text: str, width: int) -> str:
    """Break the examples of a help text (after \\b) as a shell continues lines."""
    lines, example = [], False
    for line in text.split("\n"):
        example = line.strip() == "\b" or (example and bool(line.strip()))
        if not example or len(line) + 2 <= width:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        parts = textwrap.wrap(
            line.strip(), max(30, width - 6 - len(indent)), break_on_hyphens=False, break_long_words=False
        )
        lines.append(indent + f" \\\n{indent}    ".join(parts))
    return "\n".join(lines)


def offered(names: Any) -> Any:
    """Complete a word by the names that a function gives."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def measure_names() -> Sequence[str]:
    """Name every measure."""
    from nescio.measures import REGISTRY

    return list(REGISTRY)


def format_names() -> Sequence[str]:
    """Name every format."""
    from nescio import formats

    return list(formats.REGISTRY)


def script(shell: str, app: click.Command) -> str:
    """Return what a shell needs to complete the words of nescio."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "nescio", VARIABLE).source()


def answer(app: click.Command, environment: Mapping[str, str] = os.environ) -> int:
    """Answer a shell that asks for the words that may come next."""
    from click.shell_completion import shell_complete

    return shell_complete(app, {}, "nescio", VARIABLE, environment[VARIABLE])
