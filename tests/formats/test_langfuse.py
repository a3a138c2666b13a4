"""Langfuse's exports: traces with a column a score, what the API returns, and scores alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import assert_refused, encode, evidence
from .excerpts import place_of
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LAMP = place_of("langfuse") / "lamp-2b.csv"
SOUND = LAMP.read_bytes()


def trace(question: str, output: Any, *scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {"id": question, "projectId": "p", "sessionId": None, "environment": "default", "htmlPath": "/x"}
    return {**base, "input": {"question": question}, "output": output, "scores": list(scores), **more}


def score(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": "s", "name": name, "value": value, "dataType": "NUMERIC", **more}


def api(*rows: Any) -> str:
    return json.dumps({"data": list(rows), "meta": {"page": 1}})


def test_an_export_of_traces() -> None:
    data, notes = evidence_and_notes(LAMP, ungraded="exclude")
    assert data.questions[0] == "Who keeps the lamp?"
    assert any(
        "1 errored" in note and "1 empty" in note and "1 graded by a judge that failed" in note for note in notes
    )
    assert any("correctness has scores for 3 of 5 answers: their mean is 0.3333, and 0.2 if" in note for note in notes)


def test_what_the_api_returns(tmp_path: Path) -> None:
    rows = [
        trace("q1", {"answer": "a"}, score("right", 1), score("tone", 0.5)),
        trace("q2", "b", score("right", 0, dataType="BOOLEAN", stringValue="False")),
        trace("q3", None, score("right", 0)),
        trace("q4", "c", score("right", None, stringValue="correct"), score("right", 0)),
    ]
    path = write_files(tmp_path, {"traces.json": api(*rows)})[0]
    data = evidence(path, choose={"metric": "right", "threshold": "0.5"})
    assert data.columns["correct"].tolist() == [[1, 0, 0, 1]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 1, 0]]


def test_scores_alone_are_joined_by_their_trace(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "traceId": "t1", "name": "right", "dataType": "BOOLEAN", "value": 1, "stringValue": "True"},
        {"id": "2", "traceId": "t1", "name": "tone", "dataType": "NUMERIC", "value": 0.25, "stringValue": None},
        {"id": "3", "traceId": "t2", "name": "right", "dataType": "BOOLEAN", "value": 0, "stringValue": "False"},
    ]
    data, notes = evidence_and_notes(encode(rows, "csv", tmp_path))
    assert data.questions == ("t1", "t2")
    assert data.columns["correct"].tolist() == [[1, 0]]
    assert any("no column holds the answers" in note for note in notes)


def test_dataset_runs_are_runs_and_columns_can_be_named(tmp_path: Path) -> None:
    rows = [
        {**trace("q1", "a"), "datasetRunName": name, "right": value, "asked": "Q?", "scores": None}
        for name, value in (("lamp", 1), ("owl", 0))
    ]
    path = write_files(tmp_path, {"items.json": json.dumps(rows)})[0]
    assert evidence(path).runs == ("lamp", "owl")
    csv = encode([{k: json.dumps(v) for k, v in row.items()} for row in rows], "csv", tmp_path)
    assert evidence(csv, column={"question": "asked"}, format_in="langfuse").questions == ("Q?",)


def test_scores_of_a_subject(tmp_path: Path) -> None:
    """As the API gives them from version 3 on; those of a whole experiment are of no answer."""

    def one(name: str, value: Any, kind: str, of: str) -> dict[str, Any]:
        return {"name": name, "value": value, "dataType": "BOOLEAN", "subject": {"kind": kind, "id": of}}

    listed = [one("right", True, "trace", "a"), one("right", False, "trace", "b"), one("mean", 0.5, "experiment", "e")]
    listed.append(
        {**one("right", True, "observation", "o"), "subject": {"kind": "observation", "id": "o", "traceId": "c"}}
    )
    path = write_files(tmp_path, {"s.json": json.dumps({"data": listed, "meta": {}})})[0]
    data, notes = evidence_and_notes(path)
    assert (data.questions, data.columns["correct"].tolist()) == (("a", "b", "c"), [[1, 0, 1]])
    assert any("1 score of a whole experiment or session not read" in note for note in notes)


def test_experiments_are_runs(tmp_path: Path) -> None:
    rows = [
        {"id": f"{run}{i}", "experimentId": run, "experimentName": run, "input": f"q{i}", "output": "x"}
        | {"scores": [{"name": "right", "value": i == 0, "dataType": "BOOLEAN"}]}
        for run in ("old", "new")
        for i in range(2)
    ]
    data = evidence(write_files(tmp_path, {"i.json": json.dumps({"data": rows, "meta": {}})})[0])
    assert data.runs == ("old", "new")
    assert data.repeats is None


def test_broken_exports(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"t.json": api(trace("q", "a", score("right", 1)), 3)})[0]
    assert_refused(path, "item 2", "each row must be an object")
    path = write_files(tmp_path, {"t.json": api(trace("", "a", score("right", 1)))})[0]
    assert_refused(path, "row 1", "the question is empty")
    path = write_files(tmp_path, {"t.json": api(trace("q", "a", {"value": 1}))})[0]
    assert_refused(path, "row 1", "a score must have a name")
    path = write_files(tmp_path, {"t.json": api(trace("q", "a"))})[0]
    assert_refused(path, None, "there is no metric in it")


@pytest.mark.fuzz("langfuse")
@given(st.data())
def test_damaged_exports_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    if data.draw(st.booleans()):
        assert_damage_is_met(data, folder, {"lamp.csv": SOUND}, ungraded="exclude")
        return
    document = {"data": [trace("q1", "a", score("right", 1)), trace("q2", "", score("right", 0))], "meta": {}}
    assert_met(write_files(folder, {"t.json": json.dumps(data.draw(rewritten(document)))}), ungraded="exclude")
