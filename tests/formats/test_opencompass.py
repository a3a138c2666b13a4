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

OUTCOMES = ("correct", "incorrect", "unanswered")
JUDGED = place_of("opencompass_judged") / "results" / "lamp-2b" / "harbour.json"
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
    assert any("its own accuracy is 0.31, but the answers in it give 0.3" in note for note in notes)


def test_a_score_is_compared_as_an_accuracy_is(tmp_path: Path) -> None:
    """Some evaluators call it score; where both stand there, the accuracy is what the items say."""
    text = results(30.0, *(item(i < 3) for i in range(10)))
    for body, said in ((text.replace('"accuracy": 30.0', '"score": 31.0'), True), (text, False)):
        _, notes = evidence_and_notes(write(tmp_path, body))
        assert any("its own score is 0.31, but the answers in it give 0.3" in note for note in notes) == said
    for body in (text.replace('"accuracy"', '"score"'), text.replace("{", '{"score": 70.0, ', 1)):
        _, notes = evidence_and_notes(write(tmp_path, body))
        assert not any("its own" in note for note in notes)


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
    assert evidence([path, beside]).columns["correct"].tolist() == [[1]]
    figures = write_files(tmp_path, {"results/lamp/squad.json": json.dumps({"score": 30.0})})[0]
    unread = write_files(tmp_path, {"predictions/lamp/squad.json": ASKED.read_text()})[0]
    _, notes = evidence_and_notes([path, beside, figures, unread])
    assert any(note.startswith("2 files without verdicts not read") for note in notes)
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


def judged(*letters: str, **more: Any) -> str:
    items = [
        {"example_abbr": f"h_{i}", "origin_prompt": ["?"], "prediction": [x], "gold": ["g"]}
        for i, x in enumerate(letters)
    ]
    return json.dumps({"accuracy": 100 * letters.count("A") / len(letters), "details": items, **more})


def test_the_letters_of_a_judge_are_no_answers(tmp_path: Path) -> None:
    """As whole words: the tool finds an A in "I CANNOT SAY", and counts what it cannot read as not attempted."""
    path = write(tmp_path, judged("A", "B", "C", "I CANNOT SAY", "NOT_ATTEMPTED", "INCORRECT", "(A)"))
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0, 0, 0, 1]]
    assert data.columns["incorrect"].tolist() == [[0, 1, 0, 0, 0, 1, 0]]
    assert data.columns["unanswered"].tolist() == [[0, 0, 1, 0, 1, 0, 0]]
    assert (~data.present).tolist() == [[False] * 3 + [True] + [False] * 3]
    assert any("2 not attempted, 1 graded by a judge that failed" in note for note in notes)


def test_an_answer_that_is_empty_is_silence_whatever_the_judge_says(tmp_path: Path) -> None:
    path = write(tmp_path, judged("A", "B", "B"))
    said = {str(i): {"origin_prompt": "q", "prediction": x, "gold": "g"} for i, x in enumerate(["g", "", "h"])}
    beside = write(tmp_path, json.dumps(said), "predictions/lamp/harbour.json")
    assert evidence([path, beside]).columns["unanswered"].tolist() == [[0, 1, 0]]


def test_the_texts_of_a_judge_are_not_taken_for_predictions(tmp_path: Path) -> None:
    """DATASET_replica0.json of results has the shape of predictions; its letters would all be wrong answers."""
    texts = {str(i): {"origin_prompt": "?", "prediction": x, "gold": "g"} for i, x in enumerate("ABC")}
    path = write(tmp_path, json.dumps(texts), "results/lamp/harbour_replica0.json")
    assert [int(evidence(path).columns[name].sum()) for name in OUTCOMES] == [1, 1, 1]
    again = write(tmp_path, json.dumps(texts), "results/lamp/harbour_replica1.json")
    data = evidence([path, again])
    assert data.repeats is not None
    assert [int(data.columns[name].sum()) for name in OUTCOMES] == [2, 2, 2]
    some = write(tmp_path, json.dumps(texts), "results/lamp/harbour_llm_judge_replica0.json")
    assert_refused(some, None, "these are a judge's texts on the answers that rules had called wrong")


def test_rules_and_a_judge_together(tmp_path: Path) -> None:
    def one(name: str, said: str, *, right: bool, rule: bool) -> dict[str, Any]:
        evaluation = {"rule_evaluation": [{"correct": rule, "pred": said}], "cascade_correct": [right]}
        return {"example_abbr": name, **evaluation}

    details = [
        one("a", "x", right=True, rule=True),
        one("b", "y", right=True, rule=False),
        one("c", "", right=False, rule=False),
    ]
    data = evidence(write(tmp_path, json.dumps({"accuracy": 200 / 3, "details": details})))
    assert [data.columns[name].tolist() for name in OUTCOMES] == [[[1, 1, 0]], [[0, 0, 0]], [[0, 0, 1]]]


def test_replicas_of_a_dataset_are_repeats(tmp_path: Path) -> None:
    """n: 2. In a list each example has its answers; by number the copies stand one after the other."""
    details = [
        {"example_abbr": "a", "G-Pass@2_0.5": 0.5, "pred": ["x", "y"], "answer": ["x", "x"], "correct": [True, False]},
        {"example_abbr": "b", "G-Pass@2_0.5": 0.0, "pred": ["", "y"], "answer": ["x", "x"], "correct": [False, False]},
    ]
    path = write(tmp_path, json.dumps({"accuracy (2 runs average)": 25.0, "details": details}))
    data, notes = evidence_and_notes(path)
    assert (data.questions, data.repeats is None) == (("0", "0", "1", "1"), False)
    assert [data.columns[name].tolist() for name in OUTCOMES] == [[[1, 0, 0, 0]], [[0, 1, 0, 1]], [[0, 0, 1, 0]]]
    assert not any("its own" in note for note in notes)
    copied = [item(right) | {"prompt": prompt} for right, prompt in zip([1, 0, 1, 1], "pqpq", strict=True)]
    data = evidence(write(tmp_path, results(75.0, *copied)))
    assert data.questions == ("0", "1", "0", "1")
    once = [item(True) | {"prompt": prompt} for prompt in "pqp"]  # a question that stands there again is no copy
    assert evidence(write(tmp_path, results(100.0, *once))).repeats is None


@pytest.mark.parametrize("kind", ["results", "predictions"])
def test_two_runs_of_the_tool_are_no_repeats(tmp_path: Path, kind: str) -> None:
    asked = {"0": {"origin_prompt": "q", "prediction": "x", "gold": "g"}}
    text = results(100.0, item(True)) if kind == "results" else json.dumps(asked)
    paths = [write(tmp_path, text, f"oc/{when}_120000/{kind}/lamp/harbour.json") for when in ("20260101", "20260201")]
    for files in (paths, tmp_path / "oc"):
        error = str(refusal(files, MismatchError))
        assert all(str(path) in error for path in paths)
        assert "would both become run 'lamp': these are not repeats; rename one of the folders lamp, or give" in error
    for path in paths:
        read(path)
    paths[1].parent.rename(paths[1].parent.with_name("lamp-feb"))
    assert evidence(tmp_path / "oc").runs == ("lamp", "lamp-feb")


def test_replicas_of_one_run_of_the_tool_stay_repeats_and_other_datasets_stand_beside(tmp_path: Path) -> None:
    texts = json.dumps({"0": {"origin_prompt": "?", "prediction": "A", "gold": "g"}})
    for k in range(2):
        write(tmp_path, texts, f"oc/20260101_120000/results/lamp/harbour_replica{k}.json")
    data = evidence(tmp_path / "oc")
    assert (data.runs, data.columns["correct"].tolist()) == (("lamp",), [[1, 1]])
    assert data.repeats is not None
    for when, name in (("20260101", "gsm8k"), ("20260201", "mmlu")):
        write(tmp_path, results(100.0, item(True)), f"two/{when}_120000/results/lamp/{name}.json")
    data = evidence(tmp_path / "two")
    assert (data.runs, data.questions) == (("lamp",), ("gsm8k/0", "mmlu/0"))


def test_a_folder_of_a_whole_run(tmp_path: Path) -> None:
    texts = {"0": {"origin_prompt": "q", "prediction": "x", "gold": "g"}}
    write(tmp_path, judged("A"))
    write(tmp_path, json.dumps(texts), "results/lamp/harbour_replica0.json")
    write(tmp_path, json.dumps(texts), "predictions/lamp/harbour.json")
    write(tmp_path, "[]", "summary/summary.json")
    data, notes = evidence_and_notes(tmp_path)
    assert data.columns["correct"].tolist() == [[1]]
    assert any("3 files of opencompass are read, and 1 other file is not" in note for note in notes)


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
    path = data.draw(st.sampled_from([LAMP, ASKED, JUDGED]))
    damaged = json.dumps(data.draw(rewritten(json.loads(path.read_text()))))
    name = f"{path.parts[-3]}/lamp/harbour.json"
    assert_met(write_files(tmp_path_factory.getbasetemp(), {name: damaged}), ungraded="exclude")
