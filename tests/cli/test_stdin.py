"""Standard input among the files."""

from __future__ import annotations

import io

import pytest

from nescio.cli.stdin import suffix_of

from .conftest import EXAMPLES, Command


class Stdin:
    """Standard input that holds bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("name", ["outcomes.csv", "table3.csv", "log.eval", "samples_gsm8k_2025-08-07.jsonl"])
def test_a_pipe_is_read_as_the_file_is(name: str, nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ("--choose", "filter=strict-match") if name.startswith("samples") else ()
    file = EXAMPLES / name
    whole = nescio("score", file, "-m", "accuracy", "--resamples", 50, *chosen, "-f", "json").json["scores"]
    monkeypatch.setattr("sys.stdin", Stdin(file.read_bytes()))
    found = nescio("score", "-", "-m", "accuracy", "--resamples", 50, *chosen, "-f", "json")
    assert found.status == 0, found.err
    assert [row["value"] for row in found.json["scores"]] == [row["value"] for row in whole]


def test_nothing_and_twice_are_one_message(nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(b" \n"))
    found = nescio("score", "-")
    assert (found.status, found.err) == (2, "nescio: - : standard input is empty\n")
    monkeypatch.setattr("sys.stdin", Stdin(b"run,question,outcome\na,q,correct\n"))
    found = nescio("score", "-", "-")
    assert (found.status, found.err) == (2, "nescio: - (standard input) was given twice\n")


def test_what_begins_how() -> None:
    assert [
        suffix_of(text) for text in (b"a\tb\n1\t2", b"a,b", b"[1]", b'{"a": 1}\n{"a": 2}', b'{\n"a": 1}', b"PAR1")
    ] == [
        ".tsv",
        ".csv",
        ".json",
        ".jsonl",
        ".json",
        ".parquet",
    ]


def test_messages_call_it_standard_input(nescio: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("check", "score"):
        monkeypatch.setattr("sys.stdin", Stdin(b"run,question,outcome\na,q,perhaps\n"))
        found = nescio(verb, "-")
        assert found.status == 2
        assert "standard input, line 2: an outcome is correct" in found.out + found.err
        assert "nescio-stdin" not in found.out + found.err
