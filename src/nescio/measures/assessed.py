"""Measures of assessors' four verdicts: right (R), wrong (W), inexact (X) and unsupported (U). Only R is correct."""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

SOURCE = "Voorhees, Overview of the TREC 2002 Question Answering Track; Magnini et al., CLEF 2004 (R, W, X, U)"


@measure(
    "strict_accuracy",
    needs="correct assessed.inexact assessed.unsupported",
    bounds=(0, 1),
    source=SOURCE,
    proportion=("correct", "n"),
)
def strict(total: Any) -> Any:
    r"""The share of answers that are right, exact and supported: accuracy, where assessors gave all four verdicts.

    $\frac{R}{n}$, undefined for n = 0.
    """
    return total.correct / total.n


@measure(
    "lenient_accuracy",
    needs="correct assessed.unsupported",
    each=lambda q: {"accepted": q.correct + q.unsupported},
    bounds=(0, 1),
    source=SOURCE,
    proportion=("accepted", "n"),
)
def lenient(total: Any) -> Any:
    r"""Accuracy that takes an unsupported answer for right: the document does not say it, and it is true.

    $\frac{R + U}{n}$, undefined for n = 0. An inexact answer (X) stays wrong.
    """
    return total.accepted / total.n


@measure(
    "inexact_rate",
    needs="assessed.inexact",
    each=lambda q: {"too_much": q.inexact},
    lower_is_better=True,
    bounds=(0, 1),
    source=SOURCE,
    proportion=("too_much", "n"),
)
def inexact(total: Any) -> Any:
    r"""The share of questions whose answer is inexact.

    $\frac{X}{n}$, undefined for n = 0.
    """
    return total.too_much / total.n


@measure(
    "unsupported_rate",
    needs="assessed.unsupported",
    each=lambda q: {"without_support": q.unsupported},
    lower_is_better=True,
    bounds=(0, 1),
    source=SOURCE,
    proportion=("without_support", "n"),
)
def unsupported(total: Any) -> Any:
    r"""The share of questions whose answer is right without support.

    $\frac{U}{n}$, undefined for n = 0.
    """
    return total.without_support / total.n
