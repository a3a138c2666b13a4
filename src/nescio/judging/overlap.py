"""The answer shares words with a key: the scorer of the course around CBC's reading comprehension tests."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from nescio.data.columns import Column, Summary, declare
from nescio.data.model import Question
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.judging._judge import Grade, judge

_EDGE = tuple(",:;.!?'\"(){}")
NAN = float("nan")


class Overlap(NamedTuple):
    """The overlap of an answer with a key: the words that both have.

    `recall` is their share of the key's words, `precision` their share of the answer's words, and `f` the harmonic mean
    of both.
    """

    recall: float
    precision: float
    f: float


declare(
    Column(
        "overlap.recall",
        "the share of the gold answer's words that the answer holds",
        "score",
        summaries=(Summary("count", "with overlap.recall"),),
    ),
    Column(
        "overlap.precision",
        "the share of the answer's words that the gold answer holds",
        "score",
        summaries=(Summary("count", "with overlap.precision"),),
    ),
)


@judge(
    "overlap",
    scores={"overlap.recall": 0.0, "overlap.precision": NAN},
    valid={"threshold": ("the threshold of F must be above 0 and at most 1", lambda t: 0 < t <= 1)},
)
def overlap(question: Question, answer: str, threshold: float = 0.5) -> Grade:
    """Call an answer right if its overlap F with the best key reaches `threshold`; the columns are recall and precision
    with that key.

    The course's scorer has no right and wrong; `threshold` adds them. The scorer averages recall over all questions,
    and precision over the answered ones. Its F is the harmonic mean of these two averages. So an abstention has recall
    0 and no precision: `mean(overlap.recall)` and `mean(overlap.precision)` are its figures.
    """
    best = best_overlap(answer, question.answers)
    scores = {"overlap.recall": best.recall, "overlap.precision": best.precision}
    return Grade(CORRECT if best.f >= threshold else INCORRECT, scores)


def best_overlap(answer: str, keys: tuple[str, ...]) -> Overlap:
    r"""Return the overlap with the key of highest F, the first one at a tie.

    With a and k the words of answer and key and m the size of their common multiset: $R = m/|k|$, $P = m/|a|$, $F =
    2m/(|a| + |k|)$. A text is split at white space and put in lower case. One character of ,:;.!?'"(){} is stripped
    from either end of each word, and words that become empty are dropped. There are no stems and no stop words. A text
    without words has overlap 0.
    """
    stated = _words(answer)
    best = Overlap(0.0, 0.0, 0.0)
    for key in keys:
        words = _words(key)
        common = (stated & words).total()
        if common:
            a, k = stated.total(), words.total()
            candidate = Overlap(common / k, common / a, 2 * common / (a + k))
            best = candidate if candidate.f > best.f else best
    return best


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> Counter[str]:
    return Counter(bare for word in text.lower().split() if (bare := _bare(word)))


def _bare(word: str) -> str:
    word = word[1:] if word.startswith(_EDGE) else word
    return word[:-1] if word.endswith(_EDGE) else word
