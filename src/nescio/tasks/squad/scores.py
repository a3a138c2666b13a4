"""Compute SQuAD's exact match and token F1, bit for bit as evaluate-v2.0.py does, and its thresholds.

Written from the description of the script (Rajpurkar et al. 2018). A text is normalised only once, however often it
occurs.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.text import normalise, shared_f1

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Golds:
    """The gold answers of questions; they are normalised only when a comparison needs it."""

    def __init__(self, ids: Sequence[str], answers: Sequence[Sequence[str]]) -> None:
        self.ids, self.answers = ids, answers
        self.has_answer = np.fromiter(map(bool, answers), dtype=bool, count=len(answers))
        self._done: dict[str, str] = {"": ""}

    def normalise(self, texts: Iterable[str]) -> Mapping[str, str]:
        """Return the texts normalised as by SQuAD, keyed by text.

        The result also has the texts of earlier calls. ASCII texts are normalised all at once, which is faster.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._done]
        plain = [text for text in new if text.isascii() and "\0" not in text]
        if plain:
            bare = _ARTICLES.sub(" ", "\0".join(plain).lower().translate(_PUNCTUATION)).split("\0")
            self._done |= {text: " ".join(words.split()) for text, words in zip(plain, bare, strict=True)}
        for text in new:
            if text not in self._done:
                self._done[text] = normalise(text)
        return self._done


class Scores(Struct, frozen=True):
    """The exact match and the F1 of one run on each question; a missing prediction counts as an abstention."""

    exact: NDArray[np.int8]
    f1: NDArray[np.float64]


def score_texts(golds: Golds, texts: Mapping[str, str]) -> Scores:
    """Return the exact match and the F1 of each prediction with the gold answer that fits best; shape (questions,).

    A question without gold answers has the right answer "", an abstention. So has a question whose gold answers are all
    empty after normalisation, such as "The"; other questions ignore such answers.
    """
    f1 = np.zeros(len(golds.ids))
    normal = golds.normalise(texts.values())
    right, open_ = [], []
    for i, (name, answers) in enumerate(zip(golds.ids, golds.answers, strict=True)):
        text = texts.get(name, "")
        if not answers:
            if not normal[text]:
                right.append(i)
        elif text in answers and normal[text]:
            right.append(i)
        else:
            open_.append((i, normal[text], answers))
    golds.normalise(answer for *_, answers in open_ for answer in answers)
    words: dict[str, list[str]] = {}
    for i, predicted, answers in open_:
        given = [text for answer in dict.fromkeys(answers) if (text := normal[answer])] or [""]
        if predicted in given:
            right.append(i)
        elif predicted and given[0]:
            for text in (predicted, *given):
                if text not in words:
                    words[text] = text.split()
            f1[i] = max(shared_f1(words[predicted], words[answer]) for answer in given)
    exact = np.zeros(len(golds.ids), dtype=np.int8)
    exact[right], f1[right] = 1, 1.0
    return Scores(exact, f1)


def best(golds: Golds, texts: Mapping[str, str], scores: Scores, odds: Mapping[str, float]) -> dict[str, float]:
    """Return `best_exact` and `best_f1` in percent, and their thresholds, as the official script computes them.

    A question is declined if its odds are above the threshold. The script first declines all questions. Then it answers
    one more at a time in the order of rising odds; equal odds keep the order of the file.
    """
    place = {name: i for i, name in enumerate(golds.ids)}
    order = [name for name in sorted(odds, key=odds.__getitem__) if name in place and name in texts]
    at = np.array([place[name] for name in order], dtype=np.int64)
    answering = np.array([bool(texts[name]) for name in order], dtype=bool)
    silent = int((~golds.has_answer).sum())
    results: dict[str, float] = {}
    for key, values in (("exact", scores.exact.astype(float)), ("f1", scores.f1)):
        gained = np.where(golds.has_answer[at], values[at], np.where(answering, -1.0, 0.0))
        total = np.cumsum(np.concatenate([[float(silent)], gained]))
        top = int(np.argmax(total))  # the first of the maxima
        results[f"best_{key}"] = 100.0 * float(total[top]) / len(texts)
        results[f"best_{key}_thresh"] = float(odds[order[top - 1]]) if top else 0.0
    return results
