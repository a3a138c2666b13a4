"""The answer equals a gold answer after SQuAD's normalisation."""

from __future__ import annotations

from nescio.data.model import Question
from nescio.judging._judge import judge
from nescio.text import normalise, without_punctuation


@judge("exact")
def exact(question: Question, answer: str) -> bool:
    """Call an answer right if the normalised answer equals a normalised gold answer (SQuAD's exact match).

    If normalisation leaves nothing of a text ("The", "A", "?"), the text itself is compared, without punctuation.
    """
    if answer in question.answers:
        return True
    normal = normalise(answer) or without_punctuation(answer)
    return any(normal == (normalise(gold) or without_punctuation(gold)) for gold in question.answers)
