"""AbstentionBench: abstentions are silence, right where the prompt should not be answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.sources import documents

from .encodings import assert_refused, evidence
from .excerpts import place_of
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LAMP = next((place_of("abstention_bench")).rglob("*.json"))
SOUND = json.dumps({"responses": json.loads(LAMP.read_bytes())["responses"][:3]}).encode()


def response(
    question: str, *, should: bool | None, abstained: bool | None, right: bool | None = None
) -> dict[str, Any]:
    prompt: dict[str, Any] = {"question": question, "reference_answers": [], "should_abstain": should, "metadata": {}}
    row = {"prompt": prompt, "response_or_abstention": "a", "is_abstention": abstained}
    return row | {"is_abstention_correct": None, "is_response_correct": right}


def document(*responses: Any) -> str:
    return json.dumps({"responses": list(responses)})


def test_abstention_is_silence_and_right_where_it_should_be() -> None:
    scores = nescio.score(LAMP, measures=["c@1", "accuracy"], ungraded="exclude", ci=None)
    # Of five graded: one right answer, and one silence that is right, as the prompt should not be answered.
    assert scores["lamp_2b", "accuracy"].value == pytest.approx(2 / 5)


def test_answers_without_a_verdict_are_not_graded(tmp_path: Path) -> None:
    rows = [
        response("q1", should=False, abstained=False),
        response("q2", should=True, abstained=False),
        response("q3", should=False, abstained=None),
    ]
    path = write_files(tmp_path, {"GroundTruthAbstentionEvaluator.json": document(*rows)})[0]
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert (~data.present).tolist() == [[True, False, True]]
    assert data.columns["incorrect"].tolist()[0][1] == 1
    assert any("1 without a score" in note and "1 graded by a judge that failed" in note for note in notes)


def test_the_last_stage_of_a_folder_and_data_sets_of_a_model(tmp_path: Path) -> None:
    row = response("q1", should=False, abstained=False, right=True)
    stages = {
        "LLMJudgeCorrectnessEvaluator": row,
        "GroundTruthAbstentionEvaluator": row | {"is_response_correct": None},
    }
    files = {
        f"{data_set}_lamp/2026-05-01/{stage}.json": document(one)
        for data_set in ("FalseQADataset", "GPQA")
        for stage, one in stages.items()
    }
    write_files(tmp_path, files)
    data, notes = evidence_and_notes(tmp_path)
    assert (data.runs, data.questions) == (("lamp",), ("FalseQADataset/q1", "GPQA/q1"))
    assert data.columns["correct"].sum() == 2
    assert any(note.startswith("not read, because files of a later stage are beside them") for note in notes)


def test_a_large_file_is_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evidence(LAMP, ungraded="exclude").digest()
    monkeypatch.setattr(documents, "LARGE", 100)
    assert evidence(LAMP, ungraded="exclude").digest() == whole


def test_broken_responses(tmp_path: Path) -> None:
    sound = response("q1", should=False, abstained=False, right=True)
    for row, rule in [
        (3, "a response must be an object with a prompt"),
        ({**sound, "prompt": {"question": ""}}, "a prompt must have a question"),
        ({**sound, "is_abstention": "no"}, "is_abstention must be true or false"),
    ]:
        path = write_files(tmp_path, {"r.json": document(sound, row)})[0]
        assert_refused(path, "responses[1]", rule)


@pytest.mark.fuzz("abstention_bench")
@given(st.data())
def test_damaged_responses_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    if data.draw(st.booleans()):
        assert_damage_is_met(data, folder, {"lamp.json": SOUND}, ungraded="exclude")
    else:
        damaged = json.dumps(data.draw(rewritten(json.loads(SOUND))))
        assert_met(write_files(folder, {"lamp.json": damaged}), ungraded="exclude")
