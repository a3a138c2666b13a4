"""Represent statement and text as flat first-order formulas.

A word is a predicate of a constant, and a frame is an event with its roles. "Carla sold a kite" is carla(a) & sell(e) &
:agent(e, a) & kite(b) & :patient(e, b) & :asserted(e). The last atom is the mode of the event: asserted, denied or
supposed. "No kite" has a predicate that "kite" does not prove.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from nescio.tasks.ave.validator import _lexicon
from nescio.tasks.ave.validator._frames import AGENT, PATIENT, Frame, antecedent, frames
from nescio.tasks.ave.validator._modes import ASSERTED, mode_around, modes, no_thing, quantifiers
from nescio.tasks.ave.validator._parsing import Parse
from nescio.text import STOP_WORDS, stem

EQUAL = "="
WORD_COST, ROLE_COST = 2, 1
_CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))


class Atom(Struct, frozen=True):
    """A predicate that holds for one or two words of a text; `places` has the indices of these words.

    A predicate with a colon before it, such as ":most", does not come from a word of the text.
    """

    predicate: str
    places: tuple[int, ...]

    @property
    def cost(self) -> int:
        """Return the cost of leaving this atom of a statement unproved."""
        return WORD_COST if len(self.places) == 1 else ROLE_COST


@lru_cache(maxsize=1 << 14)
def formula(words: Parse) -> tuple[Atom, ...]:
    """Return a parsed statement as atoms: its content words, their roles and descriptions, the modes of events (such as
    denied), and quantifiers."""
    none, mode = no_thing(words), modes(words)
    content = [i for i in range(len(words)) if _counts(words, i)]
    atoms = [Atom("no " * (i in none) + stem(words[i].lemma), (i,)) for i in content]
    same = set()
    for frame in frames(words):
        if (pair := _identity(frame, mode)) is not None:
            same.add(frame.at)
            atoms.append(Atom(EQUAL, pair))
        roles = [r for r in frame.roles if frame.at not in same or r[0] not in (AGENT, PATIENT)]
        atoms += [Atom(f":{role}", (frame.at, at)) for role, at in roles]
    atoms += [Atom(f":{kind}", (i,)) for i, kind in mode.items() if i not in same]
    atoms += [Atom(f":{kind}", (i,)) for kind, i in quantifiers(words)]
    for i, word in enumerate(words):
        if word.dep in ("amod", "compound", "nummod", "poss") and _counts(words, i):
            atoms.append(Atom(":of", (word.head, i)))
        if (meant := antecedent(words, i)) is not None:
            atoms.append(Atom(EQUAL, (i, meant)))
    return tuple(dict.fromkeys(atoms))


@lru_cache(maxsize=1 << 14)
def facts(words: Parse) -> tuple[Atom, ...]:
    """Return the atoms that hold if a text is true: its formula, and conclusions from it.

    One conclusion gives an entity the mode of its clause, such as denied. Another says that what holds for all holds
    for most.
    """
    mode = modes(words)
    more = [Atom(f":{mode_around(words, i)}", (i,)) for i in range(len(words)) if i not in mode and _counts(words, i)]
    more += [Atom(":most", (i,)) for kind, i in quantifiers(words) if kind == "all"]
    for frame in frames(words):
        if frame.at in mode and _identity(frame, mode) is not None:  # An apposition is no event.
            more += [Atom(f":{role}", (frame.at, at)) for role, at in frame.roles]
            more.append(Atom(f":{ASSERTED}", (frame.at,)))
    return tuple(dict.fromkeys((*formula(words), *more)))


def _identity(frame: Frame, mode: dict[int, str]) -> tuple[int, int] | None:
    """Return the indices of the two words that a frame (a predicate with its roles) equates, or None.

    An asserted "is" equates its subject and its complement; an apposition, such as "X, the king", does so too.
    """
    pair = dict(frame.roles)
    if frame.predicate != "be" or not {AGENT, PATIENT} <= set(pair) or mode.get(frame.at, ASSERTED) != ASSERTED:
        return None
    return pair[AGENT], pair[PATIENT]


def _counts(words: Parse, i: int) -> bool:
    word = words[i]
    return word.pos in _CONTENT and word.lemma not in STOP_WORDS and any(map(str.isalnum, word.lemma))


def matching(predicate: str, known: frozenset[str]) -> frozenset[str]:
    """Return the words of a text (`known`) that imply `predicate`: the same word and its synonyms.

    Words that merely share letters do not imply each other: "universe" does not imply "university".
    """
    synonyms = frozenset() if predicate.startswith((":", "no ")) else _lexicon.synonyms().get(predicate, frozenset())
    return known & {predicate, *synonyms}
