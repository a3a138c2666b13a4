"""The metric in a real evaluation of DeepEval, in an environment that has it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UnknownNameError, UsageError
from nescio.integrations.deepeval import outcome

PROGRAM = """
import json, math, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase
from nescio.integrations.deepeval import measured, outcome

# right; wrong; empty; declines; right; no gold, which is not graded
SAID = [("q1", "Paris", "Paris"), ("q2", "Rome", "Oslo"), ("q3", "", "Bern"), ("q4", "I don't know, sorry.", "Kyiv"),
        ("q5", "Riga", "riga"), ("q6", "Bonn", None)]
cases = [LLMTestCase(input=q, actual_output=said, expected_output=gold) for q, said, gold in SAID]
metric = outcome(worth=0.75, declined_pattern=["i don't know.*"])
results = evaluate(
    cases, [metric], async_config=AsyncConfig(run_async=ASYNC),
    display_config=DisplayConfig(show_indicator=False, print_results=False), error_config=ErrorConfig(ignore_errors=True),
)
rows = sorted((case.input, case.metrics_data[0].score, case.metrics_data[0].reason, case.success) for case in results.test_results)
print("RESULT" + json.dumps({"rows": rows, "c@1": measured("c@1", results), "penalty": measured("penalty(t=0.75)", results)}))
"""


@pytest.mark.skipif(importlib.util.find_spec("deepeval") is None, reason="deepeval is not installed")
@pytest.mark.parametrize("concurrent", [False, True])
def test_an_evaluation_keeps_three_outcomes(tmp_path: Path, concurrent: bool) -> None:
    environment = os.environ | {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "CONFIDENT_OPEN_BROWSER": "NO"}
    program = PROGRAM.replace("ASYNC", str(concurrent))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    found: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
    assert [row[:2] + row[3:] for row in found["rows"]] == [
        ["q1", 1.0, True],
        ["q2", 0.0, False],
        ["q3", 0.75, True],
        ["q4", 0.75, True],
        ["q5", 1.0, True],
        ["q6", None, False],
    ]
    # 2 right, 1 wrong, 2 unanswered of 5: (2 + 2 * 2/5)/5, and (2 - 3 * 1)/5
    assert found["c@1"] == pytest.approx(0.56)
    assert found["penalty"] == pytest.approx(-0.2)
    # the mean of 1, 0, 0.75, 0.75, 1 on the scale of the penalty
    assert pytest.approx(found["penalty"]) == (3.5 / 5 - 0.75) / (1 - 0.75)
    # read back from what DeepEval wrote, without a pattern
    scores = nescio.score(str(tmp_path / ".deepeval"), ["c@1", "coverage"], ungraded="exclude", ci=None)
    assert [row.value for row in scores] == [pytest.approx(0.56), pytest.approx(0.6)]


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="worth, the score that abstaining earns, must be between 0 and 1"):
        outcome(worth=1.0)
    with pytest.raises(UnknownNameError):
        outcome(judge="nobody")
