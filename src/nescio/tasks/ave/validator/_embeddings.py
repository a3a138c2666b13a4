"""Measure similarity by a sentence-transformers model: of whole texts, and of the question's words and the text's
words.

A text that does not answer a question often shares all of its words except one. So each content word of the question is
paired with the most similar word of the text, by their vectors in context. The lowest of these similarities say more
than the similarity of the sentences. The method follows the greedy matching of BERTScore (Zhang et al. 2020), without
the answer's own words in the text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.tasks.ave.validator._case import RELATED, TITLE, Case, focus
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator._words import Words, is_name, is_number, read, spans
from nescio.text import STOP_WORDS, find_words

Vectors = NDArray[np.float32]
AROUND = 6  # words on either side of the answer that count as near it
SHARPNESS = 10.0  # of the soft match from which the distance to the answer is computed


@lru_cache(maxsize=1)
def _encoder(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(name, device="cpu")


@lru_cache(maxsize=1 << 12)
def _vectors(name: str, text: str) -> tuple[Vectors, Vectors]:
    """Return the vector of a text, shape (d,), and the vectors of its words, shape (words, d), all of length 1.

    The vector of a word is the mean of the vectors of its tokens. It is zero for words after the part of the text that
    the model can read. `name` is the name of the model.
    """
    encoder, text = _encoder(name), text.strip()
    (encoded,) = encoder.encode([text], output_value=None, show_progress_bar=False)
    tokens = np.asarray(encoded["token_embeddings"], dtype=np.float32)
    try:
        cut = encoder.tokenizer(text, truncation=True, max_length=encoder.max_seq_length, return_offsets_mapping=True)
        places = cut["offset_mapping"]
    except NotImplementedError:  # The tokenizer does not return the places of its tokens.
        places = []
    if len(places) != len(tokens):
        raise UsageError(
            f"the model {name} gives no vector for each token, but the technique embeddings needs "
            "one; name another model"
        )
    words = np.zeros((len(read(text)), tokens.shape[1]), dtype=np.float32)
    for i, (start, end) in enumerate(spans(text)):
        tokens_of_word = [at for at, (first, last) in enumerate(places) if first < end and last > start]
        if tokens_of_word:
            words[i] = tokens[tokens_of_word].mean(axis=0)
    return _unit(np.asarray(encoded["sentence_embedding"], dtype=np.float32)), _unit(words)


def _unit(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-6), dtype=np.float32)


class _Compared(Struct, frozen=True):
    """The content words of a question, compared with the words of a text by the cosines of their vectors.

    `at` has the positions of the question words, `weight` their weights, and `cosine` all cosines, shape (question
    words, text words). `rest` has the positions of the text's words outside the answer, and `near` the positions of
    those among them that are near the answer.
    """

    one: Case
    at: list[int]
    weight: NDArray[np.float64]
    cosine: NDArray[np.float64]
    rest: NDArray[np.int64]
    near: NDArray[np.int64]


def embeddings(case: Case, resources: Resources) -> Row:
    """Return features from cosines in [-1, 1], which compare the statement with the text, the question with the text
    and the answer, and single words.

    If a question has no words of some class, such as names, the cosine of that class is 1, because nothing is missing.
    If the words to compare with are absent, it is 0.
    """
    name = str(resources.embeddings)
    sentence = " ".join(case.stated)
    (text, texts), (question, of_question), (answer, _) = (
        _vectors(name, words.text) for words in (case.text, case.question, case.answer)
    )
    whole, words = _vectors(name, sentence)
    row = {
        "statement and text": float(whole @ text),
        "question and text": float(question @ text),
        "question and answer": float(question @ answer),
    }
    compared = _compare(case, of_question, texts)
    return (
        row
        | _matched(compared)
        | _beside(compared, of_question, texts)
        | _answered(compared, of_question, texts, (read(sentence), words))
    )


def _compare(case: Case, of_question: Vectors, texts: Vectors) -> _Compared:
    at = [match.at for match in case.matches] or ([0] if len(case.question) else [])
    weight = np.array([match.weight for match in case.matches] or [1.0] * len(at))
    start, end = case.span
    place = np.arange(len(case.text))
    rest = place[(place < start) | (place >= end)]
    rest = rest if rest.size else place
    near = rest[(rest >= start - AROUND) & (rest < end + AROUND)] if start < end else rest
    cosine = np.asarray(of_question[at] @ texts.T, dtype=np.float64)
    return _Compared(case, at, weight, cosine, rest, near if near.size else rest)


def _best(cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    return cosine.max(axis=1) if cosine.shape[1] else np.zeros(len(cosine))


def _least(values: NDArray[np.float64], empty: float) -> tuple[float, float]:
    """Return the least value and the mean; both are `empty` if there are no values."""
    return (float(values.min()), float(values.mean())) if values.size else (empty, empty)


def _matched(compared: _Compared) -> Row:
    """Return features of the cosines of question words with the most similar word of the text outside the answer."""
    best, weight = _best(compared.cosine[:, compared.rest]), compared.weight
    low = np.sort(best) if best.size else np.ones(1)
    lacking = weight * (1 - best)
    row = {
        "least": float(low[0]),
        "second least": float(low[min(1, len(low) - 1)]),
        "least three": float(low[:3].mean()),
        "mean": float(low.mean()),
        "weighted mean": float(weight @ best / max(weight.sum(), 1e-6)) if best.size else 1.0,
        "most lacking": float(lacking.max(initial=0.0)),
        "lacking": float(lacking.sum()),
    }
    question = compared.one.question
    level = np.array([match.level for match in compared.one.matches] or [0] * len(compared.at))
    names = np.array([is_name(question, i) for i in compared.at], dtype=bool)
    numbers = np.array([is_number(question.lower[i]) for i in compared.at], dtype=bool)
    kinds = {
        "names": names,
        "numbers": numbers,
        "others": ~names & ~numbers,
        "unmatched": level <= TITLE,
        "related": level == RELATED,
    }
    for kind, chosen in kinds.items():
        row[f"{kind}, least"], row[f"{kind}, mean"] = _least(best[chosen], 1.0)
    return row


def _beside(compared: _Compared, of_question: Vectors, texts: Vectors) -> Row:
    """Return features of the text's words near the answer: their cosines with the question words, and the distances of
    similar words from the answer."""
    least, mean = _least(_best(compared.cosine[:, compared.near]), 1.0)
    content = [i for i in compared.near if compared.one.text.lower[i] not in STOP_WORDS]
    back = _best(np.asarray(texts[content] @ of_question.T, dtype=np.float64))
    start, end = compared.one.span
    far = np.minimum(abs(compared.rest - start), abs(compared.rest - (end - 1)))
    soft = np.exp(SHARPNESS * compared.cosine[:, compared.rest])
    distance = (soft @ far) / np.maximum(soft.sum(axis=1), 1e-300)
    back_least, back_mean = _least(back, 0.0)
    return {
        "near, least": least,
        "near, mean": mean,
        "distance": float(compared.weight @ distance / max(compared.weight.sum(), 1e-6)) if compared.at else 0.0,
        "back, least": back_least,
        "back, mean": back_mean,
    }


def _answered(compared: _Compared, of_question: Vectors, texts: Vectors, stated: tuple[Words, Vectors]) -> Row:
    """Return features of the vector of the answer's words in the text.

    They are its cosines with the question word, with other words of the question, and with the answer in the statement.
    """
    names = ("asks", "focus", "focus, best", "question", "question, best", "statement")
    row = {f"answer and {name}": 0.0 for name in names}
    case = compared.one
    answer_vectors = texts[slice(*case.span)]
    if not len(answer_vectors):
        return row
    answer = _unit(answer_vectors.mean(axis=0))
    if case.asks is not None:
        row["answer and asks"] = float(answer @ of_question[case.asks])
    if (kind := focus(case)) is not None:
        row["answer and focus"] = float(answer @ of_question[kind])
        row["answer and focus, best"] = float((answer_vectors @ of_question[kind]).max())
    if compared.at:
        row["answer and question"] = float((of_question @ answer).mean())
        row["answer and question, best"] = float((of_question[compared.at] @ answer).max())
    words, vectors = stated
    if start := find_words(words.lower, case.answer.lower):
        there = vectors[start[0] : start[0] + len(case.answer)]
        row["answer and statement"] = float(answer @ _unit(there.mean(axis=0)))
    return row
