"""Treat confidence as a detector of wrong answers.

The measures say how well confidence orders right before wrong answers (AUROC), how many wrong answers a threshold
accepts, and how precisely low confidence finds them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nescio.measures._measure import measure
from nescio.measures._order import pairs_apart, pairs_in_order

_declare = partial(measure, needs="right", order="confidence", bounds=(0, 1))

RIGHT_KEPT = 0.95


@_declare(
    "AUROC",
    binned=True,
    interval="logit",
    deciding=pairs_apart,
    source="Hanley & McNeil 1982: the probability that a right answer has a higher confidence than a wrong one",
)
def auroc(total: Any) -> Any:
    """The probability that a right answer has a higher confidence than a wrong one; ties count one half.

    $P(s_right > s_wrong) + 1/2·P(s_right = s_wrong)$, undefined if all are right or all wrong. An abstention without a
    judged candidate is left out and counted in a note.

    When to use it: To see whether confidence tells right from wrong answers, also between systems of different
    accuracy. It does not show how many answers are right (accuracy, AURC). Nor does it show whether a confidence of 80%
    is right in 80% of the cases (ECE, Brier).

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (2 + 2 + 1)/(3·2) = 0.8333. The three
    right answers are above 2, 2 and 1 of the two wrong ones.
    """
    wrong = total.n - total.right
    return pairs_in_order(total.right, wrong) / (total.right.sum(-1) * wrong.sum(-1))


@_declare(
    "FPR@95TPR",
    interval="logit",
    lower_is_better=True,
    source="Liang, Li & Srikant, ICLR 2018; Hendrycks & Gimpel 2017 for failure detection",
)
def fpr_at_95_tpr(total: Any) -> Any:
    """The share of wrong answers accepted at the strictest threshold that accepts 95% of the right ones: lower is
    better.

    $min{FPR(τ) : TPR(τ) ≥ 0.95}$, right answers being the positives; tied answers are accepted together. Undefined if
    all are right or all wrong. An abstention without a judged candidate is left out and counted in a note.

    When to use it: To compare with papers on failure detection and out-of-distribution inputs. It sees one point of the
    curve and jumps with single answers: use AUROC for the whole order, coverage@risk for a limit on errors.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: 1/2 = 0.5. Accepting all three right
    answers, down to 0.6, lets one of the two wrong ones through.
    """
    right, wrong = np.asarray(total.right), np.asarray(total.n) - np.asarray(total.right)
    accepted = np.cumsum(right, axis=-1)
    all_right, all_wrong = right.sum(-1), wrong.sum(-1)
    enough = accepted >= RIGHT_KEPT * all_right[..., None] * (1 - 1e-12)
    at = np.argmax(enough, axis=-1)[..., None]
    let_through = np.take_along_axis(np.cumsum(wrong, axis=-1), at, axis=-1)[..., 0]
    return let_through / np.where(all_right > 0, all_wrong, np.nan)


@_declare(
    "error_AUPR",
    merge=False,
    interval="logit",
    source="Hendrycks & Gimpel 2017 (AUPR error), as average precision: scikit-learn's average_precision_score",
)
def error_aupr(total: Any) -> Any:
    """The average precision with which low confidence finds wrong answers: they are the positives, by rising
    confidence.

    $Σ_g (R_g - R_(g-1))·P_g$ over the distinct confidences g from below, with precision P and recall R of the answers
    up to g; undefined if none is wrong. Its chance level is the error rate. An abstention without a judged candidate is
    left out and counted in a note.

    When to use it: When errors are rare and people review the least sure answers. Its chance level is the error rate,
    so it favours systems that err more: between systems of different accuracy use AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (1/2)·1 + (1/2)·(2/3) = 0.8333. From the
    least sure up: wrong, right, wrong.
    """
    n = np.asarray(total.n)
    wrong = n - np.asarray(total.right)
    wrong_found = np.cumsum(wrong[..., ::-1], axis=-1)
    taken = np.cumsum(n[..., ::-1], axis=-1)
    precision = np.divide(wrong_found, taken, out=np.zeros(np.shape(wrong_found)), where=taken > 0)
    return (wrong[..., ::-1] * precision).sum(-1) / wrong.sum(-1)
