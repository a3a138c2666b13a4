"""Gates for continuous integration: their statuses, and what CI systems read of them (JUnit XML, GitHub's step summary)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.errors import UsageError
from nescio.sources.writing import write_text

if TYPE_CHECKING:
    from nescio.data.results import Results

PASSED, FAILED, CANNOT_TELL = 0, 1, 3
WORDS = {PASSED: "passed", FAILED: "failed", CANNOT_TELL: "cannot tell"}
VARIABLE = "GITHUB_STEP_SUMMARY"
MARKDOWN = ("", ".md", ".markdown", ".txt")  # GitHub's own file has no suffix
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that was asked of one run, what came of it, and the sentence and the figures that say so."""

    run: str
    asked: str
    status: int
    said: str
    figures: str


@dataclass(frozen=True, slots=True)
class Reports:
    """Where to write: a JUnit file, and a step summary to append to."""

    junit: Path | None
    summary: Path | None


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--junit and --step-summary."""
    for option in (
        click.option(
            "--step-summary",
            is_flag=False,
            flag_value="",
            default=None,
            metavar="[FILE]",
            help=f"Append verdict, table, signature and command as Markdown to FILE. [default FILE: what {VARIABLE} names]",
        ),
        click.option(
            "--junit",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Write the gates as JUnit XML: a failed one is a failure, one that cannot tell an error.",
        ),
    ):
        function = option(function)
    return function


def check(
    junit: Path | None, step_summary: str | None, files: Sequence[Path], output: Path | None, *, gated: bool
) -> Reports:
    """Where to write, once it is sure that it can be; raises UsageError otherwise."""
    summary = None
    if step_summary is not None:
        given = step_summary or os.environ.get(VARIABLE, "")
        if not given:
            raise UsageError(f"--step-summary: {VARIABLE} is not set; name a file, as in --step-summary=summary.md")
        summary = Path(given)
        if summary.suffix.lower() not in MARKDOWN:  # most likely data, which the option took for its FILE
            rule = "a step summary is Markdown (.md, .txt, or no suffix)"
            raise UsageError(f"--step-summary: {rule}; write --step-summary=FILE, or put it last (found {given!r})")
    if junit is not None and not gated:
        raise UsageError("--junit reports on gates, and none is asked for")
    named = [path for path in (output, junit, summary) if path is not None]
    if len({path.absolute() for path in named}) < len(named):
        raise UsageError("-o, --junit and --step-summary need a file each")
    for path in named:
        _app.check_place(path, files)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file to write")
    return Reports(junit, summary)


def status(gates: Sequence[Gate]) -> int:
    """A failure outweighs a gate that cannot tell, and that outweighs a pass."""
    found = {gate.status for gate in gates}
    return next((status for status in (FAILED, CANNOT_TELL) if status in found), PASSED)


def say(gates: Sequence[Gate]) -> None:
    """Each gate that is not passed, on standard error."""
    for gate in gates:
        if gate.status:
            _app.say(f"gate: {gate.said}")


def write(reports: Reports, command: str, gates: Sequence[Gate], results: Results) -> None:
    """Write what was asked for: the JUnit file whole or not at all, the summary at the end of its file."""
    try:
        with ExitStack() as stack:  # the summary is opened first, so that neither is written where the other cannot be
            opened = reports.summary and stack.enter_context(
                reports.summary.open("a", encoding="utf-8", errors="replace")
            )
            if reports.junit:
                write_text(reports.junit, junit(command, gates, str(results.signature)))
                _app.say(f"wrote {reports.junit}")
            if opened:
                opened.write(summary(command, gates, results, repeat()))
    except OSError as error:
        raise UsageError(f"{reports.summary}: cannot be written: {error.strerror}") from None


def junit(command: str, gates: Sequence[Gate], signature: str) -> str:
    """The gates as JUnit XML that the common schemas (Ant's and Jenkins') accept: a suite, and a case a gate.

    A gate that cannot tell is an `error`: CI must not show it as passed, as it would a `skipped` one, and it is no failure.
    """
    from datetime import UTC, datetime

    from lxml import etree

    statuses = Counter(gate.status for gate in gates)
    counted = {"tests": len(gates), "failures": statuses[FAILED], "errors": statuses[CANNOT_TELL]}
    root = etree.Element("testsuites")
    about = {"id": "0", "package": "nescio", "name": f"nescio {command}", "hostname": "localhost", "time": "0"}
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    numbers = {name: str(number) for name, number in counted.items()}
    suite = etree.SubElement(root, "testsuite", **about, timestamp=stamp, **numbers)
    etree.SubElement(etree.SubElement(suite, "properties"), "property", name="signature", value=_xml(signature))
    for gate in gates:
        case = etree.SubElement(suite, "testcase", name=_xml(gate.asked), classname=_xml(gate.run), time="0")
        if gate.status:
            kind = "failure" if gate.status == FAILED else "error"
            found = etree.SubElement(case, kind, message=_xml(gate.said), type=WORDS[gate.status])
            found.text = _xml(gate.said)
    etree.SubElement(suite, "system-out").text = _xml("\n".join(gate.said for gate in gates))
    etree.SubElement(suite, "system-err")
    text: str = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode()
    return text


def _xml(text: str) -> str:
    """Text without the characters that no XML may hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def summary(command: str, gates: Sequence[Gate], results: Results, again: str) -> str:
    """A section of Markdown: verdict, gates, table, signature, and the command that gives it again."""
    from nescio.reporting.grid import make_grid
    from nescio.reporting.markdown import longest_marks, markdown_code, markdown_table
    from nescio.reporting.tables import markdown_tables

    parts = [f"## nescio {command}{': ' + WORDS[status(gates)] if gates else ''}"]
    if gates:
        rows = [[WORDS[gate.status], gate.run, gate.asked, gate.figures] for gate in gates]
        parts.append(markdown_table(make_grid(["result", "run", "asked", "found"], rows, [True, True, True, False])))
    parts += markdown_tables(results)
    parts += [f"- {markdown_code(str(note))}" for note in results.notes]
    fence = "`" * max(3, 1 + longest_marks(again))
    parts += [markdown_code(str(results.signature)), f"{fence}console\n$ {again}\n{fence}"]
    return "\n\n".join(parts) + "\n\n"


def repeat() -> str:
    """The command line that this process was called with, without the reports of gates."""
    from nescio.reporting.terminal import typed

    context = click.get_current_context()
    kept: list[str] = []
    left = list(context.meta.get(_app.ARGUMENTS, ()))
    while left:
        word = left.pop(0)
        if word == "--junit" or (word == "--step-summary" and left and context.params["step_summary"] == left[0]):
            left = left[1:]
        elif word != "--step-summary" and not word.startswith(("--junit=", "--step-summary=")):
            kept.append(word)
    return typed(["nescio", *kept])
