"""What is imported: no more than the files and the options of a command ask for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
CODE = """
import contextlib, io, json, sys
from nescio.cli.app import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    run(sys.argv[1:])
print(json.dumps(sorted(name for name in sys.modules if name.startswith("nescio."))))
"""
GOLD_AND_PREDICTIONS = ("score", "dev-v2.0.json", "predictions.json", "-m", "squad.F1")
TABLE = ("score", "outcomes.csv", "-m", "c@1")


def imported(*arguments: str) -> set[str]:
    """Name the modules that a command imports in a new process."""
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=EXAMPLES)
    return set(json.loads(done.stdout))


def readers(modules: set[str]) -> set[str]:
    """Name the formats whose files or folders are among the modules."""
    rooms = ("nescio.formats.logs.", "nescio.formats.benchmarks.")
    return {name.split(".")[3] for name in modules if name.startswith(rooms)}


@pytest.mark.parametrize(
    ("arguments", "formats", "measures"),
    [
        (GOLD_AND_PREDICTIONS, {"squad2"}, {"squad"}),
        # Tables of the first three are known by parts of their columns' names, which no mark can say.
        (TABLE, {"mlflow", "phoenix", "ragas"}, {"three_outcomes"}),
    ],
)
def test_formats_and_measures_are_imported_when_they_are_asked_for(
    arguments: tuple[str, ...], formats: set[str], measures: set[str]
) -> None:
    modules = imported(*arguments)
    shared = {"graded", "grading", "metrics", "metric_tables"}  # what formats have in common
    assert readers(modules) - shared == formats
    calibration = {"calibration"}  # whose intervals are asked about by name
    named = {name.split(".")[2] for name in modules if name.startswith("nescio.measures.")}
    assert {name for name in named if not name.startswith("_")} - calibration == measures
    if arguments == TABLE:  # there is nothing to judge
        assert not any(name.startswith("nescio.judging") for name in modules)


def test_a_run_alone_is_compared_with_nothing() -> None:
    modules = imported(*GOLD_AND_PREDICTIONS)
    assert "nescio.scoring.score" in modules
    for unasked in (
        "comparison.comparing",
        "comparison.best",
        "scoring.corrected",
        "stats.exact_p_values",
        "pipeline.certificates",
    ):
        assert f"nescio.{unasked}" not in modules


def test_a_format_that_is_named_is_imported_alone() -> None:
    modules = imported("score", "outcomes.csv", "--format-in", "outcomes", "-m", "c@1")
    assert readers(modules) <= {"graded"}


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
    command = [sys.executable, "-c", code, *TABLE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=EXAMPLES)
    assert "c@1" in done.stdout
    assert "leaked" not in done.stderr
