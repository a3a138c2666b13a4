"""MLflow's tables of evaluation results, and tables as JSON of columns and rows, as MLflow and Weights & Biases
write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import ENCODINGS, assert_refused, encode, evidence
from .excerpts import place_of
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files
from .structures import rewritten

TABLE = place_of("mlflow") / "eval_results_table.json"
TRACES = place_of("mlflow_traces") / "lamp-2b.json"
COLUMNS = ["inputs", "outputs", "right/v1/score", "right/v1/justification", "tone/v1/score"]
ROWS = [["q1", "a", 1, "x", 4], ["q2", "b", 0, "x", 2], ["q3", None, 0, "x", None], ["q4", "c", None, "", 3]]


def split(columns: list[Any], rows: list[Any]) -> str:
    return json.dumps({"columns": columns, "data": rows})


def test_the_tool_s_own_figure() -> None:
    """MLflow printed {'strictly/v1/mean': 0.25}, and of the other file {'right/mean': 0.333, 'short/mean': 1.0}."""
    assert evidence(TABLE).columns["user.strictly"].mean() == 0.25
    genai = evidence(place_of("mlflow_genai") / "lamp.csv")
    scores = genai.columns["user.right"][0]
    assert scores[scores == scores].mean() == pytest.approx(1 / 3)
    assert genai.columns["user.short"].mean() == 1


def test_a_metric_without_a_value_is_ungraded_and_an_empty_output_silence(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"t.json": split(COLUMNS, ROWS)})[0]
    data, notes = evidence_and_notes(path, ungraded="exclude")
    counts = [data.columns[name].sum() for name in ("correct", "incorrect", "unanswered")]
    assert counts == [1, 1, 1]
    assert (~data.present).tolist() == [[False, False, False, True]]
    assert "outcomes by right; only scores: tone" in notes


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_results_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    rows = [
        {"request": f"q{i}", "response": "a", "right/value": value, "expected/value": "text", "trace_id": f"t{i}"}
        for i, value in enumerate(["yes", "no", "yes"])
    ]
    data, notes = evidence_and_notes(encode(rows, encoding, tmp_path))
    assert data.columns["correct"].tolist() == [[1, 0, 1]]
    assert any("do not hold numbers or verdicts: expected/value" in note for note in notes)


def test_tables_without_questions_or_metrics(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"t.json": split(["a", "b/score"], [["x", 1], ["y", 0]])})[0]
    assert_refused(path, None, "no column holds the questions; ")
    assert evidence(path, column={"question": "a"}).questions == ("x", "y")
    path = write_files(tmp_path, {"u.json": split(["inputs", "b/value"], [["x", "blue"]])})[0]
    assert_refused(path, None, "no metric in it has a number or a verdict")


def test_a_split_table_is_a_table(tmp_path: Path) -> None:
    columns = ["run", "question", "outcome"]
    path = write_files(tmp_path, {"t.json": split(columns, [["a", 1, True], ["a", 2, False]])})[0]
    assert evidence(path).columns["correct"].tolist() == [[1, 0]]
    matrix = write_files(tmp_path, {"ap.json": split(["id", "a", "b"], [["q1", 0.5, 0.2], ["q2", 0.1, 0.9]])})[0]
    assert evidence(matrix).columns["user.ap"].tolist() == [[0.5, 0.1], [0.2, 0.9]]
    narrow = write_files(tmp_path, {"n.json": split(columns, [["a", 1]])})[0]
    assert_refused(narrow, "data[0]", "a row has 2 cells, but there are 3 columns")
    twice = write_files(tmp_path, {"d.json": split(["run", "run"], [])})[0]
    assert_refused(twice, "columns", "a column name appears twice")
    empty = write_files(tmp_path, {"e.json": split(columns, [])})[0]
    assert_refused(empty, None, "there are no rows")


def trace(asked: str, said: Any, *assessments: dict[str, Any], state: str = "OK") -> dict[str, Any]:
    return {"trace_id": asked, "request": asked, "response": said, "state": state, "assessments": list(assessments)}


def feedback(value: Any, name: str = "right", **more: Any) -> dict[str, Any]:
    return {"assessment_name": name, "feedback": {"value": value}, **more}


def test_traces_are_graded_by_their_assessments(tmp_path: Path) -> None:
    """A judge that failed grades nothing, what was overridden and what was expected are not read, labels are none."""
    failed = {"assessment_name": "right", "feedback": {"value": None, "error": {"error_code": "x"}}}
    expected = {"assessment_name": "gold", "expectation": {"value": "a"}}
    rows = [
        trace("q1", "a", feedback("no", valid=False), feedback("yes"), feedback("blue", "colour")),
        trace("q2", "b", feedback(False), expected),
        trace("q3", "", feedback("no")),
        trace("q4", "d", failed),
        trace("q5", None, feedback("no"), state="ERROR"),
    ]
    data, notes = evidence_and_notes(write_files(tmp_path, {"t.json": json.dumps(rows)})[0], ungraded="exclude")
    assert [data.columns[name].tolist() for name in ("correct", "incorrect", "unanswered")] == [
        [[1, 0, 0, 0, 0]],
        [[0, 1, 0, 0, 0]],
        [[0, 0, 1, 0, 0]],
    ]
    assert (~data.present).tolist() == [[False, False, False, True, True]]
    assert any("1 empty, 1 graded by a judge that failed, 1 errored" in note for note in notes)
    printed = [{**row, "assessments": str(row["assessments"])} for row in rows]  # as pandas writes it to CSV
    again = evidence(encode(printed, "csv", tmp_path), ungraded="exclude")
    assert again.columns["correct"].tolist() == data.columns["correct"].tolist()


def test_a_list_of_traces(tmp_path: Path) -> None:
    def one(asked: str, said: str, value: str) -> dict[str, Any]:
        texts = {"mlflow.traceInputs": json.dumps({"q": asked}), "mlflow.traceOutputs": json.dumps(said)}
        info = {"trace_id": asked, "state": "OK", "trace_metadata": texts, "assessments": [feedback(value)]}
        return {"info": info, "data": {"spans": []}}

    traces = [one("q1", "a", "yes"), one("q2", "", "no")]
    data = evidence(write_files(tmp_path, {"t.json": json.dumps(traces)})[0])
    assert data.columns["unanswered"].tolist() == [[0, 1]]
    assert data.questions == ('{"q": "q1"}', '{"q": "q2"}')
    bare = [{"info": {"trace_id": "x", "assessments": []}, "data": {}}]
    path = write_files(tmp_path, {"u.json": json.dumps(bare)})[0]
    assert_refused(path, None, "no assessment in it has a number or a verdict")


def test_an_answer_that_ended_in_an_error_is_no_silence(tmp_path: Path) -> None:
    rows = [
        {"trace_id": "1", "request": "q1", "response": "a", "state": "OK", "right/value": "yes"},
        {"trace_id": "2", "request": "q2", "response": None, "state": "ERROR", "right/value": "no"},
        {"trace_id": "3", "request": "q3", "response": None, "state": "OK", "right/value": "no"},
    ]
    data = evidence(write_files(tmp_path, {"t.json": json.dumps(rows)})[0], ungraded="exclude")
    assert (~data.present).tolist() == [[False, True, False]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 1]]


@pytest.mark.fuzz("mlflow")
@given(st.data())
def test_damaged_tables_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    document = data.draw(st.sampled_from([{"columns": COLUMNS, "data": ROWS}, json.loads(TRACES.read_text())]))
    sound = json.dumps(data.draw(st.one_of(st.just(document), rewritten(document))))
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {"t.json": sound}, ungraded="exclude")
