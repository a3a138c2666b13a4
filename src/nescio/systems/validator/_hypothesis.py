"""The statement that a question and an answer make together, by rules for each question word.

    Where was Chopin born? + Warsaw                 Chopin was born in Warsaw
    Who founded the city? + Peter the Great         Peter the Great founded the city
    When did the war end? + 1945                    the war end in 1945
    How many people live there? + 300               300 people live there
    Which river flows through Rome? + the Tiber     the Tiber flows through Rome

Without a parser the subject cannot be told from what follows it, so the verb keeps its form and its auxiliary is placed
by a rule of thumb. That is enough, because only stems in order are compared with the text.
"""

from __future__ import annotations

from nescio.systems.validator._words import Words, question_word, read
from nescio.text import word_set

_AUXILIARIES = word_set(
    "is are was were am be been has have had do does did can could will would shall should may might must"
)
_DO = frozenset(("do", "does", "did"))
_PREPOSITIONS = {"when": "in", "where": "in", "why": "because of", "how": "by"}
_MOST = 6  # words between the question word and its auxiliary that may name the kind of thing asked for
_PLACE = "\0"  # where the answer goes


def hypothesis(question: str, answer: str) -> str:
    """Return the statement as a sentence: the answer as it is written, names of the question with their capitals."""
    words = read(question)
    written: dict[str, str] = {}
    for i, (lower, surface) in enumerate(zip(words.lower, words.surface, strict=True)):
        written.setdefault(lower, lower if i == 0 else surface)
    stated = statement(words, (_PLACE,))
    text = " ".join(" ".join(answer.split()) if word == _PLACE else written.get(word, word) for word in stated)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def statement(question: Words, answer: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the statement in lower case, the answer in the place of what is asked for."""
    at = question_word(question)
    words = question.lower
    if at is None:
        return (*words, *answer)
    before, asks, after = words[:at], words[at], words[at + 1 :]
    if not after:  # ... is called what?
        sentence = answer
    elif asks in ("who", "whom"):
        sentence = _of_subject(after, answer)
    elif asks == "whose":
        sentence = (*answer, *_moved(after))
    elif asks in ("when", "where", "why") or (asks == "how" and after[0] in _AUXILIARIES):
        sentence = (*_moved(after), *(() if before else _PREPOSITIONS[asks].split()), *answer)
    else:
        sentence = _of_degree(after, answer) if asks == "how" else _of_kind(after, answer)
    return (*before, *sentence)


def _of_subject(after: tuple[str, ...], answer: tuple[str, ...]) -> tuple[str, ...]:
    """Who is X: A is X. Who did X see: X see A. Who wrote X: A wrote X."""
    return (*after[1:], *answer) if after[0] in _DO else (*answer, *after)


def _of_kind(after: tuple[str, ...], answer: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is X: A is X. What did X do: X do A. What river flows: A flows. What year did X die: X die A."""
    at = _auxiliary(after)
    if at is None:
        return (*answer, *(after[1:] if len(after) > 2 else after))
    return (*after[at + 1 :], *answer) if after[at] in _DO else (*answer, *after[at:])


def _of_degree(after: tuple[str, ...], answer: tuple[str, ...]) -> tuple[str, ...]:
    """How many people live there: A people live there. How many did X see: X see A. How old is X: is X A old."""
    many = after[0] in ("many", "much")
    counted = after[1:] if many else after
    at = _auxiliary(counted)
    if at is None:
        return (*answer, *counted)
    do = counted[at] in _DO
    rest, kind = counted[at + 1 if do else at :], counted[:at]
    return (*answer, *kind, *rest) if many and not do else (*rest, *answer, *kind)


def _auxiliary(words: tuple[str, ...]) -> int | None:
    return next((i for i, word in enumerate(words[:_MOST]) if word in _AUXILIARIES), None)


def _moved(after: tuple[str, ...]) -> tuple[str, ...]:
    """Move the auxiliary before the last word and drop do: was Chopin born → Chopin was born."""
    if after and after[0] in _DO:
        return after[1:]
    if len(after) > 1 and after[0] in _AUXILIARIES:
        return (*after[1:-1], after[0], after[-1])
    return after
