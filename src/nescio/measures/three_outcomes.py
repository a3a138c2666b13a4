"""The measures of Peñas & Rodrigo (ACL 2011) and related measures of the three outcomes.

C, W and U are the numbers of correct, incorrect and unanswered questions, n = C + W + U.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

PAPER = "Peñas & Rodrigo, ACL 2011"


@measure("accuracy", needs="correct", bounds=(0, 1), source=f"{PAPER}, sec. 3.1", proportion=("correct", "n"))
def accuracy(total: Any) -> Any:
    r"""The share of questions answered correctly; an abstention counts as a wrong answer.

    $\frac{C}{n}$, undefined for n = 0.
    """
    return total.correct / total.n


@measure("UF", needs="correct incorrect", bounds=(-1, 1), source=f"{PAPER}, eq. 1")
def utility(total: Any) -> Any:
    r"""Utility: 1 for a right answer, -1 for a wrong one, 0 for an abstention.

    $\frac{C - W}{n}$, undefined for n = 0.
    """
    return (total.correct - total.incorrect) / total.n


@measure("UF01", needs="correct unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 2")
def utility_01(total: Any) -> Any:
    r"""UF scaled to [0, 1]: an abstention earns one half, whatever the system's accuracy.

    $\frac{C}{n} + \frac{1}{2}\cdot\frac{U}{n}$, undefined for n = 0. Equals (UF + 1)/2.
    """
    return (total.correct + total.unanswered / 2) / total.n


@measure(
    "unanswered_as",
    needs="correct unanswered",
    bounds=(0, 1),
    source=f"{PAPER}, eq. 3, with P(C/¬A) = p: accuracy is p = 0, eq. 2 p = 1/2, sec. 3.2 p = 1",
    valid={"p": ("p must lie in [0, 1]", lambda p: 0 <= p <= 1)},
)
def unanswered_as(total: Any, p: float = 0.5) -> Any:
    r"""Accuracy in which each unanswered question earns p, whatever you hold it to be worth.

    $\frac{C}{n} + p\,\frac{U}{n}$, undefined for n = 0. p = 0 is accuracy, p = 1/2 is UF01, and c@1 has p = C/n.
    """
    return (total.correct + p * total.unanswered) / total.n


@measure("c@1", needs="correct unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 4")
def c_at_1(total: Any) -> Any:
    r"""Accuracy in which each unanswered question earns the accuracy that the system shows on all questions.

    $\frac{1}{n}\left(C + U\,\frac{C}{n}\right)$, undefined for n = 0; 0 for a run that answers nothing.
    """
    accuracy = total.correct / total.n
    return accuracy + accuracy * (total.unanswered / total.n)


@measure(
    "all_unanswered_right",
    needs="correct unanswered",
    bounds=(0, 1),
    source=f"{PAPER}, sec. 3.2",
    each=lambda q: {"not_wrong": q.correct + q.unanswered},
    proportion=("not_wrong", "n"),
)
def all_unanswered_right(total: Any) -> Any:
    r"""The accuracy if every unanswered question had been right. For completeness only: a system that never answers
    scores 1.

    $\frac{C + U}{n}$, undefined for n = 0.
    """
    return total.not_wrong / total.n


@measure(
    "precision",
    needs="correct incorrect",
    bounds=(0, 1),
    source=f"{PAPER}, eq. 5",
    each=lambda q: {"attempted": q.correct + q.incorrect},
    proportion=("correct", "attempted"),
)
def precision(total: Any) -> Any:
    r"""The share of given answers that are right. A system that gives one sure answer and abstains otherwise scores 1.

    $\frac{C}{C + W}$, undefined if nothing is answered.
    """
    return total.correct / total.attempted


@measure("eq6", needs="correct incorrect unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 6")
def eq6(total: Any) -> Any:
    r"""Unanswered questions earn the share of wrong answers. A system with one wrong answer that abstains otherwise
    scores almost 1.

    $\frac{C}{n} + \frac{W}{C + W}\cdot\frac{U}{n}$, undefined if nothing is answered. (The middle line of the
    printed equation has a product where its last line, rightly, has the sum.)
    """
    return total.correct / total.n + total.incorrect / (total.correct + total.incorrect) * (total.unanswered / total.n)


@measure(
    "coverage",
    needs="answered",
    bounds=(0, 1),
    source="TREC 2001 (Voorhees 2001): share of questions answered",
    proportion=("answered", "n"),
    descriptive=True,
)
def coverage(total: Any) -> Any:
    r"""The share of questions that were answered, rightly or wrongly.

    $\frac{\text{answered}}{n}$, undefined for n = 0. A correct abstention on an unanswerable question counts as
    unanswered here.
    """
    return total.answered / total.n


@measure(
    "accuracy_with_candidates",
    needs="correct answered candidate_correct",
    bounds=(0, 1),
    source="ResPubliQA 2009 (Peñas et al. 2010): overall accuracy",
    each=lambda q: {"right": q.correct * q.answered + q.candidate_correct},
    proportion=("right", "n"),
)
def accuracy_with_candidates(total: Any) -> Any:
    r"""Accuracy as if the system had never abstained: declined candidates count as its answers.

    $\frac{C_{answered} + C_{declined\ candidates}}{n}$, undefined for n = 0. An abstention without a candidate is not
    right.
    """
    return total.right / total.n


@measure(
    "validation",
    needs="candidate_correct candidate_incorrect",
    bounds=(0, 1),
    source="ResPubliQA 2009 (Peñas et al. 2010): performance of the validation module",
    each=lambda q: {"declined": q.candidate_correct + q.candidate_incorrect},
    proportion=("candidate_incorrect", "declined"),
)
def validation(total: Any) -> Any:
    r"""The share of the declined candidates that were rightly declined.

    $\frac{\text{wrong candidates declined}}{\text{candidates declined}}$, undefined if no candidate was declined.
    """
    return total.candidate_incorrect / total.declined
