"""Extract frames (who does what to whom) from a parse by rules.

A passive, an apposition, a relative clause and a noun give the same frame.

    William of Normandy conquered England.          conquer(agent: William, patient: England)
    England was conquered by William.               the same
    William, who conquered England                  the same
    the conquest of England by William              the same, for conquest and conquer begin alike
    William, Duke of Normandy                       be(agent: William, patient: duke)
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from nescio.tasks.ave.validator._case import NONE, Case, alike
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.tasks.ave.validator._parsing import Parse, Parsed, each_parsed
from nescio.tasks.reading.names import MEN, WOMEN
from nescio.text import stem, word_set

AGENT, PATIENT, RECIPIENT, TIME, PLACE = "agent", "patient", "recipient", "time", "place"
_DIRECT = {"nsubj": AGENT, "nsubjpass": PATIENT, "dobj": PATIENT, "dative": RECIPIENT, "attr": PATIENT, "oprd": PATIENT}
_TIMES, _PLACES = word_set("DATE TIME"), word_set("GPE LOC FAC")
_HE, _SHE = word_set("he him his himself"), word_set("she her hers herself")
_PERSONS = _HE | _SHE | word_set("who whom")
_THINGS = word_set("it its which that")
_MANY = word_set("they them their theirs")
NOMINAL = ("tion", "sion", "ment", "ance", "ence", "al", "ure", "ing", "y", "est", "th", "age")


class Frame(Struct, frozen=True):
    """A predicate of a text, such as a verb, with its roles.

    `at` is the index of the predicate's word. `roles` pairs each role with the index of the word that fills it.
    `negated` says whether the text denies the predicate.
    """

    at: int
    predicate: str
    roles: tuple[tuple[str, int], ...]
    negated: bool = False


@lru_cache(maxsize=1 << 14)
def frames(words: Parse) -> tuple[Frame, ...]:
    """Return the frames of a text in order; a noun replaces the relative pronoun that refers to it."""
    children: dict[int, list[int]] = {}
    for i, word in enumerate(words):
        if word.head != i:
            children.setdefault(word.head, []).append(i)
    made = []
    for i, word in enumerate(words):
        dependents = children.get(i, [])
        if word.pos == "VERB" or (word.pos == "AUX" and any(words[c].dep in ("nsubj", "attr") for c in dependents)):
            roles = _verbal(words, i, dependents, children)
            negated = any(words[c].dep == "neg" or words[c].lower in ("never", "not") for c in dependents)
            made.append(Frame(i, word.lemma, tuple(dict.fromkeys(roles)), negated))
        elif word.pos == "NOUN" and word.lower.endswith(NOMINAL) and (roles := _nominal(words, dependents, children)):
            made.append(Frame(i, word.lemma, tuple(roles)))
        if word.dep == "appos":
            made.append(Frame(i, "be", ((AGENT, word.head), (PATIENT, i))))
    return tuple(made)


def _verbal(words: Parse, at: int, dependents: list[int], children: dict[int, list[int]]) -> list[tuple[str, int]]:
    word, roles = words[at], []
    for c in dependents:
        dep = words[c].dep
        if dep in _DIRECT:
            roles.append((_DIRECT[dep], _meant(words, c, at)))
        elif dep == "agent" or (dep in ("prep", "dative") and words[c].pos == "ADP"):
            name = AGENT if dep == "agent" else None
            roles += [(name or _role(words, c, o), o) for o in _objects(words, c, children)]
        elif dep in ("obl", "npadvmod", "nmod", "advmod") and (words[c].entity or dep == "obl"):
            roles.append((_role(words, None, c), c))
    taken = {role for role, _ in roles}
    if word.dep == "acl" and word.head != at:  # the city founded by Romans, the men crossing it
        role = PATIENT if word.lower.endswith(("ed", "en")) or AGENT in taken else AGENT
        roles += [(role, word.head)] if role not in taken else []
    if word.dep == "conj" and not {AGENT, PATIENT} <= taken:  # a verb beside another shares its subject
        roles += [
            (_DIRECT[words[c].dep], _meant(words, c, word.head))
            for c in children.get(word.head, ())
            if words[c].dep in ("nsubj", "nsubjpass") and _DIRECT[words[c].dep] not in taken
        ]
    return roles


def _objects(words: Parse, preposition: int, children: dict[int, list[int]]) -> list[int]:
    return [c for c in children.get(preposition, ()) if words[c].dep in ("pobj", "pcomp", "nk")]


def _role(words: Parse, preposition: int | None, at: int) -> str:
    """Return the role of the word at index `at`: "time", "place", or the preposition before the word.

    Names of times have the role "time", and names of places "place". `preposition` is the index of the preposition, or
    None; other words then have the role "beside".
    """
    if words[at].entity in _TIMES:
        return TIME
    if words[at].entity in _PLACES and (preposition is None or words[preposition].lower in ("in", "at", "near")):
        return PLACE
    return words[preposition].lower if preposition is not None else "beside"


def _nominal(words: Parse, dependents: list[int], children: dict[int, list[int]]) -> list[tuple[str, int]]:
    roles = []
    for c in dependents:
        if words[c].dep == "poss":
            roles.append((AGENT, c))
        elif words[c].dep == "prep":
            role = {"of": PATIENT, "by": AGENT}.get(words[c].lower)
            roles += [(role or _role(words, c, o), o) for o in _objects(words, c, children)]
    return roles


def _meant(words: Parse, at: int, verb: int) -> int:
    """Return the index of the noun to which the relative pronoun at index `at` refers; any other word refers to itself.

    `verb` is the index of the verb of the clause.
    """
    if words[at].lower in ("who", "which", "that", "whom") and words[verb].dep in ("relcl", "acl"):
        return words[verb].head
    return at


@lru_cache(maxsize=1 << 14)
def antecedent(words: Parse, at: int) -> int | None:
    """Return the index of the noun to which the pronoun at index `at` refers, or None.

    It is the nearest noun before the pronoun that agrees in number and gender, and in being a person or not.
    """
    lower = words[at].lower
    if words[at].pos != "PRON" or lower not in _PERSONS | _THINGS | _MANY:
        return None
    return next((i for i in range(at - 1, -1, -1) if _fits(words, i, lower)), None)


def _fits(words: Parse, i: int, pronoun: str) -> bool:
    word = words[i]
    if word.pos not in ("NOUN", "PROPN") or word.dep == "compound":
        return False
    if pronoun in _MANY or word.plural:
        return word.plural == (pronoun in _MANY)
    named = {
        word.lower,
        *(part.lower for part in words[max(0, i - 3) : i] if part.head == i and part.dep == "compound"),
    }
    man, woman = bool(named & MEN), bool(named & WOMEN)
    if (word.entity == "PERSON" or man or woman) != (pronoun in _PERSONS):
        return False
    return not (pronoun in _HE and woman and not man) and not (pronoun in _SHE and man and not woman)


def triples(words: Parse) -> frozenset[tuple[str, str, str]]:
    """Return the triples (predicate, role, filler) of a text, as stems; a noun replaces each pronoun."""
    return frozenset(
        (stem(frame.predicate), role, stem(words[_resolved(words, filler)].lemma))
        for frame in frames(words)
        for role, filler in frame.roles
    )


def _resolved(words: Parse, at: int) -> int:
    noun = antecedent(words, at)
    return at if noun is None else noun


def _transformed(_: Case, parsed: Parsed) -> Row:
    """Return features of the triples (predicate, role, word) that the text shares with the statement.

    Active and passive, for example, give the same triples.
    """
    stated, text = triples(parsed.stated), triples(parsed.text)
    loose = sum(
        any((role, filler) == other[1:] and alike(predicate, other[0]) != NONE for other in text)
        for predicate, role, filler in stated
    )
    by_filler = {(predicate, filler): role for predicate, role, filler in text}
    return {
        "shared": share(len(stated & text), len(stated)),
        "shared by words that begin alike": share(loose, len(stated)),
        "in another role": share(
            sum(by_filler.get((predicate, filler), role) != role for predicate, role, filler in stated), len(stated)
        ),
        "none in statement": float(not stated),
    }


def _of(all_frames: tuple[Frame, ...], part: range) -> list[tuple[Frame, str]]:
    """Return each frame in which a word of the answer plays a role, together with the role.

    `part` is the range of the indices of the answer's words.
    """
    return [(frame, role) for frame in all_frames for role, filler in frame.roles if filler in part]


def _roles(_: Case, parsed: Parsed) -> Row:
    """Return features of the roles that the answer plays in the text and in the statement."""
    stated_roles, there = _of(frames(parsed.stated), parsed.answer), _of(frames(parsed.text), parsed.in_text)
    played = {role for _, role in stated_roles}
    same = {role for _, role in there} & played
    both = [
        (frame, other, role == another)
        for frame, role in stated_roles
        for other, another in there
        if alike(stem(frame.predicate), stem(other.predicate)) != NONE
    ]
    return {
        "answer plays a role": float(bool(there)),
        "answer plays it in statement": float(bool(played)),
        "same role": float(bool(same)),
        "of the same predicate": float(bool(both)),
        "same role of the same predicate": float(any(agree for _, _, agree in both)),
        "other role of the same predicate": float(bool(both) and not any(agree for _, _, agree in both)),
    }


def _meaning(_: Case, parsed: Parsed) -> Row:
    """Return features that compare the roles of equal predicates in statement and text.

    They count roles filled by the same word, roles filled by another word, and predicates that the text lacks.
    """
    stated, text = parsed.stated, parsed.text
    kept = otherwise = missing = negated = 0
    for frame in frames(stated):
        rivals = [o for o in frames(text) if alike(stem(o.predicate), stem(frame.predicate)) != NONE]
        missing += not rivals
        negated += bool(rivals) and all(other.negated != frame.negated for other in rivals)
        for role, filler in frame.roles:
            filler_stem = stem(stated[filler].lemma)
            fillers = [stem(text[_resolved(text, i)].lemma) for o in rivals for r, i in o.roles if r == role]
            kept += filler_stem in fillers
            otherwise += bool(fillers) and filler_stem not in fillers
    return {
        "fillers kept": float(kept),
        "filled otherwise": float(otherwise),
        "share kept": share(kept, kept + otherwise) if kept + otherwise else 0.5,
        "predicates missing": float(missing),
        "negation differs": float(negated),
    }


transformations, roles, meaning = map(each_parsed, (_transformed, _roles, _meaning))
