"""Judge an answer by its sentence in a story, as Deep Read's authors scored reading comprehension."""

from __future__ import annotations

from nescio.data.model import Question
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.judging._judge import Grade, judge
from nescio.tasks.reading.marks import mark


@judge(
    "deep_read",
    # An abstention is marked like an answer without words: 0, or undefined if no answer could be marked.
    scores={
        "reading.word_recall": lambda question: 0.0 if question.answerable is False else mark(question, "").recall,
        "reading.word_precision": lambda question: mark(question, "").precision,
        "reading.precision": lambda question: (
            0.0 if question.answerable is False else mark(question, "").precision_of_all
        ),
        "reading.hum_sent": lambda question: mark(question, "").hum_sent,
        "reading.aut_sent": lambda question: mark(question, "").aut_sent,
    },
    suits=lambda question: bool(question.story),
    measures=("read.recall", "read.precision", "read.AutSent"),
    valid={
        "threshold": (
            "the threshold of recall (used if there is no story) must be above 0 and at most 1",
            lambda t: 0 < t <= 1,
        ),
    },
)
def deep_read(question: Question, answer: str, threshold: float = 0.5, keep_pronouns: bool = False) -> Grade:
    """Call an answer right if the sentence that contains it is accepted: by people's list, or else by AutSent.

    Without a story, an answer is right if its word recall reaches `threshold`; the paper itself has only marks, no
    right and wrong. The columns are word recall and precision, HumSent and AutSent (`nescio.tasks.reading.marks`). An
    abstention earns 0, and has no precision over answers alone. On a question that has no answer, an abstention earns 1
    and any answer 0, as for every judge. A question whose answer the key lacks has only HumSent.
    """
    marks = mark(question, answer, keep_pronouns=keep_pronouns)
    scores = {
        "reading.word_recall": marks.recall,
        "reading.word_precision": marks.precision,
        "reading.precision": marks.precision_of_all,
        "reading.hum_sent": marks.hum_sent,
        "reading.aut_sent": marks.aut_sent,
    }
    if not question.story:
        right = marks.recall >= threshold
    else:
        right = (marks.aut_sent if question.accepted is None else marks.hum_sent) == 1
    return Grade(CORRECT if right else INCORRECT, scores)
