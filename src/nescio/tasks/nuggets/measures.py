"""Measure definition questions (TREC 2003-2006): recall of vital nuggets against the length of the response.

On one question, r vital and a okay nuggets are found, R vital ones are in the key, and the response has l non-white
characters. A run's score is the mean over questions. A question without a vital nugget has no recall, so these means
leave it out, with a note.

beta is 3 by default, as in 2004-2006; TREC 2003 had 5. delta is the length allowance per found nugget in non-white
characters, 100 in TREC. Measures of nuggets that a program matched are in `measures_automatic.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nescio.data.notes import Note, note
from nescio.measures._measure import measure

TREC = "TREC 2003-2006 (Voorhees), as printed in Lin & Demner-Fushman, H05-1117"
DELTA = {"delta": ("delta, the length allowance, must be more than 0", lambda delta: delta > 0)}
LITERAL = {"literal": ("literal must be 0 or 1", lambda literal: literal in (0, 1))}
POSITIVE = {"beta": ("beta must be more than 0", lambda beta: beta > 0), **DELTA}


def _over(part: Any, whole: Any) -> Any:
    """Return part / whole, elementwise, or 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=np.asarray(whole) != 0)


def _precision(returned: Any, length: Any, delta: float) -> Any:
    """Return nugget precision: 1 for a response not longer than its allowance, and otherwise allowance / length.

    The allowance is delta characters for each of the `returned` nuggets.
    """
    allowed = delta * np.asarray(returned, dtype=float)
    return np.where(length <= allowed, 1.0, _over(allowed, np.asarray(length, dtype=float)))


def _f(precision: Any, recall: Any, beta: float) -> Any:
    return _over((beta**2 + 1) * precision * recall, beta**2 * precision + recall)


def _mean(score: Any, counted: Any) -> dict[str, Any]:
    """Return the scores of the questions in `counted`, and 1 for each, so that the sums of both give the mean.

    Questions that are not in `counted` have 0 in both columns.
    """
    return {"score": np.where(counted, score, 0.0), "asked": np.asarray(counted, dtype=float)}


def _without_vital(q: Any, **parameters: Any) -> Note | None:  # noqa: ARG001  one remark for all measures
    questions = int((q.vital == 0).sum())
    if not questions:
        return None
    return note(
        "nuggets.without_vital",
        "{questions} of {total:n question} have no vital nugget in the key and are left out",
        questions=questions,
        total=len(q.vital),
    )


def _recall(q: Any) -> Any:
    return _over(q.vital_found, q.vital)


@measure(
    "nuggets.NR",
    needs="nuggets.vital_found nuggets.vital",
    bounds=(0, 1),
    source=TREC,
    each=lambda q: _mean(_recall(q), q.vital > 0),
    remark=_without_vital,
)
def recall(total: Any) -> Any:
    """Nugget recall: the share of vital nuggets that the response contains, averaged over questions.

    $1/n Σ_q r_q/R_q$ with r of the key's R vital nuggets found. A question without a vital nugget in its key is left
    out and counted; undefined if all are.

    When to use it: To see how much of the required content a response has. Length costs nothing, so returning whole
    documents wins: use nuggets.F.

    Example: vital_found = 3; vital = 8: 3/8 = 0.375. H05-1117, Figure 2 (Cassini).
    """
    return total.score / total.asked


@measure(
    "nuggets.NP",
    needs="nuggets.vital_found nuggets.okay_found nuggets.vital nuggets.response_length",
    bounds=(0, 1),
    source=TREC,
    each=lambda q, delta: _mean(_precision(q.vital_found + q.okay_found, q.response_length, delta), q.vital > 0),
    valid=DELTA,
    remark=_without_vital,
    beside="nuggets.NR",
)
def precision(total: Any, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """Nugget precision: each found nugget allows delta non-white characters (100), and more length lowers the score.

    $NP = 1$ if $l ≤ α$, else $α/l$, with $α = δ(r + a)$; the mean over questions. An abstention scores 1, a response
    without any nugget 0. A question without a vital nugget in its key is left out and counted; undefined if all are.

    When to use it: To see how far a response is padded, as a part of nuggets.F. An abstention scores 1: do not rank by
    it alone.

    Example: vital_found = 3; okay_found = 2; vital = 8; response_length = 800: 100·(3 + 2)/800 = 0.625. H05-1117,
    Figure 2 (Cassini), were it 800 characters long.
    """
    return total.score / total.asked


@measure(
    "nuggets.F",
    needs="nuggets.vital_found nuggets.okay_found nuggets.vital nuggets.response_length",
    bounds=(0, 1),
    source=TREC,
    each=lambda q, beta, delta: _mean(
        _f(_precision(q.vital_found + q.okay_found, q.response_length, delta), _recall(q), beta), q.vital > 0
    ),
    valid=POSITIVE,
    remark=_without_vital,
)
def f(total: Any, beta: float = 3, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """The official F of definition questions: recall of vital nuggets and length-based precision, with weight beta² on
    recall.

    $F_β = (β²+1)·NP·NR/(β²·NP + NR)$ a question, then the mean, with nugget precision NP and recall NR; 0 if both are
    0. The length is that of the whole response. beta is 5 in TREC 2003, 3 (the default) from 2004 on; delta is the
    length allowance of nuggets.NP. A question without a vital nugget in its key has no recall: it is left out and
    counted; undefined if all are.

    When to use it: For definition questions and long answers, if assessors matched a list of facts. Recall of vital
    facts weighs nine times as much as brevity, and okay facts only allow length: nuggets.all counts both alike. Without
    assessors use nuggets.automatic_F.

    Example: vital_found = 3; okay_found = 2; vital = 8; response_length = 402: NP = 1; NR = 3/8; 10·NP·NR/(9·NP + NR) =
    0.4. H05-1117, Figure 2 (Cassini): 0.400.
    """
    return total.score / total.asked


_STRINGS = (
    "nuggets.vital_found nuggets.okay_found nuggets.vital nuggets.response_length "
    "nuggets.string_precision({delta}) nuggets.string_sum({delta})"
)


def _by_strings(q: Any, delta: float, literal: float) -> Any:
    """Return the thesis's nugget precision: 1 for a response not longer than its allowance, and otherwise the mean of
    min(1, delta/d) over its strings.

    With `literal`, as the thesis prints it, the sum replaces the mean, also for a response exactly as long as the
    allowance.
    """
    allowed = delta * np.asarray(q.vital_found + q.okay_found, dtype=float)
    if literal:
        return np.where(q.response_length < allowed, 1.0, q.string_sum)
    return np.where(q.response_length <= allowed, 1.0, q.string_precision)


@measure(
    "nuggets.NP_by_string",
    needs=_STRINGS,
    bounds=lambda literal, **_: (0, math.inf if literal else 1),
    source="a thesis on definition questions (Sir John Hale): its variant, not the official formula",
    each=lambda q, delta, literal: _mean(_by_strings(q, delta, literal), q.vital > 0),
    valid={**DELTA, **LITERAL},
    remark=_without_vital,
    beside="nuggets.NR",
)
def precision_by_string(total: Any, delta: float = 100, literal: float = 0) -> Any:  # noqa: ARG001  they are named to `each`
    """A thesis's variant of nugget precision: beyond the allowance, the mean over the strings of min(1,
    delta/d).

    $NP = 1$ if $l ≤ α$, else $1/k Σ_s min(1, δ/d_s)$ with $α = δ(r + a)$ and $d_s$ the non-white characters of string
    s. The thesis prints the sum without the 1/k, and 1 only for $l < α$. literal=1 follows it, so that a response of
    exactly $α$ characters can have more than 1 (five strings of 100 characters with five nuggets: 5). It does not
    punish many short junk strings; prefer nuggets.NP. Undefined if no question has a vital nugget.

    When to use it: Only to reproduce the thesis that it is from. Many short strings of junk cost nothing: use
    nuggets.NP.

    Example: vital_found = 1; okay_found = 0; vital = 2; response_length = 250; string_length(1) = 200; string_length(2)
    = 50: (100/200 + 1)/2 = 0.75.
    """
    return total.score / total.asked


@measure(
    "nuggets.F_by_string",
    needs=_STRINGS,
    bounds=lambda beta, literal, **_: (0, 1 + 1 / beta**2 if literal else 1),
    source="a thesis on definition questions (Sir John Hale): its variant, not the official formula",
    each=lambda q, beta, delta, literal: _mean(_f(_by_strings(q, delta, literal), _recall(q), beta), q.vital > 0),
    valid={**POSITIVE, **LITERAL},
    remark=_without_vital,
)
def f_by_string(total: Any, beta: float = 5, delta: float = 100, literal: float = 0) -> Any:  # noqa: ARG001  they are named to `each`
    """F with the thesis's precision by strings (nuggets.NP_by_string) in place of the official precision.

    beta is 5 and delta 100, as in the thesis. literal=1 takes the sum over the strings from the allowance on, as
    printed.

    $F_β = (β²+1)·NP·NR/(β²·NP + NR)$ a question, then the mean; undefined if no question has a vital nugget. Prefer
    nuggets.F.

    When to use it: Only to reproduce the thesis that it is from. Many short strings of junk cost nothing: use
    nuggets.F.

    Example: vital_found = 1; okay_found = 0; vital = 2; response_length = 250; string_length(1) = 200; string_length(2)
    = 50: NP = (100/200 + 1)/2; NR = 1/2; 26·NP·NR/(25·NP + NR) = 0.5065.
    """
    return total.score / total.asked


def _without_weight(q: Any, **parameters: Any) -> Note | None:  # noqa: ARG001
    questions = int((q.pyramid_weight == 0).sum())
    if not questions:
        return None
    return note(
        "nuggets.without_weight",
        "{questions} of {total:n question} have no weighted nugget and are left out",
        questions=questions,
        total=len(q.pyramid_weight),
    )


@measure(
    "nuggets.pyramid",
    needs="nuggets.vital_found nuggets.okay_found nuggets.pyramid_found nuggets.pyramid_weight nuggets.response_length",
    bounds=(0, 1),
    source="nugget pyramids (Lin & Demner-Fushman, N06-1049)",
    each=lambda q, beta, delta: _mean(
        _f(
            _precision(q.vital_found + q.okay_found, q.response_length, delta),
            _over(q.pyramid_found, q.pyramid_weight),
            beta,
        ),
        q.pyramid_weight > 0,
    ),
    valid=POSITIVE,
    remark=_without_weight,
)
def pyramid(total: Any, beta: float = 3, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """F with weighted recall: a nugget's weight is its number of vital votes divided by the largest number.

    $NR = (Σ_(m ∈ A) w_m)/(Σ_(n ∈ V) w_n)$ over matched nuggets A and all V, then $F_β$ as nuggets.F has it; the length
    allowance is delta a matched nugget, whatever its weight. A question where all weights are 0 is left out; undefined
    if all are.

    When to use it: When several assessors said what is vital: a nugget weighs as many votes as it has, so that no
    single opinion decides. With one assessor's key use nuggets.F.

    Example: vital_found = 1; okay_found = 1; pyramid_found = 1.2; pyramid_weight = 3.9; response_length = 150: NP = 1;
    NR = 1.2/3.9; 10·NP·NR/(9·NP + NR) = 0.3306. N06-1049: the AARP pyramid, of which the nuggets of weight 1 and 0.2
    are matched.
    """
    return total.score / total.asked


@measure(
    "nuggets.order",
    needs="nuggets.order",
    bounds=(-1, 1),
    source="nescio's own; it is not a TREC measure, and not the FO that a thesis names without its formula",
    each=lambda q: {"tau": q.order},
)
def order(total: Any) -> Any:
    """nescio's own measure: Kendall's tau between the orders of the matched nuggets in the response and in the key,
    averaged over questions.

    $1/n Σ_q τ_b(q)$, 1 where the response keeps the key's order; undefined on a question with fewer than two matched
    nuggets, or all in one string. It assumes that the order of the key is meaningful, which it is not in most keys.

    When to use it: To see whether a response tells its facts in the order of the key, as in a biography by dates. In
    most keys the order means nothing: use nuggets.F.

    Example: order = 1/3, 1: (1/3 + 1)/2 = 0.6667. Nuggets 1, 2, 3 told as 2, 1, 3 have two pairs of three in order: (2
    - 1)/3.
    """
    return total.tau / total.n
