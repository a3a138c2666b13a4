"""nescio read and nuggets: answering and marking stories, and the baseline that answers definition questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.tasks.nuggets.definitions import bundled as definitions

from .conftest import EXAMPLES, Command, lines, written

STORIES = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"]


STORY = "HEADLINE: A Kite\nDATE: today\nSTORYID: 1-W1-1\n\nTEXT:\nAnna made a kite. She sold it in Rome. Ben cried.\n"
KEY = "QuestionID: 1-W1-1-1\nQuestion: Where did Anna sell the kite?\nAnswer: Rome\n{}\n"


def marks(folder: Path, key: str, listed: str | None = None) -> dict[str, float]:
    """Marks of a run by sentences that stand in a key, or in a list of their own beside it."""
    stories = folder / "stories"
    stories.mkdir(parents=True)
    written(stories / "1-W1-1.story", STORY)
    written(stories / "1-W1-1.answers", KEY.format(key))
    if listed:
        written(stories / "people.sentences", f"QuestionID: {listed}\n")
    run = lines(folder / "run.jsonl", [{"id": "1-W1-1-1", "answer": "She sold it in Rome."}])
    return {row.measure: row.value for row in package.read.score([stories, run], ci=None)}


@pytest.mark.parametrize(
    ("key", "listed", "value"),
    [
        ("Sentences: 2", None, 1.0),
        ("Sentences: 1, 3", None, 0.0),
        ("Sentences:", None, 0.0),
        ("Sentences: 3 2", None, 1.0),
        ("Difficulty: Easy", None, None),
        ("", "1-W1-1-1\nSentences: 2, 3", 1.0),
        ("", "1-W1-1-1\nSentences: 1", 0.0),
        ("Sentences: 2", "1-W1-1-1\nSentences: 2", 1.0),
    ],
)
def test_people_name_sentences_of_a_story_from_1(
    key: str, listed: str | None, value: float | None, tmp_path: Path
) -> None:
    assert marks(tmp_path, key, listed).get("read.HumSent") == value


@pytest.mark.parametrize(
    ("key", "listed", "where", "rule"),
    [
        *((f"Sentences: {n}", None, "line 4", "Sentences must be numbers from 1 to 3") for n in ("0", "4", "two", "1.5")),
        ("", "1-W1-1-1\nSentences: 4", "people.sentences, line 2", "numbers from 1 to 3"),
        ("", "1-W1-1-9\nSentences: 2", "people.sentences, line 1", "no question has this id"),
        ("Sentences: 3", "1-W1-1-1\nSentences: 2", "people.sentences, line 2", "lists different sentences for this question"),
    ],
)  # fmt: skip
def test_a_sentence_that_the_story_lacks_is_refused(
    key: str, listed: str | None, where: str, rule: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=rule) as error:
        marks(tmp_path, key, listed)
    assert where in str(error.value)


SENTENCES = ["Ann went to Paris in May.", "It rained in Paris.", "Ben stayed at home."]


def test_the_key_has_every_sentence_that_ties_and_the_ceilings_are_said(tmp_path: Path) -> None:
    """One sentence matches the first key, two tie on the second, none the third."""
    asked: list[dict[str, Any]] = [
        {"id": "a", "question": "When?", "answers": ["May"], "sentences": [0], "story": "s"},
        {"id": "b", "question": "Where?", "answers": ["Paris"], "sentences": [0, 1], "story": "s"},
        {"id": "c", "question": "Who?", "answers": ["Zoe"], "sentences": [], "story": "s"},
    ]
    stories = lines(tmp_path / "stories.jsonl", [{"id": "s", "sentences": SENTENCES}])
    collection = [lines(tmp_path / "questions.jsonl", asked), stories]
    made = package.read.key(collection, tmp_path / "key.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "key.jsonl").read_text().splitlines()]
    assert [(row["id"], row["sentences"]) for row in rows] == [("a", [0]), ("b", [0, 1]), ("c", [])]
    assert rows[1]["texts"] == SENTENCES[:2]
    assert (made.matched, made.questions) == (2, 3)
    assert "the highest possible AutSent is 0.667" in str(made)
    run = lines(tmp_path / "run.jsonl", [{"id": name, "answer": SENTENCES[0]} for name in "abc"])
    scores = package.read.score([*collection, run], ci=None)
    assert scores.value("run", "read.HumSent") == pytest.approx(2 / 3)
    assert any("1 of 3 questions, so the highest possible HumSent is 0.667" in str(note) for note in scores.notes)
    bare = [lines(tmp_path / "bare.jsonl", [{"id": "a", "question": "When?", "story": "s"}]), stories]
    with pytest.raises(package.NescioError, match="'a' has no key"):
        package.read.key(bare, tmp_path / "key.jsonl")
    with pytest.raises((FormatError, MismatchError, UsageError)) as error:  # a key is no file of stories
        package.read.answer([*collection, tmp_path / "key.jsonl"], tmp_path / "r.jsonl", "deep-read")
    assert "both files of stories" not in str(error.value)


def test_wordnets_folder_is_for_sem(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no data\.noun in"):
        package.read.answer(STORIES, tmp_path / "r.jsonl", "deep-read", switches=["Sem"], wordnet=tmp_path)
    with pytest.raises(UsageError, match="needs the switch Sem"):
        package.read.answer(STORIES, tmp_path / "r.jsonl", "deep-read", wordnet=tmp_path)


# ---- nuggets ----

PLAIN = ("--ci", "none", "-f", "json")


def test_nuggets_answer_writes_a_run_that_score_reads(nescio: Command, tmp_path: Path) -> None:
    run, key, texts = tmp_path / "base.jsonl", definitions() / "key.jsonl", definitions() / "texts"
    found = nescio("nuggets", "answer", key, texts, "-o", run)
    assert (found.status, found.out) == (0, "")
    assert "base answers 6 of 7 questions" in found.err
    scored = nescio("nuggets", "score", key, run, "-m", "coverage", *PLAIN)
    assert scored.json["scores"][0]["value"] == pytest.approx(6 / 7)
    assert "answers 0 of 7" in nescio("nuggets", "answer", key, texts, "--threshold", 1, "-o", run).err
