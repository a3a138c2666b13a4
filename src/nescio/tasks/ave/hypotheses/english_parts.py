"""Find the parts of an English question: the ends of its noun and subject, its verb, and its predicate."""

from __future__ import annotations

import re
from collections.abc import Callable

from nescio.tasks.ave.hypotheses import english_words as en
from nescio.tasks.ave.hypotheses._phrases import plain
from nescio.text import word_set

Words = list[str]
_IRREGULAR = ("been", "had", "become", "come", "run")  # participles that `is_participle` may not know
_STRANDED = en.PREPOSITIONS - word_set("up out off down inside outside over")
NAMING = word_set("called named known termed considered titled dubbed nicknamed labeled labelled")


def kind_ends(after: Words, *, counted: bool = False) -> int:
    """Return the number of words in `after`, which follow the question word, that name the requested kind of answer.

    The number is 2 in "what native chief travelled", for "native chief". `counted` stands for "how many".
    """
    low = [plain(word) for word in after]
    if not low or low[0] in en.AUXILIARIES or (low[0].endswith("ly") and any(map(en.is_finite, low[1:2]))):
        return 0
    if (
        not counted
        and en.is_finite(low[0])
        and not (low[1:] and (low[1] in en.AUXILIARIES | {"of"} or en.is_finite(low[1])))
    ):
        return 0
    for i in range(1, len(low)):
        plural = low[i - 1].endswith("s") or low[i - 1] in ("people", "men", "women", "children")
        auxiliary = low[i] in en.AUXILIARIES
        verb = en.is_finite(low[i]) or (plural and en.is_base(low[i]))
        attribute = i + 1 < len(low) and low[i - 1] in en.PREPOSITIONS | en.DETERMINERS
        noun = (
            i + 1 < len(low)
            and low[i + 1] in en.AUXILIARIES
            and (low[i][:-1] in en.NOUNS_TOO or low[i] in en.NOUNS_TOO)
        )
        if auxiliary or (verb and not attribute and not noun):
            return i - (i > 1 and (low[i - 1].endswith("ly") or low[i - 1] in ("often", "usually", "also", "first")))
    return len(low)


def inverted(rest: Words) -> bool:
    """Return whether the verb at the start of `rest` is followed by a subject, as in "did the war end"."""
    low = [plain(word) for word in rest]
    word, then = (*low[1:], "", "")[:2]
    if word in ("not", "also", "been", "be", "still", "often", "usually", "now", "always"):
        return False
    if low[0] in en.BE:
        if word == "like":
            return False
        named = rest[1][:1].isupper() if len(rest) > 1 else False
        verbal = (en.is_participle(word) or (word == "set" and then in en.PREPOSITIONS)) and not named
        objects = (
            then in en.DETERMINERS | en.PREPOSITIONS | en.PRONOUNS
            or re.search(r"[^s]s$", then)
            or (rest[2:3] and rest[2][0].isupper())
        )
        gerund = word.endswith("ing") and bool(objects)
        return not (verbal or (word in en.ADJECTIVES | en.PREPOSITIONS) or gerund)
    if low[0] in en.HAVE:
        return not (en.is_participle(word) or word in _IRREGULAR or not word) and participle_at(low) is not None
    return not (en.is_base(word) and word not in en.NOUNS_TOO) or (len(rest) > 1 and rest[1][:1].isupper())


def participle_at(low: Words) -> int | None:
    """Return the index of the first participle after a subject, or None; `low` has the words in lower case."""
    fits = (i for i in range(2, len(low)) if en.is_participle(low[i]) or low[i] in _IRREGULAR)
    return next(fits, None)


def main_at(rest: Words) -> int:
    """Return the index of the main verb in `rest`, which begins with an auxiliary and a subject."""
    low = [plain(word) for word in rest]
    if low[0] in en.HAVE:
        return participle_at(low) or len(rest)
    verb = verb_at(rest[1:])
    at = len(rest) if verb is None else verb + 1
    clause = next((i for i in range(2, len(low)) if low[i] in en.CONJUNCTIONS - {"and", "or"}), len(low))
    return next((i for i in range(2, clause) if low[i] in ("be", "have", "not")), at)


def predicate_at(rest: Words) -> int | None:
    """Return the index of the predicate after a form of be and a subject, such as "born" in "where was Chopin born"."""
    low = [plain(word) for word in rest]
    stop = next(
        (i for i, word in enumerate(low) if i > 1 and word in ("that", "which", "who", "when", "whose")), len(low)
    )

    def where(fits: Callable[[int], bool]) -> int | None:
        return next((i for i in range(2, stop) if fits(i) and low[i - 1] not in en.DETERMINERS | en.PREPOSITIONS), None)

    def ends(i: int) -> bool:
        return (
            i + 1 == len(low)
            or low[i + 1] in en.PREPOSITIONS | en.DETERMINERS | en.CONJUNCTIONS
            or low[i + 1].endswith("ly")
        )

    return (
        where(lambda i: low[i] in ("most", "more") and i + 1 < stop and ends(i + 1))
        or where(lambda i: low[i] == "going" and low[i + 1 : i + 2] == ["to"])
        or where(lambda i: low[i] in NAMING)
        or where(lambda i: en.is_participle(low[i]) and (ends(i) or rest[i][:1].islower()))
        or where(lambda i: low[i] in en.ADJECTIVES and ends(i) and low[i - 1] not in ("and", "or"))
        or where(lambda i: low[i].endswith("ing") and len(low[i]) > 4 and ends(i) and rest[i][:1].islower())
    )


def stranded(rest: Words) -> bool:
    """Return whether a clause ends with a preposition that lacks its object, as in "the city that X was born in".

    The answer to the question is that object.
    """
    return len(rest) > 1 and plain(rest[-1]) in _STRANDED


def finite(rest: Words) -> tuple[Words, Words, Words]:
    """Return the subject, the finite verb and the remaining words of `rest`, a clause with "do".

    "did the war end" gives "the war", "ended" and no remaining words.
    """
    do, words = rest[0], rest[1:]
    low = [plain(word) for word in words]
    tense = plain(do)
    if "not" in low[:6] or "'t" in tense:
        end = low.index("not") if "not" in low else (verb_at(words) or len(words))
        return words[:end], [do], words[end:]
    verb_index = verb_at(words)
    finite = (i for i in range(1, len(low)) if en.is_finite(low[i]))
    at = next(finite, guessed_at(words)) if verb_index is None else verb_index
    if at >= len(words):
        return words, [], []
    verb = low[at]
    form = (
        verb
        if en.is_finite(verb) and not en.is_base(verb)
        else en.past(verb)
        if tense == "did"
        else en.third_person(verb)
        if tense == "does"
        else verb
    )
    finite_form = form + words[at][len(verb) :] if words[at].lower().startswith(verb) else form
    return words[:at], [finite_form], words[at + 1 :]


def verb_at(words: Words) -> int | None:
    """Return the index of a verb in its base form that follows a subject, or None if there is no such verb.

    If several adjacent words could be the verb, the last of them is taken.
    """
    low = [plain(word) for word in words]
    if len(low) > 1 and low[0] in en.PRONOUNS - {"there"} and low[0] != "people":
        return 1 if low[1] not in ("also", "first", "still", "usually", "ever", "often") else 2
    index = None
    for i in range(1, len(words)):
        could = (
            en.is_base(low[i])
            and low[i - 1] not in en.DETERMINERS | {"to", "of", "in", "for", "and", "or"}
            and not words[i][0].isupper()
        )
        if index is not None and not (
            could and i == index + 1 and (low[index] in en.NOUNS_TOO or low[i] not in en.NOUNS_TOO)
        ):
            return index
        if could:
            index = i
    return index


def guessed_at(words: Words) -> int:
    """Return the index of the word that is probably the verb, in a clause without a known verb.

    It is the first word in lower case after a name. If there is none, it is the word before a preposition or an
    article, or else the last word.
    """
    low = [plain(word) for word in words]
    named = next(
        (i for i, word in enumerate(words) if word[:1].islower() and low[i] not in en.DETERMINERS | {"of", "and"}), 0
    )
    if named and words[named - 1][:1].isupper():
        return named
    for i in range(2, len(low)):
        if (
            low[i] in (en.PREPOSITIONS - {"of"}) | en.DETERMINERS
            and low[i - 1] not in en.PREPOSITIONS | en.CONJUNCTIONS
        ):
            return i - 1
    return max(len(low) - 1, 0)
