"""Measures as metrics of lm-evaluation-harness: what items mean, and real tasks where lm_eval is installed."""

from __future__ import annotations

import json
import math
import pickle
import tomllib
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UnknownNameError, UsageError
from nescio.integrations.lm_eval import Silence, aggregation, item, metric, register


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


# ---- the real harness, offline ----

# question, gold, what the model says: 2 right, 1 wrong, 2 silent
DOCUMENTS = [
    ("capital of France", "Paris", "the Paris!"),
    ("capital of Peru", "Lima", "Lima"),
    ("capital of Laos", "Vientiane", "Bangkok"),
    ("capital of Chad", "N'Djamena", "I don't know that."),
    ("capital of Mali", "Bamako", ""),
]
TASKS: dict[str, str] = tomllib.loads((Path(__file__).parent / "lm_eval.toml").read_text("utf-8"))


def evaluated(folder: Path, task: str, rest: str, data: Path, says: Callable[[str], str]) -> Any:
    """What the harness reports of a task on rows of a file, with a model that says this to what it is asked."""
    made = TASKS["task"].format(task=task, data=data.as_posix(), text="question", target="answer")
    (folder / f"{task}.yaml").write_text(made + rest)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # of what the harness itself imports
        for name, value in {"HF_HOME": str(folder), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}.items():
            patch.setenv(name, value)
        lm_eval = pytest.importorskip("lm_eval", reason="lm_eval is not installed")
        base: Any = import_module("lm_eval.api.model").LM

        class Scripted(base):
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


def asked(folder: Path, task: str, rest: str, functions: str, rows: list[tuple[str, str, list[str]]]) -> Any:
    """What it reports of questions, their gold, and an answer for each time that one is asked."""
    data = folder / f"{task}.jsonl"
    data.write_text("".join(json.dumps({"question": q, "answer": gold}) + "\n" for q, gold, _ in rows))
    (folder / f"{task}_functions.py").write_text(functions)
    said = {question: iter(answers) for question, _, answers in rows}
    return evaluated(folder, task, rest, data, lambda question: next(said[question]))


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


@pytest.mark.slow
def test_the_harness_reports_the_measures_and_keeps_three_outcomes_apart(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    rows = [(question, gold, [answer]) for question, gold, answer in DOCUMENTS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        register("penalty(t=0.5)", declined_pattern=["i don't know.*"])
    found = asked(tmp_path, "capitals", TASKS["capitals"], TASKS["functions"], rows)
    shown = found["results"]["capitals"]
    assert shown["c@1,none"] == pytest.approx((2 + 2 * 2 / 5) / 5)
    # penalty(t=0.5): a right answer 1, a wrong one -1, silence 0
    assert shown["penalty(t=0.5),none"] == pytest.approx((2 - 1) / 5)
    assert found["higher_is_better"]["capitals"]["c@1"] is True
    items = {sample["doc"]["question"]: sample["c@1"] for sample in found["samples"]["capitals"]}
    assert [items[question] for question, _, _ in DOCUMENTS] == [1, 1, 0, -1, -1]
    assert json.loads(json.dumps(list(items.values()))) == list(items.values())
    # A task that names ready measures needs no file: one of the two silent says in words that it does not know.
    ready = asked(tmp_path, "ready", TASKS["ready"], "", rows)["results"]["ready"]
    assert ready["c@1,none"] == pytest.approx((2 + 2 / 5) / 5)
    assert ready["coverage,none"] == pytest.approx(4 / 5)


@pytest.mark.slow
def test_its_repeats_are_repeats(tmp_path: Path) -> None:
    """Five of twelve responses are right; three of four questions are right at least once."""
    said = {"a": ["a", "a", "b"], "b": ["b", "a", "a"], "c": ["", "c", "c"], "d": ["x", "y", "z"]}
    found = asked(
        tmp_path,
        "thrice",
        TASKS["repeated"],
        TASKS["grades"],
        [(name, name, answers) for name, answers in said.items()],
    )
    assert found["results"]["thrice"]["acc,all"] == pytest.approx(5 / 12)
    scores = nescio.score(logged(tmp_path / "log", found, "thrice"), ["accuracy", "pass@k(k=3)"], ci=None)
    assert {row.measure: (row.value, row.n) for row in scores} == {
        "accuracy": (pytest.approx(5 / 12), 4),
        "pass@k(k=3)": (0.75, 4),
    }
