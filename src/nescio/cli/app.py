"""Running a command: finding it by its name, and every error as one message."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from nescio import __version__
from nescio.cli import COMMANDS, _terminal, interrupted, overview
from nescio.cli.help import SHELLS, VARIABLE, answer, script
from nescio.cli.output import mute
from nescio.engines.memory import limited
from nescio.errors import NescioError, UnknownNameError

WIDEST = 100  # columns of a help page
ARGUMENTS = "nescio.arguments"  # where a context keeps what it was called with


class Commands(click.Group):
    """The commands of `COMMANDS`, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"nescio.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS)
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
    """Print what a shell needs to complete words, and end."""
    if shell:
        click.echo(script(shell, app))
        context.exit()


def run(arguments: Sequence[str]) -> None:
    """Run a command; every error is one message on standard error and exit status 2."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  it serves until the process ends
    if VARIABLE in os.environ:
        sys.exit(answer(app))
    try:
        # Not app.main: it would turn a closed pipe into exit status 1, which is a failed gate's.
        room = _terminal()
        with app.make_context("nescio", list(arguments), terminal_width=min(room, WIDEST) if room else None) as root:
            root.meta[ARGUMENTS] = tuple(arguments)
            with limited():
                status = app.invoke(root)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except NescioError as error:
        _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" (`{context.command_path} --help` explains)" if context else ""
        _fail(f"{error.format_message().rstrip('.')}{hint}")
    except (click.Abort, KeyboardInterrupt):
        interrupted()
    except BrokenPipeError:
        mute()
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
    else:
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> None:
    from nescio.reporting.terminal import wrapped

    print(wrapped(f"nescio: {message}", sys.stderr, "  "), file=sys.stderr)
    sys.exit(2)
