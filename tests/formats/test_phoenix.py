"""Phoenix's experiments: repetitions are repeats, an annotation that failed is no verdict, an error is not graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import ENCODINGS, assert_refused, encode, evidence
from .excerpts import place_of
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LAMP = place_of("phoenix") / "lamp-2b.json"
EVALUATED = (place_of("phoenix_evaluated") / "lamp-2b.csv").read_bytes()
KEPT = ("example_id", "repetition_number", "output", "error", "annotations")
SOUND = json.dumps([{key: run[key] for key in KEPT} for run in json.loads(LAMP.read_bytes())[:2]]).encode()


def test_repetitions_are_repeats() -> None:
    data, notes = evidence_and_notes(LAMP, ungraded="exclude")
    assert data.repeats is not None
    assert len({*data.questions}) == 5
    assert any("2 empty, 2 graded by a judge that failed (of 10)" in note for note in notes)


def test_a_run_that_ended_in_an_error_is_no_silence(tmp_path: Path) -> None:
    """Evaluators run on it all the same, and may give it a score."""
    annotations = [{"name": "right", "score": 1.0}]
    rows = [
        {"example_id": "a", "output": None, "error": "timeout", "annotations": annotations},
        {"example_id": "b", "output": None, "error": None, "annotations": [{"name": "right", "score": 0.0}]},
    ]
    data = evidence(write_files(tmp_path, {"r.json": json.dumps(rows)})[0], ungraded="exclude")
    assert (~data.present).tolist() == [[True, False]]
    assert data.columns["unanswered"].tolist() == [[0, 1]]


@pytest.mark.parametrize("encoding", ["json", "csv"])
def test_a_table_of_evaluators(tmp_path: Path, encoding: str) -> None:
    """What an evaluator says is an object, or what Python prints of it; nothing, where it failed or did not run."""
    scores = [{"score": None, "label": "correct"}, {"score": 0.0}, None, {"label": "blue"}, {"score": 0}]
    rows = [
        {"question": f"q{i}", "output": said, "right_score": score, "right_execution_details": {"status": "COMPLETED"}}
        for i, (score, said) in enumerate(zip(scores, ["a", "b", "c", "d", ""], strict=True))
    ]
    if encoding == "json":
        path = write_files(tmp_path, {"r.json": json.dumps(rows)})[0]
    else:
        printed = [{name: str(cell) if isinstance(cell, dict) else cell for name, cell in row.items()} for row in rows]
        path = encode(printed, "csv", tmp_path)
    data = evidence(path, ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0, 0]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 0, 0, 1]]
    assert (~data.present).tolist() == [[False, False, True, True, False]]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_columns_of_a_csv_download(tmp_path: Path, encoding: str) -> None:
    rows = [
        {
            "example_id": f"e{i}",
            "repetition_number": 1,
            "input": '{"question": "q"}',
            "output": output,
            "error": error,
            "annotation_right_label": label,
            "annotation_right_score": None,
            "annotation_right_error": None,
            "annotation_tone_score": 0.5,
        }
        for i, (output, error, label) in enumerate(
            [("a", None, "correct"), ('""', None, "incorrect"), ("b", None, "incorrect"), (None, "timeout", None)]
        )
    ]
    data = evidence(encode(rows, encoding, tmp_path), ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0]]
    assert data.columns["unanswered"].tolist() == [[0, 1, 0, 0]]
    assert (~data.present).tolist() == [[False, False, False, True]]


def test_broken_downloads(tmp_path: Path) -> None:
    run = {"example_id": "e", "output": "a", "annotations": []}
    for row, rule in [
        ({**run, "example_id": None}, "example_id must be a text or a whole number"),
        ({**run, "annotations": {}}, "annotations must be a list"),
        ({**run, "annotations": [{"score": 1}]}, "an annotation must have a name"),
    ]:
        path = write_files(tmp_path, {"r.json": json.dumps([run, row])})[0]
        assert_refused(path, "item 2", rule)
    assert_refused(write_files(tmp_path, {"r.json": json.dumps([run])})[0], None, "there is no metric in it")


@pytest.mark.fuzz("phoenix")
@given(st.data())
def test_damaged_downloads_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    if data.draw(st.integers(0, 3)) == 0:
        assert_damage_is_met(data, folder, {"lamp.csv": EVALUATED}, ungraded="exclude")
    elif data.draw(st.booleans()):
        assert_damage_is_met(data, folder, {"lamp.json": SOUND}, ungraded="exclude")
    else:
        damaged = json.dumps(data.draw(rewritten(json.loads(SOUND))))
        assert_met(write_files(folder, {"lamp.json": damaged}), ungraded="exclude")
