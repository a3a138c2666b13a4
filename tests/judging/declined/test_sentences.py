"""Sentences as people and models write them, language by language: what declines, what answers, what cannot be told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from nescio.data.outcomes import SILENT
from nescio.judging.declined.recognise import declines
from nescio.tables.lexicon import state_of

SENTENCES = tomllib.loads((Path(__file__).parent / "sentences.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("verdict", SENTENCES)
def test_what_a_sentence_does(verdict: str) -> None:
    texts = [(language, text) for language, lines in SENTENCES[verdict].items() for text in lines.splitlines()]
    found = {(language, text): str(declines(text)) for language, text in texts}
    assert {text: other for text, other in found.items() if other != verdict} == {}


def test_words_that_a_column_of_verdicts_has_for_not_knowing_decline_as_answers_too() -> None:
    phrases = "idk", "i don't know", "don't know", "no answer", "keine antwort", "ne sait pas", "no sabe", "non sa"
    assert {state_of(phrase) for phrase in phrases} == {SILENT}
    assert {str(declines(phrase)) for phrase in phrases} == {"declined"}


def test_half_of_a_text_in_another_language_is_understood_too() -> None:
    assert declines("Sorry, das weiß ich nicht. I don't have that information.") == "declined"
