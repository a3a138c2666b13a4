"""Statements of questions with their answers: by hand, and over a generated grid of subjects, verbs and tenses."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import pytest

from nescio.tasks.ave.hypotheses import around, hypothesis, language_of
from nescio.tasks.ave.hypotheses.english_words import past, third_person
from tests.rings import together

STATEMENTS = tomllib.loads((Path(__file__).parent / "statements.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", STATEMENTS)
def test_a_question_and_its_answer_make_a_sentence_in_the_language_of_the_question(language: str) -> None:
    made = [[question, answer, hypothesis(question, answer)] for question, answer, _ in STATEMENTS[language]]
    assert made == STATEMENTS[language]
    assert {language_of(question) for question, _, _ in STATEMENTS[language]} == {language}


SUBJECTS = ["Hugo", "the old king", "Peter the Great", "the Bank of England", "he"]
VERBS = """buy bought buys, carry carried carries, stop stopped stops, find found finds,
reach reached reaches, use used uses, play played plays, visit visited visits"""
WHERE = ["", "in Rome", "during the war", "with a friend"]


@together("subject, verb, where", itertools.product(SUBJECTS, VERBS.split(","), WHERE))
def test_verbs_take_the_tense_of_do(subject: str, verb: str, where: str) -> None:
    base, before, now = verb.split()
    begin = subject[:1].upper() + subject[1:]
    end = f" {where}" if where else ""
    assert hypothesis(f"What did {subject} {base}{end}?", "boats") == f"{begin} {before} boats{end}."
    assert hypothesis(f"What does {subject} {base}{end}?", "boats") == f"{begin} {now} boats{end}."
    assert hypothesis(f"How many boats did {subject} {base}{end}?", "9") == f"{begin} {before} 9 boats{end}."
    assert hypothesis(f"When did {subject} {base} boats{end}?", "1900") == f"{begin} {before} boats{end} in 1900."


def test_forms_of_verbs() -> None:
    before = ("die", "try", "plan", "win", "prefer", "play")
    assert [past(verb) for verb in before] == ["died", "tried", "planned", "won", "preferred", "played"]
    now = ("try", "go", "have", "play", "wash")
    assert [third_person(verb) for verb in now] == ["tries", "goes", "has", "plays", "washes"]


@together("question", ["", "?", "who", "What", "How many", "in what", "¿", "Wie", "Name", "do you", "the of the"])
@together("answer", ["", "a", "the"])
@together("language", ["", "en", "ES", "de-AT", "xx"])
def test_any_question_gets_some_statement_with_the_answer_in_it(question: str, answer: str, language: str) -> None:
    before, after = around(question, answer, language)
    assert "\0" not in before + after
    assert answer.lower() in hypothesis(question, answer, language).lower()
