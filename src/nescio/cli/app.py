"""Run a command: find it by its name, and print every error as one message."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextvars import copy_context
from pathlib import Path

import click

from nescio._version import __version__
from nescio.cli import OWN, _terminal, commands, interrupted, overview
from nescio.cli.bars import clear, reading_bar
from nescio.cli.derive import command_named
from nescio.cli.encoding import use_plain_spelling
from nescio.cli.help import SHELLS, VARIABLE, Command, answer, script
from nescio.cli.output import say
from nescio.errors import SPELLING, TYPED, NescioError, UnknownNameError, UsageError, in_shell
from nescio.memory import memory_limit
from nescio.options.edge import BARS, SAY
from nescio.options.moved import command_moved, moved
from nescio.plugins import fault_of
from nescio.text import inert, on_one_line
from nescio.verbs import files

WIDEST = 100  # columns of a help page


class Commands(click.Group):
    """The group of all commands. A command is made from its verb only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return command_named(cmd_name) if cmd_name in (*OWN, *files()) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (*OWN, *files()) and not args[0].startswith("-"):
            if now := command_moved(args[0]):
                raise UsageError(now)
            raise UnknownNameError("command", args[0], [*OWN, *files()])
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        return overview(_terminal()).rstrip("\n")


app = Commands("nescio", context_settings={"help_option_names": ["-h", "--help"]})
app = click.version_option(__version__, message="nescio %(version)s")(app)
app = click.option(
    "--completion",
    type=click.Choice(SHELLS),
    is_eager=True,
    expose_value=False,
    callback=lambda context, _option, shell: _complete(context, shell),
)(app)


def _complete(context: click.Context, shell: str | None) -> None:
    """Print the completions that a shell asked for, and end the process."""
    if shell:
        click.echo(script(shell, app))
        context.exit()


def run(arguments: Sequence[str]) -> None:
    """Run a command. Every error is one message on standard error, with exit status 2.

    After the command, messages name options as in Python again, and progress is shown as before.
    """
    use_plain_spelling()
    if VARIABLE in os.environ:
        sys.exit(answer(app))
    copy_context().run(_run, arguments)


def _run(arguments: Sequence[str]) -> None:
    SPELLING.set(in_shell)
    TYPED.set(tuple(arguments))
    BARS.set(reading_bar)
    SAY.set(_tell)
    try:
        # app.main has exit statuses of its own, and 1 means a failed gate.
        _replace_earlier_reports(arguments)
        room = _terminal()
        with app.make_context("nescio", _joined(arguments), terminal_width=min(room, WIDEST) if room else None) as root:
            with memory_limit():
                status = app.invoke(root)
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except NescioError as error:
        _fail(str(error) if error.several_lines else on_one_line(str(error)))
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        _fail(_message(error))
    except (click.Abort, KeyboardInterrupt):
        interrupted()
    except Exception as error:
        if fault := fault_of(error):
            _fail(str(fault))
        if not isinstance(error, OSError):
            raise
        _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
    else:
        sys.exit(status if isinstance(status, int) else 0)


def _replace_earlier_reports(arguments: Sequence[str]) -> None:
    """Change the JUnit reports that the command line names: they say that the call was stopped.

    The report of an earlier call may say that a gate passed. An error in the options would leave that report in place,
    so the reports are changed before the options are read.
    """
    if "--help" in arguments or not any(word.startswith("--junit") for word in arguments):
        return
    from nescio.verbs._gates import replace_earlier_report

    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        option, _, file = word.partition("=")
        if option == "--junit":
            replace_earlier_report(Path(file or after), arguments[0])


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return the words of a command line, with the first two joined if together they name a command.

    `stakes prompts` becomes `stakes-prompts`, unless there is a file named prompts.
    """
    first, second = (*arguments, "", "")[:2]
    named = f"{first}-{second}" in files() and not os.path.exists(second)
    return [f"{first}-{second}", *arguments[2:]] if named else list(arguments)


def _tell(message: str) -> None:
    """Print a message in place of the progress bars, while a verb still works."""
    clear()
    say(message)


def _message(error: click.ClickException) -> str:
    """Return the message for an error in the command line, with the help page to read."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "nescio"
    text = error.format_message().rstrip(".")
    if isinstance(error, click.exceptions.NoSuchOption):
        now = moved(path.removeprefix("nescio "), error.option_name.lstrip("-").replace("-", "_"))
        page = "--help-all" if isinstance(context and context.command, Command) else "--help"
        return f"{error.option_name}: {now}" if now else f"{text} (`{path} {page}` lists all)"
    if isinstance(error, click.exceptions.MissingParameter) and isinstance(error.param, click.Argument) and context:
        # Words fill the last arguments first, so the empty argument may not be the missing one.
        places = [
            argument.make_metavar(context)
            for argument in context.command.params
            if isinstance(argument, click.Argument)
        ]
        if len(places) > 1:
            text = f"{path.removeprefix('nescio ')} takes {' '.join(places)}, in this order; some are missing"
    return f"{text} (`{path} --help` explains)" if context else text


def _fail(message: str) -> None:
    from nescio.reporting.terminal import wrapped

    print(wrapped(inert(f"nescio: {message}"), sys.stderr, "  "), file=sys.stderr)
    sys.exit(2)
