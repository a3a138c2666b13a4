"""Measures of a ranking: of answers within a question (MRR), or of questions by confidence (CWS, AP)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._measure import measure
from nescio.measures._order import sum_of_precisions, sum_of_running_shares


@measure(
    "MRR",
    needs="first_right",
    bounds=(0, 1),
    source="TREC-8 QA (Voorhees & Tice 1999)",
    each=lambda q: {
        "reciprocal": np.divide(1.0, q.first_right, out=np.zeros(len(q.first_right)), where=q.first_right > 0)
    },
)
def mrr(total: Any) -> Any:
    """Mean reciprocal rank of the first right answer; 0 for a question without one.

    $1/n Σ_i 1/rank_i$, undefined for n = 0. With one answer per question it equals accuracy.

    When to use it: For several ranked answers per question, if the reader stops at the first right one. Wrong answers
    before it cost little, and wrong ones in place of an abstention nothing: with one answer per question use c@1, for
    ranked documents trec.RR.

    Example: first_right = 1, 3, 0, 2: (1/1 + 1/3 + 0 + 1/2)/4 = 0.4583.
    """
    return total.reciprocal / total.n


@measure(
    "CWS",
    needs="correct",
    order="ranking_score",
    interval="logit",
    bounds=(0, 1),
    source="TREC 2002 QA (Voorhees 2002); Peñas & Rodrigo, ACL 2011, eq. 9, 10",
)
def cws(total: Any) -> Any:
    """Confidence-weighted score: the mean, over positions by falling confidence, of the share correct so far.

    $1/n Σ_(i=1..n) C(i)/i$, undefined for n = 0. Unanswered questions come last and earn nothing (a correct abstention
    without a confidence also comes last, but earns its credit); ties in confidence give the expectation.

    When to use it: For ranked confidence as in TREC 2002: errors among the most confident answers weigh most. It mixes
    the number of right answers with their order: AUROC has the order alone. An abstention earns nothing: to reward it
    use c@1.

    Example: outcome = C, W, C, C; confidence = 0.9, 0.8, 0.7, 0.6: (1/1 + 1/2 + 2/3 + 3/4)/4 = 0.7292.
    """
    return sum_of_running_shares(total.correct, total.n) / total.n.sum(-1)


@measure(
    "AP",
    of_own_right=True,
    needs="correct",
    order="ranking_score",
    interval="logit",
    bounds=(0, 1),
    source="Peñas & Rodrigo, ACL 2011, eq. 11, over the questions by decreasing confidence",
)
def ap(total: Any) -> Any:
    """Average precision of the questions by falling confidence.

    $1/R Σ_r I(r)·C(r)/r$ with R the number of correct answers; undefined for R = 0. Unanswered questions come last;
    ties in confidence give the expectation over their orders.

    When to use it: To see how well a run's own right answers are ordered by confidence. A run with a single right
    answer, its surest, scores 1: do not rank systems by it, use CWS, which divides by all questions, or AURC.

    Example: outcome = C, W, C, C; confidence = 0.9, 0.8, 0.7, 0.6: (1/1 + 2/3 + 3/4)/3 = 0.8056.
    """
    return sum_of_precisions(total.correct, total.n) / total.correct.sum(-1)
