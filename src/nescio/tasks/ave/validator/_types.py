"""Compute features of names, numbers and dates, and of the kind of answer that the question asks for."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import lru_cache

from nescio.tasks.ave.validator import _lexicon
from nescio.tasks.ave.validator._case import NONE, Case
from nescio.tasks.ave.validator._languages import ENGLISH, months, plain_numbers
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.tasks.ave.validator._words import Words, is_name, is_number
from nescio.text import word_set

_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
ASKED = ("who", "when", "where", "how many", "how", "why", "which", "what", "none")
GIVEN = ("time", "number", "name", "other")
_TIMES = word_set("year date century decade month day time period era season")
_PLACES = word_set("city country state place location town region area river continent county province island")
_PEOPLE = word_set("person people leader king queen president emperor scientist author man woman ruler name")
_FITS = {"who": ("name",), "when": ("time",), "where": ("name",), "how many": ("number",)}


def asked_type(question: Words, asks: int | None) -> str:
    """Return the kind of answer that a question asks for, one of `ASKED`, such as "who"; `asks` is the question word's
    index.

    For "what" or "which" before a noun such as "year", "city" or "king", the kind is "when", "where" or "who".
    """
    if asks is None:
        return "none"
    word, following = question.lower[asks], question.lower[asks + 1 : asks + 3]
    if word == "how":
        return "how many" if following[:1] and following[0] in ("many", "much") else "how"
    if word in ("who", "whom", "whose"):
        return "who"
    if word in ("what", "which"):
        kinds = set(following[:1])
        return "when" if kinds & _TIMES else "where" if kinds & _PLACES else "who" if kinds & _PEOPLE else word
    return word


def given_type(answer: Words) -> str:
    """Return the kind of an answer by the form of its words, one of `GIVEN`: "time", "number", "name" or "other"."""
    if any(_YEAR.fullmatch(word.removesuffix("s")) or word in _lexicon.TIME_WORDS for word in answer.lower):
        return "time"
    if any(map(is_number, answer.lower)):
        return "number"
    return "name" if any(word[0].isupper() for word in answer.surface) else "other"


def _held(case: Case, i: int) -> bool:
    return case.question.stem[i] in case.text.stem


def names(case: Case) -> Row:
    """Return features of names, such as the question's names in the text, and of the kind of the answer."""
    question_names = [
        i for i in case.question.content if is_name(case.question, i) and not is_number(case.question.lower[i])
    ]
    missing = sum(not _held(case, i) for i in question_names)
    related = {m.at: m.level for m in case.matches}
    lost = sum(not _held(case, i) and related.get(i, NONE) == NONE for i in question_names)
    wanted_type, answer_type = asked_type(case.question, case.asks), given_type(case.answer)
    capitals = sum(is_name(case.text, i) for i in range(len(case.text)))
    wanted = _FITS.get(wanted_type)
    fits = wanted is None or answer_type in wanted
    return {
        "names asked": float(len(question_names)),
        "names missing": float(missing),
        "names lost": float(lost),
        "share of names": share(len(question_names) - missing, len(question_names)) if question_names else 1.0,
        "names in text": math.log1p(capitals),
        "other names, some missing": float(missing > 0 and capitals > len(question_names) - missing),
        "capitals of answer": share(sum(word[0].isupper() for word in case.answer.surface), len(case.answer)),
        **{f"asks {kind}": float(wanted_type == kind) for kind in ASKED},
        **{f"gives {kind}": float(answer_type == kind) for kind in GIVEN},
        "fits": float(wanted is not None and fits),
        **{f"{kind}, does not fit": float(wanted_type == kind and not fits) for kind in _FITS},
    }


def numbers(case: Case) -> Row:
    """Return features of numbers: those of the question that the text lacks, and other numbers in the text."""
    in_question, stated, in_answer = (
        _values(plain_numbers(" ".join(words.surface), words.language))
        for words in (case.question, case.text, case.answer)
    )
    missing = len(in_question - stated)
    return {
        "numbers asked": float(len(in_question)),
        "numbers missing": float(missing),
        "others instead": float(bool(missing) and bool(stated - in_question - in_answer)),
        "share of numbers": share(len(in_question) - missing, len(in_question)) if in_question else 1.0,
        "numbers in text": math.log1p(len(stated - in_answer)),
        "answer is one of several": float(bool(in_answer) and len(stated) > len(in_answer)),
    }


@lru_cache(maxsize=1 << 14)
def _values(text: str) -> frozenset[Decimal]:
    """Return the numbers in a text, written in digits or words, as the judge "numeric" reads them."""
    from nescio.judging._numbers import quantities

    return frozenset(quantity.value.normalize() for quantity in quantities(text))


@lru_cache(maxsize=8)
def _time(language: str) -> re.Pattern[str]:
    """Return a regular expression for dates in a language, such as "8 May", "the 8th of May" or "8 de mayo".

    An English month must have a capital, because "may" is a verb.
    """
    names = "|".join(map(str.capitalize, months(language)))
    month = rf"(?P<month>{names})" if language == ENGLISH else rf"(?P<month>(?i:{names}))"
    before = r"(?:(?P<before>[0-3]?\d)(?:st|nd|rd|th|er|[.º])?(?:\s+(?:of|de))?\s+)?"
    behind = r"(?:\s+(?:the\s+)?(?P<behind>[0-3]?\d)(?:st|nd|rd|th)?(?![\w]))?"
    return re.compile(
        r"\b(?:(?P<century>\d{1,2})(?:st|nd|rd|th)[- ]centur(?:y|ies)|(?P<decade>\d{3}0)s|(?P<year>1\d{3}|20\d\d)"
        rf"|{before}{month}\b{behind})\b"
    )


@lru_cache(maxsize=1 << 14)
def moments(text: str, language: str = ENGLISH) -> frozenset[tuple[str, int]]:
    """Return the dates that a text names: ("year", 1945), ("decade", 1940), ("month", 5), and ("day", 508) for 8 May.

    "8 May", "May 8th" and "the 8th of May" are the same day.
    """
    dates: set[tuple[str, int]] = set()
    for match in _time(language).finditer(text):
        for kind in ("century", "decade", "year"):
            if match[kind]:
                dates.add((kind, int(match[kind])))
        if match["month"]:
            month = 1 + months(language).index(match["month"].lower())
            dates.add(("month", month))
            if day := match["before"] or match["behind"]:
                dates.add(("day", 100 * month + int(day)))
    return frozenset(dates)


def agrees(moment: tuple[str, int], others: frozenset[tuple[str, int]]) -> bool:
    """Return whether a date is among `others`, or contains one of their years, as the 1940s contain 1945."""
    kind, value = moment
    years = {year for other, year in others if other == "year"}
    if kind == "decade" and any(year // 10 == value // 10 for year in years):
        return True
    if kind == "century" and any((year + 99) // 100 == value for year in years):
        return True
    return moment in others


def times(case: Case) -> Row:
    """Return features of dates: those of the question that the text lacks, and other dates in the text."""
    in_question, stated, in_answer = (
        moments(" ".join(words.surface), words.language) for words in (case.question, case.text, case.answer)
    )
    missing = [moment for moment in in_question if not agrees(moment, stated)]
    return {
        "times asked": float(len(in_question)),
        "times missing": float(len(missing)),
        "others instead": float(bool(missing) and bool(stated - in_answer)),
        "times in text": math.log1p(len(stated)),
        "answer is one of several": float(bool(in_answer) and len(stated) > len(in_answer)),
    }
