"""Run the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nescio.cli.app import run
from tests.judging.llm_server import Server, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
ANSWERED = [EXAMPLES / "questions.jsonl", *sorted((EXAMPLES / "runs").glob("*.jsonl"))]  # and the runs that answer them
PEOPLE = EXAMPLES / "people.csv"  # people's verdicts on these answers
MANY = 12  # answers that a language model grades by their first word
GRADES = {"right": "correct", "wrong": "incorrect", "nothing": "unanswered"}
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}


@dataclass(frozen=True)
class Outcome:
    """The result of a command: its status and output."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)

    @property
    def flat(self) -> str:
        """Return all output without line breaks."""
        return " ".join((self.out + self.err).split())

    def assert_refused(self, *messages: str) -> None:
        """Assert that the command ended with status 2, no results, and one line with all these words."""
        assert (self.status, self.out) == (2, ""), self.flat
        assert "Traceback" not in self.err
        (line,) = [line for line in self.err.replace("\n  ", " ").splitlines() if line.startswith("nescio: ")]
        assert [message for message in messages if message not in line] == [], line


Command = Callable[..., Outcome]


@pytest.fixture
def nescio(capfd: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `nescio ARGUMENTS` and returns exit status, standard output and standard error."""

    def call(*arguments: object) -> Outcome:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(int(stopped.value.code or 0), out, err)

    return call


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def table(path: Path, **runs: str) -> Path:
    """Return an outcome table of runs, given by letters."""
    rows = [f"{run},q{i},{WORDS[letter]}" for run, letters in runs.items() for i, letter in enumerate(letters)]
    return written(path, "run,question,outcome\n" + "\n".join(rows) + "\n")


@pytest.fixture
def table3() -> Path:
    return EXAMPLES / "table3.csv"


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    """Return a table of two runs on six questions: the second stays silent on the errors of the first."""
    path = tmp_path / "outcomes.csv"
    rows = ["run,question,outcome,confidence,topic"]
    for run_, letters in (("guesser", "CCWWCW"), ("modest", "CCUUCW")):
        for i, letter in enumerate(letters):
            rows.append(f"{run_},q{i},{WORDS[letter]},{0.9 - i / 10:.1f},{'odd' if i % 2 else 'even'}")
    return written(path, "\n".join(rows) + "\n")


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    return written(path, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as running:
        yield running


@pytest.fixture
def asked(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the arguments for twelve questions, a run whose answers name their grade, and the model that grades so."""
    questions = [{"id": i, "question": f"What is {i}?", "answers": [str(i)]} for i in range(MANY)]
    run = [{"id": i, "answer": f"{list(GRADES)[i % 3]} {i}"} for i in range(MANY)]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for folder_of_caches in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(folder_of_caches, str(tmp_path))
    files = [lines(tmp_path / "questions.jsonl", questions), lines(tmp_path / "run.jsonl", run)]
    return ["judge", *files, "--judge", "llm", "--base-url", server.url, "--model", "judge-1"]
