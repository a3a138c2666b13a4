"""Distinguish persons from places: the class of the answer and the requested class, and the names that pronouns refer
to.

A parser recognises the names; without one, word lists do.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from nescio.tasks.ave.validator._case import TITLE, Case
from nescio.tasks.ave.validator._frames import antecedent
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.tasks.ave.validator._parsing import parse
from nescio.tasks.ave.validator._types import asked_type
from nescio.tasks.ave.validator._words import is_name
from nescio.tasks.reading.entities import LOCATION, PERSON, entities, referents
from nescio.text import sentences

_KINDS = {"PERSON": PERSON, "PER": PERSON, "GPE": LOCATION, "LOC": LOCATION, "FAC": LOCATION}  # of parsers
_DEMANDED = {"who": PERSON, "where": LOCATION}


@lru_cache(maxsize=1 << 14)
def _entities(text: str, parser: str | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if parser is None:
        return entities(text)
    return tuple(
        (_KINDS[kind], tuple(word.lower for word in words))
        for kind, words in groupby(parse(parser, [text])[0], key=lambda word: word.entity)
        if kind in _KINDS
    )


@lru_cache(maxsize=1 << 14)
def _meant(text: str, parser: str | None) -> frozenset[str]:
    """Return the words of the names to which the pronouns of a text refer.

    Without a parser, a pronoun refers to the nearest person before it. With a parser, it refers to the nearest noun
    before it with the same number and gender.
    """
    if parser is None:
        return frozenset(word for names in referents(sentences(text)) for word in names)
    words = parse(parser, [text])[0]
    heads = {antecedent(words, at) for at in range(len(words))}
    parts = (i in heads or (word.dep == "compound" and word.head in heads) for i, word in enumerate(words))
    return frozenset(word.lower for word, part in zip(words, parts, strict=True) if part)


def classes(case: Case, parser: str | None = None) -> Row:
    """Return features of persons and places: whether the answer names one, alone or in the text, and whether that is
    what the question asks for."""
    answer_words = set(case.answer.lower)
    in_text = _entities(case.text.text, parser)
    answer_kinds = {kind for kind, name in (*in_text, *entities(case.answer.text)) if answer_words & set(name)}
    wanted = _DEMANDED.get(asked_type(case.question, case.asks))
    others = {kind for kind, name in in_text if not answer_words & set(name)}
    return {
        "answer is a person": float(PERSON in answer_kinds),
        "answer is a place": float(LOCATION in answer_kinds),
        "as asked": float(wanted is not None and wanted in answer_kinds),
        "another class": float(wanted is not None and bool(answer_kinds) and wanted not in answer_kinds),
        "others of the class asked for": float(wanted is not None and wanted in others),
    }


def coreference(case: Case, parser: str | None = None) -> Row:
    """Return features of the names that the text's pronouns refer to: whether question or answer has them."""
    meant = _meant(case.text.text, parser)
    asked = [m for m in case.matches if is_name(case.question, m.at)]
    referred = [m for m in asked if case.question.lower[m.at] in meant]
    missing = [m for m in asked if m.level <= TITLE]
    return {
        "pronouns resolved": float(bool(meant)),
        "names referred to": share(len(referred), len(asked)),
        "names missing, others meant": float(bool(missing) and bool(meant) and not referred),
        "answer referred to": float(bool(meant & set(case.answer.lower))),
    }
