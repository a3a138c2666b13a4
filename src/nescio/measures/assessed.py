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
    """The share of answers that are right, exact and supported: accuracy, where assessors gave all four verdicts.

    $R/n$, undefined for n = 0.

    When to use it: For accuracy as TREC and CLEF report it, if assessors say right, wrong, inexact or unsupported. A
    true answer from a document that does not say so counts as wrong; lenient_accuracy counts it as right. An abstention
    counts as wrong, too; c@1 gives it credit.

    Example: verdict = 4×R, W, 2×X, U, 2×-: 4/10 = 0.4.
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
    """Accuracy that counts an unsupported answer as right, because it is true though the document does not say so.

    $(R + U)/n$, undefined for n = 0. An inexact answer (X) stays wrong.

    When to use it: When the truth of the answer counts, but not the document. It rewards an answer from memory with any
    citation: in retrieval-augmented systems read unsupported_rate beside it.

    Example: verdict = 4×R, W, 2×X, U, 2×-: (4 + 1)/10 = 0.5.
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
    """The share of questions whose answer is inexact.

    $X/n$, undefined for n = 0.

    When to use it: To see why answers fail: they hold the right string with too much or too little around it, which
    better extraction would correct. A system that never answers scores 0, so read strict_accuracy, too.

    Example: verdict = 4×R, W, 2×X, U, 2×-: 2/10 = 0.2.
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
    """The share of questions whose answer is right without support.

    $U/n$, undefined for n = 0.

    When to use it: To see why answers fail: they are true, and the document cited does not say so, as where a model
    answers from memory. A system that never answers has 0: read strict_accuracy beside it.

    Example: verdict = 4×R, W, 2×X, U, 2×-: 1/10 = 0.1.
    """
    return total.without_support / total.n
