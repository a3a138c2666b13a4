"""Replace the streams of this process by a terminal, and list a call of every command for it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import termios
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len

from nescio.cli.app import run

FEW = ["--resamples", "200"]
HELD = tomllib.loads((Path(__file__).parent / "calls.toml").read_text("utf-8"))
CALLS: dict[str, list[list[str]]] = {
    name: [shlex.split(words.replace("few", "--resamples 200")) for words in calls]
    for name, calls in HELD["calls"].items()
}
BARS: dict[str, str] = HELD["bars"]
CAMPAIGN: dict[str, str] = {step: words for step, (words, _) in HELD["campaign"].items()}
STEPS: dict[str, str] = {step: bar for step, (_, bar) in HELD["campaign"].items()}
ASSESS: dict[str, str] = HELD["assess"]
SILENT = {"mcp", "assess serve"}  # these commands talk to programs, so nobody watches their progress
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER = re.compile(r"(?<![\w.…/:=-])[+-]?\d[\d,]*\.\d+(?![\w.…/])")


@contextmanager
def terminal(columns: int) -> Iterator[list[bytes]]:
    """Yield what is printed to a terminal of `columns` columns that replaces both streams."""
    main, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    printed: list[bytes] = []

    def drain() -> None:
        while True:
            try:
                data = os.read(main, 1 << 16)
            except OSError:
                return
            if not data:
                return
            printed.append(data)

    reader = threading.Thread(target=drain)
    reader.start()
    before = sys.stdout, sys.stderr
    stream = open(secondary, "w", encoding="utf-8", buffering=1)  # noqa: SIM115  closed below
    sys.stdout = sys.stderr = stream
    try:
        yield printed
    finally:
        sys.stdout, sys.stderr = before
        stream.close()
        reader.join(5)
        os.close(main)


def drawn(columns: int, *arguments: str) -> tuple[int, str]:
    """Return the status of a command, and all its output in a terminal, including erased text."""
    with terminal(columns) as printed, pytest.raises(SystemExit) as stopped:
        run(list(arguments))
    return int(stopped.value.code or 0), b"".join(printed).decode()


def shown(columns: int, *arguments: str) -> str:
    """Return the final output of a successful command in a terminal, without colours."""
    status, text = drawn(columns, *arguments)
    assert not status, text
    return left_standing(text)


def left_standing(printed: str) -> str:
    """Return the final text of a terminal after printing."""
    lines = ESCAPES.sub("", printed).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def assert_fits(columns: int, text: str, whole: str) -> None:
    """Assert that no line is longer than the terminal, and that no number is cut.

    Each number with a point is one of the whole output, and all of these appear, except in columns reported as left
    out.
    """
    for line in text.split("\n"):
        assert cell_len(line) <= columns, (columns, line)
    flat = re.sub(r"\n\s*", " ", text)
    numbers, known = {*NUMBER.findall(text)}, {*NUMBER.findall(whole)}
    assert numbers <= known, (columns, sorted(numbers - known), text)
    if "columns left out" not in flat:
        assert known <= {*NUMBER.findall(flat)} | numbers, (columns, sorted(known - numbers), text)


def assert_bar(word: str, printed: str) -> None:
    """Assert that a bar was drawn repeatedly and then erased."""
    bar = re.compile(rf"^ *{word} +[━╸╺]+", re.MULTILINE)
    assert bar.search(ESCAPES.sub("", printed).replace("\r", "\n")), word
    assert not bar.search(left_standing(printed)), word
