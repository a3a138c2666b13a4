"""Examine meaning with only a small lexicon: synonyms, opposites, negations, pronouns."""

from __future__ import annotations

import math

from nescio.tasks.ave.validator import _lexicon
from nescio.tasks.ave.validator._case import EXACT, TITLE, Case
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.ave.validator._words import is_name
from nescio.text import word_set

_PRONOUNS = word_set("he she it they his her its their him them this these those such")


def references(case: Case) -> Row:
    """Return features of the text's pronouns, since a pronoun may refer to a name in an earlier sentence that the text
    lacks."""
    lower = case.text.lower
    pronouns = [i for i, word in enumerate(lower) if word in _PRONOUNS]
    missing = sum(is_name(case.question, m.at) and m.level <= TITLE for m in case.matches)
    return {
        "pronouns": math.log1p(len(pronouns)),
        "begins with one": float(any(i < 3 for i in pronouns)),
        "for a missing name": float(bool(pronouns) and missing > 0),
        "missing names, no pronoun": float(not pronouns and missing > 0),
        "question refers back": float(any(word in _PRONOUNS for word in case.question.lower)),
    }


def similar(case: Case) -> Row:
    """Return features of meaning by the small lexicon: a synonym in the text counts as a match of a question word, and
    an opposite or a negation counts against it."""
    stems, lemmas = set(case.text.stem), set(case.text.lemma)
    none: frozenset[str] = frozenset()
    matched = odd = opposite = rival = 0.0
    others = stems.difference(case.question.stem)
    for m in case.matches:
        against = not _lexicon.opposites().get(m.stem, none).isdisjoint(others)
        rival += m.level <= TITLE and not _lexicon.rivals().get(m.stem, none).isdisjoint(others)
        turned = any(_lexicon.negated(case.question.lemma[m.at], other) for other in lemmas)
        if m.level == EXACT:
            matched += m.weight
        elif (against or turned) and m.level <= TITLE:
            opposite += 1
        elif m.level > TITLE or not _lexicon.synonyms().get(m.stem, none).isdisjoint(stems):
            matched += m.weight
        else:
            odd += m.weight
    limits = [w for w in case.question.lower if w in _lexicon.RESTRICTIONS]
    in_question = _negations(case.question.lower)
    here = _negations(case.text.lower[max(0, case.span[0] - 12) : case.span[1] + 12])
    return {
        "coverage with synonyms": matched / case.total,
        "without a synonym": odd,
        "opposites": opposite,
        "rivals": rival,
        "limits missing": float(sum(w not in case.text.lower for w in limits)),
        "limits": float(len(limits)),
        "question negated": float(in_question > 0),
        "text negated": float(here > 0),
        "negations differ": float((in_question > 0) != (here > 0)),
        "negation missing": float(in_question > 0 and _negations(case.text.lower) == 0),
    }


def _negations(words: tuple[str, ...]) -> int:
    return sum(word in _lexicon.NEGATIONS or word.endswith("n't") for word in words)
