"""A terminal in place of the streams of this process, and a call of every command to print in it."""

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
SILENT = {"mcp", "assess serve"}  # these speak with programs, and nobody reads along
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER = re.compile(r"(?<![\w.…/:=-])[+-]?\d[\d,]*\.\d+(?![\w.…/])")


@contextmanager
def terminal(columns: int) -> Iterator[list[bytes]]:
    """A terminal of so many columns in place of both streams; what is printed to it."""
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
    """The status of a command, and all that it prints in a terminal, with what is drawn over and taken away."""
    with terminal(columns) as printed, pytest.raises(SystemExit) as stopped:
        run(list(arguments))
    return int(stopped.value.code or 0), b"".join(printed).decode()


def shown(columns: int, *arguments: str) -> str:
    """What a command that succeeds leaves in a terminal, without colours."""
    status, text = drawn(columns, *arguments)
    assert not status, text
    return left_standing(text)


def left_standing(printed: str) -> str:
    """What a terminal shows in the end of what was printed to it."""
    lines = ESCAPES.sub("", printed).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def assert_fits(columns: int, text: str, whole: str) -> None:
    """No line is longer than the terminal, and each number with a point is one that stands in the whole output; all
    of them do, but in columns that are said to be left out."""
    for line in text.split("\n"):
        assert cell_len(line) <= columns, (columns, line)
    flat = re.sub(r"\n\s*", " ", text)
    numbers, known = {*NUMBER.findall(text)}, {*NUMBER.findall(whole)}
    assert numbers <= known, (columns, sorted(numbers - known), text)
    if "left out here" not in flat:
        assert known <= {*NUMBER.findall(flat)} | numbers, (columns, sorted(known - numbers), text)


def assert_bar(word: str, printed: str) -> None:
    """A bar is drawn, over and over, and none of it is left."""
    bar = re.compile(rf"^ *{word} +[━╸╺]+", re.MULTILINE)
    assert bar.search(ESCAPES.sub("", printed).replace("\r", "\n")), word
    assert not bar.search(left_standing(printed)), word
