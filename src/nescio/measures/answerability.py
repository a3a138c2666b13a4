"""Whether a system abstains where it should, on questions that are known to be answerable or unanswerable.

Abstaining is the positive class, and "unanswerable" is the truth. Questions of unknown answerability are left out.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._intervals import of_f1
from nescio.measures._measure import measure

SOURCE = (
    "AbstentionBench (Kirichenko et al. 2025), positive class = abstained; undefined here where its code warns and"
    " gives 0"
)
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
    r"""The share of abstentions that are on questions without an answer.

    $\frac{|declined \cap unanswerable|}{|declined|}$, undefined if nothing is declined.

    When to use it: Whether a system abstains on questions that have no answer, in a collection that says which these
    are. Declining one hopeless question is enough for 1: read abstention_recall beside it, or use abstention_F1.

    Example: answerable = 4×F, 6×T; outcome = 3×U, W, 2×U, 3×C, W: 3/(3 + 2) = 0.6.
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
    r"""The share of questions without an answer on which the system abstains.

    $\frac{|declined \cap unanswerable|}{|unanswerable|}$, undefined if all questions are answerable.

    When to use it: How many of the questions without an answer are declined instead of being given a made-up one. A
    system that always abstains scores 1: read false_refusal beside it.

    Example: answerable = 4×F, 6×T; outcome = 3×U, W, 2×U, 3×C, W: 3/4 = 0.75.
    """
    return total.rightly_declined / total.unanswerable


@measure(
    "abstention_F1",
    needs=NEEDS,
    bounds=(0, 1),
    source=SOURCE,
    each=_cells,
    interval=of_f1("rightly_declined", "falsely_declined", "falsely_answered"),
)
def abstention_f1(total: Any) -> Any:
    r"""The harmonic mean of abstention precision and recall.

    $\frac{2\,|declined \cap unanswerable|}{|declined| + |unanswerable|}$, undefined if both are empty.

    When to use it: One number for abstaining in the right places, apart from how good the answers are. Wrong answers to
    answerable questions do not count: for both use c@1, for which a right abstention is correct.

    Example: answerable = 4×F, 6×T; outcome = 3×U, W, 2×U, 3×C, W: 2·3/(5 + 4) = 0.6667.
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
    r"""The share of answerable questions on which the system abstains (false refusals).

    $\frac{|declined \cap answerable|}{|answerable|}$, undefined if no question is answerable.

    When to use it: How often a system refuses what it could have answered, as over-cautious models do. A system that
    never abstains has 0: read abstention_recall beside it.

    Example: answerable = 4×F, 6×T; outcome = 3×U, W, 2×U, 3×C, W: 2/6 = 0.3333.
    """
    return total.falsely_declined / total.answerable


@measure(
    "hallucination_when_answered",
    needs=NEEDS,
    lower_is_better=True,
    bounds=(0, 1),
    source="nescio's own: the counterpart of abstention precision for given answers",
    each=_cells,
    proportion=("falsely_answered", "answered"),
)
def hallucination_when_answered(total: Any) -> Any:
    r"""The share of given answers that are to questions without an answer, and so must be hallucinations.

    $\frac{|answered \cap unanswerable|}{|answered|}$, undefined if nothing is answered.

    When to use it: Of what users are told, how much answers a question that has no answer. Wrong answers to answerable
    questions are not in it: precision counts all of them.

    Example: answerable = 4×F, 6×T; outcome = 3×U, W, 2×U, 3×C, W: 1/5 = 0.2.
    """
    return total.falsely_answered / total.answered
