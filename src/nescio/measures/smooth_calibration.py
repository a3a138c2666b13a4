"""Measure calibration without the bias of bins: a smooth calibration error, and the expected ECE of calibrated
confidences."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.measures._measure import measure
from nescio.measures.calibration import BINS, bin_of
from nescio.stats.bernoulli import mean_absolute_deviation
from nescio.stats.smooth import smooth_error


def _by_confidence(total: Any) -> tuple[Array, Array, Array, Array]:
    """Return the confidence of each group of tied answers, and three counts of each resample.

    The counts are the sizes of the groups, their right answers, and all answers; a row is a resample.
    """
    n, right, sums = (np.asarray(part, dtype=np.float64) for part in (total.n, total.right, total.probability))
    groups = n.shape[-1]
    n, right, sums = (np.broadcast_to(part, total.n.shape).reshape(-1, groups) for part in (n, right, sums))
    with np.errstate(invalid="ignore", divide="ignore"):
        places = np.where(n > 0, sums / n, 0.0).max(axis=0, initial=0.0)
    # A confidence up to the rounding of its sum, which differs between resamples.
    return np.clip(np.round(places, 14), 0, 1), n, right, n.sum(axis=1)


@measure(
    "smECE",
    needs="right probability",
    order="probability",
    interval=None,
    merge=False,
    lower_is_better=True,
    bounds=(0, 1),
    source="Błasiok & Nakkiran, ICLR 2024 (smooth ECE), as in apple/ml-calibration, with exact zeros",
    valid={
        "width": (
            "width must be 0 (nescio chooses it from the data) or between 0.0001 and 1",
            lambda w: w == 0 or 1e-4 <= w <= 1,
        )
    },
)
def smooth_ece(total: Any, width: float = 0.0) -> Any:
    """Smooth expected calibration error: the gap between confidence and accuracy, smoothed rather than binned. Lower
    is better.

    $∫_0..1 |h_σ(t)|·dt$, $h_σ(t) = 1/n Σ_i (p_i - y_i)·K_σ(t, p_i)$, K the Gaussian reflected at 0 and 1. Width 0 takes
    the σ* at which the error is σ* itself. Undefined for n = 0.

    When to use it: To measure calibration without a choice of bins: for small collections and for comparing figures. It
    too is above 0 by chance, and does not say whether confidence tells right from wrong: read AUROC beside it.

    Example: outcome = 3×C; confidence = 0.9, 0.6, 0.3: (0.1 + 0.4 + 0.7)/3 = 0.4. All gaps have one sign, so that
    smoothing moves them and loses none.
    """
    places, n, right, all_n = _by_confidence(total)
    some = all_n > 0
    values = np.full(len(n), np.nan)
    values[some] = smooth_error((places * n[some] - right[some]) / all_n[some, None], places, width)
    return values.reshape(np.shape(total.n)[:-1])


@measure(
    "ECE_if_calibrated",
    needs="right probability",
    order="probability",
    interval=None,
    merge=False,
    lower_is_better=True,
    descriptive=True,
    bounds=(0, 0.5),
    source="Bröcker & Smith 2007, consistency resampling; nescio computes the exact expectation instead of resampling",
    valid=BINS,
)
def ece_if_calibrated(total: Any, bins: int = 10) -> Any:
    """The expected ECE if every answer is right with the probability that its confidence states: the part of ECE due
    to chance.

    $1/n Σ_m E|Σ_(i ∈ B_m) (Y_i - p_i)|$ for independent $Y_i$ that are 1 with chance $p_i$, exactly; undefined for n =
    0. Read ECE beside it: it falls with n only like $1/√n$.

    When to use it: Beside ECE, to see how much of it chance alone would give with these confidences and so few answers.
    It says nothing about the answers, and ranks nothing: an ECE well above it is miscalibration.

    Example: outcome = C, C, W, C, W; confidence = 0.95, 0.9, 0.7, 0.6, 0.55: (2·0.95·0.05 + 2·0.9·0.1 + 2·0.7·0.3 +
    0.18·1.15 + 0.49·0.15 + 0.33·0.85)/5 = 0.2512. In the last bin 0, 1 or 2 are right with chance 0.18, 0.49 and 0.33,
    about a mean of 1.15.
    """
    places, n, _, all_n = _by_confidence(total)
    which = bin_of(places, bins)
    gaps = np.zeros(len(n))
    for index in np.unique(which):
        gaps += mean_absolute_deviation(places[which == index], n[:, which == index])
    return (gaps / all_n).reshape(np.shape(total.n)[:-1])
