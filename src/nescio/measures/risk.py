"""Selective prediction: how risk falls as the least confident answers are withheld.

These measures sweep a threshold over the confidence of all answers and of the declined candidates that were judged.
Silence without a candidate cannot be answered at any threshold: AURC and its kin then end at the coverage reached
(their n is the number of answers and candidates, and what is left out is counted); `…@…` measures keep such questions
in n. Errors are what the definitions sum: `failure` is 1 for a wrong answer or candidate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._intervals import STEPWISE
from nescio.measures._measure import measure
from nescio.measures._order import (
    expected_part_among_first,
    first_share,
    harmonic,
    pairs_in_order,
    sum_of_last_shares,
    sum_of_running_shares,
)

VARIANTS = ("definition", "geifman", "trapezoid", "fd-shifts")
EXCESS = ("exact", "asymptotic", "geifman")


def _aurc(total: Any) -> Array:
    wrong = total.n - total.right
    return sum_of_running_shares(wrong, total.n) / total.n.sum(-1)


def _best_aurc(total: Any) -> Array:
    """Return the AURC of the same answers with all the right ones first: (1/n) Σ_j j/(C+j) over the errors."""
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
    valid={"variant": (f"variant must be one of {', '.join(VARIANTS)}", lambda v: v in VARIANTS)},
)
def aurc(total: Any, variant: str = "definition") -> Any:
    r"""Area under the risk-coverage curve: the mean risk of the k most confident answers, over all k. Lower is better.

    $\frac{1}{n}\sum_{k=1}^{n}\frac{E_k}{k}$ with $E_k$ the errors among the k most confident; undefined for n = 0; ties
    give the expectation over their orders. An abstention without a judged candidate is left out and counted in a note.
    Other code computes other figures, available here by name: `geifman` divides by k+1 except at full coverage (its
    released code), `trapezoid` joins the points from coverage 1/n on, `fd-shifts` joins the points of distinct
    confidences and carries the first risk to coverage 0 (without its factor 1000).
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


@measure(
    "E-AURC",
    needs="right",
    order="confidence",
    interval="logit",
    lower_is_better=True,
    bounds=lambda variant: (0, 1) if variant == "exact" else (-1, 1),
    source="Geifman, Uziel & El-Yaniv, ICLR 2019",
    valid={"variant": (f"variant must be one of {', '.join(EXCESS)}", lambda v: v in EXCESS)},
)
def e_aurc(total: Any, variant: str = "exact") -> Any:
    r"""AURC minus the AURC of a perfect ranking of the same answers: lower is better, and 0 is perfect.

    $AURC - AURC^{*}$, undefined for n = 0. `exact` takes the best that n answers can reach; `asymptotic` the published
    $\kappa^{*} = e + (1-e)\ln(1-e)$ for an error rate e, by which a perfect ranking scores a little above 0; `geifman`
    takes the released code for both parts. An abstention without a judged candidate is left out and counted in a note.
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
    interval="logit",
    lower_is_better=True,
    bounds=(0, 0.5),
    source="Traub et al., NeurIPS 2024",
)
def augrc(total: Any) -> Any:
    r"""Area under the generalised risk-coverage curve: errors accepted as a share of all, against coverage. Lower is
    better.

    $\int_0^1 P(wrong, accepted)\,d\,coverage$ by trapezoids from (0, 0) on; equals
    $(1 - AUROC)\,a(1-a) + \frac{1}{2}(1-a)^2$ for accuracy a. Undefined for n = 0.
    An abstention without a judged candidate is left out and counted in a note.
    """
    wrong = total.n - total.right
    return pairs_in_order(wrong, total.n) / total.n.sum(-1) ** 2


@measure(
    "E-AUGRC",
    needs="right",
    order="confidence",
    interval="logit",
    lower_is_better=True,
    bounds=(0, 0.25),
    source="Traub et al., NeurIPS 2024 (e-AUGRC)",
)
def e_augrc(total: Any) -> Any:
    r"""AUGRC minus the AUGRC of a perfect ranking of the same answers: lower is better, and 0 is perfect.

    $AUGRC - \frac{1}{2}(1-a)^2 = (1 - AUROC)\,a(1-a)$ for accuracy a; 0 if all are right or all wrong, undefined for
    n = 0. An abstention without a judged candidate is left out and counted in a note.
    """
    wrong = total.n - total.right
    return pairs_in_order(wrong, total.right) / total.n.sum(-1) ** 2


def pairs_apart(total: Any) -> Any:
    """Count pairs of a right and a wrong answer that share none: a perfect ranking has each of them in order."""
    right = total.right.sum(-1)
    return np.minimum(right, total.n.sum(-1) - right)


@measure(
    "AUROC",
    needs="right",
    order="confidence",
    interval="logit",
    deciding=pairs_apart,
    bounds=(0, 1),
    source="Hanley & McNeil 1982: the probability that a right answer has a higher confidence than a wrong one",
)
def auroc(total: Any) -> Any:
    r"""The probability that a right answer has a higher confidence than a wrong one; ties count one half.

    $P(s_{right} > s_{wrong}) + \frac{1}{2}P(s_{right} = s_{wrong})$, undefined if all are right or all wrong.
    An abstention without a judged candidate is left out and counted in a note.
    """
    wrong = total.n - total.right
    return pairs_in_order(total.right, wrong) / (total.right.sum(-1) * wrong.sum(-1))


@measure(
    "PRR",
    needs="right",
    order="confidence",
    interval="logit",
    bounds=(float("-inf"), 1),
    source="Malinin et al. 2020; area as in LM-Polygraph's pred_rej_area, with its max_rejection",
    valid={"rejection": ("rejection must be above 0 and at most 1", lambda r: 0 < r <= 1)},
)
def prr(total: Any, rejection: float = 1.0) -> Any:
    r"""Prediction rejection ratio: the gain of rejecting by confidence instead of at random, as a share of the best
    possible gain.

    $\frac{e - A}{e - A^{*}}$ with e the error rate and A the mean error of the answers kept after 0, 1, …, K-1
    rejections, $K = \lfloor \rho n \rfloor$; with rejection ρ = 1, A is AURC. A* is that of a perfect ranking. 1 is
    perfect, 0 is random. Undefined if all are right or all wrong, or K is below 2. An abstention without a judged
    candidate is left out and counted in a note.
    """
    right, n = total.right.sum(-1), total.n.sum(-1)
    error = 1 - right / n
    if rejection == 1:
        area, best, enough = _aurc(total), _best_aurc(total), n > 1
    else:
        rejected = np.floor(rejection * n * (1 + 1e-12))
        area = sum_of_last_shares(total.n - total.right, total.n, n - rejected) / rejected
        first = np.maximum(n - rejected, right)  # only beyond the right answers does the best order hold an error
        best = (n - first - right * (harmonic(n) - harmonic(first))) / rejected
        enough = rejected > 1
    gain = error - best
    possible = (right > 0) & (right < n) & enough
    return (error - area) / np.where(possible, gain, np.nan)


@measure(
    "coverage@risk",
    needs="candidate failure",
    order="selection_score",
    interval=STEPWISE,
    bounds=(0, 1),
    source="Whitehead et al. 2022 (ECCV), C@R",
    merge=False,
    valid={"risk": ("risk must lie in [0, 1]", lambda r: 0 <= r <= 1)},
)
def coverage_at_risk(total: Any, risk: float = 0.05) -> Any:
    r"""The largest share of questions that can be answered with at most this share of the answers wrong.

    $\max\{c(\tau) : r(\tau) \le r\}$ over thresholds between distinct confidences; 0 if none is safe, undefined for n =
    0. An abstention without a judged candidate stays in n and is never accepted.
    """
    accepted, failed = np.cumsum(total.candidate, axis=-1), np.cumsum(total.failure, axis=-1)
    safe = failed <= risk * accepted * (1 + 1e-12)
    return np.where(safe, accepted, 0).max(-1) / total.n.sum(-1)


def _first(total: Any, coverage: float) -> Array:
    return np.maximum(np.ceil(coverage * total.n.sum(-1) * (1 - 1e-12)), 1)


def _risk_at(total: Any, coverage: float) -> Array:
    k = _first(total, coverage)
    return expected_part_among_first(total.failure, total.candidate, k) / k


_COVERAGE = {"coverage": ("coverage must be above 0 and at most 1", lambda c: 0 < c <= 1)}


@measure(
    "risk@coverage",
    needs="candidate failure",
    order="selection_score",
    interval="logit",
    deciding=_first,
    lower_is_better=True,
    bounds=(0, 1),
    source="El-Yaniv & Wiener, JMLR 2010: the risk-coverage curve",
    valid=_COVERAGE,
)
def risk_at_coverage(total: Any, coverage: float = 0.8) -> Any:
    r"""The share of wrong answers if only the ⌈c·n⌉ most confident questions are answered: lower is better.

    $\frac{E_k}{k},\ k = \lceil c\,n \rceil$; ties give the expectation over their orders; undefined if fewer than k
    questions have an answer or a candidate.
    """
    return _risk_at(total, coverage)


@measure(
    "accuracy@coverage",
    needs="candidate failure",
    order="selection_score",
    interval="logit",
    deciding=_first,
    bounds=(0, 1),
    source="El-Yaniv & Wiener, JMLR 2010: the complement of the risk",
    valid=_COVERAGE,
)
def accuracy_at_coverage(total: Any, coverage: float = 0.8) -> Any:
    r"""The share of right answers if only the ⌈c·n⌉ most confident questions are answered.

    $1 - \frac{E_k}{k},\ k = \lceil c\,n \rceil$; undefined if fewer than k questions have an answer or a candidate.
    """
    return 1 - _risk_at(total, coverage)
