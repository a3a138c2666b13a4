"""Whether a system declines where it should: for questions that are known to be answerable or not.

Declining is the positive class, "should decline" (unanswerable) the truth. Questions of unknown answerability are left out.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

SOURCE = "AbstentionBench (Kirichenko et al. 2025), positive class = abstained; undefined here where its code warns and gives 0"
NEEDS = "answered answerable"


def _cells(q: Any) -> dict[str, Any]:
    declined, unanswerable = 1 - q.answered, 1 - q.answerable
    return {
        "declined": declined,
        "unanswerable": unanswerable,
        "rightly_declined": declined * unanswerable,
        "falsely_declined": declined * q.answerable,
        "falsely_answered": q.answered * unanswerable,
    }


@measure(
    "abstention_precision",
    needs=NEEDS,
    bounds=(0, 1),
    source=SOURCE,
    each=_cells,
    proportion=("rightly_declined", "declined"),
)
def abstention_precision(total: Any) -> Any:
    r"""Of the questions declined, the share that no answer exists for.

    $\frac{|declined \cap unanswerable|}{|declined|}$, undefined where nothing is declined.
    """
    return total.rightly_declined / total.declined


@measure(
    "abstention_recall",
    needs=NEEDS,
    bounds=(0, 1),
    source=SOURCE,
    each=_cells,
    proportion=("rightly_declined", "unanswerable"),
)
def abstention_recall(total: Any) -> Any:
    r"""Of the questions without an answer, the share declined.

    $\frac{|declined \cap unanswerable|}{|unanswerable|}$, undefined where all questions are answerable.
    """
    return total.rightly_declined / total.unanswerable


@measure("abstention_F1", needs=NEEDS, bounds=(0, 1), source=SOURCE, each=_cells)
def abstention_f1(total: Any) -> Any:
    r"""The harmonic mean of abstention precision and recall.

    $\frac{2\,|declined \cap unanswerable|}{|declined| + |unanswerable|}$, undefined where both are empty.
    """
    return 2 * total.rightly_declined / (total.declined + total.unanswerable)


@measure(
    "false_refusal",
    needs=NEEDS,
    lower_is_better=True,
    bounds=(0, 1),
    source=SOURCE,
    each=_cells,
    proportion=("falsely_declined", "answerable"),
)
def false_refusal(total: Any) -> Any:
    r"""Of the questions that have an answer, the share declined.

    $\frac{|declined \cap answerable|}{|answerable|}$, undefined where no question is answerable.
    """
    return total.falsely_declined / total.answerable


@measure(
    "hallucination_when_answered",
    needs=NEEDS,
    lower_is_better=True,
    bounds=(0, 1),
    source="ours: the complement of abstention precision's question, asked of the answers",
    each=_cells,
    proportion=("falsely_answered", "answered"),
)
def hallucination_when_answered(total: Any) -> Any:
    r"""Of the answers given, the share that went to questions without an answer, and so must be made up.

    $\frac{|answered \cap unanswerable|}{|answered|}$, undefined where nothing is answered.
    """
    return total.falsely_answered / total.answered
