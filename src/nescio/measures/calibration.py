"""Measure calibration: measures that read a confidence as a probability, question by question.

A declined candidate counts like an answer if it was judged and has a confidence. Other abstentions are left out and
counted in a note, except in K1, K and BAS, where an abstention earns 0 and stays in n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.notes import Note, note
from nescio.measures._intervals import OVER_BINS
from nescio.measures._measure import measure

SURE, FEW_SURE = 0.99, 10  # a confidence that costs much if it is wrong, and how many such answers are few
SURE_WRONG = "calibration.sure_wrong"  # the code of the note on them


@measure(
    "Brier",
    needs="probability right",
    lower_is_better=True,
    bounds=(0, 1),
    source="Brier 1950",
    each=lambda q: {"squared": (q.probability - q.right) ** 2},
    interval="logit",
)
def brier(total: Any) -> Any:
    """The mean squared distance between confidence and correctness: lower is better.

    $1/n Σ_i (p_i - y_i)²$, undefined for n = 0; y is 1 for a right answer, 0 for a wrong one.

    When to use it: To score probabilities and answers in one proper score: no other confidence than one's own belief
    earns more. Better answers lower it too: for the probabilities alone read Brier_reliability or smECE, for their
    order AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (0.05² + 0.1² + 0.7² + 0.4² + 0.55²)/5 =
    0.193.
    """
    return total.squared / total.n


BINS = {
    "bins": (
        "bins must be a whole number between 1 and 10,000",
        lambda b: float(b).is_integer() and 1 <= b <= 10_000,
    )
}


def bin_of(probability: Any, bins: int) -> Any:
    """Return the number of the bin (l, u] that holds a probability, counted from 1; the bins have equal width.

    A probability of 0 is in the first bin.
    """
    # A p that is a multiple of 1/M up to rounding belongs to the lower bin.
    scaled = probability * bins
    nearest = np.rint(scaled)
    upper = np.where(np.isclose(scaled, nearest, rtol=1e-12, atol=0), nearest, np.ceil(scaled))
    return np.maximum(upper, 1)


def members(q: Any, bins: int) -> Any:
    """Return, for each question, a mask that marks the bin of its confidence; shape (questions, bins)."""
    return bin_of(q.probability, bins)[:, None] == np.arange(1, int(bins) + 1)


def _bins(q: Any, bins: int) -> dict[str, Any]:
    return {"gap": members(q, bins) * (q.right - q.probability)[:, None]}


@measure(
    "ECE",
    needs="probability right",
    lower_is_better=True,
    bounds=(0, 1),
    source="Naeini et al. 2015; Guo et al. 2017, eq. 3",
    each=_bins,
    interval=OVER_BINS,
    valid=BINS,
)
def ece(total: Any, bins: int = 10) -> Any:  # noqa: ARG001  the bins are made by `each`
    """Expected calibration error over bins (l, u] of equal width, with confidence 0 in the first bin: lower is better.

    $Σ_m |B_m|/n·|acc(B_m) - conf(B_m)|$, undefined for n = 0.

    When to use it: To see whether a confidence of 80% is right in 80% of the cases, with many answers per bin. With
    few, chance alone makes it large: read ECE_if_calibrated beside it, or use smECE. A constant confidence can have 0:
    use AUROC to see whether confidence separates right from wrong.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (|1 - 0.95| + |1 - 0.9| + |0 - 0.7| + |1 +
    0 - 0.6 - 0.55|)/5 = 0.2. The last two share the bin from 0.5 to 0.6.
    """
    return np.abs(total.gap).sum(-1) / total.n


@measure(
    "MCE",
    needs="probability right",
    lower_is_better=True,
    bounds=(0, 1),
    source="Naeini et al. 2015; Guo et al. 2017; torchmetrics calibration_error with norm='max', whose bins are [l, u)",
    each=lambda q, bins: _bins(q, bins) | {"inside": members(q, bins)},
    interval=None,
    valid=BINS,
)
def mce(total: Any, bins: int = 10) -> Any:  # noqa: ARG001  the bins are made by `each`
    """Maximum calibration error: the largest gap between confidence and accuracy in any bin (l, u] of equal width.

    $max_m |acc(B_m) - conf(B_m)|$ over the bins that hold an answer, undefined for n = 0.

    When to use it: To find the worst region of confidences, if one bin that is far off does harm. A bin of a single
    answer often decides the value, which grows as bins are added. Give the number of bins, and read ECE or smECE beside
    it.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: |0 - 0.7|/1 = 0.7. The bin from 0.6 to 0.7
    holds one answer.
    """
    inside = np.asarray(total.inside)
    gaps = np.divide(np.abs(total.gap), inside, out=np.zeros(inside.shape), where=inside > 0)
    return np.where(inside.sum(-1) > 0, gaps.max(-1), np.nan)


@measure(
    "K1",
    needs="self_score correct incorrect",
    bounds=(-1, 1),
    source="Herrera, Peñas & Verdejo 2005; Peñas & Rodrigo, ACL 2011, eq. 12",
    each=lambda q: {"credit": q.self_score * (q.correct - q.incorrect)},
    interval="logit",
)
def k1(total: Any) -> Any:
    """The self-scores of correct answers minus those of incorrect answers.

    $(Σ_(i correct) s_i - Σ_(i incorrect) s_i)/n$, s in [0, 1] and 0 for an abstention; undefined for n = 0.

    When to use it: To treat self-scores as stakes, as at CLEF 2004: being sure and right earns, being sure and wrong
    costs. It is not a proper score, because whoever is right more often than not gains by always claiming 1: for honest
    confidences use BAS or Brier.

    Example: outcome = C, W, C, W; confidence = 0.9, 0.2, 0.6, 0: (0.9 - 0.2 + 0.6 - 0)/4 = 0.325.
    """
    return total.credit / total.n


@measure(
    "K",
    needs="k_credit",
    bounds=(-1, 1),
    source="Herrera, Peñas & Verdejo 2005 (QA at CLEF 2004)",
    interval="logit",
)
def k(total: Any) -> Any:
    """K1 with several answers per question.

    $1/n Σ_i (Σ_r s_r·e_r)/max(R_i, A_i)$ over the $A_i$ answers r of question i. e is 1 for a correct answer, and -1
    for an incorrect one. e is 0 for a correct answer beyond the $R_i$ known ones, which must repeat one of them. $R_i$
    comes from the column `known_answers`, 1 without it. Undefined for n = 0.

    When to use it: For questions with several known answers, each answer with its self-score (QA at CLEF 2004). Like K1
    it rewards claiming 1 on all that is more likely right than wrong; with one answer a question use BAS or c@1.

    Example: question = 1, 1, 1, 2, 2, 2; rank = 1, 2, 3, 1, 2, 3; outcome = C, C, W, W, C, C; confidence = 0.8, 0.5,
    0.4, 0.5, 0.6, 0.3; known_answers = 2, 2, 2, 1, 1, 1: ((0.8 + 0.5 - 0.4)/3 + (-0.5 + 0.6 + 0)/3)/2 = 0.1667. The
    last answer repeats the one that is known.
    """
    return total.k_credit / total.n


def _moments(q: Any) -> dict[str, Any]:
    middle = (q.confidence.min() + q.confidence.max()) / 2 if len(q.confidence) else 0.0
    s = q.confidence - middle  # A shift changes no correlation, and keeps precision.
    return {"s": s, "ss": s * s, "sy": s * q.correct}


@measure(
    "pearson",
    needs="confidence correct",
    bounds=(-1, 1),
    source="named in Peñas & Rodrigo, ACL 2011, sec. 5; Herrera et al. 2005",
    each=_moments,
    interval="logit",
)
def pearson(total: Any) -> Any:
    """Pearson's correlation between confidence and correctness (1 or 0), over the questions that have a confidence.

    $cov(s, y)/(σ_s·σ_y)$, undefined if either is constant.

    When to use it: To compare with studies that report it. It depends on the scale of the confidences and on how many
    answers are right. To see whether confidence separates right from wrong use AUROC; for probabilities use Brier.

    Example: outcome = C, W, C, W; confidence = 0.9, 0.2, 0.6, 0: cov = (0.475 + 0.225 + 0.175 + 0.425)/2; s = √(0.475²
    + 0.225² + 0.175² + 0.425²); y = √(4·0.5²); cov/(s·y) = 0.9309. The mean confidence is 0.425.
    """
    n = total.n
    covariance = n * total.sy - total.s * total.correct
    spread_s = n * total.ss - total.s**2
    spread_y = n * total.correct - total.correct**2
    constant = spread_s <= 1e-12 * n * np.maximum(total.ss, np.finfo(float).tiny)
    return np.clip(covariance / np.where(constant, np.nan, np.sqrt(np.maximum(spread_s, 0) * spread_y)), -1, 1)


def _alignment(q: Any, eps: float) -> dict[str, Any]:
    low = np.minimum(q.self_score, 1 - eps)
    return {
        "earned": np.where(
            q.incorrect == 1,
            low + np.log(np.maximum(1 - q.self_score, eps)),
            np.where(q.correct == 1, q.self_score, 0.0),
        )
    }


def _clipped(q: Any, eps: float) -> Note | None:
    """Return a note if wrong answers were clipped to 1 - eps, or if a few with high confidence decide the value."""
    answers = int(np.sum((q.incorrect == 1) & (q.self_score > 1 - eps)))
    if not answers:
        sure = int(np.sum((q.incorrect == 1) & (q.self_score > SURE)))
        return _few_sure(sure) if 0 < sure < FEW_SURE else None
    return note(
        "calibration.clipped",
        "{answers} wrong {answers:answer has/answers have} a confidence above 1 - {eps:g}, which is lowered to 1 - "
        "{eps:g} (at 1 the score would be −∞)",
        answers=answers,
        eps=eps,
    )


def _few_sure(answers: int) -> Note:
    return note(
        SURE_WRONG,
        "{answers} wrong {answers:answer/answers} with confidence above {sure:g} {answers:decides/decide} much of the "
        "value: treat the interval as approximate, because one more such answer would change the value a lot",
        answers=answers,
        sure=SURE,
    )


@measure(
    "BAS",
    needs="self_score correct incorrect",
    bounds=lambda eps: (1 - eps + float(np.log(eps)), 1),
    source="Behavioural Alignment Score (arXiv 2604.03216), for a uniform target t",
    each=_alignment,
    interval="logit",
    remark=_clipped,
    valid={"eps": ("eps must lie between 0 and 1/2", lambda eps: 0 < eps < 0.5)},
)
def bas(total: Any, eps: float = 1e-6) -> Any:  # noqa: ARG001  eps clips in `each`
    """The expected penalty(t) score over all t if the system answers when its confidence exceeds t. A proper score:
    honest confidences score best.

    $1/n Σ_i b_i$ with $b = s$ if right, $s + ln(1-s)$ if wrong, 0 for an abstention. s is clipped to 1 - eps if wrong,
    and clipped answers are reported. Undefined for n = 0. A few wrong answers with high confidence decide the value,
    and intervals cover the true value less often than they say; a note appears for fewer than 10 answers above 0.99.

    When to use it: To score the confidences of systems that may abstain, averaged over all prices of an error; honest
    ones score best. A few wrong answers with high confidence decide it: if that is too harsh use Brier, and if the
    price is known penalty.

    Example: outcome = C, W, U; confidence = 0.9, 0.5, -: (0.9 + (0.5 + ln(1 - 0.5)) + 0)/3 = 0.2356.
    """
    return total.earned / total.n


def _surprise(q: Any, eps: float) -> dict[str, Any]:
    of_outcome = np.where(q.right == 1, q.probability, 1 - q.probability)
    return {"surprise": -np.log(np.maximum(of_outcome, eps))}


def _impossible(q: Any, eps: float) -> Note | None:
    answers = int(np.sum(np.where(q.right == 1, q.probability, 1 - q.probability) < eps))
    if not answers:
        return None
    return note(
        "calibration.impossible",
        "{answers} {answers:answer has/answers have} an outcome with a probability below {eps:g}, which is raised to "
        "{eps:g} (at 0 the value would be ∞)",
        answers=answers,
        eps=eps,
    )


@measure(
    "NLL",
    needs="probability right",
    lower_is_better=True,
    bounds=lambda eps: (0, -float(np.log(eps))),
    source="Good 1952, the logarithmic score; log loss in scikit-learn",
    each=_surprise,
    interval="logit",
    remark=_impossible,
    valid={"eps": ("eps must lie between 0 and 1/2", lambda eps: 0 < eps < 0.5)},
)
def nll(total: Any, eps: float = 1e-15) -> Any:  # noqa: ARG001  eps clips in `each`
    """Negative log-likelihood (log loss), in natural units: lower is better. A proper score.

    $-1/n Σ_i ln(y_i·p_i + (1-y_i)(1-p_i))$, undefined for n = 0. It is ∞ if a certain answer (p = 0 or 1) has the other
    outcome: probabilities below eps are counted as eps, and such answers are reported.

    When to use it: As a proper score of probabilities, the one by which models are trained. One answer that is sure and
    wrong can outweigh hundreds, and better answers lower it too: for a bounded score use Brier, for the order alone
    AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: -(ln(0.95) + ln(0.9) + ln(1 - 0.7) +
    ln(0.6) + ln(1 - 0.55))/5 = 0.534.
    """
    return total.surprise / total.n
