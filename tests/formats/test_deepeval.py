"""DeepEval's test runs: a case is right where all metrics passed, a metric in an error says nothing, no output is
silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError, UsageError
from nescio.sources import documents

from .encodings import assert_refused, evidence, refusal
from .excerpts import place_of
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026" / "deepeval"
needs_logs = pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")


def metric(name: str, score: float | None, *, error: str | None = None, **more: Any) -> dict[str, Any]:
    """A metric as DeepEval writes it: nothing that is None stands in the file."""
    passed = score is not None and score >= 0.5
    row = {"name": name, "threshold": 0.5, "success": passed, "score": score, "error": error}
    return {key: value for key, value in row.items() if value is not None} | more


def case(text: str, output: str | None, *metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    passed = all(one["success"] for one in metrics if not one.get("flaky"))
    row = {"name": "test_case", "input": text, "success": passed, "metricsData": list(metrics)}
    return row | ({} if output is None else {"actualOutput": output}) | more


def run(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    passed = sum(bool(one["success"]) for one in cases)
    counts = {"testPassed": passed, "testFailed": len(cases) - passed}
    return {"testCases": list(cases), "conversationalTestCases": [], "metricsScores": []} | counts | more


def text(*cases: dict[str, Any], **more: Any) -> str:
    return json.dumps({"testRunData": run(*cases, **more)})


CASES = (
    case("q1", "a", metric("Truth", 1.0), metric("Form", 0.75)),
    case("q2", "a", metric("Truth", 0.25), metric("Form", 1.0)),
    case("q3", "a", metric("Truth", None, error="429"), metric("Form", 1.0)),
    case("q4", " ", metric("Truth", 0.0), metric("Form", 1.0)),
    case("q5", "I do not know", metric("Truth", 0.0), metric("Form", 1.0)),
    case("q6", "a", metric("Truth", None, error="429"), metric("Form", 0.0)),
)


def states(path: Any, **options: Any) -> dict[str, str]:
    """The outcome of each question of the only run."""
    data = evidence(path, ungraded="exclude", **options)
    names = ("correct", "incorrect", "unanswered")
    return {
        q: next((name for name in names if data.columns[name][0][i]), "ungraded") for i, q in enumerate(data.questions)
    }


def test_a_case_is_right_where_all_its_metrics_passed(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"run.json": text(*CASES)})[0]
    expected = {
        "q1": "correct",
        "q2": "incorrect",
        "q3": "ungraded",
        "q4": "unanswered",
        "q5": "incorrect",
        "q6": "incorrect",
    }
    assert states(path) == expected
    assert states(path, declined_pattern=("i do not know",)) == expected | {"q5": "unanswered"}


def test_a_metric_that_failed_is_counted_and_what_the_tool_makes_of_it(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(write_files(tmp_path, {"run.json": text(*CASES)}), ungraded="exclude")
    assert (
        "2 cases have a metric that ended in an error or has no score, which says nothing about the answer; "
        "DeepEval counts 2 of them as failed" in notes
    )
    assert any("a case is right if all its metrics passed (Truth, Form)" in note for note in notes)


def test_one_metric_can_be_chosen_and_a_threshold(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"run.json": text(*CASES)})[0]
    by_form = states(path, choose={"metric": "Form"})
    assert [by_form[q] for q in ("q1", "q3", "q6")] == ["correct", "correct", "incorrect"]
    strictly = states(path, choose={"metric": "Form", "threshold": "0.8"})
    assert [strictly[q] for q in ("q1", "q3")] == ["incorrect", "correct"]
    assert "metrics here are Truth, Form" in str(refusal(path, UsageError, choose={"metric": "Style"}))
    assert "name one with --choose metric=NAME" in str(refusal(path, UsageError, choose={"threshold": "0.8"}))


def test_a_flaky_metric_does_not_decide(tmp_path: Path) -> None:
    flaky = case("q1", "a", metric("Truth", 1.0, flaky=False), metric("Mood", 0.0, flaky=True))
    assert states(write_files(tmp_path, {"run.json": text(flaky)})[0]) == {"q1": "correct"}


def test_the_first_versions_and_dialogues(tmp_path: Path) -> None:
    old = {"metricsMetadata": [{"metric": "Truth", "score": 0.4, "minimumScore": 0.5}]}
    early = {"name": "t", "input": "q1", "actualOutput": "a", "success": False} | old
    document = {"testFile": "t.py", "testCases": [early], "metricScores": [{"metric": "Truth", "score": 0.4}]}
    path = write_files(tmp_path, {"early.json": json.dumps(document)})[0]
    assert states(path) == {"q1": "incorrect"}
    turns = [{"role": "user", "content": "Where?", "order": 0}, {"role": "assistant", "content": "", "order": 1}]
    dialogue = {"name": "t", "success": False, "metricsData": [metric("Role", 0.0)], "turns": turns}
    path = write_files(tmp_path, {"talk.json": json.dumps(run(conversationalTestCases=[dialogue]))})[0]
    assert states(path) == {"Where?": "unanswered"}


def test_cases_of_one_input_are_repeats(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"run.json": text(CASES[0], CASES[1], CASES[0])})[0]
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert data.columns["correct"].sum() == 2
    assert any("repeat" in note for note in notes)


def test_two_runs_are_compared_by_their_inputs(tmp_path: Path) -> None:
    files = {"a/.deepeval/.latest_test_run.json": text(CASES[0], CASES[1])}
    files |= {"b/.deepeval/.latest_test_run.json": text(CASES[1], CASES[0], identifier="of May")}
    data = evidence(write_files(tmp_path, files))
    assert data.runs == ("a", "of May")
    assert data.columns["correct"].tolist() == [[1, 0], [1, 0]]


def test_a_long_input_has_a_short_name_of_its_own(tmp_path: Path) -> None:
    longs = [case("x" * 5000 + end, "a", metric("Truth", 1.0)) for end in "ab"]
    names = evidence(write_files(tmp_path, {"run.json": text(*longs)})).questions
    assert len({*names}) == 2
    assert max(map(len, names)) < 120


def test_the_folder_of_a_run_is_read_once(tmp_path: Path) -> None:
    one = run(*CASES[:2])
    key = json.dumps({"input": "q7", "actual_output": "a", "hyperparameters": None})
    cached = {"cached_metrics_data": [{"metric_data": metric("Truth", 1.0), "metric_configuration": {}}]}
    files = {
        "app/.deepeval/.latest_test_run.json": json.dumps({"testRunLink": "https://example.org/run"}),
        "app/.deepeval/.latest_run_full.json": json.dumps(one),
        "app/.deepeval/.deepeval-cache.json": json.dumps({"test_cases_lookup_map": {key: cached}}),
    }
    paths = write_files(tmp_path, files)
    data, notes = evidence_and_notes(tmp_path / "app" / ".deepeval")
    assert data.questions == ("q1", "q2")
    assert any(note.startswith("not read, because another file in the same folder has their cases") for note in notes)
    assert_refused(paths[0], None, "it holds a link to the run at Confident AI but none of its cases")


BROKEN = {
    "no cases": (text(), None, "its run has no test cases"),
    "a case that is none": (
        text().replace("[]", "[3]", 1),
        "testRunData.testCases[0]",
        "a test case must be an object",
    ),
    "no input": (text(case("", "a") | {"name": ""}), "testRunData.testCases[0]", "must have an input, or a name"),
    "success": (text(CASES[0] | {"success": "yes"}), "testRunData.testCases[0]", "success must be true or false"),
    "metrics": (text(CASES[0] | {"metricsData": {}}), "testRunData.testCases[0]", "metricsData must be a list"),
    "a metric": (
        text(CASES[0] | {"metricsData": [{"success": True}]}),
        "testRunData.testCases[0]",
        "a metric must have a name",
    ),
    "a key": (
        json.dumps({"test_cases_lookup_map": {"3": {}}}),
        "test_cases_lookup_map entry 1",
        "must be a JSON object",
    ),
}


@pytest.mark.parametrize(("content", "where", "rule"), BROKEN.values(), ids=list(BROKEN))
def test_broken_twins(tmp_path: Path, content: str, where: str | None, rule: str) -> None:
    assert_refused(write_files(tmp_path, {"run.json": content})[0], where, rule)


def test_a_large_run_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_files(tmp_path, {"run.json": text(*CASES)})[0]
    whole = evidence(path, ungraded="exclude")
    monkeypatch.setattr(documents, "LARGE", 100)
    pieces = evidence(path, ungraded="exclude")
    assert pieces.digest() == whole.digest()
    cut = write_files(tmp_path, {"cut.json": text(*CASES)[:-30]})[0]
    assert "not a JSON document" in str(refusal(cut, FormatError, ungraded="exclude"))


@needs_logs
def test_real_files_have_the_tool_s_own_figures() -> None:
    """README of the logs: 1 case, passed; 39 cached cases, 35 of which are a success."""
    latest = evidence(LOGS / "koushik_latest_test_run.json")
    assert (latest.columns["correct"].sum(), latest.columns["user.AnswerCorrectness [GEval]"].sum()) == (1, 1.0)
    cache, notes = evidence_and_notes(LOGS / "koushik_deepeval-cache.json")
    assert (cache.columns["correct"].sum(), len(cache.questions)) == (35, 39)
    assert any("a cache also keeps cases of earlier runs, so its 39 cases" in note for note in notes)


@pytest.mark.fuzz("deepeval")
@given(st.data())
def test_damaged_runs_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = place_of("deepeval") / ".deepeval"
    sound = {path.name: path.read_bytes() for path in folder.iterdir()}
    name = data.draw(st.sampled_from(sorted(sound)))
    if data.draw(st.booleans()):
        assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {name: sound[name]}, ungraded="exclude")
    else:
        damaged = json.dumps(data.draw(rewritten(json.loads(sound[name]))))
        assert_met(write_files(tmp_path_factory.getbasetemp(), {name: damaged}), ungraded="exclude")
