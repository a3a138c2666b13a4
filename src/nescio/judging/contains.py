"""The answer contains a gold answer as whole words: for long answers, such as those of language models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from nescio.data.model import Question
from nescio.judging._judge import judge
from nescio.text import bare_word, composed, normalised_words, squeeze

NEAR = 3  # the number of words before a gold answer that are searched for a negation
_NEGATIONS = frozenset(("not", "no", "never", "neither", "nor", "cannot", "without"))
_CONTRACTED = re.compile("(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should|must)n['’]?t")
_PART = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+(?:['’][^\W_]+)*")
# Scripts without spaces between words, in which a gold answer may begin or end within a run of letters.
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


@judge(
    "contains",
    valid={"longest": ("longest must be a whole number of words, 0 for no limit", lambda n: n >= 0 and n == int(n))},
)
def contains(question: Question, answer: str, longest: int = 0, negation: bool = False) -> bool:
    """Call an answer right if it contains the words of a gold answer in a row; a gold answer may list variants between
    `|`.

    Both texts are normalised as in SQuAD, and a second time with punctuation as a separator: "London/UK" contains
    London, and "U.S." equals US. Numbers are whole: 5,000 does not contain 5. If normalisation leaves nothing of a gold
    answer ("The", "A", "?"), the text itself is searched for. In scripts without spaces between words, any place
    counts.

    An answer that lists everything contains everything, and one that says "not Paris" contains Paris. `longest` is the
    most words that an answer may have (0: any number). With `negation=true` a gold answer does not count if one of the
    three words before it is an English negation (not, never, isn't, …). Source: Mallen et al., ACL 2023, who call an
    answer right if some part of it is a gold answer; DrQA's `has_answer` (Chen et al., ACL 2017) requires consecutive
    words.
    """
    if longest and len(answer.split()) > longest:
        return False
    texts = [_joined(words) for words in _readings(answer)]
    for needles in map(_needles, question.answers):
        for text, needle in ((text, needle) for pair in needles for text, needle in zip(texts, pair, strict=True)):
            if needle and any(not (negation and _negated(text, at)) for at in _places(text, needle)):
                return True
    return False


def _readings(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the words of a text, as three lists: the text is split into words in three ways.

    The ways are SQuAD's normalisation, a split also at punctuation, and a split at white space only.
    """
    text = composed(text) or ""
    return normalised_words(text), list(map(bare_word, _PART.findall(text))), squeeze(text).split()


def _joined(words: list[str]) -> str:
    return f" {' '.join(words)} "


@lru_cache(maxsize=1 << 16)
def _needles(gold: str) -> tuple[tuple[str, str, str], ...]:
    """Return the words to search for, for each variant of a gold answer and each of the ways of `_readings`.

    An empty text means that the words are not searched in this way.
    """
    needles = []
    for variant in gold.split("|"):
        normalised, parted, bare = _readings(variant)
        emptied = not normalised
        needles.append(("" if emptied else _needle(normalised), _needle(parted), _needle(bare) if emptied else ""))
    return tuple(needles)


def _needle(words: list[str]) -> str:
    """Return the words as one text, with a space at either end where a word must begin or end; empty without words."""
    text = " ".join(words)
    if not text:
        return ""
    start, end = ("" if re.match(_UNSPACED, letter) else " " for letter in (text[0], text[-1]))
    return f"{start}{text}{end}"


def _places(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _negated(text: str, at: int) -> bool:
    """Return whether one of the last words before position `at` of a text is a negation, such as "not"."""
    return any(word in _NEGATIONS or _CONTRACTED.fullmatch(word) for word in text[:at].split()[-NEAR:])
