"""Print the results of a verb on standard output; print its notes and written files on standard error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from nescio.cli.output import emit, say, say_lines, say_notes
from nescio.data.results import Results
from nescio.options import Request, Verb, option
from nescio.reporting import terminal
from nescio.reporting.tables import Form


class Verbose(Request, group="Output"):
    """The option -v, which prints more."""

    verbose: bool = option(
        default=False,
        flags=("-v", "--verbose"),
        help="Print all comparisons and the whole signature. Files and JSON always have both.",
    )


class Printed(Verbose, group="Output"):
    """The option for the format in which results are printed."""

    form: Form = option(default="table", flags=("-f", "--format"), help="The format of the printed result.")


class InAnyForm(Printed, group="Output"):
    """The options for the format in which results are printed, and for a file to which they are written."""

    output: Path | None = option(
        default=None,
        flags=("-o", "--output"),
        help="Also write the result to FILE; the suffix decides the format (.json, .jsonl, .csv, .md, .tex, .txt,"
        " .parquet).",
    )


class InTableOrJson(Verbose, group="Output"):
    """The options for printing a result that is not a table: the format is "table" (for people) or "json"."""

    form: Literal["table", "json"] = option(
        default="table", flags=("-f", "--format"), help="The format of the printed result."
    )


FORMS: dict[str, type[Request]] = {"results": InAnyForm, "forms": Printed, "json": InTableOrJson}


class Printing(Struct, frozen=True):
    """The way to print results: the format, the file, and whether everything is printed."""

    form: str = "table"
    output: Path | None = None
    verbose: bool = False


MANY = 10  # From so many passed gates on, they are counted and not listed.


def _say_gates(gates: Sequence[Any]) -> None:
    """Print the result of each gate. If many gates passed, print only the number of these."""
    from nescio.verbs._gates import WORDS

    passed = [gate for gate in gates if not gate.status and not gate.doubtful]
    for gate in gates:
        if len(passed) <= MANY or gate.status or gate.doubtful:
            say(f"gate {WORDS[gate.status]}: {gate.said}")
    if len(passed) > MANY:
        say(f"gate passed: {len(passed):,} of {len(gates):,}")


def present(verb: Verb[Any, Any], result: Any, how: Printing) -> int:
    """Print the results of a verb as the user wants, and return the exit status."""
    terminal.VERBOSE.set(how.verbose)
    if verb.present is not None:
        status: int | None = verb.present(result, how)
        return status or 0
    say_notes(getattr(result, "notes", ()))
    for line in getattr(result, "wrote", ()):
        say(line)
    results = result if isinstance(result, Results) else getattr(result, "results", None)
    if isinstance(results, Results):
        if results is not result:
            say_notes(results.notes)
        if results.gates:
            _say_gates(results.gates)
        emit(results, how.form, how.output, show=verb.show)
        if results.gates:
            from nescio.verbs._gates import exit_status

            return exit_status(results.gates)
        return int(getattr(result, "status", 0))
    if result is not None and (text := str(result)) and not getattr(result, "wrote", ()):
        say_lines(text)
    return int(getattr(result, "status", 0))
