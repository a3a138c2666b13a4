"""The answer equals a gold answer after SQuAD's normalisation."""

from __future__ import annotations

from nescio.judging._judge import judge
from nescio.model import Question
from nescio.text import normalise


@judge("exact")
def exact(question: Question, answer: str) -> bool:
    """Right if the normalised answer equals a normalised gold answer (SQuAD's exact match)."""
    said = normalise(answer)
    return any(said == normalise(gold) for gold in question.answers)
