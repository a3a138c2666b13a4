"""Protect meaningful marks (signs, decimal points and operators), which SQuAD's normalisation would remove."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from functools import lru_cache

from nescio.text import in_one_form, normalise, without_punctuation

_ALIKE = str.maketrans("‐‑‒–—−×∗⋅÷∕⁄", "------***///")
# replaces marks by syllables of Yi, which such texts do not contain
_LETTERS = {ord(c): chr(0xA000 + ord(c)) for c in string.punctuation}
_ANY = re.compile(r"[-+*/%=<>&|^~!#\\_]|\d[.,:]\d|\.\d|'\(")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_DATE = re.compile(r"(?<!\d)(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)")
# An operator that prose does not have, with space on both sides or on neither; or a command of TeX.
_RUN = r"[-*/%!&|~]*[+=<>^][-+*/%=<>!&|^~]*"
_FORMULA = re.compile(rf"(?<=[\w)\]}}'\"])(?:{_RUN}|\s+{_RUN}\s+)(?=[\w(\[{{\\.'\"])|\\[A-Za-z]")
_AROUND = " \t\n`$\"'“”"  # characters that may surround a formula
_ENDS = re.compile(r"(?<![`$\"'.,;:?!])[`$\"'.,;:?!]+(?=\s|$)|(?<!\S)[`$\"']+")
_SPACES = re.compile(r"(?<=[^\w\s])\s+|\s+(?=[^\w\s])")
# Marks in words: between digits, the sign of a number, of an exponent or of a letter, C++ and C#, snake_case, f'(x).
_IN_WORDS = re.compile(
    r"(?<=\d)\s+[-*/]\s+(?=\d)|(?<=\d)[.,:/*-](?=\d)|(?<=\d[eE])-(?=\d)"
    r"|(?<![^\s(\[{,;:])-(?=[$€£¥]?\.?\d)|(?<![^\s(\[{,;:])[-!~](?=[a-z](?!\w))|(?<![\w.])\.(?=\d)"
    r"|(?<=\w)[+#]+(?!\w)|(?<=[^\W_])_(?=[^\W_])|'(?=\()"
)
# Between single letters and digits. A name may omit such a mark: x-1 is not x1, but F-16 is F16.
_IN_NAMES = re.compile(r"(?:(?<=[\d)\]])|(?<![^\W\d_][^\W_])(?<=[^\W_]))\s*[-*/%&|]+\s*(?=[\d(\[]|[^\W_](?![^\W_]))")


def same_words(gold: str, answer: str) -> bool:
    """Return whether two texts have equal words, signs and operators, or are equal formulas.

    Words are compared after SQuAD's normalisation, which ignores case, articles and punctuation.
    """
    formulas = _gold_formula(gold), _formula(answer)
    if any(formulas):
        return formulas[0] == formulas[1]
    names = any(map(str.isupper, gold + answer))
    if _gold_words(gold, not names) != _words(answer, not names):
        return False
    between, also = _between(gold), _between(answer)
    return between == also or not (between and also and names)


def _formula(text: str) -> str | None:
    """Return a formula in a standard spelling, for comparisons, or None for a text that is not a formula.

    Quotation marks and similar marks around the formula, and spaces beside its operators, are removed.
    """
    text = text.translate(_ALIKE)
    bare = text.lstrip(_AROUND).rstrip(_AROUND + ".")
    return _SPACES.sub("", " ".join(bare.split())) if _FORMULA.search(text) else None


def _between(text: str) -> list[str]:
    return [mark.strip() for mark in _IN_NAMES.findall(text.translate(_ALIKE))]


def _words(text: str, names: bool) -> str:
    text = in_one_form(text)
    return normalise(with_marks(text, names)) or without_punctuation(text)


_gold_formula, _gold_words = lru_cache(maxsize=1 << 16)(_formula), lru_cache(maxsize=1 << 16)(_words)


def with_marks(text: str, names: bool = False) -> str:
    """Return a text in which letters replace the marks that carry a meaning, such as the signs in "C++" or "-5".

    Normalisation would otherwise remove these marks. With `names`, hyphens and similar marks in names, which many
    people leave out, are replaced too.
    """
    text = text.translate(_ALIKE)
    if not _ANY.search(text):
        return text
    if _FORMULA.search(text):
        return _SPACES.sub("", " ".join(_ENDS.sub("", text).split())).translate(_LETTERS)
    text = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
    text = _IN_WORDS.sub(_as_letters, _DATE.sub(r"\1-\3-\4", text))
    return _IN_NAMES.sub(_as_letters, text) if names else text


def blurred(right: bool, gold: Sequence[str], answer: str, again: Callable[[tuple[str, ...], str], bool]) -> bool:
    """Return whether an answer is `right` only because marks that carry a meaning, such as "++" in "C++", were ignored.

    `again` is a function that judges an answer by other gold answers, and returns whether the answer is right.
    """
    if not right or answer in gold:
        return False
    marked = tuple(map(with_marks, gold))
    if again(marked, with_marks(answer)):
        return False
    bare = _bare(answer)
    return not any(_bare(text) in bare for text, with_them in zip(gold, marked, strict=True) if text != with_them)


def _bare(text: str) -> str:
    return "".join(text.translate(_ALIKE).casefold().split())


def _as_letters(mark: re.Match[str]) -> str:
    return mark[0].strip().translate(_LETTERS)
