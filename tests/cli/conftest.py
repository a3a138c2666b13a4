"""The command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nescio.cli.app import run

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def nescio(capfd: pytest.CaptureFixture[str]) -> Command:
    """A function that runs `nescio ARGUMENTS` and returns exit status, standard output and standard error."""

    def call(*arguments: object) -> Outcome:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(int(stopped.value.code or 0), out, err)

    return call


@pytest.fixture
def table3() -> Path:
    return EXAMPLES / "table3.csv"


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    """Two runs of six questions: the second stays silent where the first is wrong."""
    path = tmp_path / "outcomes.csv"
    rows = ["run,question,outcome,confidence,topic"]
    for run_, words in (("guesser", "CCWWCW"), ("modest", "CCUUCW")):
        for i, word in enumerate(words):
            outcome = {"C": "correct", "W": "incorrect", "U": "unanswered"}[word]
            rows.append(f"{run_},q{i},{outcome},{0.9 - i / 10:.1f},{'odd' if i % 2 else 'even'}")
    path.write_text("\n".join(rows) + "\n")
    return path
