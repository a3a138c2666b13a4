"""Measures as metrics of Inspect, and its log of a real evaluation with its mock model; where inspect_ai is."""

from __future__ import annotations

import gc
import json
import math
import tomllib
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nescio
from nescio.errors import UnknownNameError, UsageError
from nescio.integrations import state_of
from nescio.integrations.inspect import measure
from tests.verbs.test_stakes_prompts import DECLINED
from tests.verbs.test_stakes_prompts import says as model_says

# Inspect leaves a stream open a sample: `evaluated` collects them within the test, so that no other hears of them.
pytestmark = pytest.mark.filterwarnings("ignore", "ignore::pytest.PytestUnraisableExceptionWarning")


def sample_score(value: Any, answer: str | None = None, reason: str | None = None) -> Any:
    """A SampleScore as Inspect hands it to a metric."""
    return SimpleNamespace(sample_id="s", score=SimpleNamespace(value=value, answer=answer, reason=reason))


def compute(name: str, scores: list[Any], **options: Any) -> float:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    return float(measure(name, **options)(scores))


@pytest.mark.parametrize(
    ("score", "value"),
    [
        (sample_score("C"), 1.0),
        (sample_score(1), 1.0),
        (sample_score(True), 1.0),
        (sample_score("I", "text"), 0.5),
        (sample_score(0.0, "text"), 0.5),
        (sample_score("P"), 0.5),
        (sample_score(0.5), 0.5),
        (sample_score("N"), 0.75),  # (1 + 1 · 1/2)/2
        (sample_score("I", ""), 0.75),
        (sample_score("I", None), 0.5),
        (sample_score("I", "text", "no_response"), 0.75),
        (sample_score("I", "text", "invalid_response_format"), 0.75),
        (sample_score("I", "I do not know."), 0.75),
        (sample_score("I", "text", "grader_failed"), 1.0),
    ],
)
def test_what_a_score_means(score: Any, value: float) -> None:
    """c@1 of it and of a right answer beside it."""
    assert compute("c@1", [sample_score("C"), score], declined_pattern=["i do not know.*"]) == value


def test_what_is_undefined_or_no_outcome() -> None:
    assert math.isnan(compute("precision", [sample_score("N")]))
    assert math.isnan(compute("c@1", []))
    assert compute("c@1", [sample_score(0.5), sample_score(0.2)], threshold=0.5) == 0.5
    for value, says in (({"a": 1}, "several values"), ("maybe", "not an outcome")):
        with pytest.raises(UsageError, match=says):
            compute("c@1", [sample_score(value)])
    with pytest.raises(UnknownNameError):
        measure("c@2")
    with pytest.raises(UnknownNameError):
        state_of("x", ["x"], judge="exakt")


# ---- real evaluations ----


def part(name: str) -> Any:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    return import_module(f"inspect_ai.{name}")


def evaluated(said: Sequence[str], folder: Path, **task: Any) -> tuple[Any, dict[str, float]]:
    """The log of a task, one question after the other, whose answers are these, and what its metrics show."""

    async def words(text: Any) -> int:
        return len(str(text).split())

    models, inspect_ai = part("model"), import_module("inspect_ai")
    outputs = [models.ModelOutput.from_content("mockllm/model", text) for text in said]
    model = models.get_model("mockllm/model", custom_outputs=outputs)
    model.api.count_text_tokens = words  # its own would download a vocabulary
    options = {"max_connections": 1, "max_samples": 1, "display": "none", "log_format": "json"}
    made = inspect_ai.Task(solver=part("solver").generate(), **task)
    with warnings.catch_warnings(), ThreadPoolExecutor(1) as apart:  # from the loop of a browser of another test
        warnings.simplefilter("ignore")
        (log,) = apart.submit(inspect_ai.eval, made, model=model, log_dir=str(folder), **options).result()
        gc.collect()
    assert log.status == "success", log.error
    return log, {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


@pytest.mark.slow
def test_a_real_evaluation_shows_the_measures_and_its_log_says_the_same(tmp_path: Path) -> None:
    """What the mock model says twice, in this order, every question in one epoch before the next: two questions get C
    and then P, two C and N, two C and a refusal, two I and no grade."""
    answers = {"one": "C", "two": "C", "three": "C", "four": "I", "five": "P", "six": "N", "seven": "I", "eight": ""}
    scorers, dataset = part("scorer"), part("dataset")

    @scorers.scorer(metrics=[measure("c@1"), measure("coverage"), measure("penalty(t=0.75)"), scorers.accuracy()])
    def letters() -> Any:
        async def score(state: Any, target: Any) -> Any:  # noqa: ARG001
            said = state.output.completion
            reason = {"reason": "refusal"} if said == "seven" else {}
            return scorers.Score(value=answers[said] or float("nan"), answer=said, **reason)

        return score

    samples = [dataset.Sample(id=str(i), input=f"question {i}", target="x") for i in range(len(answers))]
    twice = [said for said in answers for _ in range(2)]
    _, shown = evaluated(twice, tmp_path, dataset=samples, scorer=letters(), epochs=2)
    # A = (6 · 1/2)/8, U = (4 · 1/2)/8, W = (2 · 1/2 + 2 · 1)/8: what is not graded is left out
    assert shown["c@1"] == pytest.approx(3 / 8 * (1 + 1 / 4))
    assert shown["coverage"] == pytest.approx(3 / 4)
    # penalty(t): a right answer 1, a wrong one -t/(1-t) = -3, silence 0
    assert shown["penalty(t=0.75)"] == pytest.approx(3 / 8 - 3 * 3 / 8)
    assert shown["accuracy"] < shown["c@1"]  # Inspect's own, for which silence is wrong
    found = nescio.score(next(tmp_path.glob("*.json")), ["c@1", "coverage"], ungraded="exclude", ci=None)
    assert [row.value for row in found] == pytest.approx([shown["c@1"], shown["coverage"]])


@pytest.mark.slow
def test_inspect_finds_a_scorer_in_which_silence_counts(tmp_path: Path) -> None:
    """By the entry point that the package declares, on a real evaluation: two right, one wrong, one silent."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (place,) = project["entry-points"]["inspect_ai"].values()
    dataset = part("dataset")
    scorer = import_module(place).abstaining(declined="I do not know.*")
    samples = [dataset.Sample(input=f"{right}?", target=right) for right in ("Paris", "Rome", "Bern", "Bonn")]
    said = ["Paris", "Rome", "Oslo", "I do not know."]
    log, shown = evaluated(said, tmp_path, dataset=samples, scorer=scorer)
    assert log.results.scores[0].scorer.removeprefix("nescio/") == "abstaining"
    assert shown["c@1"] == (2 + 1 * 2 / 4) / 4
    assert (shown["accuracy"], shown["coverage"]) == (2 / 4, 3 / 4)


@pytest.mark.slow
def test_stated_stakes_go_through_inspect_and_its_log(tmp_path: Path) -> None:
    """Prompts that state a stake as a dataset, one model that heeds them, and its log read back."""
    rows = [{"id": f"q{i}", "question": f"Double the number {i}.", "answers": [str(2 * i)]} for i in range(20)]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    nescio.stakes_prompts(tmp_path / "questions.jsonl", tmp_path / "prompts.jsonl")
    scorers, samples = part("scorer"), part("dataset").json_dataset(str(tmp_path / "prompts.jsonl"))

    @scorers.scorer(metrics=[measure("silence_per_tenfold"), measure("utility(3)")])
    def mine() -> Any:
        async def score(state: Any, target: Any) -> Any:
            said = state.output.completion
            return scorers.Score(value="N" if said == DECLINED else "C" if said in list(target) else "I", answer=said)

        return score

    said = [model_says("adapts", sample.input) for sample in samples]
    _, shown = evaluated(said, tmp_path / "logs", dataset=samples, scorer=mine())
    found = nescio.stakes(next((tmp_path / "logs").glob("*.json")))
    (adapts,) = found.tables["adaptation"]
    assert shown["silence_per_tenfold"] == pytest.approx(adapts.per_tenfold)
    assert shown["utility(3)"] == pytest.approx(found.rows[2].utility)
    assert adapts.p <= 0.001
