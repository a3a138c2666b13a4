"""Resources for languages other than English: Snowball's stems, the stop words of bm25s, months, and written numbers.

A technique without resources for a language is off, and a message says so.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from nescio.tasks.ave.validator._lexicon import MONTHS
from nescio.text import STOP_WORDS, bare_word, without_accents, word_set
from nescio.text import stem as english_stem

ENGLISH = "en"
SNOWBALL = {"de": "german", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch", "pt": "portuguese"}
KNOWN = frozenset((ENGLISH, *SNOWBALL))
_MONTHS = {
    ENGLISH: " ".join(MONTHS),
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_QUESTION_WORDS = {
    "de": "wer wen wem wessen was wann wo wohin woher warum wie welche welcher welches welchem welchen",
    "es": "quién quiénes qué cuándo dónde cuál cuáles cómo cuánto cuánta cuántos cuántas por",
    "fr": "qui que quoi quand où quel quelle quels quelles comment combien pourquoi",
    "it": "chi che cosa quando dove quale quali come quanto quanta quanti quante perché",
    "nl": "wie wat wanneer waar welke welk hoe hoeveel waarom",
    "pt": "quem que quando onde qual quais como quanto quanta quantos quantas",
}


def code(language: str) -> str:
    """Return the two-letter code of a language in AVE: "de" for DE, "es" for es-MX, and "en" for an empty name."""
    return language.lower().partition("-")[0] or ENGLISH


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Return the function words of a language, question words included, in spellings without accents."""
    if language not in SNOWBALL:
        return STOP_WORDS
    listed = getattr(import_module("bm25s.stopwords"), f"STOPWORDS_{SNOWBALL[language].upper()}")
    return frozenset(map(without_accents, {*listed, *word_set(_QUESTION_WORDS[language])}))


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word, without accents."""
    if language not in SNOWBALL:
        return english_stem(word)
    return without_accents(str(_stemmer(SNOWBALL[language]).stemWord(bare_word(word))))


@lru_cache(maxsize=8)
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name)


@lru_cache(maxsize=8)
def months(language: str) -> tuple[str, ...]:
    """Return the names of the twelve months in a language."""
    return tuple(_MONTHS.get(language, _MONTHS[ENGLISH]).split())


@lru_cache(maxsize=1 << 14)
def plain_numbers(text: str, language: str) -> str:
    """Return a text with numbers in English form: 1.234,5 becomes 1234.5.

    Number words become digits if text2num knows the language.
    """
    if language not in SNOWBALL:
        return text
    from text_to_num import alpha2digit

    text = re.sub(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.])", lambda match: match[0].replace(".", ""), text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    return str(alpha2digit(text, language))
