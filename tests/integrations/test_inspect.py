"""Measures as metrics of a real Inspect evaluation, with its mock model; in an environment that has inspect_ai."""

from __future__ import annotations

import gc
import math
import tomllib
import warnings
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

# What the mock model says, and the letter that our scorer gives. Each is said twice, in this order, and every
# question is asked in one epoch before the next: two questions get C and then P, two C and N, two C and a refusal,
# two I and no grade.
SAID = {
    "one": "C",
    "two": "C",
    "three": "C",
    "four": "I",
    "five": "P",
    "six": "N",
    "seven": "refused",
    "eight": "unread",
}
# A = (6 · 1/2)/8, U = (4 · 1/2)/8, W = (2 · 1/2 + 2 · 1)/8: what is not graded is left out
C_AT_1, COVERAGE, PENALTY = 3 / 8 * (1 + 1 / 4), 3 / 4, 3 / 8 - 3 * 3 / 8


def sample_score(value: Any, answer: str | None = None, reason: str | None = None) -> Any:
    """A SampleScore as Inspect hands it to a metric."""
    return SimpleNamespace(sample_id="s", score=SimpleNamespace(value=value, answer=answer, reason=reason))


def evaluated(task: Any, outputs: list[Any], folder: Path) -> Any:
    """The log of a task, one question after the other, whose answers are these."""

    async def words(text: str) -> int:
        return len(text.split())

    inspect_ai, models = import_module("inspect_ai"), import_module("inspect_ai.model")
    model = models.get_model("mockllm/model", custom_outputs=outputs)
    model.api.count_text_tokens = words  # its own would download a vocabulary
    options = {
        "max_connections": 1,
        "max_samples": 1,
        "display": "none",
        "log_dir": str(folder),
        "log_format": "json",
    }
    with ThreadPoolExecutor(1) as apart:  # from the event loop of whatever other test drives a browser
        (found,) = apart.submit(inspect_ai.eval, task, model=model, **options).result()
    gc.collect()  # Inspect leaves a stream open a sample, of which another test must not hear
    assert found.status == "success", found.error
    return found


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The log of one small evaluation, and the file that it was written to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what Inspect itself imports
        inspect_ai = pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
        dataset, models, scorers, solver = (
            import_module(f"inspect_ai.{name}") for name in ("dataset", "model", "scorer", "solver")
        )

        @scorers.scorer(metrics=[measure("c@1"), measure("coverage"), measure("penalty(t=0.75)"), scorers.accuracy()])
        def letters() -> Any:
            async def score(state: Any, target: Any) -> Any:  # noqa: ARG001
                said = state.output.completion
                if SAID[said] == "refused":
                    return scorers.Score(value="I", answer=said, reason="refusal")
                return scorers.Score(value=float("nan") if SAID[said] == "unread" else SAID[said], answer=said)

            return score

        outputs = [models.ModelOutput.from_content("mockllm/model", said) for said in SAID for _ in range(2)]
        task = inspect_ai.Task(
            dataset=[dataset.Sample(id=str(i), input=f"question {i}", target="x") for i in range(len(SAID))],
            solver=solver.generate(),
            scorer=letters(),
            epochs=2,
        )

        folder = tmp_path_factory.mktemp("logs")
        return evaluated(task, outputs, folder), next(Path(folder).glob("*.json"))


def test_inspect_shows_the_measures_by_their_names(log: Any) -> None:
    metrics = {name: metric.value for score in log[0].results.scores for name, metric in score.metrics.items()}
    assert metrics["c@1"] == pytest.approx(C_AT_1)
    assert metrics["coverage"] == pytest.approx(COVERAGE)
    # penalty(t): a right answer 1, a wrong one -t/(1-t) = -3, silence 0
    assert metrics["penalty(t=0.75)"] == pytest.approx(PENALTY)
    assert metrics["accuracy"] < metrics["c@1"]  # Inspect's own, for which silence is wrong


def test_the_log_read_back_says_the_same(log: Any) -> None:
    found = nescio.score(log[1], ["c@1", "coverage"], ungraded="exclude", ci=None)
    assert [row.value for row in found] == pytest.approx([C_AT_1, COVERAGE])


def compute(name: str, scores: list[Any], **options: Any) -> float:
    warnings.simplefilter("ignore")
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    return float(measure(name, **options)(scores))


@pytest.mark.filterwarnings("ignore")
class TestConventions:
    """What a score means, one at a time: c@1 of it and of a right answer beside it."""

    @pytest.mark.parametrize(
        ("score", "value"),
        [
            (sample_score("C"), 1.0),
            (sample_score(1), 1.0),
            (sample_score(True), 1.0),
            (sample_score("I", "text"), 0.5),
            (sample_score(0.0, "text"), 0.5),
            (sample_score("P"), 0.5),
            (sample_score("N"), 0.75),  # (1 + 1 · 1/2)/2
            (sample_score("I", ""), 0.75),
            (sample_score("I", None), 0.5),
            (sample_score("I", "text", "no_response"), 0.75),
            (sample_score("I", "text", "invalid_response_format"), 0.75),
            (sample_score("I", "I do not know."), 0.75),
            (sample_score("I", "text", "grader_failed"), 1.0),
        ],
    )
    def test_one_score(self, score: Any, value: float) -> None:
        assert compute("c@1", [sample_score("C"), score], declined_pattern=["i do not know.*"]) == value

    def test_undefined_and_nothing(self) -> None:
        assert math.isnan(compute("precision", [sample_score("N")]))
        assert math.isnan(compute("c@1", []))

    def test_what_is_no_outcome_is_refused(self) -> None:
        for value, says in (({"a": 1}, "several values"), ("maybe", "not an outcome")):
            with pytest.raises(UsageError, match=says):
                compute("c@1", [sample_score(value)])
        assert compute("c@1", [sample_score(0.5), sample_score(0.2)], threshold=0.5) == 0.5
        assert compute("c@1", [sample_score(0.5), sample_score(1)]) == 0.5
        with pytest.raises(UnknownNameError):
            measure("c@2")


def test_inspect_finds_a_scorer_in_which_silence_counts(tmp_path: Path) -> None:
    """By the entry point that the package declares, on a real evaluation: two right, one wrong, one silent."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (place,) = project["entry-points"]["inspect_ai"].values()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inspect_ai = pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
        abstaining = import_module(place).abstaining
        dataset, models = import_module("inspect_ai.dataset"), import_module("inspect_ai.model")
        said = ["Paris", "Rome", "Oslo", "I do not know."]
        task = inspect_ai.Task(
            dataset=[
                dataset.Sample(input=f"{i}?", target=right) for i, right in enumerate(["Paris", "Rome", "Bern", "Bonn"])
            ],
            scorer=abstaining(declined="I do not know.*"),
        )
        outputs = [models.ModelOutput.from_content("mockllm/model", words) for words in said]
        log = evaluated(task, outputs, tmp_path)
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert log.results.scores[0].scorer.removeprefix("nescio/") == "abstaining"
    assert found["c@1"] == (2 + 1 * 2 / 4) / 4
    assert (found["accuracy"], found["coverage"]) == (2 / 4, 3 / 4)
    with pytest.raises(UnknownNameError):
        state_of("x", ["x"], judge="exakt")


def test_stated_stakes_go_through_inspect_and_its_log(tmp_path: Path) -> None:
    """Prompts that state a stake as a dataset, one model that heeds them, and its log read back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inspect_ai = pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
        dataset, models, scorers, solver = (
            import_module(f"inspect_ai.{name}") for name in ("dataset", "model", "scorer", "solver")
        )
        lines = [f'{{"id": "q{i}", "question": "Double the number {i}.", "answers": ["{2 * i}"]}}\n' for i in range(20)]
        (tmp_path / "questions.jsonl").write_text("".join(lines))
        nescio.stakes_prompts(tmp_path / "questions.jsonl", tmp_path / "prompts.jsonl")
        samples = dataset.json_dataset(str(tmp_path / "prompts.jsonl"))

        @scorers.scorer(metrics=[measure("silence_per_tenfold"), measure("utility(3)")])
        def mine() -> Any:
            async def score(state: Any, target: Any) -> Any:
                said = state.output.completion
                value = "N" if said == DECLINED else "C" if said in list(target) else "I"
                return scorers.Score(value=value, answer=said)

            return score

        said = [
            models.ModelOutput.from_content("mockllm/model", model_says("adapts", sample.input)) for sample in samples
        ]

        async def words(text: Any) -> int:
            return len(str(text).split())

        model = models.get_model("mockllm/model", custom_outputs=said)
        model.api.count_text_tokens = words
        task = inspect_ai.Task(dataset=samples, solver=solver.generate(), scorer=mine())
        with ThreadPoolExecutor(1) as apart:
            (log,) = apart.submit(
                inspect_ai.eval,
                task,
                model=model,
                max_connections=1,
                max_samples=1,
                display="none",
                log_dir=str(tmp_path / "logs"),
                log_format="json",
            ).result()
        gc.collect()
    shown = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    found = nescio.stakes(next((tmp_path / "logs").glob("*.json")))
    (adapts,) = found.tables["adaptation"]
    assert shown["silence_per_tenfold"] == pytest.approx(adapts.per_tenfold)
    assert shown["utility(3)"] == pytest.approx(found.rows[2].utility)
    assert adapts.p <= 0.001
