r"""Measure how well an answer about a story matches its key, as Deep Read's authors did.

Source: Hirschman, Light, Breck & Burger, Deep Read: A Reading Comprehension System, ACL 1999, sec. 2. Content words are
stemmed (here by Snowball's English stemmer; there by Abney's) and stop words removed:

    recall R      matching content words / content words of the key
    precision P   matching content words / content words of the answer
    HumSent       1 if the sentence chosen is one of those that a person listed, else 0; an empty list scores 0 and
                  counts
    AutSent       the same, the list being the sentences of the story with the highest recall

The paper's footnote prints the two denominators the other way round; its worked example (2/2 and 2/7) shows the ones
above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from nescio.data.model import Question
from nescio.text import stem, word_set, words

NAN = float("nan")
PRONOUNS = word_set("i me my mine we us our ours you your yours he him his she her hers it its they them their theirs")
# The list of the paper's footnote, to the letter: it has "a" and "the", but not "an".
STOP_LIST = PRONOUNS | word_set("""
be am is are was were been being have has had having do does did doing done and or to in at of a the this
that which
""")


class Match(Struct, frozen=True):
    """The word recall and the word precision of an answer.

    Recall is NaN if the key has no content word, and precision if the answer has none.
    """

    recall: float
    precision: float


class Marks(Struct, frozen=True):
    """All marks that the paper gives to one answer.

    A mark is NaN if it is undefined: all but HumSent without an answer in the key, AutSent and HumSent without a story,
    and HumSent if no people listed acceptable sentences.
    """

    recall: float
    precision: float
    hum_sent: float
    aut_sent: float

    @property
    def precision_of_all(self) -> float:
        """Return the precision, or 0 if only the key has content words.

        Precision averaged over all questions counts an answer without content words as 0.
        """
        return 0.0 if math.isnan(self.precision) and not math.isnan(self.recall) else self.precision


def content_words(text: str, *, keep_pronouns: bool = False) -> tuple[str, ...]:
    """Return the stems of the words of a text that are not on the stop list, in order and with repetitions.

    `keep_pronouns` keeps personal and possessive pronouns. The paper prints one figure, 1/6, that is right only with
    them.
    """
    stop = STOP_LIST - PRONOUNS if keep_pronouns else STOP_LIST
    return tuple(stem(word) for word in words(text) if word not in stop)


def match(answer: str, key: str, *, keep_pronouns: bool = False) -> Match:
    r"""Return the word recall and the word precision of an answer against one key.

    k are the stems of the key's content words and a those of the answer's, as lists. $R = |\{t \in k: t \in a\}| /
    |k|$, so all occurrences of a word in the key match or none does. $P = |\{t \in a: t \in k\}| / |a|$. R is NaN for a
    key without content words, and P for an answer without content words.
    """
    return _match(content_words(answer, keep_pronouns=keep_pronouns), content_words(key, keep_pronouns=keep_pronouns))


def _match(answer: Sequence[str], key: Sequence[str]) -> Match:
    have, wanted = frozenset(answer), frozenset(key)
    recall = sum(word in have for word in key) / len(key) if key else NAN
    precision = sum(word in wanted for word in answer) / len(answer) if answer else NAN
    return Match(recall, precision)


def best_match(answer: str, keys: Iterable[str], *, keep_pronouns: bool = False) -> Match:
    """Return the recall and precision of an answer against the key with the highest recall (then precision).

    Keys without content words are ignored. Both are NaN if no key has a content word.
    """
    matches = [match(answer, key, keep_pronouns=keep_pronouns) for key in keys]
    sound = [candidate for candidate in matches if candidate.recall == candidate.recall]
    return max(
        sound,
        key=lambda candidate: (candidate.recall, candidate.precision == candidate.precision and candidate.precision),
        default=Match(NAN, NAN),
    )


@lru_cache(maxsize=1 << 12)
def answer_sentences(story: tuple[str, ...], keys: tuple[str, ...], keep_pronouns: bool = False) -> frozenset[int]:
    """Return the indices, from 0, of the sentences that AutSent accepts: those with the highest word recall.

    No sentence is accepted if that recall is 0.
    """
    kept = [words_ for key in keys if (words_ := content_words(key, keep_pronouns=keep_pronouns))]
    sentences = [content_words(sentence, keep_pronouns=keep_pronouns) for sentence in story]
    recalls = [max((_match(sentence, key).recall for key in kept), default=0.0) for sentence in sentences]
    best = max(recalls, default=0.0)
    return frozenset(i for i, recall in enumerate(recalls) if recall == best and best > 0)


@lru_cache(maxsize=1 << 12)
def _spelt(story: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_spaced(sentence) for sentence in story)


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def chosen_sentence(answer: str, story: tuple[str, ...]) -> int | None:
    """Return the index, from 0, of the sentence of a story from which an answer was taken, or None.

    The first sentence that equals the answer is taken, or else the first that contains it, or else the first that the
    answer contains. Case and punctuation are ignored.
    """
    spaced, spelt = _spaced(answer), _spelt(story)
    if not spaced.strip():
        return None
    if spaced in spelt:
        return spelt.index(spaced)
    for i, sentence in enumerate(spelt):
        if spaced in sentence:
            return i
    return next((i for i, sentence in enumerate(spelt) if sentence.strip() and sentence in spaced), None)


def mark(question: Question, answer: str, *, keep_pronouns: bool = False) -> Marks:
    """Return the marks of an answer by the question's right answers, its story, and its acceptable sentences."""
    best = best_match(answer, question.answers, keep_pronouns=keep_pronouns)
    if not question.story:
        return Marks(best.recall, best.precision, NAN, NAN)
    at = chosen_sentence(answer, question.story)
    listed = answer_sentences(question.story, question.answers, keep_pronouns)
    human = NAN if question.accepted is None else float(at in question.accepted)
    known = bool(question.answers) or question.answerable is False
    return Marks(best.recall, best.precision, human, float(at in listed) if known else NAN)
