"""Measure definition questions without assessors: nuggets matched by POURPRE (`automatic_…`) or a language model
(`vital`, `all`).

The language model is AutoNuggetizer's. `measures.py` has the measures for assessors' matches, and the recall, precision
and F that these measures use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._measure import measure
from nescio.tasks.nuggets.measures import DELTA, POSITIVE, _f, _mean, _over, _precision, _without_vital

POURPRE = "POURPRE (Lin & Demner-Fushman, H05-1117): automatic, no assessor's judgement"
NUGGETIZER = "AutoNuggetizer (Pradeep et al. 2024), nuggetizer's core/metrics.py"
SHARE = {"partial": ("the credit for partial support must be between 0 and 1", lambda credit: 0 <= credit <= 1)}


@measure(
    "nuggets.automatic_NR",
    needs="pourpre.match nuggets.vital",
    bounds=(0, 1),
    source=POURPRE,
    each=lambda q: _mean(_over(q.match, q.vital), q.vital > 0),
    remark=_without_vital,
)
def automatic_recall(total: Any) -> Any:
    """AUTOMATIC nugget recall: the mean match of the vital nuggets, by words, averaged over questions.

    $1/n Σ_q 1/R_q Σ_(i ∈ V_q) m_i$ with $m_i$ the share of nugget i's words in its best string; undefined if no
    question has a vital nugget.

    When to use it: To watch a system while developing it, where nobody has matched nuggets. Words in common count,
    right or wrong, and length costs nothing: use nuggets.automatic_F, and nuggets.NR once assessors have matched.

    Example: match = 1/2, 1; vital = 2, 1: ((1/2)/2 + 1/1)/2 = 0.625.
    """
    return total.score / total.asked


@measure(
    "nuggets.automatic_NP",
    needs="pourpre.found nuggets.vital nuggets.response_length",
    bounds=(0, 1),
    source=POURPRE,
    each=lambda q, delta: _mean(_precision(q.found, q.response_length, delta), q.vital > 0),
    valid=DELTA,
    remark=_without_vital,
    beside="nuggets.automatic_NR",
)
def automatic_precision(total: Any, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """AUTOMATIC nugget precision: delta characters (100) are allowed for each nugget whose match is above 0.

    $NP = 1$ if $l ≤ α$, else $α/l$, with $α = δ·|{i: m_i > 0}|$; the mean over questions, undefined if none has a vital
    nugget.

    When to use it: To see how far a response is padded, as a part of nuggets.automatic_F. An abstention scores 1: do
    not rank by it alone.

    Example: found = 1, 1; vital = 2, 1; response_length = 200, 1: (100/200 + 1)/2 = 0.75.
    """
    return total.score / total.asked


@measure(
    "nuggets.automatic_F",
    needs="pourpre.match pourpre.found nuggets.vital nuggets.response_length",
    bounds=(0, 1),
    source=f"{POURPRE}, macro",
    each=lambda q, beta, delta: _mean(
        _f(_precision(q.found, q.response_length, delta), _over(q.match, q.vital), beta),
        q.vital > 0,
    ),
    valid=POSITIVE,
    remark=_without_vital,
)
def automatic_f(total: Any, beta: float = 3, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """AUTOMATIC F (POURPRE, macro): F of the automatic recall and precision of each question, then the mean.

    $F_β = (β²+1)·NP·NR/(β²·NP + NR)$. It ranks runs much as assessors do (tau .83 to .89 in H05-1117), but the value of
    a single response says little. Undefined if no question has a vital nugget.

    When to use it: To rank systems on definition questions without assessors. The value of a single response means
    little, and systems that repeat the words of the key without its facts gain: have assessors match nuggets for
    nuggets.F before you publish.

    Example: match = 1/2, 1; found = 1, 1; vital = 2, 1; response_length = 200, 1: F1 = 10·(1/2)·(1/4)/(9·(1/2) + 1/4);
    F2 = 1; (F1 + F2)/2 = 0.6316.
    """
    return total.score / total.asked


@measure(
    "nuggets.automatic_micro_F",
    needs="pourpre.match pourpre.found nuggets.vital nuggets.response_length",
    bounds=(0, 1),
    source=f"{POURPRE}, micro",
    each=lambda q, beta, delta: {  # noqa: ARG005  all parameters are passed
        name: np.where(q.vital > 0, vars(q)[name], 0) for name in ("match", "found", "vital", "response_length")
    },
    valid=POSITIVE,
)
def automatic_micro_f(total: Any, beta: float = 3, delta: float = 100) -> Any:
    """AUTOMATIC F (POURPRE, micro): recall over all vital nuggets and precision over all responses at once, then F.

    $NR = Σ_q Σ_i m_i / Σ_q R_q$, $NP$ from the sums of found nuggets and lengths, $F_β$ of the two. Questions with many
    nuggets weigh more. Undefined if none has a vital nugget.

    When to use it: In place of nuggets.automatic_F if every nugget, not every question, is to weigh the same. A few
    questions with long keys then decide; the macro form is the usual one.

    Example: match = 1/2, 1; found = 1, 1; vital = 2, 1; response_length = 200, 1: NR = (1/2 + 1)/(2 + 1); NP = 100·(1 +
    1)/(200 + 1); 10·NP·NR/(9·NP + NR) = 0.5262.
    """
    nr = total.match / total.vital
    return np.where(
        np.isnan(nr), np.nan, _f(_precision(total.found, total.response_length, delta), np.nan_to_num(nr), beta)
    )


@measure(
    "nuggets.vital",
    needs="nuggets.vital_found nuggets.vital_partial nuggets.vital",
    bounds=(0, 1),
    source=NUGGETIZER,
    each=lambda q, partial: {"score": _over(q.vital_found + partial * q.vital_partial, q.vital)},
    valid=SHARE,
)
def vital(total: Any, partial: float = 0.5) -> Any:  # noqa: ARG001  it is named to `each`
    """AutoNuggetizer's vital score: recall of the vital nuggets; partial support counts one half, or 0 with partial=0
    (its strict score).

    $1/n Σ_q (r_q + c·p_q)/R_q$ with p the vital nuggets supported in part. As in its code, a question without vital
    nuggets scores 0. Undefined for n = 0.

    When to use it: To compare with AutoNuggetizer's figures of TREC's RAG tracks. Length costs nothing, so longer
    answers gain: read lengths beside it, or use nuggets.F.

    Example: vital_found = 1; vital_partial = 1; vital = 3: (1 + 0.5·1)/3 = 0.5.
    """
    return total.score / total.n


@measure(
    "nuggets.all",
    needs=(
        "nuggets.vital_found nuggets.okay_found nuggets.vital_partial nuggets.okay_partial nuggets.vital nuggets.okay"
    ),
    bounds=(0, 1),
    source=NUGGETIZER,
    each=lambda q, partial: {
        "score": _over(
            q.vital_found + q.okay_found + partial * (q.vital_partial + q.okay_partial),
            q.vital + q.okay,
        )
    },
    valid=SHARE,
)
def all_nuggets(total: Any, partial: float = 0.5) -> Any:  # noqa: ARG001  it is named to `each`
    """AutoNuggetizer's all score: recall of vital and okay nuggets alike; partial support counts one half, or 0 with
    partial=0.

    $1/n Σ_q (r_q + a_q + c·p_q)/N_q$. As in its code, a question without nuggets scores 0; undefined for n = 0.

    When to use it: To compare with AutoNuggetizer's figures, where facts that are good to have count like vital ones.
    Length costs nothing: read lengths beside it, or use nuggets.F.

    Example: vital_found = 1; okay_found = 0; vital_partial = 1; okay_partial = 1; vital = 3; okay = 1: (1 + 0 + 0.5·(1
    + 1))/(3 + 1) = 0.5.
    """
    return total.score / total.n
