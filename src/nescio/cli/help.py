"""Help pages that fit a screen, with the rest behind --help-all; examples that a narrow terminal breaks as a shell
does; and completion of words."""

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

VARIABLE = "_NESCIO_COMPLETE"  # what a shell asks for the words that may come next
SHELLS = ("bash", "zsh", "fish")
OWN = "Options"
UNBROKEN = "\N{NON-BREAKING HYPHEN}"  # in names of options until lines are made
FORM = "form"  # the option whose choices are named on the page that fits a screen, too
LABEL = 24  # letters of an option with what stands for its value


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta["nescio.help"] = "all"
        print(context.get_help())
        context.exit()


class Command(click.Command):
    """A command whose help page has its own options first, in a line each, and then names those that it shares;
    --help-all describes all of them."""

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
        """Return the options that begin so, each with its purpose, which some shells show."""
        for parameter in self.params:
            if isinstance(parameter, click.Option) and (one := self.declared.get(parameter.name or "")):
                parameter.help = one.about
        return super().shell_complete(ctx, incomplete)

    def get_help(self, ctx: click.Context) -> str:
        """Return the page."""
        return super().get_help(ctx).replace(UNBROKEN, "-")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: a section a group, or a line a group beside the command's own."""
        whole = ctx.meta.get("nescio.help") == "all"
        groups: dict[str, list[tuple[str, str]]] = {OWN: []}
        shared: dict[str, list[str]] = {}
        for parameter in self.get_params(ctx):
            one = self.declared.get(parameter.name or "")
            if one is None or one.argument:
                continue
            flags = (
                "/".join(parameter.opts[-1:] + parameter.secondary_opts) if one.kind.flag else ", ".join(parameter.opts)
            )
            label = flags if one.kind.flag else f"{flags} {placeholder(one)}"
            if whole or not one.group:
                groups.setdefault(one.group or OWN, []).append((label, described(one, whole=whole)))
            else:
                name = max(parameter.opts, key=len).replace("-", UNBROKEN)
                forms = f"-f {'|'.join(one.kind.choices)}" if parameter.name == FORM else ""
                shared.setdefault(one.group, []).append(forms or name)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=30 if whole else LABEL)
        for one in self.declared.values():
            words = one.complete() if one.complete and (whole or not one.group) else ()
            if isinstance(words, Mapping):
                with formatter.section(f"{one.metavar} of {max(one.given_as, key=len)}"):
                    formatter.write_dl(list(words.items()), col_max=LABEL)
        if whole:
            with formatter.section("Help"):
                formatter.write_dl([("-h, --help", "The page that fits a screen."), ("--help-all", "This page.")])
        if shared:
            with formatter.section("More options (--help-all describes them)"):
                formatter.write_dl([(title, ", ".join(names)) for title, names in shared.items()], col_max=LABEL)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and its examples in lines that fit: all of it, or what fits a screen."""
        text = self.help or ""
        if ctx.meta.get("nescio.help") != "all":
            text = shortened(text)
        write_fitted(formatter, text)


def placeholder(one: Option) -> str:
    """Return the placeholder of an option's value; if its choices are many, the description names them."""
    fits = len(", ".join(one.given_as)) + 1 + len(one.metavar) <= LABEL
    return one.metavar if fits or not one.kind.choices else "NAME"


def described(one: Option, *, whole: bool) -> str:
    """Return the description of an option: one sentence, or the full text with its needs and default."""
    text, default = one.about, _shown(one.default)
    if not whole:
        text = re.split(r"\. |; |: ", text)[0].rstrip(".") + "."
    else:
        default = one.default_about or default
        needs = " or ".join(f"--{name.replace('_', '-')}" for name in one.needs if name != "suite")
        choices = f" {', '.join(one.kind.choices)}." if placeholder(one) != one.metavar else ""
        again = " Repeatable." if one.kind.several and not one.argument else ""
        text = f"{f'With {needs}: ' if needs else ''}{text}{choices}{again}"
    return f"{text} [required]" if one.required else f"{text} [default: {default}]" if default else text


def _shown(default: Any) -> str:
    """Return a default as it would be typed; empty if it says nothing."""
    if isinstance(default, bool) or not isinstance(default, (str, int, float)):
        return ""
    return f"{default:g}" if isinstance(default, float) else str(default)


def shortened(text: str) -> str:
    """Keep the first two paragraphs of a help text, and its first examples."""
    paragraphs = text.split("\n\n")
    prose = [part for part in paragraphs if not part.startswith("\b")][:2]
    examples = [line for part in paragraphs if part.startswith("\b") for line in part.split("\n")[1:]]
    return "\n\n".join([*prose, *(["\b\n" + "\n".join(examples[:3])] if examples else [])])


class Group(click.Group):
    """A command of commands."""

    command_class = Command

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write what the commands do, and their examples in lines that fit."""
        write_fitted(formatter, self.help or "")


def write_fitted(formatter: click.HelpFormatter, text: str) -> None:
    """Write a help text, its examples in lines that fit."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(fitted(text, formatter.width))


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


def script(shell: str, app: click.Command) -> str:
    """Return the script with which a shell completes the words of nescio."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "nescio", VARIABLE).source()


def answer(app: click.Command, environment: Mapping[str, str] = os.environ) -> int:
    """Answer a shell that asks for the words that may come next."""
    from click.shell_completion import shell_complete

    return shell_complete(app, {}, "nescio", VARIABLE, environment[VARIABLE])
