"""What the commands share: finding them by name, options, progress, printing and writing, and errors as one message."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from nescio import __version__
from nescio.cli import COMMANDS, overview
from nescio.data.notes import Note, note
from nescio.errors import NescioError, UsageError

ONE_TABLE = ("csv", "jsonl", ".csv", ".jsonl", ".parquet")  # what holds the rows of results and nothing more
ARGUMENTS = "nescio.arguments"  # where a context keeps what it was called with
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")


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
            from nescio.errors import UnknownNameError

            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        return overview().rstrip("\n")


app = Commands("nescio", context_settings={"help_option_names": ["-h", "--help"]})
app = click.version_option(__version__, message="nescio %(version)s")(app)


def run(arguments: Sequence[str]) -> None:
    """Run a command; every error is one message on standard error and exit status 2."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  it serves until the process ends
    try:
        # Not app.main: it would turn a closed pipe into exit status 1, which is a failed gate's.
        with app.make_context("nescio", list(arguments)) as root:
            root.meta[ARGUMENTS] = tuple(arguments)
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
        print("nescio: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        _mute()
        sys.exit(0)
    except MemoryError:
        _fail("not enough memory")
    except OSError as error:
        _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
    else:
        sys.exit(status if isinstance(status, int) else 0)


def _mute() -> None:
    """The reader of a pipe (head, less) has what it wanted: send the rest nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    print(f"nescio: {message}", file=sys.stderr)
    sys.exit(2)


def say(message: str) -> None:
    """A message for the user, on standard error."""
    click.echo(message, err=True)


def notes(notes: Iterable[Note]) -> None:
    """Print what was left out or touched, on standard error."""
    for each in notes:
        say(f"note: {each}")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, silence in a pipe; yields a function of (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


def _watch_bytes() -> Callable[[int, int], None] | None:
    """A bar of bytes read for large files, on a terminal; it is gone when all is read."""
    if not sys.stderr.isatty():
        return None
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        if not bars and done < total:
            columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
            bars.append(Progress(*columns, console=Console(stderr=True), transient=True))
            bars[0].add_task("reading", total=total)
            bars[0].start()
        if bars:
            bars[0].update(bars[0].task_ids[0], completed=done)
            if done >= total:
                bars.pop().stop()

    return show


TABLE_OR_JSON = click.option(
    "-f",
    "--format",
    "printed",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="The format of what is printed.",
)
SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The seed; results depend on nothing else."
)
JOBS = click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Processes to use; -1 for all cores. Results do not depend on it.",
)


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """-f and -o, as everywhere."""
    for option in (
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            help="Also write the result to FILE; its suffix decides the format (.json, .jsonl, .csv, .md, .tex, .txt, .parquet).",
        ),
        click.option(
            "-f",
            "--format",
            "printed",
            type=click.Choice(FORMATS),
            default="table",
            show_default=True,
            help="The format of what is printed.",
        ),
    ):
        function = option(function)
    return function


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How files are read, as everywhere."""
    for option in reversed(
        (
            click.option(
                "--format-in",
                metavar="NAME",
                help="The format of the files, where their names and columns do not tell, such as outcomes, questions, lm_eval; a wrong name lists them.",
            ),
            click.option(
                "--judge",
                metavar="NAME",
                help="How answers are judged, such as exact, choice, 'token_f1(threshold=0.5)'. [default: choice where all questions have options, else exact]",
            ),
            click.option(
                "--missing",
                type=click.Choice(("error", "unanswered", "common")),
                default="error",
                show_default=True,
                help="A question that a run lacks: an error, silence, or left out for all runs.",
            ),
            click.option(
                "--ungraded",
                type=click.Choice(("error", "exclude", "bounds")),
                default="error",
                show_default=True,
                help="An answer without a grade: an error, left out, or both extremes reported.",
            ),
            click.option(
                "--unanswerable",
                type=click.Choice(("correct", "exclude")),
                default="correct",
                show_default=True,
                help="A question without an answer: declining is correct there, or it is left out.",
            ),
            click.option(
                "--missing-confidence",
                type=click.Choice(("error", "exclude")),
                default="error",
                show_default=True,
                help="An answer without a confidence in a run that has some: an error for what reads confidences, or left out of it.",
            ),
            click.option(
                "--outcome-map",
                "words",
                multiple=True,
                metavar="WORD=OUTCOME",
                help="Read WORD as correct, incorrect or unanswered. Repeatable.",
            ),
            click.option(
                "--choose",
                "choices",
                multiple=True,
                metavar="NAME=VALUE",
                help="Which of several things in a log to read, as in --choose filter=strict-match; a message names them. Repeatable.",
            ),
            click.option(
                "--declined-pattern",
                "declined_pattern",
                multiple=True,
                metavar="REGEX",
                help="An answer that REGEX matches whole, in any case, means 'I do not know'; what it matched is reported. Repeatable.",
            ),
            click.option(
                "--max-unpacked",
                type=click.FloatRange(min=0, min_open=True),
                default=4.0,
                show_default=True,
                metavar="GB",
                help="How many GB a compressed file may unpack to.",
            ),
            click.option(
                "--cluster",
                metavar="COLUMN",
                help="Questions with one value of COLUMN (of one story, say) move together when resampled. [default: the column `cluster`]",
            ),
        )
    ):
        function = option(function)
    return function


def resampling_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How resampling is done, as everywhere."""
    resamples = click.option(
        "--resamples", type=click.IntRange(min=1), default=10_000, show_default=True, help="How many resamples."
    )
    return resamples(SEED(JOBS(function)))


def reading(given: dict[str, Any]) -> dict[str, Any]:
    """The options of `reading_options`, as `nescio.pipeline.Options` takes them; removes them from `given`."""
    names = (
        "format_in",
        "judge",
        "missing",
        "ungraded",
        "unanswerable",
        "missing_confidence",
        "max_unpacked",
        "cluster",
    )
    options = {name: given.pop(name) for name in names if name in given}
    return options | {
        "watch": _watch_bytes(),
        "outcome_map": _pairs("--outcome-map", "WORD=OUTCOME", given.pop("words", ())),
        "choose": _pairs("--choose", "NAME=VALUE", given.pop("choices", ())),
        "declined_pattern": tuple(given.pop("declined_pattern", ())),
    }


def level(text: str) -> float | None:
    """What --ci says: a level in percent, or None for no interval."""
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--ci takes a level in percent, or none (found {text!r})") from None


def _pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=") if option == "--outcome-map" else text.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} takes {form} (found {text!r})")
        found[name] = value
    return found


def check_output(output: Path | None, files: Sequence[Path] = ()) -> None:
    """Raise UsageError where results could not be written to `output`, or would take the place of an input file."""
    if output is None:
        return
    from nescio.reporting import tables

    tables.check_suffix(output)
    check_place(output, files)


def check_place(output: Path, files: Sequence[Path] = ()) -> None:
    """Raise UsageError where there is no folder for `output`, or it would take the place of an input file."""
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: there is no folder {output.absolute().parent} to write it into")
    if any(os.path.isdir(file) for file in files):  # Path.is_dir raises for a name too long
        from nescio.formats.folder_reader import files_of

        files = files_of(files)[0]
    for file in files:
        if output.absolute() == file.absolute() or (output.exists() and file.exists() and output.samefile(file)):
            raise UsageError(f"{output} is one of the input files; write the results elsewhere")


def emit(results: Any, printed: str, output: Path | None, *, legend: str = "") -> None:
    """Write results to a file where that is asked for, and print them on standard output; a table has `legend` below it where
    it has none of its own."""
    from nescio.reporting import tables

    if output:
        tables.write(results, output)
        say(f"wrote {output}")
    flat = [name for name in (printed, output.suffix.lower() if output else "") if name in ONE_TABLE]
    if flat and any(results.more.values()):
        left = ", ".join(name for name, rows in results.more.items() if rows)
        one_table = note(
            "output.one_table",
            "{format} holds one table; {others}: in json, or as a table",
            format=flat[0].lstrip("."),
            others=left,
        )
        notes([one_table])
    try:
        click.echo(tables.render(results, printed), nl=False) if printed != "table" else tables.show(results, legend)
        sys.stdout.flush()
    except BrokenPipeError:
        _mute()  # a gate's exit status is still to come


MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure, as in -m c@1 -m 'penalty(t=0.75)'; repeatable. `nescio measures` lists them. [default: what suits the data]",
)
FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES...")
