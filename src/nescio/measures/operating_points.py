"""Measure one point of the risk-coverage curve: the coverage at a risk, or the risk at a coverage.

An abstention without a candidate cannot be answered at any threshold and stays in n; `risk.py` has the measures of the
whole curve. `failure` is 1 for a wrong answer or candidate; the definitions sum it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._intervals import STEPWISE
from nescio.measures._measure import measure
from nescio.measures._order import expected_part_among_first


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
    """The largest share of questions that can be answered with at most this share of the answers wrong.

    $max{c(τ) : r(τ) ≤ r}$ over thresholds between distinct confidences; 0 if none is safe, undefined for n = 0. An
    abstention without a judged candidate stays in n and is never accepted.

    When to use it: When a share of errors is allowed, to see how much can be answered within it. The threshold comes
    from the scored questions themselves, which flatters: before you ship a threshold, run nescio tune. One error among
    the most confident answers changes it much; risk@coverage changes less.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: 2/5 = 0.4. Neither of the two surest
    is wrong. One of the first three is wrong, and 1/3 is more than 0.05.
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
    """The share of wrong answers if only the ⌈c·n⌉ most confident questions are answered: lower is better.

    $E_k/k, k = ⌈ c·n ⌉$; ties give the expectation over their orders; undefined if fewer than k questions have an
    answer or a candidate.

    When to use it: When a share of the questions must be answered, to see how many of those answers are wrong. It is
    one point of the curve: if no share is fixed use AURC. A run that answers fewer questions than that share has no
    value.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: 1/4 = 0.25. Coverage 0.8 is ⌈0.8·5⌉ = 4
    answers, one of them wrong.
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
    """The share of right answers if only the ⌈c·n⌉ most confident questions are answered.

    $1 - E_k/k, k = ⌈ c·n ⌉$; undefined if fewer than k questions have an answer or a candidate.

    When to use it: To compare systems that answer different shares of the questions at the same share. It is one point
    of the curve: if no share is fixed use AURC. To reward abstaining itself use c@1.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: 3/4 = 0.75. Coverage 0.8 is ⌈0.8·5⌉ = 4
    answers, three of them right.
    """
    return 1 - _risk_at(total, coverage)
