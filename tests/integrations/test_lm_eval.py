"""Measures as metrics of the real lm-evaluation-harness on a task of our own; in an environment that has lm_eval."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UnknownNameError, UsageError
from nescio.integrations.lm_eval import Silence, aggregation, item, metric, register
from tests.verbs.test_stakes_prompts import DECLINED
from tests.verbs.test_stakes_prompts import says as model_says

# question, gold, what the model says: 2 right, 1 wrong, 2 silent
DOCUMENTS = [
    ("capital of France", "Paris", "the Paris!"),
    ("capital of Peru", "Lima", "Lima"),
    ("capital of Laos", "Vientiane", "Bangkok"),
    ("capital of Chad", "N'Djamena", "I don't know that."),
    ("capital of Mali", "Bamako", ""),
]
C_AT_1 = (2 + 2 * 2 / 5) / 5

FUNCTIONS = """
from nescio.integrations.lm_eval import aggregation, metric
c_at_1, over_all = metric("c@1", declined_pattern=["i don't know.*"]), aggregation("c@1")
"""
TASK = """
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
"""
YAML = """
metric_list:
  - metric: !function capitals_functions.c_at_1
    aggregation: !function capitals_functions.over_all
    higher_is_better: true
  - metric: penalty(t=0.5)
    aggregation: penalty(t=0.5)
    higher_is_better: true
"""


def harness(
    folder: Path,
    task: str,
    definition: str,
    functions: str,
    rows: list[tuple[str, str, list[str]]],
    measures: tuple[str, ...] = (),
) -> Any:
    """What the real harness reports of a task, run offline with a model that says what stands in the rows: question,
    gold, and an answer for each time that it is asked. `measures` are known to it by their names."""
    data = folder / f"{task}.jsonl"
    asked = [{"question": question, "answer": gold} for question, gold, _ in rows]
    data.write_text("".join(json.dumps(row) + "\n" for row in asked), encoding="utf-8")
    (folder / f"{task}_functions.py").write_text(functions)
    (folder / f"{task}.yaml").write_text(TASK.format(task=task, data=data.as_posix()) + definition)
    for measure in measures:
        register(measure, declined_pattern=["i don't know.*"])
    said = {question: iter(answers) for question, _, answers in rows}
    return evaluate(folder, task, lambda question: next(said[question]))


def evaluate(folder: Path, task: str, says: Callable[[str], str]) -> Any:
    """What the real harness reports of a task in a folder, run offline with a model that says this to a question."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of what the harness itself imports
        for name, value in {"HF_HOME": str(folder), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}.items():
            patch.setenv(name, value)
        lm_eval = pytest.importorskip("lm_eval", reason="lm_eval is not installed")
        base: Any = import_module("lm_eval.api.model").LM

        class Scripted(base):  # type: ignore[misc]
            def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:  # noqa: ARG002
                return [says(request.args[0]) for request in requests]

            def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
                raise NotImplementedError

            def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> Any:
                raise NotImplementedError

        manager = import_module("lm_eval.tasks").TaskManager(include_path=str(folder), include_defaults=False)
        return lm_eval.simple_evaluate(
            model=Scripted(), tasks=[task], task_manager=manager, bootstrap_iters=0, log_samples=True
        )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the harness reports of the documents above."""
    rows = [(question, gold, [answer]) for question, gold, answer in DOCUMENTS]
    return harness(tmp_path_factory.mktemp("task"), "capitals", YAML, FUNCTIONS, rows, ("penalty(t=0.5)",))


def test_the_harness_reports_the_measures(results: Any) -> None:
    found = results["results"]["capitals"]
    assert found["c@1,none"] == pytest.approx(C_AT_1)
    # penalty(t=0.5): a right answer 1, a wrong one -1, silence 0
    assert found["penalty(t=0.5),none"] == pytest.approx((2 - 1) / 5)
    assert results["higher_is_better"]["capitals"]["c@1"] is True


READY = """
metric_list:
  - metric: !function nescio.integrations.lm_eval.c_at_1
    aggregation: !function nescio.integrations.lm_eval.c_at_1_over_all
    higher_is_better: true
  - metric: !function nescio.integrations.lm_eval.coverage
    aggregation: !function nescio.integrations.lm_eval.coverage_over_all
    higher_is_better: true
"""


def test_a_task_names_ready_measures_without_a_file(tmp_path: Path) -> None:
    """Two right, two wrong (one of them says in words that it does not know) and one empty."""
    rows = [(question, gold, [answer]) for question, gold, answer in DOCUMENTS]
    found = harness(tmp_path, "ready", READY, "", rows)["results"]["ready"]
    assert found["c@1,none"] == pytest.approx((2 + 2 / 5) / 5)
    assert found["coverage,none"] == pytest.approx(4 / 5)


def test_its_samples_keep_the_three_outcomes_apart(results: Any) -> None:
    items = {sample["doc"]["question"]: sample["c@1"] for sample in results["samples"]["capitals"]}
    assert [items[question] for question, _, _ in DOCUMENTS] == [1, 1, 0, -1, -1]
    assert json.loads(json.dumps(list(items.values()))) == list(items.values())


REPEATED = """
repeats: 3
process_results: !function thrice_functions.process
metric_list:
  - metric: acc
    aggregation: !function thrice_functions.mean
    higher_is_better: true
filter_list:
  - name: all
    filter: [{function: take_first_k, k: 3}]
"""
GRADES = """
def process(doc, results):
    return {"acc": [float(said == doc["answer"]) for said in results[0]]}

def mean(items):
    return sum(map(sum, items)) / sum(map(len, items))
"""
SAID = {"a": ["a", "a", "b"], "b": ["b", "a", "a"], "c": ["", "c", "c"], "d": ["x", "y", "z"]}


def logged(folder: Path, found: Any, task: str) -> Path:
    """The samples of a task in the log that the harness itself writes."""
    samples = found.pop("samples")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tracker = import_module("lm_eval.loggers").EvaluationTracker(output_path=str(folder))
        tracker.save_results_aggregated(results=found, samples=samples)
        tracker.save_results_samples(task_name=task, samples=samples[task])
    (log,) = folder.rglob("samples_*.jsonl")
    return log


STATED = """
task: stated
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{input}}}}"
doc_to_target: "{{{{target[0]}}}}"
metric_list:
  - metric: !function nescio.integrations.lm_eval.c_at_1
    aggregation: !function nescio.integrations.lm_eval.c_at_1_over_all
    higher_is_better: true
"""


@pytest.mark.parametrize("model", ["adapts", "ignores"])
def test_stated_stakes_go_through_the_harness_and_its_log(tmp_path: Path, model: str) -> None:
    """Fifty questions at four stakes: the model that heeds them is told from the one that does not."""
    lines = [f'{{"id": "q{i}", "question": "Double the number {i}.", "answers": ["{2 * i}"]}}\n' for i in range(50)]
    (tmp_path / "questions.jsonl").write_text("".join(lines))
    nescio.stakes_prompts(tmp_path / "questions.jsonl", tmp_path / "prompts.jsonl")
    (tmp_path / "stated.yaml").write_text(STATED.format(data=(tmp_path / "prompts.jsonl").as_posix()))
    found = evaluate(tmp_path, "stated", lambda prompt: model_says(model, prompt))
    log = logged(tmp_path / "log", found, "stated")
    (row,) = nescio.stakes(log, declined_pattern=[DECLINED]).tables["adaptation"]
    assert row.n == 50
    assert (row.p <= 0.001) == (model == "adapts")


def test_its_repeats_are_repeats(tmp_path: Path) -> None:
    """Five of twelve responses are right; three of four questions are right at least once."""
    rows = [(name, name, answers) for name, answers in SAID.items()]
    found = harness(tmp_path, "thrice", REPEATED, GRADES, rows)
    log = logged(tmp_path / "log", found, "thrice")
    scores = nescio.score(log, ["accuracy", "pass@k(k=3)"], ci=None)
    assert {row.measure: (row.value, row.n) for row in scores} == {
        "accuracy": (pytest.approx(found["results"]["thrice"]["acc,all"]), 4),
        "pass@k(k=3)": (0.75, 4),
    }
    assert found["results"]["thrice"]["acc,all"] == pytest.approx(5 / 12)


def test_one_answer() -> None:
    assert item("3.0", ["3"]) == 0
    assert item("3.0", ["3"], judge="numeric") == 1
    assert item(" [invalid] ", ["3"]) == -1
    assert item("b", ["a", "B"]) == 1
    with pytest.raises(UnknownNameError):
        metric("c@1", judge="nobody")


def test_silence_is_neither_true_nor_false() -> None:
    """The harness asks `any(scores)` where a task has several targets."""
    with pytest.raises(UsageError, match="several targets"):
        any([item("", ["a"])])
    assert isinstance(pickle.loads(pickle.dumps(Silence())), Silence)  # it gathers items from several processes


def test_aggregation_of_what_can_be_counted() -> None:
    assert aggregation("c@1")([1.0, 0.0, -1.0, -1.0]) == pytest.approx((1 + 2 * 1 / 4) / 4)
    assert aggregation("accuracy")([1.0, float("nan")]) == 1.0
    assert math.isnan(aggregation("precision")([-1.0]))
    with pytest.raises(UsageError, match=r"found 0\.5"):
        aggregation("c@1")([0.5])
