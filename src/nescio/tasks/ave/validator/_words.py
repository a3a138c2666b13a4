"""Represent a text for the techniques: words, lemmas and stems, content words, and ends of clauses."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from nescio.tasks.ave.validator._languages import ENGLISH, stem, stop_words
from nescio.tasks.ave.validator._lexicon import NUMBER_WORDS, lemmas, peoples
from nescio.text import bare_word, without_accents

_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s)?|[^\W\d_](?:[^\W_]|(?<=\w)['’](?=\w))*")
# the distance that punctuation adds, in words
_PAUSES = (("", 0.0), (",", 2.0), ("()", 2.0), (":–—", 3.0), (";", 4.0), (".!?", 6.0))
_QUESTION_WORDS = ("who", "whom", "whose", "when", "where", "why", "how", "which", "what")


class Words(Struct, frozen=True):
    """The words of a text in order, in several forms: as written (`surface`), in lower case, as lemmas and as stems.

    `place` has a number for each word that grows by 1 from word to word, and by more across punctuation. So words of
    another clause are farther away.
    """

    text: str
    surface: tuple[str, ...]
    lower: tuple[str, ...]
    lemma: tuple[str, ...]
    stem: tuple[str, ...]
    place: tuple[float, ...]
    language: str = ENGLISH

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def content(self) -> tuple[int, ...]:
        """Return the positions of content words, which are all words but function words."""
        stops = self.stops
        return tuple(i for i, word in enumerate(self.lower) if word not in stops)

    @property
    def stops(self) -> frozenset[str]:
        """Return the function words of the language."""
        return stop_words(self.language)

    @property
    def content_stems(self) -> tuple[str, ...]:
        """Return the stems of the content words, in order."""
        return tuple(self.stem[i] for i in self.content)


@lru_cache(maxsize=1 << 14)
def read(text: str, language: str = ENGLISH) -> Words:
    """Return the words of a text, read by the rules of the language with this code, such as "en"."""
    surface, place, at, end = [], [], 0.0, 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        at += 1.0 + max(cost for marks, cost in _PAUSES if not marks or any(mark in between for mark in marks))
        surface.append(match[0])
        place.append(at)
        end = match.end()
    lower = [_plain(word) for word in surface]
    bases = [lemma(word) for word in lower] if language == ENGLISH else [word.lower() for word in surface]
    stems = tuple(stem(base, language) for base in bases)
    return Words(text, tuple(surface), tuple(lower), tuple(bases), stems, tuple(place), language)


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the offsets in characters of the start and the end of each word of a text."""
    return tuple(match.span() for match in _WORD.finditer(text))


def _plain(word: str) -> str:
    """Return a word in lower case, without accents and without a possessive 's: "Céloron's" becomes "celoron"."""
    return without_accents(bare_word(word)) or word


def lemma(word: str) -> str:
    """Return the lemma of a word: "go" for "went", the country for "german", and any other word unchanged."""
    word = lemmas().get(word, word)
    return peoples().get(word, word)


def is_number(word: str) -> bool:
    """Return whether a lower-case word is a number, such as "12" or "twelve"."""
    return word[0].isdigit() or word in NUMBER_WORDS


def is_name(words: Words, i: int) -> bool:
    """Return whether the i-th word begins with a capital, is not the first word, and is not a function word."""
    return i > 0 and words.surface[i][0].isupper() and words.lower[i] not in words.stops


def question_word(words: Words) -> int | None:
    """Return the position of the first question word (who, when, which, …), or None if there is none."""
    return next((i for i, word in enumerate(words.lower) if word in _QUESTION_WORDS), None)
