"""A run as TIRA keeps it, by its own MonitoredExecution, and its evaluation.prototext, by its own evaluator."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from harbour import QUESTIONS
from tira.evaluators import evaluate
from tira.io_utils import MonitoredExecution, run_prototext

# Pairs of texts by one author or by two: right, wrong, no answer, right, right.
TRUTH, SAID = [True, False, True, False, True], [0.9, 0.7, 0.5, 0.2, 0.8]


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


Path("truths").mkdir()
truth = [{"id": f"p{i}", "same": same} for i, same in enumerate(TRUTH)]
(Path("truths") / "truth.jsonl").write_text(lines(truth))
answers = [{"id": f"p{i}", "value": value} for i, value in enumerate(SAID)]


def system(output: Path) -> None:
    (output / "answers.jsonl").write_text(lines(answers))
    (output / "ir-metadata.yml").write_text("tag: lamp\n")


shutil.copytree(MonitoredExecution().run(system), "lamp")
(Path("lamp") / "run.prototext").write_text(
    run_prototext("2026-05-01-00-00-00", "none", "lamp", "harbour", "verification")
)

# The evaluator that counts words, over answers to questions: it is the one that needs nothing more.
Path("texts").mkdir()
(Path("texts") / "answers.jsonl").write_text(
    lines([{"id": str(i), "value": row[0]} for i, row in enumerate(QUESTIONS)])
)
Path("evaluation").mkdir()
fields = {"id_field": "id", "value_field": "value"}
measures = ["Words (Min)", "Words (Avg)", "Words (Max)"]
config = {"evaluator": "TextGenerationEvaluator", "run_format": "*.jsonl", "run_format_configuration": fields}
config |= {"truth_format": None, "truth_format_configuration": None, "measures": measures}
print(json.dumps(evaluate(Path("texts"), Path("truths"), config, Path("evaluation"))))
