"""Measure selective prediction: how risk falls as the least confident answers are withheld.

These measures move a threshold over the confidence of all answers and of the declined candidates that were judged. An
abstention without a candidate cannot be answered at any threshold. AURC and related measures then end at the coverage
reached: their n is the number of answers and candidates, and the rest is counted in a note. Single points of the curve
are in `operating_points.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import LITERAL, measure
from nescio.measures._order import (
    first_share,
    harmonic,
    pairs_in_order,
    sum_of_last_shares,
    sum_of_running_shares,
)

VARIANTS = ("definition", "geifman", "trapezoid", "fd-shifts")
EXCESS = ("exact", "asymptotic", "geifman")
ACCURACIES = ("definition", "trapezoid", "thresholds")


def _aurc(total: Any) -> Array:
    wrong = total.n - total.right
    return sum_of_running_shares(wrong, total.n) / total.n.sum(-1)


def _best_aurc(total: Any) -> Array:
    """Return the AURC of the same answers with all right ones first: (1/n) Σ_j j/(C+j) over the errors."""
    n, right = total.n.sum(-1), total.right.sum(-1)
    return (n - right - right * (harmonic(n) - harmonic(right))) / n


def _geifman(total: Any) -> Array:
    shifted = sum_of_running_shares(total.n - total.right, total.n, shift=1)
    wrong, n = (total.n - total.right).sum(-1), total.n.sum(-1)
    return (shifted - wrong / (n + 1) + wrong / n) / n


@measure(
    "AURC",
    needs="right",
    order="confidence",
    interval="logit",
    lower_is_better=True,
    bounds=(0, 1),
    source="Geifman, Uziel & El-Yaniv, ICLR 2019",
    merge=lambda variant: variant != "fd-shifts",
    binned=lambda variant: variant != "fd-shifts",
    valid={"variant": (f"variant must be one of {', '.join(VARIANTS)}", lambda v: v in VARIANTS)},
)
def aurc(total: Any, variant: str = "definition") -> Any:
    """Area under the risk-coverage curve: the mean risk of the k most confident answers, over all k. Lower is better.

    $1/n Σ_(k=1..n) E_k/k$ with $E_k$ the errors among the k most confident; undefined for n = 0; ties give the
    expectation over their orders. An abstention without a judged candidate is left out and counted in a note. Other
    code computes other figures, available here by name. `geifman` divides by k+1 except at full coverage (its released
    code). `trapezoid` joins the points from coverage 1/n on. `fd-shifts` joins the points of distinct confidences and
    carries the first risk to coverage 0 (without its factor 1000).

    When to use it: To compare answers and the order of their confidences at once, over all thresholds. A system with
    better answers scores lower even if its confidences are noise: E-AURC corrects for that. For one threshold use
    risk@coverage.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (0/1 + 0/2 + 1/3 + 1/4 + 2/5)/5 = 0.1967.
    """
    wrong, n = total.n - total.right, total.n.sum(-1)
    if variant == "definition":
        return _aurc(total)
    if variant == "geifman":
        return _geifman(total)
    if variant == "trapezoid":
        return _aurc(total) - (first_share(wrong, total.n) + wrong.sum(-1) / n) / (2 * n)
    risk = np.cumsum(wrong, axis=-1) / np.cumsum(total.n, axis=-1)
    first = first_share(wrong, total.n)[..., None]
    risk = np.where(np.isnan(risk), first, risk)
    earlier = np.concatenate([first, risk[..., :-1]], axis=-1)
    return (total.n * (risk + earlier)).sum(-1) / (2 * n)


def _accuracy_at_thresholds(total: Any) -> Array:
    """Return the area from 20 thresholds: the accuracies of the answers above each threshold, times the step.

    The thresholds are the quantiles of confidence at 20 shares from 0.1 to 1; tied answers are included.
    """
    n, right = np.asarray(total.n), np.asarray(total.right)
    reached = np.cumsum(n, axis=-1)
    accuracy = np.cumsum(right, axis=-1) / reached
    area = np.zeros(n.shape[:-1])
    for share in np.linspace(0.1, 1, 20):
        rank = np.floor((reached[..., -1:] - 1) * share + 1e-9)  # counted from 0
        at = np.argmax(reached > rank, axis=-1)[..., None]
        area += np.take_along_axis(accuracy, at, axis=-1)[..., 0]
    return area * 0.9 / 19


@measure(
    "AUARC",
    needs="right",
    order="confidence",
    interval="logit",
    bounds=(0, 1),
    source="Lin, Trivedi & Sun, TMLR 2024, zlin7/UQ-NLG pipeline/eval_uq.py (trapezoid); Farquhar et al., Nature 2024, "
    "jlko/semantic_uncertainty uncertainty/utils/eval_utils.py (thresholds)",
    merge=lambda variant: variant != "thresholds",
    binned=lambda variant: variant != "thresholds",
    valid={"variant": (f"variant must be one of {', '.join(ACCURACIES)}", lambda v: v in ACCURACIES)},
)
def auarc(total: Any, variant: str = "definition") -> Any:
    """Area under the accuracy-rejection curve: the mean accuracy of the k most confident answers, over all k.

    $1/n Σ_(k=1..n) C_k/k$ with $C_k$ the right ones among the k most confident; undefined for n = 0; ties give the
    expectation over their orders. Equals 1 less AURC. An abstention without a judged candidate is left out and counted
    in a note. Other code computes other figures, available here by name: `trapezoid` joins the n points over the
    interval from 0 to 1; `thresholds` adds 20 accuracies with a step of 0.9/19, so that a perfect system has 18/19.

    When to use it: To compare with papers on the uncertainty of language models. A system with better answers scores
    higher even if its confidences are noise: NAURC or AUROC corrects for that. For one threshold use
    accuracy@coverage.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (1/1 + 2/2 + 2/3 + 3/4 + 3/5)/5 = 0.8033.
    """
    n, right = total.n.sum(-1), total.right.sum(-1)
    if variant == "thresholds":
        return _accuracy_at_thresholds(total)
    area = 1 - _aurc(total)
    if variant == "definition":
        return area
    ends = (first_share(total.right, total.n) + right / n) / 2
    return (n * area - ends) / np.where(n > 1, n - 1, np.nan)


@measure(
    "NAURC",
    needs="right",
    order="confidence",
    binned=True,
    interval="logit",
    lower_is_better=True,
    bounds=(0, float("inf")),
    source="Cattelan & Silva, UAI 2024 (arXiv 2305.15508), lfpc/FixSelectiveClassification utils/metrics.py (N_AURC)",
    valid=LITERAL,
)
def naurc(total: Any, literal: int = 0) -> Any:
    """Normalised AURC: E-AURC as a share of that of uninformative confidences. Lower is better, and 0 is perfect.

    $(AURC - AURC*)/(e - AURC*)$ with e the error rate and AURC* that of a perfect ranking; undefined if all are right
    or all wrong. Equals 1 less PRR; above 1 is worse than random. literal=1 adds e/(2n) to the denominator, as the
    published code does, whose curves begin with risk 0 at coverage 0. An abstention without a judged candidate is left
    out and counted in a note.

    When to use it: To see how good the order of confidences is, compared between systems of different accuracy. With
    few wrong answers it divides by little and jumps: read its interval, or use AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: area = (0/1 + 0/2 + 1/3 + 1/4 + 2/5)/5;
    best = (0 + 0 + 0 + 1/4 + 2/5)/5; (area - best)/(2/5 - best) = 0.2469.
    """
    n, right = total.n.sum(-1), total.right.sum(-1)
    best, error = _best_aurc(total), 1 - right / n
    random = error + error / (2 * n) if literal else error
    possible = (right > 0) & (right < n)
    return (_aurc(total) - best) / np.where(possible, random - best, np.nan)


@measure(
    "E-AURC",
    needs="right",
    order="confidence",
    binned=True,
    interval="logit",
    lower_is_better=True,
    bounds=lambda variant: (0, 1) if variant == "exact" else (-1, 1),
    source="Geifman, Uziel & El-Yaniv, ICLR 2019",
    valid={"variant": (f"variant must be one of {', '.join(EXCESS)}", lambda v: v in EXCESS)},
)
def e_aurc(total: Any, variant: str = "exact") -> Any:
    """AURC minus the AURC of a perfect ranking of the same answers: lower is better, and 0 is perfect.

    $AURC - AURC*$, undefined for n = 0. `exact` takes the best that n answers can reach. `asymptotic` takes the
    published $κ* = e + (1-e)ln(1-e)$ for an error rate e, by which a perfect ranking scores a little above 0. `geifman`
    takes the released code for both parts. An abstention without a judged candidate is left out and counted in a note.

    When to use it: To see how good the order of confidences is, apart from how good the answers are: to choose among
    confidence methods for one model. Errors among the most confident answers weigh most; AUROC weighs all alike. It
    cannot say which system to ship: use AURC or c@1.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: AURC = (0/1 + 0/2 + 1/3 + 1/4 + 2/5)/5;
    best = (0 + 0 + 0 + 1/4 + 2/5)/5; AURC - best = 0.0667. The best order has both errors last.
    """
    area = _geifman(total) if variant == "geifman" else _aurc(total)
    if variant == "exact":
        return area - _best_aurc(total)
    error = 1 - total.right.sum(-1) / total.n.sum(-1)
    kept = np.where(error < 1, 1 - error, 1)
    return area - (error + np.where(error < 1, kept * np.log(kept), 0))


@measure(
    "AUGRC",
    needs="right",
    order="confidence",
    binned=True,
    interval="logit",
    lower_is_better=True,
    bounds=(0, 0.5),
    source="Traub et al., NeurIPS 2024",
)
def augrc(total: Any) -> Any:
    """Area under the generalised risk-coverage curve: accepted errors as a share of all, against coverage. Lower is
    better.

    $∫_0..1 P(wrong, accepted)·d·coverage$ by trapezoids from (0, 0) on; equals $(1 - AUROC)·a(1-a) + 1/2(1-a)²$ for
    accuracy a. Undefined for n = 0. An abstention without a judged candidate is left out and counted in a note.

    When to use it: To measure answers and the order of their confidences in one number, like AURC, but without its
    weight on the few surest. For the order alone use AUROC, or E-AUGRC on one model.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (0 + 0 + (0/5 + 1/5)/2 + (1/5 + 1/5)/2 +
    (1/5 + 2/5)/2)/5 = 0.12. Accepted errors are 0, 0, 1, 1 and 2 of 5.
    """
    wrong = total.n - total.right
    return pairs_in_order(wrong, total.n) / total.n.sum(-1) ** 2


@measure(
    "E-AUGRC",
    needs="right",
    order="confidence",
    binned=True,
    interval="logit",
    lower_is_better=True,
    bounds=(0, 0.25),
    source="Traub et al., NeurIPS 2024 (e-AUGRC)",
)
def e_augrc(total: Any) -> Any:
    """AUGRC minus the AUGRC of a perfect ranking of the same answers: lower is better, and 0 is perfect.

    $AUGRC - 1/2(1-a)² = (1 - AUROC)·a(1-a)$ for accuracy a; 0 if all are right or all wrong, undefined for n = 0. An
    abstention without a judged candidate is left out and counted in a note.

    When to use it: To see how good the order of confidences is, for comparisons on one model. Its largest value depends
    on the accuracy, so between models of different accuracy use AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: AUROC = (2 + 2 + 1)/(3·2); (1 -
    AUROC)·(3/5)·(2/5) = 0.04.
    """
    wrong = total.n - total.right
    return pairs_in_order(wrong, total.right) / total.n.sum(-1) ** 2


@measure(
    "PRR",
    needs="right",
    order="confidence",
    binned=True,
    interval="logit",
    bounds=(float("-inf"), 1),
    source="Malinin et al. 2020; area as in LM-Polygraph's pred_rej_area, with its max_rejection",
    valid={"rejection": ("rejection must be above 0 and at most 1", lambda r: 0 < r <= 1)},
)
def prr(total: Any, rejection: float = 1.0) -> Any:
    """Prediction rejection ratio: the gain of rejecting by confidence in place of at random, as a share of the best
    gain.

    $(e - A)/(e - A*)$ with e the error rate and A the mean error of the answers kept after 0, 1, …, K-1 rejections, $K
    = lfloor rho n rfloor$; with rejection ρ = 1, A is AURC. A* is that of a perfect ranking. 1 is perfect, 0 is random.
    Undefined if all are right or all wrong, or K is below 2. An abstention without a judged candidate is left out and
    counted in a note.

    When to use it: To see how much of the possible gain rejecting by confidence brings: 0 is random, 1 perfect, below 0
    worse than random. With few wrong answers it divides by little and jumps: read its interval. For the answers that
    are left, use risk@coverage.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: e = 2/5; A = (0/1 + 0/2 + 1/3 + 1/4 +
    2/5)/5; best = (0 + 0 + 0 + 1/4 + 2/5)/5; (e - A)/(e - best) = 0.7531.
    """
    right, n = total.right.sum(-1), total.n.sum(-1)
    error = 1 - right / n
    if rejection == 1:
        area, best, enough = _aurc(total), _best_aurc(total), n > 1
    else:
        rejected = np.floor(rejection * n * (1 + 1e-12))
        area = sum_of_last_shares(total.n - total.right, total.n, n - rejected) / rejected
        first = np.maximum(n - rejected, right)  # In the best order, errors come only after all right answers.
        best = (n - first - right * (harmonic(n) - harmonic(first))) / rejected
        enough = rejected > 1
    gain = error - best
    possible = (right > 0) & (right < n) & enough
    return (error - area) / np.where(possible, gain, np.nan)
