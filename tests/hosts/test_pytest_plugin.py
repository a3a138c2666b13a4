"""The plugin for pytest, in a pytest of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

import nescio

MODULE = "nescio.hosts.pytest_plugin"
QUIET = ("-p", "no:nescio", "-p", MODULE, "-p", "no:cacheprovider")
# 700 of 1,000 questions right
PER_QUESTION = """
import pytest

@pytest.mark.parametrize("number", range(100))
def test_one(number, nescio_session):
    nescio_session.record(f"q{number}", "correct" if number < 70 else "unanswered" if number < 90 else "incorrect")
"""
ONE_TEST = """
def test_NAME(nescio_run):
    for number in range(1000):
        nescio_run.record(f"q{number}", "correct" if number < RIGHT else "incorrect")
    nescio_run.ASSERTION
"""


@dataclass(frozen=True)
class Done:
    """What a pytest of its own said, and its exit status."""

    status: int
    said: str

    def assert_outcomes(self, **counts: int) -> None:
        """The last line counts these outcomes and no others, but warnings."""
        last = next(line for line in reversed(self.said.splitlines()) if " in " in line and "==" in line)
        found = {word.rstrip("s") if word == "errors" else word: int(n) for n, word in re.findall(r"(\d+) (\w+)", last)}
        found = {word: n for word, n in found.items() if word in ("passed", "failed", "error", "warning", "warnings")}
        assert found == counts, self.said


def run(folder: Path, text: str, *arguments: str) -> Done:
    (folder / "test_it.py").write_text(textwrap.dedent(text))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, *arguments], cwd=folder, env=environment, capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    return Done(done.returncode, done.stdout + done.stderr)


def test_pytest_finds_the_plugin_where_nescio_is_installed() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"nescio": MODULE}


# How many of 1,000 are right, what is asserted, and what is said where that fails.
GATES = {
    "at_least": (700, "assert_at_least('accuracy', 0.6)", ""),
    "below": (700, "assert_at_least('accuracy', 0.8)", "accuracy of run 'tests' is below 0.8"),
    "undecided": (700, "assert_at_least('accuracy', 0.69)", "cannot tell: accuracy of run 'tests'"),
    "wrong_way": (700, "assert_at_most('penalty(t=0.5)', 0.1)", "is better when higher; use fail_under"),
    "not_worse": (700, "assert_not_worse('baseline.json', 'accuracy')", ""),
    "worse": (400, "assert_not_worse('baseline.json', 'accuracy')", "is worse than 'main' by more than 0.01"),
    "near": (690, "assert_not_worse('baseline.json', 'accuracy')", "cannot tell: accuracy of run 'tests' may be"),
    "wide_margin": (690, "assert_not_worse('baseline.json', 'accuracy', margin=0.1)", ""),
}


def test_gates_in_a_test(tmp_path: Path) -> None:
    rows = [{"run": "main", "question": f"q{i}", "outcome": "correct" if i < 700 else "incorrect"} for i in range(1000)]
    nescio.baseline(rows, tmp_path / "baseline.json", "accuracy", resamples=200)
    text = "".join(
        ONE_TEST.replace("NAME", name).replace("RIGHT", str(right)).replace("ASSERTION", assertion)
        for name, (right, assertion, _) in GATES.items()
    )
    done = run(tmp_path, text, "-rA")
    failing = [name for name, (*_, says) in GATES.items() if says]
    done.assert_outcomes(passed=len(GATES) - len(failing), failed=len(failing))
    said = dict(re.findall(r"^_+ test_(\w+) _+$(.*?)(?=^(?:_|=){3})", done.said, re.MULTILINE | re.DOTALL))
    assert sorted(said) == sorted(failing)
    for name in failing:
        assert GATES[name][-1] in said[name], name


def test_what_cannot_be_told_can_warn(tmp_path: Path) -> None:
    text = (
        ONE_TEST.replace("NAME", "all")
        .replace("RIGHT", "700")
        .replace("ASSERTION", "assert_at_least('accuracy', 0.69)")
    )
    done = run(tmp_path, text, "--nescio-undecided", "warn")
    done.assert_outcomes(passed=1, warning=1)
    assert "CannotTellWarning: cannot tell: accuracy of run 'tests'" in done.said


def test_answers_are_judged_and_silence_is_no_wrong_answer(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        def test_all(nescio_run):
            assert nescio_run.answer("q1", "paris", "Paris") == "correct"
            assert nescio_run.answer("q2", "Rome", ["Paris", "Lutetia"]) == "incorrect"
            assert nescio_run.answer("q3", None, "Paris") == "unanswered"
            assert nescio_run.answer("q4", "I don't know.", "Paris", declined_pattern=["i don't know.*"]) == "unanswered"
            assert nescio_run.answer("q5", "4", "3", judge="numeric", confidence=0.5, topic="units") == "incorrect"
            # 1 of 5 right, 2 unanswered: c@1 is (1 + 2 * 1/5) / 5
            assert nescio_run.scores("c@1").value("tests", "c@1") == 0.28
        """,
    )
    done.assert_outcomes(passed=1)


def test_what_is_recorded_wrongly_is_refused(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import pytest
        from nescio import UsageError

        def test_all(nescio_run):
            with pytest.raises(UsageError, match="an outcome is correct, incorrect, unanswered or None"):
                nescio_run.record("q1", "right")
            nescio_run.record("q1", "correct")
            with pytest.raises(UsageError, match="recorded twice"):
                nescio_run.record("q1", "incorrect")
            nescio_run.record("q1", "incorrect", repeat=2)
        """,
    )
    done.assert_outcomes(passed=1)


BARS: list[tuple[list[str], int, str]] = [
    (["accuracy=0.5"], 0, "accuracy of run 'tests' is at least 0.5"),
    (["accuracy=0.5", "coverage=0.95"], 1, "coverage of run 'tests' is below 0.95"),
    (["accuracy=0.7"], 1, "cannot tell: accuracy of run 'tests'"),
    (["acuracy=0.7"], 1, "unknown measure 'acuracy'"),
]
TWO = ("-n", "2")


@pytest.mark.parametrize(
    ("bars", "status", "says", "processes"),
    [
        *((*bar, ()) for bar in BARS),
        *(pytest.param(*bar, TWO, marks=pytest.mark.slow) for bar in BARS),
    ],
)
def test_gates_on_all_tests(
    tmp_path: Path, bars: list[str], status: int, says: str, processes: tuple[str, ...]
) -> None:
    """Each question is a test of its own, in one process or in two."""
    options = [f"--nescio-fail-under={bar}" for bar in bars]
    done = run(tmp_path, PER_QUESTION, *options, *processes, "--nescio-output", "answers.csv")
    done.assert_outcomes(passed=100)
    assert done.status == status
    assert "100 answers recorded" in done.said
    assert says in done.said
    table = nescio.score(str(tmp_path / "answers.csv"), "c@1")
    # (70 + 20 * 70/100) / 100
    assert table.value("tests", "c@1") == pytest.approx(0.84)


def test_gates_in_the_configuration_and_a_baseline(tmp_path: Path) -> None:
    rows = [{"run": "main", "question": f"q{i}", "outcome": "correct"} for i in range(100)]
    nescio.baseline(rows, tmp_path / "baseline.json", "c@1", resamples=200)
    settings = "nescio_baseline = baseline.json\nnescio_measure = accuracy\nnescio_margin = 0.05\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{settings}")
    done = run(tmp_path, PER_QUESTION)
    assert done.status == 1
    assert "accuracy of run 'tests' is worse than 'main' by more than 0.05" in done.said


def test_a_test_that_fails_fails_as_ever_and_nothing_is_said_where_nothing_is_recorded(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, "def test_one():\n    assert False\n", "--nescio-fail-under", "c@1=0.5")
    assert done.status == 1
    assert "nescio" not in done.said.split("short test summary")[0].partition("FAILURES")[2]


def test_the_page_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "pytest.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    text = "".join(block for language, block in blocks if language == "py")
    (settings,) = [block for language, block in blocks if language == "ini"]
    (tmp_path / "pytest.ini").write_text(settings)
    rows = [{"run": "main", "question": name, "outcome": "incorrect"} for name in ("capital-fr", "capital-no")]
    nescio.baseline(rows, tmp_path / "baseline.json", "c@1", resamples=200)
    head = "import pytest\n\ndef bot(question):\n    return 'Paris' if 'France' in question else 'Oslo'\n\n"
    (command,) = [block for language, block in blocks if language == "sh"]
    done = run(tmp_path, head + text, *command.split()[1:])
    assert "2 answers recorded" in done.said
    # two questions tell nothing: the test with the gate and the gates of the session say so
    assert "cannot tell: c@1 of run 'tests'" in done.said
    assert nescio.score(str(tmp_path / "answers.csv"), "c@1").value("tests", "c@1") == 1
