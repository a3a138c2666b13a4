"""Find the mode in which a sentence states an event (asserted, denied, or supposed), and the nouns of quantifiers.

Ben slept.                                  asserted
Ben did not sleep. No dog slept.            denied
If Ben slept … Ben might sleep. He wants to sleep. Did Ben sleep?   supposed
"""

from __future__ import annotations

from functools import lru_cache

from nescio.tasks.ave.validator._parsing import Parse
from nescio.text import word_set

ASSERTED, DENIED, SUPPOSED = "asserted", "denied", "supposed"
_NOT = word_set("not n't nt never hardly scarcely barely rarely seldom neither nor nobody nothing nowhere none no-one")
_NO = word_set("no few little neither")  # before a noun; "a few" and "a little" are not among them
_WITHOUT = word_set("without instead than except")
_IF = word_set("if unless whether lest")  # the main clause of the first two is supposed as well
_MODALS = word_set("would could might may should can must shall ought")
_DENYING = word_set("deny refuse fail lack doubt prevent avoid forget decline neglect refute")
_WANTING = word_set("want hope wish intend plan try attempt expect agree ask order tell need seek offer promise")
_QUANTIFIERS = {
    **dict.fromkeys(("all", "every", "each", "both"), ("all",)),
    "most": ("most",),
    "only": ("only",),
}
_COMPLEMENTS = ("ccomp", "xcomp", "pcomp", "conj")
_SUBJECTS = ("nsubj", "nsubjpass", "expl")


@lru_cache(maxsize=1 << 14)
def modes(words: Parse) -> dict[int, str]:
    """Return the mode (asserted, denied or supposed) of each word that states something, keyed by the word's index.

    Such words are verbs and the heads of sentences. A mode can be "denied+supposed".
    """
    stating = [i for i, word in enumerate(words) if _states(words, i)]
    negated, supposed = _negated(words), _supposed(words)
    mode_of: dict[int, str] = {}
    for i in sorted(stating, key=lambda i: _depth(words, i)):  # A clause comes after the clause that governs it.
        stated_modes = {mode for mode, where in ((DENIED, negated), (SUPPOSED, supposed)) if i in where}
        mode_of[i] = "+".join(sorted(stated_modes | _inherited(words, i, mode_of))) or ASSERTED
    return mode_of


def _states(words: Parse, i: int) -> bool:
    word = words[i]
    return word.pos == "VERB" or (word.pos == "AUX" and word.dep not in ("aux", "auxpass")) or word.head == i


def mode_around(words: Parse, i: int) -> str:
    """Return the mode of the clause around the i-th word: asserted, denied or supposed.

    What somebody wants or denies in an asserted clause is only supposed.
    """
    above = governor(words, i)
    mode = modes(words).get(above, ASSERTED)
    return SUPPOSED if mode == ASSERTED and above != i and words[above].lemma in _WANTING | _DENYING else mode


def _depth(words: Parse, i: int) -> int:
    steps = 0
    while words[i].head != i and steps <= len(words):
        i, steps = words[i].head, steps + 1
    return steps


def governor(words: Parse, i: int) -> int:
    """Return the index of the verb or head of a sentence that governs the i-th word, which may be that word itself."""
    for _ in range(len(words)):
        if _states(words, i):
            break
        i = words[i].head
    return i


def no_thing(words: Parse) -> frozenset[int]:
    """Return the indices of the nouns that a word for none or almost none modifies, as in "no kite" and "few kites"."""
    return frozenset(
        word.head
        for i, word in enumerate(words)
        if word.lower in _NO and word.head != i and words[word.head].pos in ("NOUN", "PROPN")
        if i == 0 or words[i - 1].lower != "a"
    )


def quantifiers(words: Parse) -> tuple[tuple[str, int], ...]:
    """Return pairs of a quantifier ("all", "most" or "only") and the index of the noun that it quantifies."""
    return tuple(
        (kind, word.head)
        for i, word in enumerate(words)
        if word.head != i and words[word.head].pos in ("NOUN", "PROPN", "PRON")
        for kind in _QUANTIFIERS.get(word.lower, ())
    )


def _negated(words: Parse) -> frozenset[int]:
    denied = {governor(words, i) for i, word in enumerate(words) if word.dep == "neg" or word.lower in _NOT}
    for i in no_thing(words):
        above = words[words[i].head]
        beside_noun = above.pos == "ADP" and words[above.head].pos in ("NOUN", "PROPN")
        denied |= set() if beside_noun else {governor(words, i)}
    return frozenset(
        denied | {i for i, word in enumerate(words) if word.dep == "pcomp" and words[word.head].lower in _WITHOUT}
    )


def _supposed(words: Parse) -> frozenset[int]:
    supposed: set[int] = set()
    for i, word in enumerate(words):
        if word.lower in _IF:  # the condition, and the clause that depends on it
            clause = governor(words, i)
            supposed |= {clause, governor(words, words[clause].head)} if words[clause].dep == "advcl" else {clause}
        elif word.lower in _MODALS and word.head != i:
            supposed.add(governor(words, word.head))
        elif word.lower == "?":
            supposed.add(_root(words, i))
    return frozenset(supposed)


def _root(words: Parse, i: int) -> int:
    for _ in range(len(words)):
        i = words[i].head
    return i


def _inherited(words: Parse, i: int, mode_of: dict[int, str]) -> set[str]:
    """Return the modes that the clause of the i-th word inherits from the clause that governs it."""
    if words[i].head == i or words[i].dep not in _COMPLEMENTS:
        return set()
    above = governor(words, words[i].head)
    mode = mode_of.get(above, ASSERTED)
    if words[i].dep == "conj":
        alone = any(word.head == i and word.dep in _SUBJECTS for word in words)
        return set() if alone or mode == ASSERTED else set(mode.split("+"))
    if mode != ASSERTED:
        return {SUPPOSED}
    lemma = words[above].lemma
    return {DENIED} if lemma in _DENYING else {SUPPOSED} if lemma in _WANTING else set()
