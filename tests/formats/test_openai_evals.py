"""OpenAI evals' event logs: matches are outcomes, samples without one are ungraded, a run that was stopped says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import assert_refused
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs" / "openai_evals"


def event(sample: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": sample, "type": kind, "data": data}


SPEC = {"spec": {"completion_fns": ["gpt-4"], "eval_name": "sums.test.v1"}}
EVENTS = [
    SPEC,
    event("q1", "sampling", sampled=["4"]),
    event("q1", "match", correct=True, expected="4", picked="4", sampled="4"),
    event("q2", "match", correct=False, expected="5", picked=None, sampled="6"),
    event("q3", "match", correct=False, expected="5", picked=None, sampled=" "),
    event("q4", "sampling", sampled=["7"]),
    event("q5", "metrics", choice="E", score=None),
    event("q6", "metrics", score=1.0),
    {"final_report": {"accuracy": 1 / 3}},
]


def lines(events: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, events)) + "\n"


def test_outcomes_silence_and_what_nobody_graded(tmp_path: Path) -> None:
    data, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(EVENTS)}), ungraded="exclude")
    state = dict(
        zip(
            data.questions,
            zip(*(data.columns[n][0] for n in ("correct", "incorrect", "unanswered")), strict=True),
            strict=True,
        )
    )
    assert data.runs == ("gpt-4",)
    assert {q: tuple(map(int, s)) for q, s in state.items() if any(s)} == {
        "q1": (1, 0, 0),
        "q2": (0, 1, 0),
        "q3": (0, 0, 1),
        "q6": (1, 0, 0),
    }
    assert any("2 without a score" in note and "1 empty" in note for note in notes)
    assert not any("final report" in note for note in notes)


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(EVENTS[:4])}))
    assert any("there is no final report" in note for note in notes)


def test_a_log_is_known_whatever_its_name(tmp_path: Path) -> None:
    """evals writes its log where it is told to, and many name it run.log."""
    for name in ("run.log", "run.txt", "run"):
        data, _ = evidence_and_notes(write_files(tmp_path, {name: lines(EVENTS)}), ungraded="exclude")
        assert data.runs == ("gpt-4",)
    assert_refused(write_files(tmp_path, {"broken.log": lines(EVENTS[:3]) + "{\n"})[0], "line 4", "not a JSON object")


BROKEN = {
    "no samples": ([SPEC], None, "there are no samples in it: the run stopped before its first"),
    "a report alone": (
        [SPEC, {"final_report": {"accuracy": 0.5, "by": "x"}}],
        None,
        "it holds the final report (accuracy 0.5) and no samples, so no answer can be scored",
    ),
    "graded twice": ([*EVENTS[:3], EVENTS[2]], "line 4", "a second time"),
    "correct is a text": ([SPEC, event("q1", "match", correct="yes")], "line 2", "correct must be true or false"),
    "a sample without a name": ([SPEC, {**event("q1", "match", correct=True), "sample_id": 1}], "line 2", "sample_id"),
    "data that are none": ([SPEC, {**event("q1", "match"), "data": 3}], "line 2", "must be an object"),
}


@pytest.mark.parametrize(("events", "where", "rule"), BROKEN.values(), ids=list(BROKEN))
def test_broken_twins(tmp_path: Path, events: list[dict[str, Any]], where: str | None, rule: str) -> None:
    assert_refused(write_files(tmp_path, {"log.jsonl": lines(events)})[0], where, rule)


def test_a_grade_that_could_not_be_read_is_ungraded_and_an_empty_sampling_silence(tmp_path: Path) -> None:
    """get_choice_score of the tool's modelgraded evals gives an unreadable grade the lowest score."""
    events = [
        SPEC,
        event("q1", "sampling", sampled=["x"]),
        event("q1", "metrics", choice="__invalid__", score=0.0),
        event("q2", "sampling", sampled=[" "]),
        event("q2", "metrics", choice="B", score=0.0),
        event("q3", "sampling", sampled=["I don't know"]),
        event("q3", "metrics", choice="B", score=0.0),
        event("q4", "metrics", choice="A", score=1.0),
        {"final_report": {}},
    ]
    (path,) = write_files(tmp_path, {"log.jsonl": lines(events)})
    data, notes = evidence_and_notes(path, ungraded="exclude", declined_pattern=("I don.t know",))
    assert dict(zip(data.questions, data.columns["unanswered"][0], strict=True)) == {"q1": 0, "q2": 1, "q3": 1, "q4": 0}
    assert list(data.present[0]) == [q != "q1" for q in data.questions]
    assert any("1 graded by a judge that failed" in note for note in notes)


@pytest.mark.fuzz("openai_evals")
@given(st.data())
def test_damaged_logs_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {"log.jsonl": lines(EVENTS)}, ungraded="exclude")


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
def test_a_real_run_that_was_aborted() -> None:
    """COUNTS.txt: 32 samplings, no match, one metrics event without a score."""
    data, notes = evidence_and_notes(next(LOGS.glob("*.jsonl")), ungraded="exclude")
    assert not data.present.any()
    assert any("there is no final report" in note for note in notes)
