"""Form hypotheses: the statement that a question and an answer make together (AVE 2007, Figure 2).

    When did Napoleon die? + 1821              Napoleon died in 1821.
    How tall is Mont Blanc? + 4,810 metres     Mont Blanc is 4,810 metres tall.
    ¿Dónde nació Chopin? + Varsovia            En Varsovia nació Chopin.
    In welchem Jahr starb Kant? + 1804         Im Jahr 1804 starb Kant.

One file per language has its rules. There is no parser: verbs and the ends of noun phrases are guessed from word lists
and word forms. A guess can be wrong (`docs/evidence/validation.md` says what the guesses are worth).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

from nescio.tasks.ave.hypotheses import english, german, spanish
from nescio.tasks.ave.hypotheses._phrases import cut, plain
from nescio.text import word_set

Language = Literal["en", "es", "de"]
_RULES = {"en": english.state, "es": spanish.state, "de": german.state}
# the first words of an answer that begin with a small letter within a sentence
_LOWERED = ("The", "A", "An", "On", "In", "At", "By", "To", "From", "Because", "About")
# function words and question words that distinguish the three languages
_TELLING = {
    "en": word_set("the of what who when where which how why did does do is are were by name to and for has whose"),
    "es": word_set(
        "el la los las del de en qué que quién quien quiénes cuál cual cuáles cuándo cuando dónde donde cómo como"
        " cuánto cuánta cuántos cuántas cuantos cuantas es fue son era por se un una nombre"
    ),
    "de": word_set(
        "der die das den dem des wer wen wem wann wo wie was wessen warum wieso weshalb woher wohin welche welcher"
        " welches welchem welchen ist sind wurde wurden hat im in ein eine von nenne nennen viele"
    )
    | {*german.COMPOUNDS},
}


def language_of(question: str) -> Language:
    """Return the language of a question, guessed from its function words; English if they do not decide."""
    if "¿" in question:
        return "es"
    words = [plain(word) for word in question.split()]
    scores: dict[Language, int] = {name: sum(word in _TELLING[name] for word in words) for name in get_args(Language)}
    return max(scores, key=scores.__getitem__)


def hypothesis(question: str, answer: str, language: str = "") -> str:
    """Return a question and its answer as a statement, such as "The capital of Italy is Rome."

    `language` is a code such as EN or es-MX. If it is empty or without rules, the language is guessed.
    """
    answer = " ".join(answer.split()).rstrip(".")
    before, after = around(question, answer, language)
    if answer.endswith(("'s", "’s")) and after.startswith("'s "):
        after = after.removeprefix("'s ")  # whose ideas: Qutb's
    if before and before[-1].isalnum():
        # an answer that is a relative clause: Zanussi had been in Cassibile
        answer = re.sub(r"^(?:who|which|that) (?!which |of )(?=\w)", "", answer)
    at_start = not before or before[-1] in ".:!?"
    text = f"{before} {answer if at_start else _inside(answer)} {after}"
    text = re.sub(r"\s+([,;:]|'s\b)", r"\1", " ".join(text.split()))
    return f"{text[:1].upper()}{text[1:]}."


def without_rules(language: str) -> bool:
    """Return whether a language is given but has no rules for making statements."""
    return bool(language) and language.lower().partition("-")[0] not in _RULES


@lru_cache(maxsize=1 << 14)
def around(question: str, answer: str, language: str = "") -> tuple[str, str]:
    """Return the parts before and after the answer in the statement that a question and its answer make."""
    known = language.lower().partition("-")[0]
    rules = _RULES[known] if known in _RULES else _RULES[language_of(question)]
    return cut(rules(question.strip(" ¿?!.\t\n"), answer))


def _inside(answer: str) -> str:
    """Return an answer in the form that it has inside a sentence.

    If it has several words, and the first is a function word or an adverb, this word is put in lower case.
    """
    first, _, rest = answer.partition(" ")
    lowered = first in _LOWERED or first.endswith("ly")
    return f"{first.lower()} {rest}" if rest and lowered else answer


__all__ = ["Language", "around", "hypothesis", "language_of", "without_rules"]
