"""promptfoo's results: a failed assertion is wrong, an error of the provider is ungraded, no output is silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError

from .encodings import assert_refused, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs" / "promptfoo"


def result(test: int, *, success: bool, reason: int = 0, output: str | None = "64", **more: Any) -> dict[str, Any]:
    response = {} if output is None else {"response": {"output": output}}
    row = {"testIdx": test, "promptIdx": 0, "success": success, "failureReason": reason, "score": int(success)}
    return {**row, "provider": {"id": "openai:gpt", "label": ""}, "vars": {"topic": "sums"}, **response, **more}


RESULTS = [
    result(0, success=True),
    result(1, success=False, reason=1, error="Expected output to match"),
    result(2, success=False, reason=2, output=None, error="Rate limit exceeded"),
    result(3, success=False, reason=1, output=""),
    result(4, success=False, reason=1, output="I do not know"),
]


def document(results: list[dict[str, Any]], version: int = 3) -> str:
    return json.dumps({"evalId": "e", "results": {"version": version, "prompts": [], "results": results}, "config": {}})


def lines(results: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, results)) + "\n"


@pytest.mark.parametrize(("name", "text"), [("results.json", document(RESULTS)), ("results.jsonl", lines(RESULTS))])
def test_the_four_kinds_of_no_right_answer_stay_apart(tmp_path: Path, name: str, text: str) -> None:
    data, notes = evidence_and_notes(write_files(tmp_path, {name: text}), ungraded="exclude")
    assert data.runs == ("openai:gpt",)
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0, 0]]
    assert data.columns["incorrect"].tolist() == [[0, 1, 0, 0, 1]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 0, 1, 0]]
    assert any("1 errored" in note and "1 empty" in note for note in notes)
    data, notes = evidence_and_notes(tmp_path / name, ungraded="exclude", declined_pattern=("i do not know",))
    assert data.columns["unanswered"].tolist() == [[0, 0, 0, 1, 1]]


def test_providers_and_prompts_are_runs(tmp_path: Path) -> None:
    rows = [result(0, success=True), result(0, success=False, promptIdx=1), result(0, success=True, provider="other")]
    data, notes = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows)}))
    assert data.runs == ("openai:gpt (prompt 0)", "openai:gpt (prompt 1)", "other")
    assert any("number of their prompt" in note for note in notes)


BROKEN = {
    "another version": (document(RESULTS, version=2), None, "are read in their version 3"),
    "no results": (document([]), None, "its results are empty"),
    "results without a list": (
        '{"evalId": "e", "results": {"version": 3, "prompts": []}}',
        None,
        "its results are empty",
    ),
    "no results at all": ('{"evalId": "e", "results": null, "config": {}}', None, "its results are empty"),
    "nothing": ("{}", None, "this JSON document is empty"),
    "a result that is none": (document([[]]), "results.results[0]", "a result must be an object"),  # type: ignore[list-item]
    "no success": (document([result(0, success=True) | {"success": "yes"}]), "results.results[0]", "success must be"),
    "a test without a number": (
        document([result(0, success=True) | {"testIdx": "0"}]),
        "results.results[0]",
        "testIdx",
    ),
    "an unknown reason": (
        document([result(0, success=False, reason=7)]),
        "results.results[0]",
        "failureReason must be",
    ),
    "twice": (document([result(0, success=True)] * 2), "results.results[1]", "stands here again"),
}


@pytest.mark.parametrize(("text", "where", "rule"), BROKEN.values(), ids=list(BROKEN))
def test_broken_twins(tmp_path: Path, text: str, where: str | None, rule: str) -> None:
    assert_refused(write_files(tmp_path, {"r.json": text})[0], where, rule)


def test_a_line_without_success(tmp_path: Path) -> None:
    text = lines([RESULTS[0], {"testIdx": 1, "promptIdx": 0, "success": None}])
    assert "line 2: success must be" in str(refusal(write_files(tmp_path, {"r.jsonl": text}), FormatError))


def plain(test: int, *, success: bool, **more: Any) -> dict[str, Any]:
    """A result with the keys that every version of the file has."""
    return {
        "testIdx": test,
        "promptIdx": 0,
        "success": success,
        "score": float(success),
        "provider": {"id": "m"},
        **more,
    }


def part(*, passed: bool, failed_judge: bool = False) -> dict[str, Any]:
    return {"pass": passed, "score": float(passed), "metadata": {"graderError": True} if failed_judge else {}}


def test_a_judge_that_failed_a_refusal_and_an_error_are_no_wrong_answers(tmp_path: Path) -> None:
    judge, both = (
        [part(passed=False, failed_judge=True), part(passed=True)],
        [part(passed=False, failed_judge=True), part(passed=False)],
    )
    said: dict[str, Any] = {"response": {"output": "x"}}
    rows = [
        plain(0, success=False, failureReason=1, gradingResult={"componentResults": judge}, **said),
        plain(1, success=False, failureReason=1, gradingResult={"componentResults": both}, **said),
        plain(2, success=False, failureReason=1, response={"output": "I cannot", "isRefusal": True}),
        plain(3, success=False, error="429", response={"error": "429"}),
        plain(4, success=True, failureReason=0, **said),
    ]
    data, _ = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows)}), ungraded="exclude")
    state = {
        q: [n for n in ("correct", "incorrect", "unanswered") if data.columns[n][0][i]]
        for i, q in enumerate(data.questions)
    }
    assert state == {
        "test 0": [],
        "test 1": ["incorrect"],
        "test 2": ["unanswered"],
        "test 3": [],
        "test 4": ["correct"],
    }


def test_tests_of_the_same_variables_are_repeats_of_one_question(tmp_path: Path) -> None:
    rows = [plain(i, success=True, vars={"q": str(i % 2)}, response={"output": "x"}) for i in range(4)]
    data, notes = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows)}))
    assert data.questions == ("test 0", "test 1", "test 0", "test 1")
    assert data.repeats is not None
    assert (data.size, list(data.repeats.label)) == (2, ["1", "1", "2", "2"])
    assert any("2 results are of tests whose variables and assertions stand in another" in note for note in notes)
    once, _ = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows[:2])}))
    assert once.clusters is None


def test_the_same_variables_under_other_assertions_are_another_question(tmp_path: Path) -> None:
    cases = [{"assert": [{"type": "equals", "value": value}]} for value in ("a", "b", "a")]
    said = {"vars": {"q": "?"}, "response": {"output": "x"}}
    rows = [plain(i, success=True, testCase=case, **said) for i, case in enumerate(cases)]
    data, _ = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows)}))
    assert data.questions == ("test 0", "test 1", "test 0")


@pytest.mark.parametrize("providers", [1, 2])
def test_the_table_of_promptfoo_is_refused(tmp_path: Path, providers: int) -> None:
    """Its errors, crashes and empty outputs all have Score 0.00."""
    rows = ["question" + ",[lamp] {{q}},Status,Score,Named Scores,Grader Reason,Comment" * providers]
    rows += ["Who keeps the lamp?" + ",Joss Harl,PASS,1.00,,All assertions passed," * providers]
    path = write_files(tmp_path, {"results.csv": "\n".join(rows) + "\n"})[0]
    assert_refused(path, "line 1", "this is promptfoo's table" if providers == 1 else "")


def test_a_threshold_decides_by_the_score(tmp_path: Path) -> None:
    rows = [plain(0, success=False, failureReason=1, response={"output": "x"}) | {"score": 0.75}]
    (path,) = write_files(tmp_path, {"r.json": document(rows)})
    assert evidence_and_notes(path)[0].columns["correct"][0][0] == 0
    assert evidence_and_notes(path, choose={"threshold": "0.5"})[0].columns["correct"][0][0] == 1


@pytest.mark.fuzz("promptfoo")
@given(st.data())
def test_damaged_results_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([("r.json", document(RESULTS)), ("r.jsonl", lines(RESULTS))]))
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), dict([text]), ungraded="exclude")


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
def test_real_results_have_the_tool_s_own_figures() -> None:
    """COUNTS.txt: 2 successes, 1 failure; 16 errors."""
    data, _ = evidence_and_notes(LOGS / "pew_2pass_1fail.json")
    assert (data.columns["correct"].sum(), data.columns["incorrect"].sum()) == (2, 1)
    data, notes = evidence_and_notes(LOGS / "drift_16errors.json", ungraded="exclude")
    assert not data.present.any()
    assert data.absence.size == 16
    assert sum("8 errored (of 8)" in note for note in notes) == 2
