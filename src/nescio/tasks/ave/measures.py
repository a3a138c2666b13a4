"""Measure answer validation (AVE 2007, 2008): how well a validator separates right from wrong answers, and the worth of
its selection.

The first group of measures is over the answers that assessors judged, the second over the questions. UNKNOWN answers
are removed first, so no measure over answers reads them. A question whose SELECTED answer is UNKNOWN stays and earns
nothing. An answer is accepted if it is SELECTED or VALIDATED.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._measure import measure
from nescio.measures._order import pairs_apart, pairs_in_order

SOURCE = "Peñas, Rodrigo & Verdejo, AVE 2007"
LATER = "AVE 2008 (Rodrigo, Peñas & Verdejo 2008), restored from memory"


def _hits(q: Any) -> dict[str, Any]:
    return {"hits": q.right * q.accepted}


@measure(
    "ave.precision",
    needs="ave.right ave.accepted",
    bounds=(0, 1),
    source=f"{SOURCE}, eq. 1",
    each=_hits,
    proportion=("hits", "ave.accepted"),
    beside="ave.recall",
)
def precision(total: Any) -> Any:
    """The share of accepted answers that are right.

    $|accepted ∩ right|/|accepted|$ over the judged answers, undefined if none is accepted.

    When to use it: To see how far the answers that a validator lets through can be trusted. Accepting one sure answer
    gives 1: read ave.recall beside it, or use ave.F.

    Example: right = 1, 1, 1, 0, 0, 0; accepted = 1, 1, 0, 1, 1, 0: 2/4 = 0.5.
    """
    return total.hits / total.accepted


@measure(
    "ave.recall",
    needs="ave.right ave.accepted",
    bounds=(0, 1),
    source=f"{SOURCE}, eq. 2",
    each=_hits,
    proportion=("hits", "ave.right"),
)
def recall(total: Any) -> Any:
    """The share of right answers that are accepted.

    $|accepted ∩ right|/|right|$ over the judged answers, undefined if none is right.

    When to use it: To see how many right answers a validator keeps. Accepting everything gives 1: read ave.precision
    beside it, or use ave.F.

    Example: right = 1, 1, 1, 0, 0, 0; accepted = 1, 1, 0, 1, 1, 0: 2/3 = 0.6667.
    """
    return total.hits / total.right


@measure("ave.F", needs="ave.right ave.accepted", bounds=(0, 1), source=f"{SOURCE}, eq. 3", each=_hits)
def f_measure(total: Any) -> Any:
    """The harmonic mean of precision and recall over right answers.

    $2PR/(P + R) = 2·|accepted ∩ right|/(|accepted| + |right|)$; 0 where no right answer is accepted, undefined if none
    is right.

    When to use it: To measure a validator, as AVE does, as a judge of single answers. If most answers are right,
    accepting all of them scores high: compare with nescio ave baselines, on one collection. ave.qa_accuracy measures
    the worth of the choice to a QA system.

    Example: right = 1, 1, 1, 0, 0, 0; accepted = 1, 1, 0, 1, 1, 0: P = 2/4; R = 2/3; 2·P·R/(P + R) = 0.5714.
    """
    return np.where(total.right > 0, 2 * total.hits / (total.accepted + total.right), np.nan)


@measure(
    "ave.AUC",
    needs="ave.right",
    order="ave.confidence",
    interval="logit",
    deciding=pairs_apart,
    bounds=(0, 1),
    source="area under the ROC curve (Hanley & McNeil 1982) of a validator's confidence",
)
def auc(total: Any) -> Any:
    """The probability that a right answer has a higher confidence than a wrong one, whatever the decisions.

    Ties count one half.

    $P(s_right > s_wrong) + 1/2·P(s_right = s_wrong)$ over the judged answers, undefined if all are right or all wrong.
    The confidence is that an answer is right; answers missing from a run rank below all others.

    When to use it: To see how well a validator's scores rank right answers above wrong ones, before any threshold. It
    is comparable between collections with different shares of right answers. ave.F measures the decisions.

    Example: right = 1, 0, 0, 1, 0; confidence = 0.9, 0.6, 0.4, 0.4, 0.1: (3 + 1.5)/(2·3) = 0.75. The first right answer
    is above all three wrong ones, the second above one and tied with one.
    """
    wrong = total.n - total.right
    return pairs_in_order(total.right, wrong) / (total.right.sum(-1) * wrong.sum(-1))


@measure(
    "ave.qa_accuracy",
    needs="ave.selected_right",
    bounds=(0, 1),
    source=f"{SOURCE}, eq. 4",
    proportion=("ave.selected_right", "n"),
)
def qa_accuracy(total: Any) -> Any:
    """The share of questions whose SELECTED answer is right, comparable to a QA system's accuracy.

    $|answers SELECTED correctly|/|questions|$, undefined for no questions. A question whose SELECTED answer is UNKNOWN
    in the gold earns nothing but counts.

    When to use it: To see what a QA system would score if the validator chose among its answers. Questions without a
    right answer limit the score: ave.normalized_qa_accuracy leaves them out.

    Example: selected_right = 1, 0, 1, 0, 0: 2/5 = 0.4.
    """
    return total.selected_right / total.n


@measure(
    "ave.normalized_qa_accuracy",
    needs="ave.selected_right ave.solvable",
    bounds=(0, 1),
    source=f"{SOURCE}, eq. 5",
    proportion=("ave.selected_right", "ave.solvable"),
)
def normalized_qa_accuracy(total: Any) -> Any:
    """The accuracy of the selection as a share of the accuracy of perfect selection ("% of perfect selection", divided
    by 100).

    $|answers SELECTED correctly|/|questions with a right answer|$, undefined if no question has one. A QA system ranked
    with validators can exceed 1, because it can be right where the collection has no right answer.

    When to use it: To see how near a selection comes to a perfect one, also between collections of different
    difficulty. Rejecting all answers, if none is right, earns nothing: ave.estimated_qa_performance pays for it.

    Example: selected_right = 1, 0, 1, 0, 0; solvable = 1, 1, 1, 0, 0: 2/3 = 0.6667.
    """
    return total.selected_right / total.solvable


@measure("ave.random_qa_accuracy", needs="ave.random", bounds=(0, 1), source=f"{SOURCE}, eq. 6", descriptive=True)
def random_qa_accuracy(total: Any) -> Any:
    """The expected accuracy of selecting one of each question's judged answers at random; it is the same for all runs.

    $1/|questions| Σ_q |right answers of q|/|judged answers of q|$; a question without a judged answer adds 0. Undefined
    for no questions.

    When to use it: As the baseline that ave.qa_accuracy must exceed. It describes the collection, is the same for every
    run, and ranks nothing.

    Example: random = 1/2, 1/3, 1, 0, 0: (1/2 + 1/3 + 1 + 0 + 0)/5 = 0.3667. The second question has one right answer
    among three.
    """
    return total.random / total.n


@measure(
    "ave.qa_rej_accuracy",
    needs="ave.rejected_right",
    bounds=(0, 1),
    source=LATER,
    proportion=("ave.rejected_right", "n"),
    beside="ave.qa_accuracy",
)
def qa_rej_accuracy(total: Any) -> Any:
    """An addition of AVE 2008: the share of questions without a right answer whose answers are all rejected.

    $|questions REJECTED correctly|/|questions|$, undefined for no questions.

    When to use it: To see how often the validator sees that no answer to a question is right, so that another system
    could try. Rejecting everything gives its largest value: read ave.qa_accuracy beside it.

    Example: rejected_right = 0, 0, 0, 1, 0: 1/5 = 0.2.
    """
    return total.rejected_right / total.n


@measure("ave.qa_accuracy_max", needs="ave.selected_right ave.rejected_right", bounds=(0, 1), source=LATER)
def qa_accuracy_max(total: Any) -> Any:
    """An addition of AVE 2008: qa_accuracy if every correctly rejected question were then answered correctly.

    $qa_accuracy + qa_rej_accuracy$, undefined for no questions.

    When to use it: As an upper bound, if rejected questions went to a system that answers all of them rightly. A
    rejection earns as much as a right answer: under ave.estimated_qa_performance it earns the accuracy of the
    selection.

    Example: selected_right = 1, 0, 1, 0, 0; rejected_right = 0, 0, 0, 1, 0: 2/5 + 1/5 = 0.6.
    """
    return (total.selected_right + total.rejected_right) / total.n


@measure("ave.estimated_qa_performance", needs="ave.selected_right ave.rejected_right", bounds=(0, 1), source=LATER)
def estimated_qa_performance(total: Any) -> Any:
    """An addition of AVE 2008 and ancestor of c@1: correctly rejected questions earn the accuracy of the selection.

    $qa_accuracy + qa_rej_accuracy·qa_accuracy$, undefined for no questions.

    When to use it: To have one number for selecting right answers and rejecting hopeless questions. It pays right
    rejections alone; for systems that answer questions themselves use c@1, to which it led.

    Example: selected_right = 20×1, 47×0; rejected_right = 20×0, 47×1: 20/67 + (47/67)·(20/67) = 0.5079. AVE 2007,
    English, perfect selection.
    """
    selected = total.selected_right / total.n
    return selected + total.rejected_right / total.n * selected
