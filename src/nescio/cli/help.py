"""Print help pages that fit a screen, and whole ones for --help-all; complete words for a shell."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from nescio.options import Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

VARIABLE = "_NESCIO_COMPLETE"  # the variable with which a shell asks for possible next words
SHELLS = ("bash", "zsh", "fish")
OWN = "Options"
UNBROKEN = "\N{NON-BREAKING HYPHEN}"  # replaces hyphens in names of options until lines are broken
FORM = "form"  # The page that fits a screen names this option's choices, too.
LABEL = 24  # the width of an option with its placeholder


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta["nescio.help"] = "all"
        print(context.get_help())
        context.exit()


class Command(click.Command):
    """A command whose help page describes its own options, a line each, and only names the shared options.

    With --help-all the page describes every option.
    """

    declared: Mapping[str, Option]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.declared = {}
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show all options in full.",
            )
        )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the options that start with the typed text. Some shells show their descriptions, too."""
        for parameter in self.params:
            if isinstance(parameter, click.Option) and (option := self.declared.get(parameter.name or "")):
                parameter.help = option.about
        return super().shell_complete(ctx, incomplete)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page of the command as text."""
        return super().get_help(ctx).replace(UNBROKEN, "-")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of a command to its help page.

        With --help-all, each group of options has a section. With --help, only the command's own options have a
        section, and every other group is a line of names.
        """
        whole = ctx.meta.get("nescio.help") == "all"
        groups: dict[str, list[tuple[str, str]]] = {OWN: []}
        shared: dict[str, list[str]] = {}
        for parameter in self.get_params(ctx):
            option = self.declared.get(parameter.name or "")
            if option is None or option.argument:
                continue
            flags = (
                "/".join(parameter.opts[-1:] + parameter.secondary_opts)
                if option.kind.flag
                else ", ".join(parameter.opts)
            )
            label = flags if option.kind.flag else f"{flags} {placeholder(option)}"
            if whole or not option.group:
                groups.setdefault(option.group or OWN, []).append((label, described(option, whole=whole)))
            else:
                name = max(parameter.opts, key=len).replace("-", UNBROKEN)
                forms = f"-f {'|'.join(option.kind.choices)}" if parameter.name == FORM else ""
                shared.setdefault(option.group, []).append(forms or name)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=30 if whole else LABEL)
        for option in self.declared.values():
            words = option.complete() if option.complete and (whole or not option.group) else ()
            if isinstance(words, Mapping):
                with formatter.section(f"{option.metavar} of {max(option.given_as, key=len)}"):
                    formatter.write_dl(list(words.items()), col_max=LABEL)
        if whole:
            with formatter.section("Help"):
                formatter.write_dl([("-h, --help", "The page that fits a screen."), ("--help-all", "This page.")])
        if shared:
            with formatter.section("More options (--help-all describes them)"):
                formatter.write_dl([(title, ", ".join(names)) for title, names in shared.items()], col_max=LABEL)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description of the command and its examples, whole or (for --help) shortened to a screen."""
        text = self.help or ""
        if ctx.meta.get("nescio.help") != "all":
            text = shortened(text)
        write_fitted(formatter, text)


def placeholder(option: Option) -> str:
    """Return the placeholder for an option's value on the help page.

    If the list of choices is too long, the placeholder is NAME, and the description lists the choices.
    """
    fits = len(", ".join(option.given_as)) + 1 + len(option.metavar) <= LABEL
    return option.metavar if fits or not option.kind.choices else "NAME"


def described(option: Option, *, whole: bool) -> str:
    """Return the description of an option: its full text if `whole`, else one sentence.

    The full text also names the options that this option needs, and has the default.
    """
    text, default = option.about, _shown(option.default)
    if not whole:
        text = re.split(r"\. |; |: ", text)[0].rstrip(".") + "."
    else:
        default = option.default_about or default
        needs = " or ".join(f"--{name.replace('_', '-')}" for name in option.needs if name != "suite")
        choices = f" {', '.join(option.kind.choices)}." if placeholder(option) != option.metavar else ""
        again = " Repeatable." if option.kind.several and not option.argument else ""
        text = f"{f'With {needs}: ' if needs else ''}{text}{choices}{again}"
    return f"{text} [required]" if option.required else f"{text} [default: {default}]" if default else text


def _shown(default: Any) -> str:
    """Return a default as a user would type it; empty if it would tell a user nothing, as for True or a list."""
    if isinstance(default, bool) or not isinstance(default, (str, int, float)):
        return ""
    return f"{default:g}" if isinstance(default, float) else str(default)


def shortened(text: str) -> str:
    """Return the first two paragraphs of a help text, and its first three examples."""
    paragraphs = text.split("\n\n")
    prose = [part for part in paragraphs if not part.startswith("\b")][:2]
    examples = [line for part in paragraphs if part.startswith("\b") for line in part.split("\n")[1:]]
    return "\n\n".join([*prose, *(["\b\n" + "\n".join(examples[:3])] if examples else [])])


class Group(click.Group):
    """A command that contains other commands, such as `nescio ave`."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the descriptions of the commands in this group, and their examples."""
        write_fitted(formatter, self.help or "")


def write_fitted(formatter: click.HelpFormatter, text: str) -> None:
    """Write a help text to the formatter. Examples that are too long are broken into lines."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(fitted(text, formatter.width))


def fitted(text: str, width: int) -> str:
    r"""Return a help text in which examples (paragraphs after \b) fit the width, with lines that end in "\"."""
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


def script(shell: str, app: click.Command) -> str:
    """Return the script by which a shell (bash, zsh or fish) completes the words of a `nescio` command."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "nescio", VARIABLE).source()


def answer(app: click.Command) -> int:
    """Print the words that can complete a command line, for a shell that asks, and return the exit status."""
    from click.shell_completion import shell_complete

    return shell_complete(app, {}, "nescio", VARIABLE, os.environ[VARIABLE])
