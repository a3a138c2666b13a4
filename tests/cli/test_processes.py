"""What only a process of its own can show: what is imported, encodings, pipes, faults, and how it ends."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import nescio as package
from nescio.cli import overview

from .conftest import EXAMPLES, written

pytestmark = pytest.mark.slow
CODE = """
import contextlib, io, json, sys
from nescio.cli.app import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    run(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
"""
GOLD_AND_PREDICTIONS = ("score", "dev-v2.0.json", "predictions.json", "-m", "squad.F1")
TABLE = ("score", "outcomes.csv", "-m", "c@1")


def python(
    *arguments: str, cwd: Path = EXAMPLES, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env={**os.environ, **(environment or {})}, capture_output=True,
        text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def imported(*arguments: str) -> set[str]:
    """Name the modules that a command imports in a new process."""
    return set(json.loads(python("-c", CODE, *arguments).stdout))


def readers(modules: set[str]) -> set[str]:
    """Name the logs' modules among these, and the tasks of which more than columns is imported."""
    logs = {name.split(".")[3] for name in modules if name.startswith("nescio.formats.logs.")}
    tasks = {name.split(".")[2] for name in modules if re.fullmatch(r"nescio\.tasks\.\w+\.(?!columns).+", name)}
    return logs | tasks


def test_help_is_one_text_whoever_prints_it_and_imports_nothing_heavy() -> None:
    assert python("-m", "nescio", "--help").stdout == overview()
    assert python("-m", "nescio", "--version").stdout == f"nescio {package.__version__}\n"
    for option in ("--help", "--version"):
        found = python("-X", "importtime", "-m", "nescio", option).stderr
        modules = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in found.splitlines() if "|" in line}
        assert not modules & {"click", "numpy", "duckdb", "rich", "scipy", "msgspec", "typing", "re"}


def test_formats_and_measures_are_imported_when_they_are_asked_for() -> None:
    shared = {"graded", "grading", "metrics", "metric_tables"}  # what formats have in common
    calibration = {"calibration"}  # whose intervals are asked about by name
    unasked = {
        *("comparison.comparing", "comparison.best", "scoring.corrected", "stats.exact_p_values"),
        "pipeline.certificates",
    }
    for arguments, formats, measures in (
        (GOLD_AND_PREDICTIONS, {"squad"}, set()),  # the measures of SQuAD are in its folder
        (TABLE, set(), {"three_outcomes"}),  # a table of one's own is shown to no tool's reader
    ):
        modules = imported(*arguments)
        assert readers(modules) - shared == formats
        named = {name.split(".")[2] for name in modules if name.startswith("nescio.measures.")}
        assert {name for name in named if not name.startswith("_")} - calibration == measures
        if arguments == TABLE:  # there is nothing to judge
            assert not any(name.startswith("nescio.judging") for name in modules)
        else:  # a run alone is compared with nothing
            assert "nescio.scoring.score" in modules
            assert not modules & {f"nescio.{name}" for name in unasked}
    assert readers(imported(*TABLE, "--format-in", "outcomes")) <= shared
    assert not imported("score", "table3.csv") & {"scipy", "joblib", "vl_convert", "pandas", "pyarrow"}


def test_garbage_that_holds_the_table_engine_goes_in_silence() -> None:
    """Its bindings complain of what they still hold when the process ends, as where an exception held a connection."""
    code = """
import sys
import duckdb
from nescio.cli import main
class Held: ...
held = Held(); held.itself, held.connection = held, duckdb.connect(); del held
sys.argv = ["nescio", *sys.argv[1:]]
main()
"""
    done = python("-c", code, *TABLE)
    assert (done.returncode, "c@1" in done.stdout, "leaked" in done.stderr) == (0, True, False)


def test_signs_are_spelled_and_letters_numbered_and_json_keeps_its_names(tmp_path: Path) -> None:
    name = "na\u00efve \u2265 \U0001f600"
    written(tmp_path / "runs.csv", f"run,question,outcome\n{name},q1,correct\n")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    score = ("-m", "nescio", "score", "runs.csv")
    assert "na\\u00efve >= \\ud83d\\ude00" in python(*score, cwd=tmp_path, environment=ascii_only).stdout
    found = json.loads(python(*score, "-f", "json", cwd=tmp_path, environment=ascii_only).stdout)
    assert {row["run"] for row in found["scores"]} == {name}


def test_a_fault_of_our_own_is_no_verdict(tmp_path: Path) -> None:
    """A crash has a status that no gate has: 1 would say that the run is worse."""
    program = (
        "import sys, nescio.cli.app as app\n"
        "def broken(arguments): raise RuntimeError('a fault')\n"
        "app.run = broken\n"
        "from nescio.cli import main\n"
        "sys.argv = ['nescio', 'compare', 'x.csv']\n"
        "main()\n"
    )
    done = python("-c", program, cwd=tmp_path)
    assert (done.returncode, "a fault" in done.stderr) == (70, True)


@pytest.mark.parametrize(
    "arguments", [("compare", "many.csv", "-m", "c@1", "--resamples", "10"), ("measures",)], ids=str
)
def test_a_closed_pipe_is_no_failure(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    rows = [
        f"run{r},q{q},{'correct' if (q * 7 + r * 5) % 11 < 6 else 'incorrect'}" for r in range(40) for q in range(11)
    ]
    written(tmp_path / "many.csv", "run,question,outcome\n" + "\n".join(rows) + "\n")
    command = [sys.executable, "-m", "nescio", *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"rror" not in process.stderr.read()
        assert process.wait() == 0


GATE = ("outcomes.csv", "-m", "c@1", "--baseline", "mine", "--run", "old", "--fail-on-regression")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("compare", *GATE), 1),
        (("score", "outcomes.csv", "-m", "c@1", "--fail-under", "c@1=0.6"), 3),
        (("score", "nowhere.csv"), 2),
        (("score", "outcomes.csv", "-m", "c@1"), 0),
    ],
    ids=str,
)
def test_whoever_stops_reading_changes_no_exit_status(arguments: tuple[str, ...], status: int) -> None:
    """As in `nescio compare … 2>&1 | grep -q MERGE`: a failed gate must not end with 0 because nobody reads on."""
    command = [sys.executable, "-m", "nescio", *arguments]
    with subprocess.Popen(command, cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == status


@pytest.mark.skipif(os.name != "posix", reason="only sockets can be waited for there")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_messages_come_while_the_command_works(tmp_path: Path, unbuffered: str) -> None:
    """The first line of standard error can be read before standard input is closed, with `python -u` too."""
    code = (
        "from nescio.cli.pipes import outlast_readers; import sys; outlast_readers(); print('at work', file=sys.stderr)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdin.read()"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    ) as process:
        assert process.stderr is not None
        ready, _, _ = select.select([process.stderr], [], [], 60)
        assert ready
        assert process.stderr.readline() == b"at work\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is simulated by a device of Linux")
def test_a_full_disk_is_no_verdict() -> None:
    """What is printed is lost (2, and no traceback); a message that is lost changes nothing."""
    command = [sys.executable, "-m", "nescio", "compare", *GATE]
    with Path("/dev/full").open("w") as full:
        unprinted = subprocess.run(command, cwd=EXAMPLES, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        untold = subprocess.run(command, cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert (unprinted.returncode, "Traceback" in unprinted.stderr) == (2, False)
    assert (untold.returncode, untold.stdout.splitlines()[-1].partition(":")[0]) == (1, "DO NOT MERGE")
