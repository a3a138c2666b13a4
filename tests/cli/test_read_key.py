"""The key of AutSent written out, and the ceilings of both marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio

STORY = ["Ann went to Paris in May.", "It rained in Paris.", "Ben stayed at home."]


@pytest.fixture
def collection(tmp_path: Path) -> list[Path]:
    """Three questions about one story: one sentence matches the first key, two tie on the second, none the third."""
    rows: list[dict[str, Any]] = [
        {"id": "a", "question": "When?", "answers": ["May"], "sentences": [0]},
        {"id": "b", "question": "Where?", "answers": ["Paris"], "sentences": [0, 1]},
        {"id": "c", "question": "Who?", "answers": ["Zoe"], "sentences": []},
    ]
    files = [tmp_path / "questions.jsonl", tmp_path / "stories.jsonl"]
    files[0].write_text("".join(json.dumps({**row, "story": "s"}) + "\n" for row in rows))
    files[1].write_text(json.dumps({"id": "s", "sentences": STORY}) + "\n")
    return files


def test_the_key_has_every_sentence_that_ties_and_none_where_nothing_matches(
    collection: list[Path], tmp_path: Path
) -> None:
    written = nescio.read.key(collection, tmp_path / "key.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "key.jsonl").read_text().splitlines()]
    assert [(row["id"], row["sentences"]) for row in rows] == [("a", [0]), ("b", [0, 1]), ("c", [])]
    assert rows[1]["texts"] == STORY[:2]
    assert (written.matched, written.questions) == (2, 3)
    assert "no run can have an AutSent above 0.667" in str(written)


def test_the_ceiling_of_hum_sent_is_said(collection: list[Path], tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps({"id": name, "answer": STORY[0]}) + "\n" for name in "abc"))
    scores = nescio.read.score([*collection, run], ci=None)
    assert scores.value("run", "read.HumSent") == pytest.approx(2 / 3)
    assert any("1 of 3 questions, so no run can have a HumSent above 0.667" in str(note) for note in scores.notes)


def test_a_question_without_a_key_is_named(tmp_path: Path) -> None:
    files = [tmp_path / "questions.jsonl", tmp_path / "stories.jsonl"]
    files[0].write_text(json.dumps({"id": "a", "question": "When?", "story": "s"}) + "\n")
    files[1].write_text(json.dumps({"id": "s", "sentences": STORY}) + "\n")
    with pytest.raises(nescio.NescioError, match="'a' has no key"):
        nescio.read.key(files, tmp_path / "key.jsonl")
