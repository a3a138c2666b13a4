"""Form statements from English questions: the place of the answer, and the form of the verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from nescio.tasks.ave.hypotheses import english_parts as parts
from nescio.tasks.ave.hypotheses import english_words as en
from nescio.tasks.ave.hypotheses._phrases import SLOT, first_word, is_day, is_year, joined, measured, plain
from nescio.tasks.ave.hypotheses.english_parts import Words
from nescio.text import word_set

_ASKS = word_set("who whom whose what which when where why how")
_COMMANDS = word_set("name list give identify state tell")
_PARTICLES = word_set("up out off down away back on over in")
_DEICTIC = word_set(
    "yesterday today tomorrow now yearly annually daily last next this every soon always never here there home anywhere"
)
_SHARES = word_set("percent percentage proportion fraction share number amount majority part")
_PLACES = word_set(
    "country city place state town region area river continent county province island location building borough"
)
_PREDICATED = word_set("type kind sort color colour size shape nationality religion form")
_GOING = word_set("go move travel send drive flee lead migrate emigrate head run fly sail walk")
_PURPOSE = word_set(
    "use used uses make made makes produce produced produces build built create created do did take took develop"
    " developed"
)
_TWINS = {("out", "of"), ("up", "to"), ("due", "to"), ("from", "within"), ("off", "of"), ("into", "on")}
# words that begin what follows an object
_AFTER_OBJECT = (en.PREPOSITIONS - {"of"}) | en.CONJUNCTIONS | en.TIMES
_AFTER_OBJECT |= word_set("each every first recently today usually")
_WEEK = word_set("monday tuesday wednesday thursday friday saturday sunday")


def state(question: str, answer: str) -> str:
    """Turn an English question into a statement with `SLOT` in the place of the answer.

    `answer` only decides the form of the statement, such as a plural verb.
    """
    words = re.sub(r"(?i)\b(who|what|where|when|how|why)['’]?s\b(?!\s+of\b)", r"\1 is", question).split()
    low = [plain(word) for word in words]
    if low and low[0] in _COMMANDS and not any(word in _ASKS for word in low[:4]):
        return _named(words)
    at = next((i for i, word in enumerate(low) if word in _ASKS), None)
    if at is None:
        return joined(_adverbial(words, ""), ":", SLOT) if low and low[0] in en.AUXILIARIES else joined(words, SLOT)
    if low[-1] in ("what", "who", "whom", "where", "when"):
        at = len(low) - 1
    before, after = words[:at], words[at + 1 :]
    stated = [plain(word) for word in before]
    noun = len(before) > 2 and stated[-1] == "of"  # The production of what is regulated
    if before and not before[-1].endswith(",") and (noun or any(map(en.is_finite, stated))):
        return _in_place(before, low[at], after)
    prep = [before.pop()] if before and stated[-1] in en.PREPOSITIONS else []
    if prep and first_word(answer) in en.PREPOSITIONS:
        prep = []
    return joined(before, _clause(low[at], after, [word.lower() for word in prep], answer))


def _named(words: Words) -> str:
    """Turn a command to name something into a statement.

    "Name a river that flows north" gives "[answer] is a river that flows north".
    """
    rest = words[1:]
    while rest and plain(rest[0]) in ("me", "us", "for"):
        rest = rest[1:]
    plural = rest[:1] and plain(rest[0]) in ("two", "three", "four", "five", "some", "all")
    return joined(SLOT, "are" if plural else "is", rest)


def _in_place(before: Words, asks: str, after: Words) -> str:
    """Turn a question whose question word comes late into a statement with the slot in place of that word.

    "X is located in which country" gives "X is located in [answer]". `asks` is the question word, and `before` and
    `after` are the words around it.
    """
    kind = 0
    if asks in ("what", "which", "whose", "how"):
        stops = (en.PREPOSITIONS - {"of"}) | en.CONJUNCTIONS
        while kind < len(after) and not en.is_finite(plain(after[kind])) and plain(after[kind]) not in stops:
            kind += 1
    if plain(before[-1]) == "do" and not kind:  # would do what to the city: would destroy the city
        return joined(before[:-1], SLOT, after[1:] if after and plain(after[0]) in ("to", "with") else after)
    return joined(before, SLOT, after[kind:])


def _clause(asks: str, after: Words, prep: Words, answer: str) -> str:
    if after and plain(after[0]) == "else":
        after = after[1:]
    if not after:
        return joined(prep, SLOT)
    low = [plain(word) for word in after]
    if asks == "how":
        return _of_degree(after, low, prep, answer)
    if asks in ("when", "where", "why"):
        begins = next((i for i, word in enumerate(low) if word in en.AUXILIARIES), 0)
        if begins and low[0] in en.PREPOSITIONS:  # where in Alberta is
            return _adverbial(after[begins:], joined(_preposition(asks, low[begins:], answer), SLOT, after[:begins]))
        return _adverbial(after, joined(prep or _preposition(asks, low, answer), SLOT))
    if asks == "whose":
        kind = parts.kind_ends(after)
        return _core(after[kind:], joined(prep, SLOT + "'s", after[:kind]), asks, adverbial=bool(prep), answer=answer)
    kind = 0 if asks in ("who", "whom") else parts.kind_ends(after)
    named, rest = low[:kind], after[kind:]
    if named and (named[-1] in en.TIMES or named[0] in en.TIMES) and _asks_when(rest):
        return _adverbial(rest, joined(prep or _time(answer), SLOT))
    if (
        named
        and not prep
        and set(named) & _PLACES
        and parts.predicate_at(rest)
        and not parts.stranded(rest)
        and plain(rest[0]) in en.BE
    ):
        return _adverbial(rest, joined(_place(answer), SLOT))
    owner = next((i for i in range(kind) if re.search(r"['’]s$|s['’]$", after[i])), None)
    slot = [*prep, SLOT]
    if named and named[0] in _SHARES and "of" in named:
        slot += after[1:kind]
    elif owner is not None:
        slot = [*prep, SLOT + "'s", *after[owner + 1 : kind]]
    return _core(rest, joined(slot), asks, adverbial=bool(prep), kind=named, answer=answer)


def _asks_when(rest: Words) -> bool:
    """Return whether the words after a phrase such as "what year" form a clause that lacks only the time.

    They do in "what year did X die", but not in "what year is the first", where the year is the subject.
    """
    if not rest or plain(rest[0]) not in en.AUXILIARIES or not parts.inverted(rest):
        return False
    return plain(rest[0]) not in en.BE or bool(parts.predicate_at(rest))


# ---- who, what, which ----


def _core(
    rest: Words, slot: str, asks: str, *, adverbial: bool = False, kind: Sequence[str] = (), answer: str = ""
) -> str:
    """Turn a question into a statement with `slot` as subject, object, complement or adverbial.

    `asks` is the question word, and `kind` has the words that name the requested kind of answer. `rest` has the words
    of the question after both of them.
    """
    if not rest:
        return slot
    if adverbial:
        return _adverbial(rest, slot)
    first = plain(rest[0])
    if first in en.DO:
        if list(map(plain, rest[1:2])) == ["not"] or (
            asks in ("who", "what") and not kind and parts.verb_at(rest[1:]) is None
        ):
            return joined(slot, rest)
        return _object(rest, slot, answer, person=asks in ("who", "whom"))
    if first in en.BE:
        return _copula(rest, slot, asks, kind, answer)
    if first in en.MODALS | en.HAVE and parts.inverted(rest):
        at = parts.main_at(rest)
        subject, verbs = rest[1:at], rest[at:]
        if verbs and plain(verbs[0]) in ("do", "done", "doing"):
            verbal = _verbal(answer)
            return joined(subject, rest[0], "" if verbal else verbs[0], slot, _kept(verbs[1:]) if verbal else verbs[1:])
        return joined(subject, rest[0], verbs[:1], _placed(verbs[1:], slot, answer, verbs[0] if verbs else ""))
    return joined(slot, _agreeing(rest, answer))


def _agreeing(rest: Words, answer: str) -> Words:
    """Return `rest`, a verb and the words after it, with a plural verb if `answer`, the subject, is plural."""
    words, ends = answer.split(), en.PREPOSITIONS | (en.CONJUNCTIONS - {"and"})
    head = words[: next((i for i, word in enumerate(words) if plain(word) in ends), len(words))]
    many = (
        bool(head)
        and head[-1].islower()
        and re.search(r"[^s'iu]s$", plain(head[-1])) is not None
        and not any(c.isdigit() for c in answer)
    )
    if many or "and" in head:
        return [en.plural(rest[0]), *rest[1:]]
    return rest


def _copula(rest: Words, slot: str, asks: str, kind: Sequence[str], answer: str) -> str:
    """Turn a question whose verb is a form of be into a statement.

    "What is X" gives "X is [answer]", "what is X called" gives "X is called [answer]", and "who is the X" gives
    "[answer] is the X".
    """
    low = [plain(word) for word in rest]
    if len(rest) == 1 or not parts.inverted(rest):
        return joined(slot, _agreeing(rest, answer))
    be, noun = rest[0], rest[1:]
    if low[1] == "there":
        return joined("there", be, slot, rest[2:])
    at = parts.predicate_at(rest)
    name = bool(at) and all(word[:1].isupper() or plain(word) in en.PRONOUNS for word in rest[1:at])
    if at and (
        name
        or low[at] in parts.NAMING
        or parts.stranded(rest)
        or low[at].endswith("ing")
        or (kind and not en.is_participle(low[at]))
    ):
        last = low[at + 1 : at + 2]
        if low[at].endswith("ing") and (low[at] != "doing" or len(low) > at + 1):
            return joined(rest[1:at], be, rest[at], _placed(rest[at + 1 :], slot, answer, rest[at]))
        if low[at] == "doing":
            return joined(rest[1:at], be, slot)
        if low[at] in parts.NAMING and not parts.stranded(rest):
            end = at + 2 if last == ["as"] else at + 1
            return joined(rest[1:at], be, rest[at:end], slot, rest[end:])
        return joined(rest[1:at], be, rest[at:], slot)
    if parts.stranded(rest):
        articles = (i for i in range(2, len(low)) if low[i] in ("the", "a", "an") and low[i - 1] not in en.PREPOSITIONS)
        at = next(articles, len(rest) - 1)
        return joined(rest[1:at], be, rest[at:], slot)
    if re.match(r"(?:is|are|was|were|who|which|that(?! which\b| of\b))\b", answer):  # The answer has its own verb.
        return joined(noun, slot)
    definite = (
        not rest[1][:1].isupper()
        or low[1] in ("the", "a", "an", "another", "one")
        or any(re.search(r"s?['’]s?$", word) for word in rest[1:-1])
    )
    subject = (asks in ("who", "whom", "whose") and definite) or (bool(kind) and not set(kind) & _PREDICATED)
    return joined(slot, _agreeing(rest, answer)) if subject else joined(noun, be, slot)


def _object(rest: Words, slot: str, answer: str, *, person: bool) -> str:
    """Turn a question about an object into a statement: "what did X build in 1900" gives "X built [answer] in 1900"."""
    subject, verb, tail = parts.finite(rest)
    if verb[-1:] in (["did"], ["does"], ["do"]) and _verbal(answer):
        return joined(subject, slot, _kept(tail))
    if person and tail and plain(tail[0]) in ("the", "a", "an", "their", "his", "her", "as"):
        return joined(subject, verb, slot, tail)
    return joined(subject, verb, _placed(tail, slot, answer, verb[-1] if verb else ""))


def _kept(tail: Words) -> Words:
    """Return the words after "do" that remain in a statement if the answer is a verb with its own object.

    No words remain if they begin with "to" or "with": the answer "destroy it" replaces all of "do to the city".
    """
    return [] if tail and plain(tail[0]) in ("to", "with") else tail


def _placed(tail: Words, slot: str, answer: str, verb: str) -> str:
    """Return `tail`, the words after a verb, with `slot` inserted where the object of the verb belongs."""
    low = [plain(word) for word in tail]
    if not tail or low[-1] in en.PREPOSITIONS - {"up", "out", "off", "down"}:
        return joined(tail, slot)
    double = next(
        (i for i, pair in enumerate(pairwise(low)) if set(pair) <= en.PREPOSITIONS and pair not in _TWINS), None
    )
    if double is not None:
        double += low[double] in _PARTICLES and low[double + 1] in ("with", "to", "of", "for", "from")
        return joined(tail[: double + 1], slot, tail[double + 1 :])
    if low[-1] in ("do", "doing") and (_verbal(answer) or low[-1] == "doing"):
        return joined(tail[:-1], slot)
    if low[0] == "to" and plain(verb) in _PURPOSE:
        return joined(slot, tail)
    if low[0] == "to" and len(tail) > 1:
        if low[1] in ("do", "be"):
            verbal = low[1] == "do" and _verbal(answer)
            particle = "" if answer.startswith("to ") and verbal else "to"
            return joined(particle, slot if verbal else [tail[1], slot], tail[2:])
        return joined(tail[:2], _placed(tail[2:], slot, answer, tail[1]))
    if low[0] in _PARTICLES and (len(low) == 1 or low[1] in en.PREPOSITIONS | {"with"}):
        return joined(tail[:1], slot, tail[1:])
    at = next((i for i, word in enumerate(low) if word in _AFTER_OBJECT), len(tail))
    return joined(tail[:at], slot, tail[at:])


# ---- when, where, why, how ----


def _adverbial(rest: Words, slot: str) -> str:
    """Turn a question with when, where, why or how into a statement.

    "When did X begin" gives "X began in [answer]". "Where is X located" gives "X is located in [answer]".
    """
    if not rest:
        return slot
    first = plain(rest[0])
    if parts.stranded(rest):
        slot = SLOT
    if first in en.DO:
        subject, verb, tail = parts.finite(rest)
        if any(set(pair) <= en.PREPOSITIONS - {"out", "up", "due"} for pair in pairwise(map(plain, tail))):
            return joined(subject, verb, _placed(tail, SLOT, "", ""))
        return joined(subject, verb, tail, slot)
    if first not in en.AUXILIARIES:
        return joined(rest, slot)
    if first in en.BE:
        low = [plain(word) for word in rest]
        if low[1:2] == ["there"]:
            return joined("there", rest[0], rest[2:], slot)
        at = parts.predicate_at(rest) or (len(rest) - 1 if parts.stranded(rest) else len(rest))
        if at == len(rest):
            at = next(
                (i for i, word in enumerate(low) if i > 1 and word in ("before", "when", "while", "if", "during")), at
            )
        at -= at > 2 and low[at - 1].endswith("ly")
        if at == len(rest) and slot.startswith("for "):  # how long was X in operation
            at = next((i for i in range(2, len(low)) if low[i] in en.PREPOSITIONS - {"of"}), at)
        dated = set(low[1:4]) & {"time", "date", "day", "year", "anniversary"}
        if dated and not any(map(en.is_participle, low[at : at + 1])):
            at, slot = len(rest), SLOT
    else:
        at = parts.main_at(rest)
    return joined(rest[1:at], rest[0], rest[at:], slot)


def _of_degree(after: Words, low: Words, prep: Words, answer: str) -> str:
    if low[0] in ("many", "much"):
        return _of_number(after[1:], prep, answer)
    if low[0] in en.AUXILIARIES:
        return _adverbial(after, joined(prep or _manner(answer, low), SLOT))
    rest = after[1:]
    first = plain(rest[0]) if rest else ""
    if low[0] == "far" and first in en.BE:  # how far is X from Y
        at = next((i for i, word in enumerate(map(plain, rest)) if word in ("from", "to", "off")), len(rest))
        return joined(rest[1:at], rest[0], SLOT, rest[at:])
    if first in en.BE and low[0] not in ("long", "often", "far", "soon", "early", "late", "quickly"):
        is_stated = low[0] in en.MEASURED and measured(answer) and low[0] not in answer.lower()
        return (
            _adverbial(rest, SLOT)
            if parts.stranded(rest)
            else joined(rest[1:], rest[0], SLOT, low[0] if is_stated else "")
        )
    is_stated = answer.lower().startswith(("for ", "until ", "since ", "from ", "between "))
    bare = low[0] != "long" or is_stated or {"last", "take"} & set(low)
    return _adverbial(rest, joined(prep, SLOT) if bare or not rest else f"for {SLOT}")


def _of_number(after: Words, prep: Words, answer: str) -> str:
    kind = parts.kind_ends(after, counted=True)
    counted, rest = after[:kind], after[kind:]
    answer_words = {plain(word) for word in answer.split()}
    noun = next((i for i, word in enumerate(counted) if plain(word) in en.PREPOSITIONS), len(counted))
    if answer_words & {plain(word) for word in counted[:noun]} or (counted[:1] == ["money"] and measured(answer)):
        counted = counted[noun:]
    slot = joined(prep, SLOT, counted)
    if prep:
        return _adverbial(rest, slot)
    return _core(rest, slot, "what", kind=["number"], answer=answer) if rest else slot


# ---- answers ----


def _verbal(answer: str) -> bool:
    first = first_word(answer)
    return (
        first == "to"
        or (en.is_base(first) and first not in en.NOUNS_TOO)
        or (en.is_finite(first) and " " in answer)
        or first.endswith("ing")
    )


def _preposition(asks: str, low: Words, answer: str) -> Words:
    if asks == "when":
        return _time(answer)
    if asks == "why":
        return _reason(answer)
    return [] if _leads(answer) else ["to"] if _GOING & set(low) and low[0] in en.DO | en.MODALS else _place(answer)


def _leads(answer: str) -> bool:
    first = first_word(answer)
    return first in en.PREPOSITIONS | _DEICTIC | en.CONJUNCTIONS or first.endswith("ly")


def _place(answer: str) -> Words:
    return [] if _leads(answer) else ["in"]


def _time(answer: str) -> Words:
    low = answer.lower()
    if (
        _leads(answer)
        or low.endswith((" ago", " later", " before", " earlier"))
        or re.search(r"\b(?:before|after)\b", low)
    ):
        return []
    if len(low.split()) > 4 and re.match(r"[a-z]", answer):
        return ["at"]
    if is_day(answer) or {plain(word) for word in low.split()} & _WEEK:
        return ["on"]
    if re.match(r"(?:late|early|mid)\b", low):
        return ["in", "the"]
    if re.search(r"\d\s*(?:am|pm|a\.m|p\.m|o'clock)|\d:\d\d|\b(?:noon|midnight|night|dawn|sunset|sunrise)\b", low):
        return ["at"]
    return (
        ["in"]
        if is_year(answer) or re.search(r"\d{3}|centur|spring|summer|autumn|fall|winter|^[a-z]+$", low)
        else ["at"]
    )


def _reason(answer: str) -> Words:
    low = [plain(word) for word in answer.split()]
    if not low or low[0] in ("because", "to", "for", "due", "since", "so", "by", "out", "as", "if", "when", "in"):
        return []
    clause = any(en.is_finite(word) or (i and low[i - 1] in en.PRONOUNS) for i, word in enumerate(low) if i)
    return ["because"] if clause else ["because", "of"]


def _manner(answer: str, low: Words) -> Words:
    first = first_word(answer)
    if _verbal(answer) and not first.endswith("ing") and first != "to":
        return [":"]
    if (
        _leads(answer)
        or first in ("to", "well", "as", "very", "so", "because")
        or first in en.ADJECTIVES
        or first.endswith("er")
    ):
        return []
    return [] if low[0] in en.BE and not any(map(en.is_participle, low)) else ["by"]
