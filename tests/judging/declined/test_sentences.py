"""Sentences as people and models write them, language by language: what declines, what answers, what cannot be told."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.outcomes import SILENT
from nescio.judging.declined.phrases import pattern, possible
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


LATIN = ["cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt"]
KINDS = ["whole", "strong", "weak", "aside", "ask", "commit", "states"]


@pytest.mark.sampled
@given(st.data(), st.sampled_from(LATIN), st.sampled_from(KINDS))
def test_whatever_matches_a_phrase_has_the_words_by_which_it_is_looked_for(
    data: st.DataObject, language: str, kind: str
) -> None:
    """Patterns are only tried where these words are: by texts that are made from the patterns, nothing is missed."""
    words = re.sub(r"\(\?<!\[.*?\]\)|\(\?!\[.*?\]\)", "", pattern(kind, language).pattern).replace(r"\S+", "[a-z]+")
    letters = st.characters(min_codepoint=32, max_codepoint=0x2FF)
    text = data.draw(st.from_regex(words, fullmatch=True, alphabet=letters))
    matches = pattern(kind, language).fullmatch if kind == "whole" else pattern(kind, language).search
    assert not matches(text) or (kind, language) in possible(text), text
