"""Find sentences that name a person, place or time (Deep Read's Name and Sem), and the person of a pronoun (Pro).

The paper used the Alembic tagger for names. This small recogniser uses lists and the words around a name. It needs no
model and no download, and does not recognise organisations. Sem uses WordNet's noun classes through nltk, if its files
are installed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from nescio.tasks.reading import names as known
from nescio.tasks.wordnet import open_folder, wordnet
from nescio.text import STOP_WORDS, bare_word

PERSON, LOCATION, TIME = ":PERSON", ":LOCATION", ":TIME"
DEMANDED = {"who": PERSON, "where": LOCATION, "when": TIME}
PRONOUNS = frozenset(("he", "him", "his", "she", "her"))

_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_UNITS = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade|centur(?:y|ie)|season|term)s?"
_TIMES = re.compile(
    rf"""\b(?:1[0-9]{{3}}|20[0-9]{{2}})s?\b
    | \b(?:{"|".join(sorted(known.MONTHS - {"may", "march"}))}|{"|".join(sorted(known.DAYS))})s?\b
    | \b(?:May|March)\s+[0-9]{{1,2}}\b
    | \b(?:today|yesterday|tomorrow|tonight|nowadays|midnight|noon|christmas|easter|halloween)\b
    | \b(?:last|next|this|every|each)\s+(?:{_UNITS}|spring|summer|fall|autumn|winter|morning|afternoon|evening)\b
    | \b(?:in|during|by|since|until)\s+(?:the\s+)?(?:early\s+|late\s+)?(?:spring|summer|fall|autumn|winter)\b
    | \b(?:[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty|hundred)\s+{_UNITS}\b
    | \b\S+\s+{_UNITS}\s+(?:ago|later|earlier|before|after|from\s+now)\b
    | \b[0-9]{{1,2}}(?::[0-9]{{2}})?\s*(?:a\.?m|p\.?m|o'clock)\b
    | \bcentur(?:y|ies)\b""",
    re.VERBOSE | re.IGNORECASE,
)


class Named(Struct, frozen=True):
    """The entities named in a sentence: their classes, such as person or place, and the names of persons.

    `persons` has the words of each person's name, with the index of the token where the name ends.
    """

    classes: frozenset[str]
    persons: tuple[tuple[int, tuple[str, ...]], ...]


@lru_cache(maxsize=1 << 10)
def recognise(story: tuple[str, ...]) -> tuple[Named, ...]:
    """Return the entities that each sentence of a story names.

    A surname alone names a person if the story has the person's full name elsewhere.
    """
    runs = [_capitals(sentence) for sentence in story]
    surnames = {run.words[-1] for of_sentence in runs for run in of_sentence if run.is_person and len(run.words) > 1}
    named = []
    for sentence, of_sentence in zip(story, runs, strict=True):
        persons = [run for run in of_sentence if run.is_person or (run.words[-1] in surnames and not run.is_place)]
        classes = {PERSON} if persons else set()
        classes |= {LOCATION} if any(run.is_place for run in of_sentence) else set()
        classes |= {TIME} if _TIMES.search(sentence) else set()
        named.append(Named(frozenset(classes), tuple((run.end, run.words) for run in persons)))
    return tuple(named)


def entities(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the persons and places that a text names: for each, its class and the words of its name in lower case."""
    names: list[tuple[str, tuple[str, ...]]] = []
    for run in _capitals(text):
        names += [(PERSON, run.words)] if run.is_person else []
        names += [(LOCATION, run.words)] if run.is_place else []
    return tuple(names)


def referents(story: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return, for each sentence of a story, the words of the names to which its pronouns refer.

    A pronoun refers to the nearest person named before it.
    """
    last: tuple[str, ...] = ()
    bags = []
    for sentence, named in zip(story, recognise(story), strict=True):
        words: list[str] = []
        events = [(end, name) for end, name in named.persons]
        for place, token in enumerate(_TOKEN.finditer(sentence)):
            for end, name in events:
                last = name if end == place else last
            if token[0].lower() in PRONOUNS:
                words += last
        for end, name in events:
            last = name if end >= len(_TOKEN.findall(sentence)) else last
        bags.append(tuple(words))
    return tuple(bags)


class _Run(Struct, frozen=True):
    """Consecutive capitalised words that may name a person or a place; `end` counts the tokens up to their end."""

    words: tuple[str, ...]
    end: int
    is_person: bool
    is_place: bool


def _capitals(sentence: str) -> list[_Run]:
    tokens = [(token[0], token.start(), token.end()) for token in _TOKEN.finditer(sentence)]
    named, at = [], 0
    while at < len(tokens):
        stop = at
        while stop < len(tokens) and _is_capital(tokens[stop][0]) and (stop == at or _joined(sentence, tokens, stop)):
            stop += 1
        if stop > at:
            named += _runs(sentence, tokens, at, stop)
        at = max(stop, at + 1)
    return named


def _is_capital(token: str) -> bool:
    return token[0].isupper() and _plain(token) not in known.NO_NAMES


def _joined(sentence: str, tokens: list[tuple[str, int, int]], at: int) -> bool:
    """Return whether the token at index `at` continues the name before it.

    It does if only a space separates them, or a full stop after a title or an initial, as in "Dr. Smith".
    """
    between = sentence[tokens[at - 1][2] : tokens[at][1]]
    title = _plain(tokens[at - 1][0]) in known.TITLES or len(tokens[at - 1][0]) == 1
    return between.strip(" ") == "" or (between.strip(" ") == "." and title)


def _plain(token: str) -> str:
    return bare_word(token).rstrip(".'")


def _runs(sentence: str, tokens: list[tuple[str, int, int]], at: int, stop: int) -> list[_Run]:
    """Return a list with the name that the capitalised tokens from `at` to `stop` form.

    Titles such as "Dr." are left out; the list is empty if there are only titles.
    """
    words = [_plain(token) for token, _, _ in tokens[at:stop]]
    titled = words[0] in known.TITLES
    if titled:
        words, at = words[1:], at + 1
    before = tokens[at - 1][0].lower() if at else ""
    after = tokens[stop][0].lower() if stop < len(tokens) else ""
    titled = titled or before in known.TITLES
    if not words:
        return []
    place = _is_place(words, before)
    first = bool(known.FIRST_NAMES & set(words[:-1])) or (len(words) == 1 and words[0] in known.FIRST_NAMES)
    opens = at == 0 or sentence[: tokens[at][1]].rstrip().endswith(('"', "“", ":"))
    lone = len(words) == 1 and opens
    speaks = (after in known.SPEAKS or before in known.SPEAKS) and not lone
    full = len(words) in (2, 3) and not known.NOT_PERSONS.intersection(words) and not (opens and words[0] in STOP_WORDS)
    person = titled or ((first or speaks or full) and not place)
    return [_Run(tuple(words), stop, person, place)]


def _is_place(words: list[str], before: str) -> bool:
    if known.PLACES.intersection(words) or known.PLACE_WORDS.intersection(words[-1:]):
        return True
    if any(" ".join(pair) in known.PLACES_OF_TWO for pair in pairwise(words)):
        return True
    return before in ("in", "at", "near", "from", "to") and len(words) <= 3 and not known.FIRST_NAMES & set(words)


def has_wordnet() -> bool:
    """Return whether nltk is installed and finds WordNet's files."""
    return wordnet() is not None


_LEXICAL = {"noun.person": PERSON, "noun.location": LOCATION, "noun.time": TIME}


@lru_cache(maxsize=1 << 16)
def noun_classes(word: str, folder: Path | None = None) -> frozenset[str]:
    """Return a set with the class (person, place or time) of a noun's commonest sense in WordNet, or an empty set.

    Raises LookupError without WordNet's files.
    """
    reader = wordnet() if folder is None else open_folder(folder)
    if reader is None:
        raise LookupError("WordNet's files are not installed")
    senses = reader.synsets(word, "n")
    return frozenset(_LEXICAL[name] for sense in senses[:1] if (name := sense.lexname()) in _LEXICAL)
