"""simple-evals: the answers of a page, the figures beside it, and figures alone by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import assert_refused, evidence
from .excerpts import place_of
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026" / "simple_evals"
PAGE = place_of("simple_evals") / "mmlu_lamp-2b.html"
FIGURES = PAGE.with_suffix(".json")


def test_a_page_and_the_figures_beside_it(tmp_path: Path) -> None:
    data, notes = evidence_and_notes([PAGE, FIGURES])
    assert data.columns["unanswered"].tolist() == [[0, 0, 1, 0]]
    assert not any("its own" in note for note in notes)
    text = PAGE.read_text()
    other = write_files(tmp_path, {"mmlu_owl.html": text, "mmlu_owl.json": '{"score": 0.75, "score:std": 0.1}'})
    _, notes = evidence_and_notes(other)
    assert any("its own score is 0.75, but the answers in it give 0.5" in note for note in notes)


def test_figures_alone_say_where_the_answers_are() -> None:
    rule = "it holds figures (score 0.5) and no answers: those are in the page beside it, mmlu_lamp-2b.html"
    assert_refused(FIGURES, None, rule)


def test_answers_not_attempted_are_counted_where_the_page_does_not_say_which(tmp_path: Path) -> None:
    figures = json.dumps({"score": 0.5, "score:std": 0.5, "is_not_attempted": 0.25})
    files = write_files(tmp_path, {"simpleqa_owl.html": PAGE.read_text(), "simpleqa_owl.json": figures})
    _, notes = evidence_and_notes(files)
    assert any("its figures count 1 of 4 answers as not attempted" in note for note in notes)
    words = r"i'm sorry, i don't know the answer\."
    data = evidence(files, declined_pattern=(words,))
    assert data.columns["unanswered"].sum() == 1


def test_pages_of_one_model_are_one_run_and_models_two(tmp_path: Path) -> None:
    text = PAGE.read_text()
    data = evidence(write_files(tmp_path, {"mmlu_owl.html": text, "gpqa_owl.html": text}))
    assert data.runs == ("owl",)
    assert len(data.questions) == 8
    data = evidence(write_files(tmp_path, {"mmlu_owl.html": text, "mmlu_lamp.html": text}))
    assert data.runs == ("owl", "lamp")


def test_a_page_without_answers_and_a_score_that_is_none(tmp_path: Path) -> None:
    head, _, rest = PAGE.read_text().partition("<h3>Prompt")
    path = write_files(tmp_path, {"mmlu_owl.html": head + "</body></html>"})[0]
    assert_refused(path, None, "there are no examples in it")
    path = write_files(
        tmp_path, {"mmlu_emu.html": (head + "<h3>Prompt" + rest).replace("Score: 0.0", "Score: None", 1)}
    )[0]
    assert (~evidence(path, ungraded="exclude").present).tolist() == [[False, True, False, False]]


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "right", "answers"), [("gpqa", 1, 10), ("mgsm", 8, 11), ("mmlu", 0, 1), ("simpleqa", 1, 1)]
)
def test_real_pages_have_the_tool_s_own_figures(name: str, right: int, answers: int) -> None:
    """README of the logs: mgsm 0.727273 of 11, gpqa 0.1 of 10, simpleqa 1.0 and mmlu 0.0 of 1."""
    page = LOGS / f"{name}_customgpt.html"
    data, notes = evidence_and_notes([page, page.with_suffix(".json")])
    assert (data.columns["correct"].sum(), data.columns["correct"].size) == (right, answers)
    assert json.loads(page.with_suffix(".json").read_text())["score"] == pytest.approx(right / answers)
    assert not any("its own" in note for note in notes)


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
def test_a_model_that_does_not_know_is_silent() -> None:
    data, notes = evidence_and_notes(LOGS / "mmlu_customgpt.html")
    assert data.columns["unanswered"].sum() == 1
    assert any("without an answer in the requested form" in note for note in notes)


@pytest.mark.fuzz("simple_evals")
@given(st.data())
def test_damaged_pages_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    files: dict[str, Any] = {path.name: path.read_bytes() for path in (PAGE, FIGURES)}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), files, ungraded="exclude")
