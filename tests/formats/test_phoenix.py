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
KEPT = ("example_id", "repetition_number", "output", "error", "annotations")
SOUND = json.dumps([{key: run[key] for key in KEPT} for run in json.loads(LAMP.read_bytes())[:2]]).encode()


def test_repetitions_are_repeats() -> None:
    data, notes = evidence_and_notes(LAMP, ungraded="exclude")
    assert data.repeats is not None
    assert len({*data.questions}) == 3
    assert any(
        "1 errored" in note and "1 empty" in note and "1 graded by a judge that failed" in note for note in notes
    )


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
        ({**run, "example_id": None}, "a run must name its example"),
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
    if data.draw(st.booleans()):
        assert_damage_is_met(data, folder, {"lamp.json": SOUND}, ungraded="exclude")
    else:
        damaged = json.dumps(data.draw(rewritten(json.loads(SOUND))))
        assert_met(write_files(folder, {"lamp.json": damaged}), ungraded="exclude")
