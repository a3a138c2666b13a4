"""PAN's measures for authorship verification, as the organisers' evaluators of 2020 to 2023 compute them.

A problem has a truth (`same`, 1 or 0) and a score (`value`) in [0, 1]. A score of exactly 0.5 or a missing problem is
an abstention.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._intervals import of_f1
from nescio.measures._measure import measure
from nescio.measures._order import pairs_in_order

SOURCE = "PAN 2020-2023, pan-webis-de/pan-code pan20_verif_evaluator.py to pan23"


def _cells(q: Any) -> dict[str, Any]:
    return {
        "true_positive": q.correct * q.same,
        "false_positive": q.incorrect * (1 - q.same),
        "false_negative": q.incorrect * q.same,
    }


@measure(
    "pan.c@1",
    needs="correct unanswered verification.same",
    bounds=(0, 1),
    binary=True,
    source=SOURCE,
    same_formula_as="c@1",
)
def pan_c_at_1(total: Any) -> Any:
    """c@1 over all problems; a score of exactly 0.5 is an abstention.

    $(n_c + n_u·n_c/n)/n$, undefined for n = 0.

    When to use it: To compare with PAN's figures; it is c@1. It ignores how sure the scores are: read pan.Brier beside
    it.

    Example: same = 3×1, 3×0; value = 0.9, 0.5, 0.2, 0.1, 0.7, 0.5: (2 + 2·2/6)/6 = 0.4444.
    """
    return (total.correct + total.unanswered * total.correct / total.n) / total.n


@measure(
    "pan.F0.5u",
    needs="correct incorrect unanswered verification.same",
    bounds=(0, 1),
    binary=True,
    source=f"{SOURCE}; Bevendorff et al., NAACL 2019",
    each=_cells,
)
def f05u(total: Any) -> Any:
    """F0.5 of the same-author class; every unanswered problem is a false negative, whatever its truth.

    $1.25·tp/(1.25·tp + 0.25·(fn + n_u) + fp)$, undefined if all denominators are 0 (only true negatives).

    When to use it: When a false "same author" is worse than a missed one, as in forensics. True negatives count
    nothing, and an abstention counts as a miss: to reward abstaining use pan.c@1.

    Example: same = 3×1, 3×0; value = 0.9, 0.5, 0.2, 0.1, 0.7, 0.5: 1.25·1/(1.25·1 + 0.25·(1 + 2) + 1) = 0.4167.
    """
    positive = 1.25 * total.true_positive
    return positive / (positive + 0.25 * (total.false_negative + total.unanswered) + total.false_positive)


@measure(
    "pan.F1",
    needs="correct incorrect unanswered verification.same",
    bounds=(0, 1),
    binary=True,
    interval=of_f1("true_positive", "false_positive", "false_negative", "silent"),
    source=f"{SOURCE}; the evaluators of 2024 and after for silence=negative",
    each=lambda q, silence: {**_cells(q), "silent": q.unanswered * q.same * (silence == "negative")},
    valid={"silence": ("silence must be dropped or negative", lambda v: v in ("dropped", "negative"))},
)
def f1(total: Any, silence: str = "dropped") -> Any:  # noqa: ARG001  silence is settled by `each`
    """F1 of the same-author class over the answered problems; 0 instead of 0/0, as in its source.

    $2·tp/(2·tp + fp + fn)$, undefined for n = 0. With `silence=negative` (since 2024), an unanswered problem counts as
    the answer "different": a false negative if the truth is "same".

    When to use it: To compare with PAN's figures of 2020 to 2023. It leaves unanswered problems out, so declining hard
    ones raises it: use silence=negative, as PAN has since 2024, pan.F0.5u or pan.c@1.

    Example: same = 3×1, 3×0; value = 0.9, 0.5, 0.2, 0.1, 0.7, 0.5: 2·1/(2·1 + 1 + 1) = 0.5.
    """
    doubled = 2 * total.true_positive
    size = doubled + total.false_positive + total.false_negative + total.silent
    return np.where((size == 0) & (total.n > 0), 0.0, doubled / size)


@measure(
    "pan.AUC",
    needs="verification.same",
    order="verification.value",
    interval="logit",
    bounds=(0, 1),
    source=SOURCE,
)
def auc(total: Any) -> Any:
    """Area under the ROC curve of the scores, with unanswered problems at 0.5; ties count one half.

    $P(v_same > v_different) + 1/2·P(v_same = v_different)$; 0, as in its source, where only one class is present,
    undefined for n = 0.

    When to use it: To see whether the scores order same-author pairs above the others, before any threshold. It says
    nothing of the decisions at 0.5 (pan.c@1) nor of the scores as probabilities (pan.Brier).

    Example: same = 3×1, 3×0; value = 0.9, 0.5, 0.2, 0.1, 0.7, 0.5: (3 + 1.5 + 1)/(3·3) = 0.6111. The score 0.9 is above
    three; 0.5 above one and tied with one; 0.2 above one.
    """
    in_order = pairs_in_order(total.same, total.n - total.same)
    same, different = total.same.sum(-1), (total.n - total.same).sum(-1)
    return np.where((same * different == 0) & (same + different > 0), 0.0, in_order / (same * different))


@measure(
    "pan.Brier",
    needs="verification.value verification.same",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"squared": (np.clip(q.value, 0, 1) - q.same) ** 2},
    interval="logit",
)
def brier(total: Any) -> Any:
    """The complement of the Brier score, with unanswered problems at 0.5: higher is better.

    Scores outside [0, 1], which PAN allows since 2025, are clipped to it. $1 - 1/n Σ_i (v_i - y_i)²$, undefined for n =
    0.

    When to use it: To see whether the scores are good probabilities. Always saying 0.5 has 0.75, so read it against
    that and not against 0; for the decisions use pan.c@1.

    Example: same = 3×1, 3×0; value = 0.9, 0.5, 0.2, 0.1, 0.7, 0.5: 1 - (0.1² + 0.5² + 0.8² + 0.1² + 0.7² + 0.5²)/6 =
    0.725.
    """
    return 1 - total.squared / total.n
