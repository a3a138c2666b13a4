"""every_eval_ever's instances: grades are outcomes, errors are ungraded, and only an empty output is silence
unasked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import UsageError

from .encodings import assert_refused, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files


def instance(sample: str, correct: Any, output: Any = "4", **more: Any) -> dict[str, Any]:
    """An instance in the shape of the schema, version 0.2.1."""
    drawn = [{"turn_idx": 0, "source": "output.raw", "extracted_value": output, "is_terminal": True}]
    return {
        "schema_version": "0.2.1",
        "evaluation_id": "sums/one/1",
        "model_id": "some/model",
        "evaluation_name": "sums",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": "2 + 2?", "reference": ["4"], "choices": None},
        "output": {"raw": [output]},
        "answer_attribution": drawn,
        "evaluation": {"score": float(bool(correct)), "is_correct": correct},
        "error": None,
        "metadata": None,
        **more,
    }


ROWS = [
    instance("q1", True),
    instance("q2", False),
    instance("q3", False, " "),
    instance("q4", False, "I don't know"),
    instance("q5", False, error="timeout"),
]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def outcomes(data: Any) -> dict[str, str]:
    names = ("correct", "incorrect", "unanswered")
    return {q: next((n for n in names if data.columns[n][0][i]), "none") for i, q in enumerate(data.questions)}


def test_grades_silence_and_errors_are_kept_apart(tmp_path: Path) -> None:
    data, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(ROWS)}), ungraded="exclude")
    assert data.runs == ("some/model",)
    assert data.clusters is None
    right, wrong, silent = "correct", "incorrect", "unanswered"
    assert outcomes(data) == {"q1": right, "q2": wrong, "q3": silent, "q4": wrong, "q5": "none"}
    assert any("no field for abstentions" in note for note in notes)
    assert any("1 empty" in note and "1 errored" in note for note in notes)


def test_words_that_decline_are_silence_when_asked(tmp_path: Path) -> None:
    given = write_files(tmp_path, {"log.jsonl": lines(ROWS)})
    data, notes = evidence_and_notes(given, ungraded="exclude", declined_pattern=("i don.t know",))
    assert outcomes(data)["q4"] == "unanswered"
    assert not any("no field for abstentions" in note for note in notes)


def test_several_evaluations_and_repeats(tmp_path: Path) -> None:
    rows = [*ROWS[:2], ROWS[0], {**ROWS[1], "evaluation_name": "products", "input": {"raw": "2 × 3?"}}]
    data, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(rows)}))
    assert data.questions == ("sums/q1", "sums/q2", "sums/q1", "products/q2")
    assert data.repeats is not None
    assert (data.size, list(data.repeats.label)) == (3, ["1", "1", "2", "1"])
    assert list(data.strata["evaluation"]) == ["sums", "sums", "sums", "products"]
    assert any("1 instances appear again" in note for note in notes)


FILTERS = [
    *({**row, "evaluation_name": "sums/strict"} for row in ROWS[:2]),
    *({**instance(row["sample_id"], True), "evaluation_name": "sums/flexible"} for row in ROWS[:2]),
]
METRICS = [
    *({**row, "evaluation_result_id": "exact"} for row in ROWS[:2]),
    *({**instance(row["sample_id"], True), "evaluation_result_id": "f1"} for row in ROWS[:2]),
]


@pytest.mark.parametrize(
    ("rows", "strict", "other"), [(FILTERS, "sums/strict", "sums/flexible"), (METRICS, "sums: exact", "sums: f1")]
)
def test_one_question_under_several_evaluations_is_one_question(
    tmp_path: Path, rows: list[dict[str, Any]], strict: str, other: str
) -> None:
    (path,) = write_files(tmp_path, {"log.jsonl": lines(rows)})
    assert f"{strict}, {other}; name one with --choose evaluation=NAME" in str(refusal(path, UsageError))
    data, notes = evidence_and_notes(path, choose={"evaluation": strict})
    assert outcomes(data) == {"q1": "correct", "q2": "incorrect"}
    assert any("2 instances of others left out" in note for note in notes)


def test_a_refusal_among_the_errors_is_silence(tmp_path: Path) -> None:
    rows = [instance("q1", False, error="model refusal"), instance("q2", False, error="timeout")]
    data, _ = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(rows)}), ungraded="exclude")
    assert outcomes(data) == {"q1": "unanswered", "q2": "none"}


def test_without_is_correct_the_score_decides_and_a_threshold_always_does(tmp_path: Path) -> None:
    grades = [(1.0, None), (0.75, None), (0.75, False)]
    rows = [instance(f"q{i}", g, evaluation={"score": s, "is_correct": g}) for i, (s, g) in enumerate(grades)]
    (path,) = write_files(tmp_path, {"log.jsonl": lines(rows)})
    data, notes = evidence_and_notes(path)
    assert list(outcomes(data).values()) == ["correct", "incorrect", "incorrect"]
    assert any("1 of 2 scores of instances without is_correct lie between 0 and 1" in note for note in notes)
    assert set(outcomes(evidence_and_notes(path, choose={"threshold": "0.5"})[0]).values()) == {"correct"}


def test_one_of_several_samples_that_declines_is_not_the_answer(tmp_path: Path) -> None:
    said = {"raw": ["I don't know", "4", "4"]}
    rows = [instance("q1", True, output_=said), instance("q2", False, "I don't know")]
    rows = [{**row, "output": row.pop("output_", row["output"])} for row in rows]
    data, _ = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(rows)}), declined_pattern=("i don.t know",))
    assert outcomes(data) == {"q1": "correct", "q2": "unanswered"}


def test_a_score_between_is_kept_beside_the_outcome(tmp_path: Path) -> None:
    rows = [ROWS[0], instance("q2", False, evaluation={"score": 0.25, "is_correct": False})]
    data, _ = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(rows)}))
    assert list(data.columns["user.score"][0]) == [1.0, 0.25]
    assert outcomes(data)["q2"] == "incorrect"


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "is_correct is a text": ({"evaluation": {"score": 1, "is_correct": "yes"}}, "is_correct must be true or false"),
    "no evaluation": ({"evaluation": None}, "evaluation must be an object"),
    "no sample": ({"sample_id": None}, "sample_id must be a text"),
    "no model": ({"model_id": 3}, "model_id must be a text"),
    "no name": ({"evaluation_name": ""}, "evaluation_name must be a text"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_twins(tmp_path: Path, name: str) -> None:
    more, rule = BROKEN[name]
    (path,) = write_files(tmp_path, {"log.jsonl": lines([ROWS[0], {**ROWS[1], **more}])})
    assert_refused(path, where="line 2", rule=rule)


@pytest.mark.fuzz("every_eval_ever")
@given(st.data())
def test_damage_is_met(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {"log.jsonl": lines(ROWS)})


# ---- the proposal: outcome beside is_correct ----

PROPOSAL = Path(__file__).parents[2] / "docs" / "explanation" / "every-eval-ever.md"


def proposal() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The schema of `evaluation` on the page, and its examples."""
    blocks = re.findall(r"^```(json|jsonl)\n(.*?)^```", PROPOSAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (schema,) = [json.loads(block) for language, block in blocks if language == "json"]
    (examples,) = [block.splitlines() for language, block in blocks if language == "jsonl"]
    return schema, [json.loads(line) for line in examples]


def test_the_examples_of_the_proposal_are_valid_and_their_contradictions_are_not() -> None:
    schema, examples = proposal()
    validator = jsonschema.Draft7Validator(schema)
    jsonschema.Draft7Validator.check_schema(schema)
    for example in examples:
        assert list(validator.iter_errors(example["evaluation"])) == []
        # what version 0.2.1 requires, and the members that it closes an instance to
        assert {"evaluation_id", "sample_id", "interaction_type", "input", "answer_attribution"} <= {*example}
        assert {*example} <= {*instance("q", True), "messages", "sample_hash", "token_usage", "performance"}
    assert [one["evaluation"]["outcome"] for one in examples] == ["correct", "unanswered", "unanswered", "ungraded"]
    assert validator.is_valid({"score": 1, "is_correct": True})  # as today
    for outcome, right in (("correct", False), ("incorrect", True), ("ungraded", True), ("declined", False)):
        assert not validator.is_valid({"score": 0, "is_correct": right, "outcome": outcome})


def test_the_examples_of_the_proposal_are_read(tmp_path: Path) -> None:
    """Silence that is right makes a question without an answer; nothing is guessed from the texts."""
    data, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": lines(proposal()[1])}), ungraded="exclude")
    assert outcomes(data) == {"q1": "correct", "q2": "unanswered", "q3": "correct", "q4": "none"}
    assert any("1 refusal, 1 unanswerable, 1 judge_error" in note for note in notes), notes
    assert not any("no field for abstentions" in note for note in notes)


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        ({"outcome": "correct", "is_correct": False}, "is_correct is false, but outcome says otherwise"),
        ({"outcome": "incorrect", "is_correct": True}, "is_correct is true, but outcome says otherwise"),
        (
            {"outcome": "maybe", "is_correct": True},
            "outcome must be correct, incorrect, unanswered, ungraded (found 'maybe')",
        ),
    ],
)
def test_an_outcome_that_contradicts_is_refused(tmp_path: Path, grade: dict[str, Any], says: str) -> None:
    row = instance("q1", True) | {"evaluation": {"score": 1.0, **grade}}
    assert says in str(refusal(write_files(tmp_path, {"log.jsonl": lines([row])})))
