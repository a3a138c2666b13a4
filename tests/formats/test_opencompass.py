"""OpenCompass: verdicts of the details, silence where nothing was extracted, and figures alone by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import MismatchError

from .encodings import assert_refused, evidence, read, refusal
from .excerpts import place_of
from .fuzz import assert_met, evidence_and_notes, write_files
from .structures import rewritten

LAMP = place_of("opencompass") / "results" / "lamp-2b" / "harbour.json"
ASKED = place_of("opencompass_predictions") / "predictions" / "lamp-2b" / "harbour.json"


def results(accuracy: float, *items: dict[str, Any], kind: str = "GEN") -> str:
    details = {"type": kind, **{str(i): item for i, item in enumerate(items)}}
    return json.dumps({"accuracy": accuracy, "details": details})


def item(correct: Any, said: Any = "A", drawn: Any = "A") -> dict[str, Any]:
    return {"prompt": "q", "origin_prediction": said, "predictions": drawn, "references": "A", "correct": correct}


def write(folder: Path, text: str, name: str = "results/lamp/harbour.json") -> Path:
    return write_files(folder, {name: text})[0]


def test_verdicts_silence_and_what_has_none(tmp_path: Path) -> None:
    items = [item(True), item([False]), item(False, "I will not say", ""), item(False, "", ""), item(None)]
    data, _ = evidence_and_notes(write(tmp_path, results(25.0, *items)), ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0, 0]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 1, 1, 0]]
    assert (~data.present).tolist() == [[False] * 4 + [True]]


def test_accuracy_is_in_percent(tmp_path: Path) -> None:
    """30.0 is 3 of 10."""
    items = [item(i < 3) for i in range(10)]
    _, notes = evidence_and_notes(write(tmp_path, results(30.0, *items)))
    assert not any("its own" in note for note in notes)
    _, notes = evidence_and_notes(write(tmp_path, results(31.0, *items)))
    assert any("its own accuracy is 0.31, and the answers in it give 0.3" in note for note in notes)


def test_options_by_perplexity_have_no_text(tmp_path: Path) -> None:
    logs = {"A": {"PPL": 1.2}, "B": {"PPL": 1.4}}
    data = evidence(write(tmp_path, results(50.0, item(True, logs, "A"), item(False, logs, "B"), kind="PPL")))
    assert data.columns["unanswered"].sum() == 0


def test_a_list_of_details(tmp_path: Path) -> None:
    details = [{"pred": "8", "answer": "8", "correct": True}, {"pred": "", "answer": "7", "correct": False}]
    data = evidence(write(tmp_path, json.dumps({"accuracy": 50.0, "details": details})))
    assert data.columns["correct"].tolist() == [[1, 0]]
    assert data.columns["unanswered"].tolist() == [[0, 1]]


def test_datasets_of_a_model_are_tasks(tmp_path: Path) -> None:
    files = {f"results/lamp/{name}.json": results(100.0, item(True)) for name in ("gsm8k", "mmlu")}
    data = evidence(write_files(tmp_path, files))
    assert (data.runs, data.questions) == (("lamp",), ("gsm8k/0", "mmlu/0"))


def test_predictions_are_judged_here_and_left_beside_results(tmp_path: Path) -> None:
    loaded = read(ASKED, judge="exact")
    assert loaded.judged_here
    path = write(tmp_path, results(100.0, item(True)))
    beside = write_files(tmp_path, {"predictions/lamp/harbour.json": ASKED.read_text()})[0]
    _, notes = evidence_and_notes([path, beside])
    assert any("1 file without verdicts not read" in note for note in notes)
    other = write_files(tmp_path, {"predictions/lamp/mmlu.json": ASKED.read_text()})[0]
    assert "have no results with details beside them" in str(refusal([path, other], MismatchError))


def test_details_without_verdicts_are_judged_here(tmp_path: Path) -> None:
    items = [
        {"prompt": "q", "origin_prediction": f"it is {said}", "predictions": said, "references": "B"} for said in "BA"
    ]
    items += [{"prompt": "q", "origin_prediction": "?", "predictions": "", "references": "B"}]
    path = write(tmp_path, results(33.33, *items))
    loaded = read(path, judge="exact")
    assert loaded.judged_here
    data = evidence(path, judge="exact")
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 1, 1]


def test_figures_alone_say_where_the_items_are(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps({"accuracy": 30.0}))
    rule = "it holds figures (accuracy 30) and no items: those are in predictions/lamp/harbour.json beside results"
    assert_refused(path, None, rule)


def test_broken_items(tmp_path: Path) -> None:
    assert_refused(write(tmp_path, results(1.0, item("perhaps"))), "details 0", "correct must be true or false")
    asked = {"0": {"origin_prompt": "q", "prediction": "a"}}
    path = write(tmp_path, json.dumps(asked), "predictions/lamp/x.json")
    assert_refused(path, "item 0", "these predictions have no gold answer")


@pytest.mark.fuzz("opencompass")
@given(st.data())
def test_damaged_files_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([LAMP, ASKED]))
    damaged = json.dumps(data.draw(rewritten(json.loads(path.read_text()))))
    name = f"{path.parts[-3]}/lamp/harbour.json"
    assert_met(write_files(tmp_path_factory.getbasetemp(), {name: damaged}), ungraded="exclude")
