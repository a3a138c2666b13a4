"""The metric in real evaluations of DeepEval and ragas, in environments that have them: processes of their own."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UnknownNameError, UsageError
from nescio.integrations import deepeval, ragas

SAID = """
import json, math
# right; wrong; empty; declines; right; no gold, which is not graded
SAID = [("q1", "Paris", "Paris"), ("q2", "Rome", "Oslo"), ("q3", "", "Bern"), ("q4", "I don't know, sorry.", "Kyiv"),
        ("q5", "Riga", "riga"), ("q6", "Bonn", None)]
"""
DEEPEVAL = """
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase
from nescio.integrations.deepeval import measured, outcome

cases = [LLMTestCase(input=q, actual_output=said, expected_output=gold) for q, said, gold in SAID]
metric = outcome(worth=0.75, declined_pattern=["i don't know.*"])
results = evaluate(
    cases, [metric], async_config=AsyncConfig(run_async=ASYNC),
    display_config=DisplayConfig(show_indicator=False, print_results=False), error_config=ErrorConfig(ignore_errors=True),
)
rows = sorted((case.input, case.metrics_data[0].score, case.success) for case in results.test_results)
print("RESULT" + json.dumps({"rows": rows, "c@1": measured("c@1", results), "penalty": measured("penalty(t=0.75)", results)}))
"""
RAGAS = """
from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample
from nescio.integrations.ragas import measured, outcome

samples = [SingleTurnSample(user_input=q, response=said, reference=gold or "") for q, said, gold in SAID]
result = evaluate(EvaluationDataset(samples), [outcome(worth=0.75, declined_pattern=["i don't know.*"])], show_progress=False)
result.to_pandas().to_csv("lamp.csv", index=False)
rows = list(zip(["q1", "q2", "q3", "q4", "q5"], result["nescio_outcome"]))
print("RESULT" + json.dumps({"rows": rows, "mean": result._repr_dict["nescio_outcome"], "c@1": measured("c@1", result),
                             "penalty": measured("penalty(t=0.75)", result)}))
"""
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "CONFIDENT_OPEN_BROWSER": "NO",
    "RAGAS_DO_NOT_TRACK": "true",
    "OPENAI_API_KEY": "none",
}
TOOLS = [
    ("deepeval", DEEPEVAL.replace("ASYNC", "False"), ".deepeval"),
    ("deepeval", DEEPEVAL.replace("ASYNC", "True"), ".deepeval"),
    ("ragas", RAGAS, "lamp.csv"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "program", "written"), TOOLS)
def test_an_evaluation_keeps_three_outcomes(tool: str, program: str, written: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = [sys.executable, "-W", "ignore", "-c", SAID + program]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | QUIET, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    found: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
    assert [row[1] for row in found["rows"][:5]] == [1.0, 0.0, 0.75, 0.75, 1.0]
    if tool == "deepeval":
        assert [row[2] for row in found["rows"]] == [True, False, True, True, True, False]
        assert found["rows"][5][1] is None
    # 2 right, 1 wrong, 2 unanswered of 5: (2 + 2 * 2/5)/5, and (2 - 3 * 1)/5
    assert found["c@1"] == pytest.approx(0.56)
    assert found["penalty"] == pytest.approx(-0.2)
    # the mean of 1, 0, 0.75, 0.75, 1 on the scale of the penalty
    assert (found.get("mean", 3.5 / 5) - 0.75) / (1 - 0.75) == pytest.approx(found["penalty"])
    # read back from what the tool wrote, without a pattern
    scores = nescio.score(str(tmp_path / written), ["c@1", "coverage"], ungraded="exclude", ci=None)
    assert [row.value for row in scores] == [pytest.approx(0.56), pytest.approx(0.6)]


@pytest.mark.parametrize("outcome", [deepeval.outcome, ragas.outcome])
def test_what_makes_no_sense_is_refused(outcome: Callable[..., Any]) -> None:
    for worth in (0, 1.0):
        with pytest.raises(UsageError, match="worth, the score that abstaining earns, must be between 0 and 1"):
            outcome(worth=worth)
    with pytest.raises(UnknownNameError):
        outcome(judge="nobody")
