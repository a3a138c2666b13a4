"""Normalisation, tokens, stems and stop words: what judging, tasks and systems share."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Any

_ARTICLE = re.compile(r"\b(a|an|the)\b")
_ARTICLES = frozenset(("a", "an", "the"))
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

# Function words: they hold a sentence together and say little of what it is about.
_STOP = """a an the this that these those and or but nor so if then than as of in on at to from by for with about into over
after before between under during through is are was were be been being am has have had having do does did doing will would
can could shall should may might must not no it its itself he him his himself she her hers herself they them their theirs
themselves we us our ours ourselves you your yours yourself i me my mine myself there here what which who whom whose when
where why how all any both each few more most other some such only own same too very just also"""
STOP_WORDS = frozenset(_STOP.split())


def normalise(text: str) -> str:
    """SQuAD's normalisation: lower case, ASCII punctuation and the articles a, an, the removed, white space squeezed.

    Source: Rajpurkar et al. 2016, 2018, evaluate-v2.0.py.
    """
    return " ".join(normalised_words(text))


def normalised_words(text: str) -> list[str]:
    """The words of a text after SQuAD's normalisation; repeated ones stand repeatedly."""
    found: list[str] = []
    for word in text.lower().translate(_PUNCTUATION).split():
        if word.isalnum():  # then it holds no boundary of a word, and is an article or holds none
            if word not in _ARTICLES:
                found.append(word)
        else:
            found += _ARTICLE.sub(" ", word).split()
    return found


def squeeze(text: str) -> str:
    """The text without case and with single spaces: what two writings of one option share."""
    return " ".join(text.split()).casefold()


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]


def content_stems(text: str) -> list[str]:
    """The stems (Snowball's English stemmer) of the words that are no stop words, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of one lower-case word."""
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
