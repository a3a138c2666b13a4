"""Define the command line. This file knows the commands, and answers --help and --version before anything is
imported."""

from __future__ import annotations

import gc
import os
import sys

from nescio._version import __version__

CRASHED = 70  # the exit status of a fault in nescio itself, so that no gate takes it for a verdict (1: worse)
_STOPPED = (130, 143)  # exit statuses after Ctrl-C and SIGTERM
_TERMINATED: list[int] = []
OWN = ("demo", "mcp")  # commands that only a shell has, one file each in this folder


# The groups of the help page, with what most people need. One line below names all other commands.
GROUPS = {
    "Score and decide": ("demo", "score", "compare", "report", "tune", "plan", "c@1"),
    "Data, judges and people": ("check", "convert", "judge", "assess", "campaign", "mcp"),
    "Measures": ("measures", "meta", "audit"),
}


def commands() -> dict[str, str]:
    """Return a description of every command, in the order of the help page."""
    from nescio import verbs

    made = {name: verbs.about(path) for name, path in verbs.files().items()}
    shell_commands = {name: verbs.about(os.path.join("..", "cli", name)) for name in OWN}
    return {"demo": shell_commands.pop("demo"), **made, **shell_commands}


def further() -> list[str]:
    """Return the commands that the help page lists in no group.

    A command that starts with the name of a listed group, such as `ave-build`, is not among them.
    """
    listed = [name for names in GROUPS.values() for name in names]
    parts = tuple(f"{name}-" for name in listed)
    return [name for name in commands() if name not in listed and not name.startswith(parts)]


OPTIONS = "--version, --completion SHELL (bash, zsh or fish); nescio COMMAND --help explains a command"


def overview(width: int = 0) -> str:
    """Return the page that `nescio --help` prints. `width` is that of the terminal, or 0 for any width."""
    lines = [
        "Usage: nescio COMMAND [OPTIONS] ...",
        "",
        *_beside("", "Evaluate question-answering systems (LLM, RAG and others) that can abstain.", width),
    ]
    descriptions = commands()
    for group, names in GROUPS.items():
        lines += ["", f"{group}:"]
        for name in names:
            lines += _beside(f"  {name:10} ", descriptions[name], width)
    lines += ["", *_beside("Further: ", ", ".join(further()), width)]
    lines += _beside("Options: ", OPTIONS, width)
    return "\n".join([*lines, ""])


def _beside(label: str, text: str, width: int) -> list[str]:
    """Return lines with a label and a text beside the label. The text is wrapped to the width."""
    if not width or len(label) + len(text) < width:
        return [label + text]
    import textwrap  # which takes milliseconds to import

    hanging = " " * min(len(label), 15)
    return textwrap.wrap(text, width - 1, initial_indent=label, subsequent_indent=hanging, break_on_hyphens=False)


def _terminal() -> int:
    """Return the width of the terminal, or 0 if standard output is not a terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0
    except (OSError, ValueError, AttributeError):
        return 0


def main() -> None:
    """Run the `nescio` command. Ctrl-C ends the command with one line and exit status 130, SIGTERM with 143.

    Ctrl-C after the end of a command is ignored.
    """
    sys.unraisablehook = _not_lost
    try:
        _main()
    except SystemExit as end:
        if end.code in _STOPPED:
            _leave(end.code)
        raise


def _leave(status: int) -> None:
    """End an interrupted process as Python does, but without freeing objects.

    Libraries that were interrupted would print errors while Python frees their objects.
    """
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def _main() -> None:
    # `signal` wraps this module in enums, whose import takes longer than all that --version needs.
    import _signal  # type: ignore[import-not-found]

    if sys.stdout is None or sys.stderr is None:
        from nescio.cli.closed import stand_in

        stand_in()
    from nescio.cli.pipes import outlast_readers

    outlast_readers()
    if _signal.getsignal(_signal.SIGTERM) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGTERM, _terminate)
    try:
        try:
            _run(sys.argv[1:])
        finally:
            # While it ends, Python restores the default, by which Ctrl-C would kill a process that has written all its
            # output.
            _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    except KeyboardInterrupt:  # Ctrl-C before or after `run`, which handles it otherwise
        interrupted()
    except Exception as error:
        if _from_interrupt(error):
            interrupted()
        if type(error).__name__ == "ClosedOutputError":
            from nescio.cli.closed import unprinted

            unprinted()
        import traceback

        traceback.print_exc()
        sys.exit(CRASHED)


def _terminate(number: int, _frame: object) -> None:
    """Make SIGTERM act like Ctrl-C, so that no temporary files are left. Schedulers stop long work with SIGTERM.

    `timeout` sends the signal twice, and the second one does nothing.
    """
    import _signal

    _TERMINATED.append(number)
    _signal.signal(number, _signal.SIG_IGN)
    raise KeyboardInterrupt


def interrupted() -> None:
    """End the process with the message and exit status of Ctrl-C or SIGTERM."""
    print(f"nescio: {'terminated' if _TERMINATED else 'interrupted'}", file=sys.stderr)
    sys.exit(_STOPPED[bool(_TERMINATED)])


def _from_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused the error, even if Python hid the interrupt in another error."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or _from_interrupt(error.__cause__ or error.__context__)
    )


def _not_lost(ignored: sys.UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that came while Python freed an object, because Python only prints that interrupt and goes on."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        import _thread

        # After this function returns; here it would be ignored, too.
        _thread.start_new_thread(_thread.interrupt_main, ())
    else:
        sys.__unraisablehook__(ignored)


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print(f"nescio {__version__}")
        return
    if arguments in ([], ["--help"], ["-h"]) and "_NESCIO_COMPLETE" not in os.environ:
        print(overview(_terminal()), end="")
        return
    gc.set_threshold(200_000, 20, 20)  # Classes and results are many small objects, and few of them become garbage.
    from nescio.cli.app import run

    try:
        run(arguments)
    finally:
        if "duckdb" not in sys.modules:  # Its bindings report objects that nobody freed as leaks.
            gc.freeze()  # The end of the process needs no further search for garbage.
