"""`mlflow.models.evaluate` on answers that are there already, `mlflow.genai.evaluate`, and the traces that it leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path

from harbour import QUESTIONS, verdict

os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "GIT_PYTHON_REFRESH": "quiet"}

import mlflow
import pandas
from mlflow.metrics import MetricValue
from mlflow.models import make_metric

mlflow.set_tracking_uri("sqlite:///runs.db")
figures = {}


def strictly(predictions, targets, metrics=None):
    scores = [float(said == gold) for said, gold in zip(predictions, targets, strict=True)]
    return MetricValue(
        scores=scores, justifications=["x"] * len(scores), aggregate_results={"mean": sum(scores) / len(scores)}
    )


rows = pandas.DataFrame(QUESTIONS, columns=["inputs", "gold", "predictions"])
with mlflow.start_run() as run:
    metric = make_metric(eval_fn=strictly, greater_is_better=True, name="strictly", version="v1")
    result = mlflow.models.evaluate(data=rows, targets="gold", predictions="predictions", extra_metrics=[metric])
    figures |= result.metrics
    mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="eval_results_table.json", dst_path="lamp-2b"
    )

from mlflow.entities import Feedback  # noqa: E402
from mlflow.genai.scorers import scorer  # noqa: E402

mlflow.set_experiment("genai")


@scorer
def right(inputs, outputs, expectations):
    found = verdict(inputs["question"], outputs, expectations["expected_response"])
    return Feedback(value="yes" if found else "no", rationale="x")


@scorer
def length(outputs):
    return len(outputs) / 10


data = [
    {"inputs": {"question": question}, "outputs": said, "expectations": {"expected_response": gold}}
    for question, gold, said in QUESTIONS
]
result = mlflow.genai.evaluate(data=data, scorers=[right, length])
figures |= {name: float(value) for name, value in result.metrics.items()}
result.result_df.to_csv("evaluated.csv", index=False)
result.result_df.to_json("evaluated.json", orient="records")
traces = mlflow.search_traces(return_type="pandas")
traces.to_csv("traces.csv", index=False)
traces.to_json("traces.json", orient="records", default_handler=str)
Path("listed.json").write_text(json.dumps([trace.to_dict() for trace in mlflow.search_traces(return_type="list")]))
print(json.dumps(figures))
