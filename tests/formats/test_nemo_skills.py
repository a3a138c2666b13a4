"""NeMo-Skills: seeds are repeats, a null prediction is silence, and pass@1 is that of metrics.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import UsageError

from .encodings import assert_refused, evidence, refusal
from .excerpts import place_of
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026" / "nemo_skills"
LAMP = place_of("nemo_skills") / "lamp-2b" / "eval-results"
needs_logs = pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps({"num_generated_tokens": 7, **row}) + "\n" for row in rows)


def test_seeds_are_repeats_and_questions_bear_their_text() -> None:
    data = evidence(LAMP)
    assert data.repeats is not None
    assert {*data.questions} == {"When was the lamp lit?", "Who keeps it?", "What is the seal called?"}


def test_benchmarks_of_one_folder_are_tasks(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"predicted_answer": "1", "symbolic_correct": True},
        {"predicted_answer": None, "symbolic_correct": False},
    ]
    files = {f"lamp/eval-results/{task}/output.jsonl": lines(*rows) for task in ("aime", "math")}
    data = evidence(write_files(tmp_path, files))
    assert data.runs == ("lamp",)
    assert data.questions == ("aime/0", "aime/1", "math/0", "math/1")
    assert data.columns["unanswered"].tolist() == [[0, 1, 0, 1]]


def test_a_judge_that_failed_is_no_verdict_and_an_answer_in_no_form_is_silence(tmp_path: Path) -> None:
    judged = [{"predicted_answer": "1", "judgement": text} for text in ("Judgement: Yes", "**Judgement**: No", "Hm.")]
    data = evidence(write_files(tmp_path, {"a/output.jsonl": lines(*judged)})[0], ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0]]
    assert (~data.present).tolist() == [[False, False, True]]
    own = [{"judgement": text, "expected_judgement": "Judgement: No"} for text in ("Judgement: Yes", "No.")]
    data = evidence(write_files(tmp_path, {"b/output.jsonl": lines(*own)})[0])
    assert data.columns["unanswered"].tolist() == [[0, 1]]


def test_figures_alone_and_those_that_differ(tmp_path: Path) -> None:
    metrics = json.dumps({"harbour": {"pass@1": {"symbolic_correct": 75.0}}})
    path = write_files(tmp_path, {"metrics.json": metrics})[0]
    assert_refused(path, None, "it holds figures and no answers: those are in the folder of each benchmark")
    outputs = sorted((LAMP / "harbour").iterdir())
    _, notes = evidence_and_notes([*outputs, path])
    assert any(
        "its own pass@1 of harbour (symbolic_correct) is 0.75, but the answers in it give 0.5" in n for n in notes
    )
    _, notes = evidence_and_notes([*outputs, LAMP / "metrics.json"])
    assert not any("its own" in note for note in notes)


@needs_logs
@pytest.mark.parametrize(
    ("benchmark", "metric", "right", "answers"),
    [
        ("gpqa", "symbolic_correct", 8, 16),
        ("math", "symbolic_correct", 15, 21),
        ("human-eval", "passing_base_tests", 6, 8),
        ("human-eval", "passing_plus_tests", 5, 8),
        ("ifeval", "prompt_strict_accuracy", 3, 9),
        ("minif2f", "lean4_correct", 4, 12),
        ("answer-judge", "correct_judgements", 21, 48),
    ],
)
def test_real_files_have_the_tool_s_own_figures(benchmark: str, metric: str, right: int, answers: int) -> None:
    """metrics.json: pass@1 over all seeds, in percent (50.0, 71.43, 75.0, 62.5, 33.33, 33.33, 43.75)."""
    data = evidence(sorted((LOGS / benchmark).iterdir()), choose={"metric": metric})
    scores = data.columns[f"user.{metric}"]
    assert (int(scores.sum()), scores.size) == (right, answers)
    figures = json.loads((LOGS / "metrics.json-test").read_text())[benchmark]["pass@1"]
    assert figures[metric] == pytest.approx(100 * right / answers)


@needs_logs
def test_the_first_two_seeds_are_another_figure() -> None:
    """pass@1[avg-of-2] is over the first two files, and pass@2 over all of them."""
    figures = json.loads((LOGS / "metrics.json-test").read_text())["gpqa"]
    data = evidence([LOGS / "gpqa" / f"output-rs{seed}.jsonl-test" for seed in (0, 1)])
    assert data.columns["user.symbolic_correct"].mean() == figures["pass@1[avg-of-2]"]["symbolic_correct"] / 100
    all_seeds, notes = evidence_and_notes([*sorted((LOGS / "gpqa").iterdir()), LOGS / "metrics.json-test"])
    assert all_seeds.columns["unanswered"].sum() == 1
    assert not any("its own" in note for note in notes)


def test_several_metrics_need_a_choice(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"h/output.jsonl": lines({"is_correct": True, "is_correct-plus": False})})[0]
    assert "correct" not in evidence(path).columns
    assert evidence(path, choose={"metric": "passing_plus_tests"}).columns["correct"].sum() == 0
    assert "metrics here are" in str(refusal(path, UsageError, choose={"metric": "style"}))
    bad = write_files(tmp_path, {"i/output.jsonl": lines({"is_correct": "maybe"})})[0]
    assert_refused(bad, "line 1", "is_correct must be true or false")


@pytest.mark.fuzz("nemo_skills")
@given(st.data())
def test_damaged_outputs_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    files = {path.name: path.read_bytes() for path in sorted(LAMP.rglob("*.json*"))}
    if data.draw(st.booleans()):
        assert_damage_is_met(data, folder, files, ungraded="exclude")
        return
    rows = [json.loads(line) for line in files["output-rs0.jsonl"].splitlines()]
    text = json.dumps(rows[0]) + "\n" + json.dumps(data.draw(rewritten(rows[2]))) + "\n"
    assert_met(write_files(folder, {"output-rs0.jsonl": text}), ungraded="exclude")
