"""The measures of Peñas & Rodrigo (ACL 2011) and related measures of the three outcomes.

C, W and U are the numbers of correct, incorrect and unanswered questions, n = C + W + U.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

PAPER = "Peñas & Rodrigo, ACL 2011"


@measure("accuracy", needs="correct", bounds=(0, 1), source=f"{PAPER}, sec. 3.1", proportion=("correct", "n"))
def accuracy(total: Any) -> Any:
    """The share of questions answered correctly; an abstention counts as a wrong answer.

    $C/n$, undefined for n = 0.

    When to use it: For systems that must answer, or beside c@1 to see what abstaining changes. An abstention counts as
    a mistake, so guessing pays: if systems may abstain use c@1, or penalty if an error has a known price.

    Example: C = 237, W = 156, U = 107: 237/500 = 0.474. Peñas & Rodrigo 2011, Table 3, icia091ro: 0.47.
    """
    return total.correct / total.n


@measure("UF", needs="correct incorrect", bounds=(-1, 1), source=f"{PAPER}, eq. 1")
def utility(total: Any) -> Any:
    """Utility: 1 for a right answer, -1 for a wrong one, 0 for an abstention.

    $(C - W)/n$, undefined for n = 0.

    When to use it: When a wrong answer costs exactly what a right one earns, so that answering pays from a chance of
    one half on. For any other price of an error use penalty; if nobody has set one, c@1.

    Example: C = 237, W = 156, U = 107: (237 - 156)/500 = 0.162. The counts are those of Peñas & Rodrigo 2011, Table 3,
    icia091ro.
    """
    return (total.correct - total.incorrect) / total.n


@measure("UF01", needs="correct unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 2")
def utility_01(total: Any) -> Any:
    """UF scaled to [0, 1]: an abstention earns one half, whatever the system's accuracy.

    $C/n + 1/2·U/n$, undefined for n = 0. Equals (UF + 1)/2.

    When to use it: To have UF on a scale from 0 to 1. An abstention earns one half even from a system that is seldom
    right, so a weak system gains by abstaining: c@1 pays what the system has shown.

    Example: C = 237, W = 156, U = 107: (237 + 107/2)/500 = 0.581. The counts are those of Peñas & Rodrigo 2011, Table
    3, icia091ro.
    """
    return (total.correct + total.unanswered / 2) / total.n


@measure(
    "unanswered_as",
    needs="correct unanswered",
    bounds=(0, 1),
    source=f"{PAPER}, eq. 3, with P(C/¬A) = p; p = 0 gives accuracy, p = 1/2 gives eq. 2, and p = 1 is discussed in "
    "sec. 3.2",
    valid={"p": ("p must lie in [0, 1]", lambda p: 0 <= p <= 1)},
)
def unanswered_as(total: Any, p: float = 0.5) -> Any:
    """Accuracy in which each unanswered question earns p, a worth that you choose.

    $C/n + p·U/n$, undefined for n = 0. p = 0 is accuracy, p = 1/2 is UF01, and c@1 has p = C/n.

    When to use it: To see how a ranking depends on the worth of an abstention: score with several p. A p above the
    accuracy rewards saying nothing; as the one number of a table use c@1.

    Example: C = 237, W = 156, U = 107: (237 + 0.5·107)/500 = 0.581. The counts are those of Peñas & Rodrigo 2011, Table
    3, icia091ro.
    """
    return (total.correct + p * total.unanswered) / total.n


@measure("c@1", needs="correct unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 4")
def c_at_1(total: Any) -> Any:
    """Accuracy in which each unanswered question earns the accuracy that the system shows on all questions.

    $(C + U·C/n)/n$, undefined for n = 0; 0 for a run that answers nothing.

    When to use it: To have one number for a system that may abstain, when a wrong answer is worse than none and nobody
    has priced it. It hides how much was answered: read coverage and precision beside it. If an error has a known price
    use penalty.

    Example: C = 237, W = 156, U = 107: (237 + 107·237/500)/500 = 0.5754. Peñas & Rodrigo 2011, Table 3, icia091ro:
    0.58.
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
    """The accuracy if every unanswered question had been right.

    It is for completeness only, because a system that never answers scores 1.

    $(C + U)/n$, undefined for n = 0.

    When to use it: As an upper bound, to show how much depends on the unanswered questions. Never to rank, because a
    system that says nothing scores 1: use c@1.

    Example: C = 237, W = 156, U = 107: (237 + 107)/500 = 0.688. The counts are those of Peñas & Rodrigo 2011, Table 3,
    icia091ro.
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
    """The share of decided questions that are right. A system that gives one sure answer and otherwise abstains scores
    1.

    $C/(C + W)$, undefined if nothing is answered. A correct abstention on an unanswerable question is among the C.

    When to use it: To see how often a given answer is right, if every question has an answer. If some have none, it
    counts abstentions on them as right; precision_answered then shows what readers of the answers see. It hides what
    was left out, and a system that answers one easy question wins. So read coverage beside it, compare systems at one
    coverage with accuracy@coverage, and rank by c@1.

    Example: C = 237, W = 156, U = 107: 237/(237 + 156) = 0.6031. The counts are those of Peñas & Rodrigo 2011, Table 3,
    icia091ro.
    """
    return total.correct / total.attempted


@measure(
    "precision_answered",
    needs="correct answered",
    bounds=(0, 1),
    source="precision of the given answers; it equals Peñas & Rodrigo, ACL 2011, eq. 5, if every question has an "
    "answer",
    each=lambda q: {"right": q.correct * q.answered},
    proportion=("right", "answered"),
)
def precision_answered(total: Any) -> Any:
    """The share of the given answers that are right. Abstentions never count, even if they are correct.

    $C_answered/answered$, undefined if nothing is answered. Equals precision where every question has an answer.

    When to use it: To see how often an answer is right, as its readers see it, if some questions have no answer:
    precision counts abstentions on those as right. Like precision it hides what was left out: read coverage beside it,
    and rank by c@1.

    Example: C = 237, W = 156, U = 107: 237/(237 + 156) = 0.6031. Every question has an answer, so it equals precision.
    """
    return total.right / total.answered


@measure("eq6", needs="correct incorrect unanswered", bounds=(0, 1), source=f"{PAPER}, eq. 6")
def eq6(total: Any) -> Any:
    """Unanswered questions earn the share of wrong answers.

    A system with one wrong answer that otherwise abstains then scores almost 1.

    $C/n + W/(C + W)·U/n$, undefined if nothing is answered. (The middle line of the printed equation has a product
    where its last line, rightly, has the sum.)

    When to use it: To follow the argument of the paper: it shows why an abstention must earn the share of right answers
    and not of wrong ones. Never to rank, because a system with one wrong answer and otherwise abstentions scores almost
    1: use c@1.

    Example: C = 0, W = 1, U = 499: 0/500 + (1/1)·499/500 = 0.998. Peñas & Rodrigo 2011, section 3.5: almost a perfect
    score.
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
    """The share of questions that were answered, rightly or wrongly.

    $answered/n$, undefined for n = 0. A correct abstention on an unanswerable question counts as unanswered here.

    When to use it: To see how much was answered, beside precision, risk or c@1. It describes and does not rank: a
    system that always answers has 1, however wrong it is.

    Example: C = 237, W = 156, U = 107: (237 + 156)/500 = 0.786. The counts are those of Peñas & Rodrigo 2011, Table 3,
    icia091ro.
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
    """Accuracy as if the system had never abstained: declined candidates count as its answers.

    $(C_answered + C_(declined candidates))/n$, undefined for n = 0. An abstention without a candidate is not right.

    When to use it: To see what the system would score if it never abstained, where the candidates that it declined are
    known. The amount by which it exceeds accuracy was lost by abstaining; validation says whether candidates were
    rightly declined.

    Example: outcome = 4×C, 2×W, 4×U; candidate = 6×-, C, 2×W, -: (4 + 1)/10 = 0.5.
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
    """The share of the declined candidates that were correctly declined.

    $(wrong candidates declined)/(candidates declined)$, undefined if no candidate was declined.

    When to use it: To see whether the step that declines candidates throws out the wrong ones. It says nothing about
    the wrong answers that were let through: read precision for these, and c@1 for both.

    Example: outcome = 4×C, 2×W, 4×U; candidate = 6×-, C, 2×W, -: 2/3 = 0.6667.
    """
    return total.candidate_incorrect / total.declined
