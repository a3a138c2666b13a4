"""Standard input among the files, and output in encodings that lack most signs."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from nescio.cli.app import run
from nescio.cli.stdin import suffix_of
from tests.verbs.test_declarations import LEAVES

from .conftest import EXAMPLES, Command, written
from .terminals import CALLS

COMMANDS = (
    *(["--help"], ["score", "--help-all"], ["measures", "c@1"], ["score", "outcomes.csv", "-f", "markdown"]),
    *([*name.split(), *CALLS[name][0]] for name in ("score", "tune", "check", "lab repeats", "c@1")),
    ["compare", "--looks", "outcomes.csv", "--baseline", "old", "--run", "mine"],
)


class Stdin:
    """Standard input that holds bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("name", ["outcomes.csv", "table3.csv", "log.eval", "samples_gsm8k_2025-08-07.jsonl"])
def test_a_pipe_is_read_as_the_file_is(name: str, nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ("--choose", "filter=strict-match") if name.startswith("samples") else ()
    options = ("-m", "accuracy", "--ci", "none", *chosen, "-f", "json")
    whole = nescio("score", EXAMPLES / name, *options).json["scores"]
    monkeypatch.setattr("sys.stdin", Stdin((EXAMPLES / name).read_bytes()))
    found = nescio("score", "-", *options)
    assert found.status == 0, found.err
    assert [row["value"] for row in found.json["scores"]] == [row["value"] for row in whole]


def test_what_is_wrong_with_standard_input_calls_it_so(nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for content, words, says in (
        (b" \n", ("score", "-"), "nescio: - : standard input is empty\n"),
        (b"run,question,outcome\na,q,correct\n", ("score", "-", "-"), "nescio: - (standard input) was given twice\n"),
    ):
        monkeypatch.setattr("sys.stdin", Stdin(content))
        found = nescio(*words)
        assert (found.status, found.err) == (2, says)
    for verb in ("check", "score"):
        monkeypatch.setattr("sys.stdin", Stdin(b"run,question,outcome\na,q,perhaps\n"))
        found = nescio(verb, "-")
        assert found.status == 2
        assert "standard input, line 2: what does '" in found.out + found.err
        assert "nescio-stdin" not in found.out + found.err


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        (b"a\tb\n1\t2", ".tsv"),
        (b"a,b", ".csv"),
        (b"[1]", ".json"),
        (b'{"a": 1}\n{"a": 2}', ".jsonl"),
        (b'{\n"a": 1}', ".json"),
        (b"PAR1", ".parquet"),
    ],
)
def test_what_begins_how(text: bytes, suffix: str) -> None:
    assert suffix_of(text) == suffix


def printed(encoding: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command writes where an encoding has few signs."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as stopped:
            run(words)
        for stream in streams:
            stream.flush()
    text = b"".join(stream.buffer.getvalue() for stream in streams).decode(encoding)
    assert not stopped.value.code, (words, text[-300:])
    return text


def test_commands_print_where_an_encoding_has_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert all(printed("ascii", words, monkeypatch) for words in COMMANDS)


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(e, marks=pytest.mark.slow) for e in ("cp1252", "latin-1"))]
)
def test_each_help_page_and_measure_prints(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(printed(encoding, [*name.split(), "--help-all"], monkeypatch) for name in LEAVES)
    assert printed(encoding, ["measures", "c@1"], monkeypatch)


def test_nothing_in_a_message_is_obeyed_by_a_terminal(nescio: Command, tmp_path: Path) -> None:
    """A name with an escape sequence, a title of the window, and a mark that turns the line around."""
    name = "\x1b[31mred\x1b]0;title\x07\u202eevil"
    path = written(tmp_path / "a.csv", f"run,question,outcome\n{name},q1,correct\n{name},q1,wrong\n")
    for arguments in (("score", path), ("check", path)):
        done = nescio(*arguments)
        assert not {"\x1b", "\x07", "\u202e"} & {*done.out, *done.err}


def test_a_symlink_that_is_written_to_stays_one(nescio: Command, tmp_path: Path) -> None:
    table = written(tmp_path / "a.csv", "run,question,outcome\na,q1,correct\na,q2,incorrect\n")
    target = written(tmp_path / "target.csv", "old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    assert nescio("score", table, "--ci", "none", "-f", "csv", "-o", link).status == 0
    assert link.is_symlink()
    assert target.read_text().startswith("run,")
