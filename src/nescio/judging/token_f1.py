"""The answer shares enough words with a gold answer: SQuAD's token F1."""

from __future__ import annotations

from nescio.data.columns import Column, Summary, declare
from nescio.data.model import Question
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.judging._judge import Grade, judge
from nescio.text import best_f1, in_one_form

declare(
    Column(
        "token_f1.f1",
        "the token F1 of the answer with the best-matching gold answer",
        "score",
        summaries=(Summary("count", "with f1"),),
    )
)


@judge(
    "token_f1",
    scores={"token_f1.f1": 0.0},
    valid={"threshold": ("the threshold of F1 must be above 0 and at most 1", lambda t: 0 < t <= 1)},
)
def token_f1(question: Question, answer: str, threshold: float = 0.5) -> Grade:
    r"""Call an answer right if its F1 with some gold answer reaches `threshold`; the best F1 itself is the column `f1`.

    $F_1 = \frac{2m}{|a| + |g|}$ with a and g the words of answer and gold after SQuAD's normalisation and m the size of
    their common multiset. An abstention scores 0, and 1 on an unanswerable question, as in evaluate-v2.0.py. So
    `mean(f1)` is the script's figure `f1` divided by 100, except that both encodings of an accented letter (NFC and
    NFD) are the same here, and that invisible characters do not count.
    """
    score = best_f1(in_one_form(answer), [*map(in_one_form, question.answers)]) if question.answers else 0.0
    return Grade(CORRECT if score >= threshold else INCORRECT, {"token_f1.f1": score})
