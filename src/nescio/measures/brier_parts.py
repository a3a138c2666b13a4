"""Split the Brier score over bins of equal width: Brier = reliability - resolution + uncertainty + within_variance -
within_covariance, exactly.

Murphy's three parts are exact only if all confidences in a bin are equal. The last two are the remainder within bins.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import measure
from nescio.measures.calibration import BINS, members

_BINNED = "Stephenson, Coelho & Jolliffe 2008, two more parts for binned probabilities"
_MURPHY = "Murphy 1973, a vector partition of the probability score"


def _sums(q: Any, bins: int) -> dict[str, Any]:
    member, p, y = members(q, bins), q.probability[:, None], q.right[:, None]
    return {
        "number": member.astype(float),
        "p": member * p,
        "y": member * y,
        "pp": member * p**2,
        "py": member * p * y,
    }


_declare = partial(measure, needs="probability right", each=_sums, valid=BINS)


def _over(part: Array, number: Array) -> Array:
    """Return `part` divided by the `number` of answers in each bin; 0 for an empty bin."""
    return np.divide(part, number, out=np.zeros(np.shape(part)), where=number > 0)


@_declare("Brier_reliability", bounds=(0, 1), lower_is_better=True, source=_MURPHY, interval=None)
def reliability(total: Any, bins: int = 10) -> Any:  # noqa: ARG001  the bins are made by `each`
    """The part of the Brier score that is due to miscalibration, over bins of equal width: lower is better.

    $Σ_k n_k/n·(bar p_k - bar y_k)²$, undefined for n = 0.

    When to use it: To see how much of the Brier score is miscalibration. Few answers per bin raise it by chance: with a
    small collection use smECE, which has no bins.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (0.05² + 0.1² + 0.7² + 2·0.075²)/5 =
    0.10275. The last bin has mean confidence 0.575 and half of its answers right.
    """
    return _over((total.p - total.y) ** 2, total.number).sum(-1) / total.n


@_declare("Brier_resolution", bounds=(0, 0.25), source=_MURPHY, interval=None)
def resolution(total: Any, bins: int = 10) -> Any:  # noqa: ARG001
    """The part of the Brier score that is gained because bins differ in accuracy: higher is better.

    $Σ_k n_k/n·(bar y_k - bar y)²$, undefined for n = 0.

    When to use it: To see how far confidence separates right from wrong answers, in units of the Brier score. More bins
    raise it by chance, and it depends on the accuracy: between systems use AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: ((1 - 0.6)² + (1 - 0.6)² + (0 - 0.6)² +
    2·(0.5 - 0.6)²)/5 = 0.14.
    """
    mean = (total.y.sum(-1) / total.n)[..., None]
    return _over((total.y - total.number * mean) ** 2, total.number).sum(-1) / total.n


@_declare("Brier_uncertainty", bounds=(0, 0.25), lower_is_better=True, descriptive=True, source=_MURPHY)
def uncertainty(total: Any, bins: int = 10) -> Any:  # noqa: ARG001
    """The Brier score of always giving the accuracy as confidence: how hard the outcomes are to predict.

    $bar y(1 - bar y)$, undefined for n = 0.

    When to use it: To see what Brier must fall below to be of use: the score of always saying the accuracy. It
    describes the answers and not the confidences, and ranks nothing: use Brier.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (3/5)·(1 - 3/5) = 0.24.
    """
    mean = total.y.sum(-1) / total.n
    return mean * (1 - mean)


@_declare("Brier_within_variance", bounds=(0, 0.25), lower_is_better=True, descriptive=True, source=_BINNED)
def within_variance(total: Any, bins: int = 10) -> Any:  # noqa: ARG001
    """The variance of confidences within bins, a part of the Brier score that bins do not show.

    $1/n Σ_k Σ_(i ∈ k) (p_i - bar p_k)²$, undefined for n = 0.

    When to use it: To see whether the bins of the other parts are fine enough: if it is large beside them, use more
    bins. It ranks nothing: use Brier.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: 2·0.025²/5 = 0.00025. The last bin has 0.6
    and 0.55, about a mean of 0.575.
    """
    return np.maximum(total.pp - _over(total.p**2, total.number), 0).sum(-1) / total.n


@_declare("Brier_within_covariance", bounds=(-0.5, 0.5), descriptive=True, source=_BINNED)
def within_covariance(total: Any, bins: int = 10) -> Any:  # noqa: ARG001
    """Twice the covariance of confidence and correctness within bins, a part of the resolution that bins do not show.

    $2/n Σ_k Σ_(i ∈ k) (p_i - bar p_k)(y_i - bar y_k)$, undefined for n = 0.

    When to use it: To see whether the bins of the other parts hide resolution: if it is large beside them, use more
    bins. It ranks nothing: use Brier or AUROC.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (2/5)·(0.025·0.5 + 0.025·0.5) = 0.01. The
    last bin has 0.6 (right) and 0.55 (wrong).
    """
    return 2 * (total.py - _over(total.p * total.y, total.number)).sum(-1) / total.n
