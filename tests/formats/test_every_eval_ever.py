"""The proposal of the page on every_eval_ever, an outcome beside is_correct: its examples are valid, and are read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema

from .cases import Case, states_of
from .fuzz import evidence_and_notes, write_files

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "every-eval-ever.md"
BLOCKS = re.findall(r"^```(json|jsonl)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
(SCHEMA,) = [json.loads(block) for language, block in BLOCKS if language == "json"]
EXAMPLES: list[dict[str, Any]] = [
    json.loads(line) for language, block in BLOCKS if language == "jsonl" for line in block.splitlines()
]


def test_the_examples_of_the_proposal_are_valid_and_their_contradictions_are_not() -> None:
    validator = jsonschema.Draft7Validator(SCHEMA)
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    (known,) = Case("every_eval_ever", "an instance", {"states": ""}).files()["log.jsonl"]
    for example in EXAMPLES:
        assert list(validator.iter_errors(example["evaluation"])) == []
        # what version 0.2.1 requires, and the members that it closes an instance to
        assert {"evaluation_id", "sample_id", "interaction_type", "input", "answer_attribution"} <= {*example}
        assert {*example} <= {*known, "messages", "sample_hash", "token_usage", "performance"}
    assert [one["evaluation"]["outcome"] for one in EXAMPLES] == ["correct", "unanswered", "unanswered", "ungraded"]
    assert validator.is_valid({"score": 1, "is_correct": True})  # as today
    for outcome, right in (("correct", False), ("incorrect", True), ("ungraded", True), ("declined", False)):
        assert not validator.is_valid({"score": 0, "is_correct": right, "outcome": outcome})


def test_the_examples_of_the_proposal_are_read(tmp_path: Path) -> None:
    """Silence that is right makes a question without an answer; nothing is guessed from the texts."""
    text = "".join(json.dumps(example) + "\n" for example in EXAMPLES)
    data, notes = evidence_and_notes(write_files(tmp_path, {"log.jsonl": text}), ungraded="exclude")
    assert list(states_of(data).values()) == ["CUS."]
    assert any("1 refusal, 1 unanswerable, 1 judge_error" in note for note in notes), notes
    assert not any("no field for abstentions" in note for note in notes)
