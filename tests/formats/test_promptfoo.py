"""promptfoo's results: a failed assertion is wrong, an error of the provider is ungraded, no output is silence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError, MismatchError

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
    "another version": (document(RESULTS, version=2), None, "must be of version 3"),
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
    "twice": (document([result(0, success=True)] * 2), "results.results[1]", "appears twice"),
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
    assert any("2 results are of tests with the same variables and assertions as another" in note for note in notes)
    once, _ = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows[:2])}))
    assert once.clusters is None


def test_the_same_variables_under_other_assertions_are_another_question(tmp_path: Path) -> None:
    cases = [{"assert": [{"type": "equals", "value": value}]} for value in ("a", "b", "a")]
    said = {"vars": {"q": "?"}, "response": {"output": "x"}}
    rows = [plain(i, success=True, testCase=case, **said) for i, case in enumerate(cases)]
    data, _ = evidence_and_notes(write_files(tmp_path, {"r.json": document(rows)}))
    assert data.questions == ("test 0", "test 1", "test 0")


def asking(*texts: str, right: str = "", **more: Any) -> str:
    """A document of one test for each text, right where the text is in `right`."""
    said: dict[str, Any] = {"response": {"output": "x"}, **more}
    return document([plain(i, success=text in right, vars={"q": text}, **said) for i, text in enumerate(texts)])


def outcome_of_each(data: Any) -> dict[str, list[int]]:
    return dict(zip(data.questions, data.columns["correct"].T.tolist(), strict=True))


def test_files_in_another_order_are_paired_by_what_their_tests_ask(tmp_path: Path) -> None:
    """Both are right about a alone, whatever its number."""
    files = {"a.json": asking(*"abc", right="a"), "b.json": asking(*"cba", right="a")}
    data, notes = evidence_and_notes(write_files(tmp_path, files))
    assert data.runs == ("a: m", "b: m")
    assert outcome_of_each(data) == {"test 0": [1, 1], "test 1": [0, 0], "test 2": [0, 0]}
    (said,) = [note for note in notes if "tests are paired by what they ask" in note]
    assert "b.json have different tests under one number (the first is test 0)" in said
    same, notes = evidence_and_notes(write_files(tmp_path, {**files, "b.json": asking(*"abc", right="a")}))
    assert outcome_of_each(same) == outcome_of_each(data)
    assert not any("are paired" in note for note in notes)


def test_a_test_inserted_in_front_moves_no_other(tmp_path: Path) -> None:
    """z stands in the second file alone: it bears a number that the first has not."""
    files = {"a.json": asking(*"abc", right="ac"), "b.json": asking(*"zabc", right="zac")}
    data, _ = evidence_and_notes(write_files(tmp_path, files), missing="common")
    assert outcome_of_each(data) == {"test 0": [1, 1], "test 1": [0, 0], "test 2": [1, 1]}


def test_variables_that_the_tool_sets_are_no_difference(tmp_path: Path) -> None:
    rows = [
        [plain(0, success=True, vars={"q": "a", "sessionId": run, "_conversation": []}, response={"output": "x"})]
        for run in ("1", "2")
    ]
    _, notes = evidence_and_notes(write_files(tmp_path, {f"{i}.json": document(row) for i, row in enumerate(rows)}))
    assert not any("are paired" in note for note in notes)


def without_variables(*prompts: str) -> str:
    said: dict[str, Any] = {"response": {"output": "x"}}
    return document([plain(i, success=True, prompt={"raw": text}, **said) for i, text in enumerate(prompts)])


def test_a_prompt_without_variables_may_differ_and_prompts_of_tests_may_not(tmp_path: Path) -> None:
    data = evidence_and_notes(
        write_files(tmp_path, {"a.json": without_variables("Say it"), "b.json": without_variables("Please say it")})
    )[0]
    assert data.questions == ("test 0",)
    files = {"a.json": without_variables("a", "b"), "b.json": without_variables("b", "a")}
    data, notes = evidence_and_notes(write_files(tmp_path, files))
    assert any("are paired by what they ask" in note for note in notes)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (asking(*"abc"), asking(*"def"), "no test of .*a.json is in another file"),
        (
            document([plain(i, success=True, vars={"q": "a"}, testCase={"assert": [i]}) for i in range(2)]),
            asking(*"ba"),
            "several tests of .*a.json ask the same",
        ),
        (asking(*"ab"), without_variables("a", "a"), "some tests of .*b.json have no variables"),
    ],
)
def test_files_of_other_tests_are_refused(tmp_path: Path, first: str, second: str, why: str) -> None:
    error = str(refusal(write_files(tmp_path, {"a.json": first, "b.json": second}), MismatchError))
    assert "a.json and " in error
    assert "b.json have different tests under one number: test 0 is " in error
    assert re.search(why, error), error
    assert error.endswith("Give files of the same tests in the same order, or score each file on its own")


def test_files_of_one_name_are_called_by_their_folder(tmp_path: Path) -> None:
    files = {f"{name}/results.json": asking(*"ab", right=name) for name in "ab"}
    data, _ = evidence_and_notes(write_files(tmp_path, files))
    assert data.runs == ("a: m", "b: m")
    files = {f"{name}/x/results.json": asking(*"ab", right=name) for name in "ab"}
    error = str(refusal(write_files(tmp_path, files), MismatchError))
    assert "would both become run 'x'; rename one of the files or folders" in error
    assert error.count("results.json") == 2


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
