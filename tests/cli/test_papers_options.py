"""Figures as files, people's sentences in story folders, and what else the papers' readers ask of the commands."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import nescio as package
from nescio.errors import FormatError, MismatchError, UsageError

from .conftest import EXAMPLES, Command

STORY = "HEADLINE: A Kite\nDATE: today\nSTORYID: 1-W1-1\n\nTEXT:\nAnna made a kite. She sold it in Rome. Ben cried.\n"


def story_folder(folder: Path, sentences: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "1-W1-1.story").write_text(STORY)
    key = f"QuestionID: 1-W1-1-1\nQuestion: Where did Anna sell the kite?\nAnswer: Rome\n{sentences}\n"
    (folder / "1-W1-1.answers").write_text(key)
    return folder


def reading(folder: Path, sentences: str, answer: str) -> dict[str, float]:
    run = folder / "run.jsonl"
    run.write_text(json.dumps({"id": "1-W1-1-1", "answer": answer}) + "\n")
    scores = package.read.score([story_folder(folder / "stories", sentences), run], ci=None)
    return {row.measure: row.value for row in scores}


@pytest.mark.parametrize(
    ("sentences", "value"),
    [("Sentences: 2", 1.0), ("Sentences: 1, 3", 0.0), ("Sentences:", 0.0), ("Sentences: 3 2", 1.0)],
)
def test_people_name_sentences_of_a_story_from_1(sentences: str, value: float, tmp_path: Path) -> None:
    assert reading(tmp_path, sentences, "She sold it in Rome.")["read.HumSent"] == value


def test_without_sentences_there_is_no_hum_sent(tmp_path: Path) -> None:
    assert "read.HumSent" not in reading(tmp_path, "Difficulty: Easy", "She sold it in Rome.")


@pytest.mark.parametrize("number", ["0", "4", "two", "-1", "1.5"])
def test_a_sentence_that_the_story_lacks_is_refused(number: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Sentences must be numbers from 1 to 3") as error:
        reading(tmp_path, f"Sentences: {number}", "Rome")
    assert "line 4" in str(error.value)


def listed(folder: Path, sentences: str, name: str = "1-W1-1-1", key: str = "") -> dict[str, float]:
    """Sentences in a file of their own, beside a key that somebody else published."""
    stories = story_folder(folder / "stories", key)
    (stories / "people.sentences").write_text(f"QuestionID: {name}\n{sentences}\n")
    run = folder / "run.jsonl"
    run.write_text(json.dumps({"id": "1-W1-1-1", "answer": "She sold it in Rome."}) + "\n")
    return {row.measure: row.value for row in package.read.score([stories, run], ci=None)}


def test_a_story_folder_has_a_place_for_the_list(tmp_path: Path) -> None:
    assert listed(tmp_path / "a", "Sentences: 2, 3")["read.HumSent"] == 1
    assert listed(tmp_path / "b", "Sentences: 1")["read.HumSent"] == 0
    assert listed(tmp_path / "c", "Sentences: 2", key="Sentences: 2")["read.HumSent"] == 1


@pytest.mark.parametrize(
    ("sentences", "name", "key", "rule"),
    [
        ("Sentences: 4", "1-W1-1-1", "", "numbers from 1 to 3"),
        ("Sentences: 2", "1-W1-1-9", "", "no question has this id"),
        ("Sentences: 2", "1-W1-1-1", "Sentences: 3", "lists other sentences of this question"),
    ],
)
def test_a_list_that_fits_no_question_or_another_list_is_refused(
    sentences: str, name: str, key: str, rule: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=rule) as error:
        listed(tmp_path / "x", sentences, name, key)
    assert "people.sentences" in str(error.value)
    assert f"line {1 if name[-1] == '9' else 2}" in str(error.value)


def test_hum_sent_of_questions_with_options(tmp_path: Path) -> None:
    package.read.answer(
        [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"],
        tmp_path / "run.jsonl",
        "deep-read",
        by_sentence=True,
    )
    files = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl", tmp_path / "run.jsonl"]
    (row,) = package.read.score(files, measures=["read.HumSent"], ci=None)
    assert row.n == 70
    assert 0 < row.value < 1


def test_a_key_of_autsent_is_no_file_of_stories(tmp_path: Path) -> None:
    files = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"]
    package.read.key(files, tmp_path / "key.jsonl")
    with pytest.raises((FormatError, MismatchError, UsageError)) as error:
        package.read.answer([*files, tmp_path / "key.jsonl"], tmp_path / "run.jsonl", "deep-read")
    assert "both files of stories" not in str(error.value)


def test_wordnets_folder_is_for_sem(tmp_path: Path) -> None:
    files = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"]
    with pytest.raises(UsageError, match=r"there is no data\.noun in"):
        package.read.answer(files, tmp_path / "run.jsonl", "deep-read", switches=["Sem"], wordnet=tmp_path)
    with pytest.raises(UsageError, match="read by the switch Sem"):
        package.read.answer(files, tmp_path / "run.jsonl", "deep-read", wordnet=tmp_path)


def words_of(path: Path) -> list[str]:
    return [
        text for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text") if (text := "".join(node.itertext()))
    ]


def test_roc_curves_are_drawn(nescio: Command, tmp_path: Path) -> None:
    papers = EXAMPLES / "papers"
    said = nescio(
        "ave",
        "score",
        papers / "ave2007-de.xml",
        papers / "iglockner_1.txt",
        papers / "iglockner_2.txt",
        "--roc",
        tmp_path / "roc.svg",
    )
    assert (said.status, f"wrote {tmp_path / 'roc.svg'}" in said.err) == (0, True)
    assert {"iglockner_1", "iglockner_2", "right answers accepted (share)"} <= {*words_of(tmp_path / "roc.svg")}


def test_a_measure_is_a_series_over_the_runs(nescio: Command, tmp_path: Path) -> None:
    files = [EXAMPLES / "developset", EXAMPLES / "student-run.response"]
    assert nescio("read", "score", *files, "--ci", "none", "--figure", tmp_path / "scores.svg").status == 0
    assert {"read.recall", "read.precision", "read.AutSent", "student-run"} <= {*words_of(tmp_path / "scores.svg")}


def test_error_rate_is_drawn_over_ties(nescio: Command, tmp_path: Path) -> None:
    said = nescio(
        "meta",
        "stability",
        EXAMPLES / "outcomes.csv",
        "-m",
        "c@1",
        "-m",
        "UF",
        "--trials",
        "5",
        "--figure",
        tmp_path / "ties.svg",
    )
    assert said.status == 0
    assert {"c@1", "UF", "proportion of ties", "error rate"} <= {*words_of(tmp_path / "ties.svg")}


def test_a_figure_is_an_svg(nescio: Command, tmp_path: Path) -> None:
    said = nescio("meta", "stability", EXAMPLES / "outcomes.csv", "--figure", tmp_path / "ties.pdf")
    assert said.status == 2
    assert "a figure is written to .svg" in said.err
    assert not list(tmp_path.iterdir())


def test_an_inexact_answer_has_a_verdict(nescio: Command, tmp_path: Path) -> None:
    header, *rows = (EXAMPLES / "judged.csv").read_text().splitlines()
    changed = [
        row.rsplit(",", 1)[0] + (",X" if at % 5 == 0 else "," if at % 5 == 1 else row[-2:])
        for at, row in enumerate(rows)
    ]
    (tmp_path / "judged.csv").write_text("\n".join([header, *changed]) + "\n")
    said = nescio(
        "ave",
        "build",
        EXAMPLES / "questions.jsonl",
        EXAMPLES / "runs" / "mine.jsonl",
        "--judgements",
        tmp_path / "judged.csv",
        "-o",
        tmp_path / "b.xml",
    )
    empty = sum(at % 5 == 1 for at in range(len(rows)))
    assert f"{empty} of {len(rows)} judgements have no verdict" in said.err
    assert "read as inexact" in said.err
