"""Measure calibration over bins with equal numbers of answers, in order of confidence.

If equal confidences lie in two bins, each bin gets the mean of their outcomes, so the order of ties has no effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import LITERAL, measure
from nescio.measures.calibration import BINS

CALIB_ERR = "hendrycks/outlier-exposure utils/calibration_tools.py and hle_eval/run_judge_results.py"


def _over_bins(total: Any, ends_of: Callable[[float], Array], error_of: Callable[[Array, Array], float]) -> Array:
    """Return the calibration error in each resample, over bins that begin with the least confident answers.

    `ends_of` maps the number of answers to the ends of the bins. `error_of` gets each bin's number of answers, and the
    number of its right answers minus the sum of its confidences.
    """
    n, right, sums = (np.asarray(part, dtype=np.float64) for part in (total.n, total.right, total.probability))
    values = np.full(n.shape[:-1], np.nan)
    for place in np.ndindex(values.shape):
        reached = np.append(0.0, np.cumsum(n[place][::-1]))
        if reached[-1] > 0:
            excess = np.append(0.0, np.cumsum((right[place] - sums[place])[::-1]))
            ends = ends_of(float(reached[-1]))
            values[place] = error_of(np.diff(ends), np.diff(np.interp(ends, reached, excess)))
    return values


_declare = partial(
    measure,
    needs="right probability",
    order="probability",
    interval=None,
    merge=False,
    lower_is_better=True,
    bounds=(0, 1),
)


def _ends_by_size(n: float, size: int) -> Array:
    """Return the ends of bins that hold `size` of n answers each; the last bin holds the rest, too."""
    bins = max(int(n // size), 1)
    return np.append(np.arange(bins) * float(size), n)


@_declare(
    "rms_calibration",
    source=f"Hendrycks et al., ICLR 2019 (outlier exposure); Phan et al. 2025 (Humanity's Last Exam): {CALIB_ERR}",
    valid={
        "size": ("size must be a whole number, 1 or more", lambda size: float(size).is_integer() and size >= 1),
        **LITERAL,
    },
)
def rms_calibration(total: Any, size: int = 100, literal: int = 0) -> Any:
    """The root of the mean squared gap between confidence and accuracy, over bins of `size` answers by confidence.

    $√(Σ_b n_b/n·(conf_b - acc_b)²)$, undefined for n = 0; the last bin, of the most confident answers, takes what is
    left and has up to 2·size - 1. literal=1 leaves that bin out of the sum, as the loop over `range(len(bins) - 1)` of
    the published code does. The value is then undefined for n < size, where that code fails.

    When to use it: To compare with calibration errors of Humanity's Last Exam: published figures are literal=1. That
    never looks at the surest answers, where overconfidence is worst. Chance alone makes it large with few answers: for
    a figure of your own use smECE.

    Example: rms_calibration(2) with outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: low = (0.55 + 0.6
    - 1)/2; high = (0.7 + 0.9 + 0.95 - 2)/3; √(2/5·low² + 3/5·high²) = 0.1497. With literal=1 it is √(2/5)·0.075 =
    0.0474.
    """

    def error(inside: Array, excess: Array) -> float:
        counted = slice(None, -1) if literal else slice(None)
        return float(np.sqrt(np.sum(excess[counted] ** 2 / inside[counted]) / inside.sum()))

    values = _over_bins(total, lambda n: _ends_by_size(n, int(size)), error)
    return np.where(np.asarray(total.n).sum(-1) < size, np.nan, values) if literal else values


def _ends_by_number(n: float, bins: int) -> Array:
    """Return the ends of `bins` bins of n answers. If the bins cannot be equal, the first ones hold one answer more."""
    each, more = divmod(n, bins)
    first = np.arange(bins + 1.0)
    return first * each + np.minimum(first, more)


@_declare(
    "ECE_by_count",
    source="ENSTA-U2IS-AI/torch-uncertainty classification/adaptive_calibration_error.py, norm l1; Cattelan & Silva, "
    "UAI 2024, lfpc/FixSelectiveClassification utils/metrics.py (AdaptiveECE)",
    valid=BINS,
)
def ece_by_count(total: Any, bins: int = 10) -> Any:
    """Expected calibration error over bins that hold equally many answers: lower is better.

    $Σ_b n_b/n·|acc_b - conf_b|$, undefined for n = 0. If n is not a multiple of the number of bins, those of the
    least confident answers have one more.

    When to use it: To compute ECE if most confidences lie close together, so that bins of equal width are empty or hold
    all. It is the ECE(by=count), AdaECE or equal-mass ECE of papers. It too is above 0 by chance: smECE needs no bins.

    Example: ECE_by_count(2) with outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (|1 - 0.7 - 0.6 -
    0.55| + |2 - 0.95 - 0.9|)/5 = 0.2. The three least confident are in one bin, the other two in the second.
    """
    return _over_bins(
        total,
        lambda n: _ends_by_number(n, int(bins)),
        lambda inside, excess: float(np.abs(excess).sum() / inside.sum()),
    )
