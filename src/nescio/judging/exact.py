"""The answer equals a gold answer after SQuAD's normalisation."""

from __future__ import annotations

from nescio.data.model import Question
from nescio.judging._judge import judge
from nescio.text import normalise, squeeze


@judge("exact")
def exact(question: Question, answer: str) -> bool:
    """Call an answer right if the normalised answer equals a normalised gold answer (SQuAD's exact match).

    Where normalisation leaves nothing of a text ("The", "A", "?"), the text itself is compared.
    """
    if answer in question.answers:
        return True
    normal = normalise(answer) or squeeze(answer)
    return any(normal == (normalise(gold) or squeeze(gold)) for gold in question.answers)
