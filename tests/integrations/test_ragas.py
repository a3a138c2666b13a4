"""The metric in a real evaluation of ragas, in an environment that has it."""

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
from nescio.integrations.ragas import outcome

PROGRAM = """
import json
from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample
from nescio.integrations.ragas import measured, outcome

# right; wrong; empty; declines; right; no gold, which is not graded
SAID = [("q1", "Paris", "Paris"), ("q2", "Rome", "Oslo"), ("q3", "", "Bern"), ("q4", "I don't know, sorry.", "Kyiv"),
        ("q5", "Riga", "riga"), ("q6", "Bonn", "")]
samples = [SingleTurnSample(user_input=q, response=said, reference=gold) for q, said, gold in SAID]
result = evaluate(EvaluationDataset(samples), [outcome(worth=0.75, declined_pattern=["i don't know.*"])], show_progress=False)
result.to_pandas().to_csv("lamp.csv", index=False)
mean = result._repr_dict["nescio_outcome"]
print("RESULT" + json.dumps({"scores": result["nescio_outcome"][:5], "mean": mean, "c@1": measured("c@1", result),
                             "penalty": measured("penalty(t=0.75)", result)}))
"""


@pytest.mark.skipif(importlib.util.find_spec("ragas") is None, reason="ragas is not installed")
def test_an_evaluation_keeps_three_outcomes(tmp_path: Path) -> None:
    environment = os.environ | {"RAGAS_DO_NOT_TRACK": "true", "OPENAI_API_KEY": "none"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    found: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
    assert found["scores"] == [1.0, 0.0, 0.75, 0.75, 1.0]
    # 2 right, 1 wrong, 2 unanswered of 5: (2 + 2 * 2/5)/5, and (2 - 3 * 1)/5
    assert found["c@1"] == pytest.approx(0.56)
    assert found["penalty"] == pytest.approx(-0.2)
    # what ragas prints is the mean of 1, 0, 0.75, 0.75, 1: the same on another scale
    assert (found["mean"] - 0.75) / (1 - 0.75) == pytest.approx(found["penalty"])
    # read back from the table, without a pattern
    scores = nescio.score(str(tmp_path / "lamp.csv"), ["c@1", "coverage"], ungraded="exclude", ci=None)
    assert [row.value for row in scores] == [pytest.approx(0.56), pytest.approx(0.6)]


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="worth, the score that abstaining earns, must be between 0 and 1"):
        outcome(worth=0)
    with pytest.raises(UnknownNameError):
        outcome(judge="nobody")
