"""The answer equals a gold answer after SQuAD's normalisation."""

from __future__ import annotations

from nescio.data.model import Question
from nescio.judging._judge import judge
from nescio.text import in_one_form, normalise, without_punctuation


@judge("exact")
def exact(question: Question, answer: str) -> bool:
    """Call an answer right if the normalised answer equals a normalised gold answer (SQuAD's exact match).

    If normalisation leaves nothing of a text ("The", "A", "?"), the text itself is compared, without punctuation.
    Unlike in SQuAD's script, both encodings of an accented letter (NFC and NFD) are the same, and invisible characters
    do not count.
    """
    if answer in question.answers:
        return True
    normal = _normal(answer)
    return any(normal == _normal(gold) for gold in question.answers)


def _normal(text: str) -> str:
    text = in_one_form(text)
    return normalise(text) or without_punctuation(text)
