"""TREC's measures of ranked documents, topic by topic, as trec_eval and ir_measures compute them.

A topic that a run does not answer earns 0 if it counts at all (`--missing unanswered`, trec_eval's -c).
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure
from nescio.tasks.trec.columns import CUTOFFS

_K = {"k": (f"k must be one of {', '.join(map(str, CUTOFFS))}", lambda k: k in CUTOFFS)}


@measure("trec.AP", needs="trec.ap", bounds=(0, 1), source="trec_eval, map; Buckley & Voorhees, SIGIR 2000, section 2")
def average_precision(total: Any) -> Any:
    """Average precision of the documents of a topic by rank, averaged over topics (MAP).

    $1/n Σ_t 1/R_t Σ_r I_t(r)·C_t(r)/r$ with R_t the relevant documents of the topic, found or not; 0 for a topic
    without one, undefined for n = 0. AP without trec. ranks questions by confidence.

    When to use it: For retrieval, if all relevant documents are wanted: the passages behind an answer, or documents
    alone. Documents that nobody judged count as not relevant, and a reader who stops early cares for trec.RR or
    trec.P@k.

    Example: ap = 5/9, 1/6, 0: ((1 + 2/3)/3 + 1/6 + 0)/3 = 0.2407. The first topic has three relevant documents, found
    at ranks 1 and 3; the second one, at rank 6.
    """
    return total.ap / total.n


@measure("trec.RR", needs="trec.rr", bounds=(0, 1), source="trec_eval, recip_rank")
def reciprocal_rank(total: Any) -> Any:
    """Reciprocal rank of the first relevant document of a topic, averaged over topics.

    $1/n Σ_t 1/r_t$, 0 where no relevant document is found, undefined for n = 0. MRR is the same unless an abstention is
    right on a topic without a relevant document.

    When to use it: For retrieval, if the first relevant document is enough. It ignores all documents below it, and a
    step from rank 1 to 2 halves the score: for all documents use trec.AP.

    Example: rr = 1, 1/6, 0: (1 + 1/6 + 0)/3 = 0.3889.
    """
    return total.rr / total.n


@measure(
    "trec.P@k",
    needs=" ".join(f"trec.top{k}" for k in CUTOFFS),
    bounds=(0, 1),
    source="trec_eval, P",
    valid=_K,
    each=lambda q, k: {"precision": getattr(q, f"top{int(k)}") / k},
)
def precision_at_k(total: Any, k: int = 10) -> Any:  # noqa: ARG001  k is read per topic
    """Precision of the first k documents of a topic, averaged over topics.

    $1/n Σ_t C_t(k)/k$; fewer than k documents count as if the others were not relevant, undefined for n = 0.

    When to use it: For retrieval, if k documents are shown or fed to a model. Their order does not count, and a topic
    with few relevant documents cannot reach 1: use trec.AP.

    Example: top10 = 2, 1, 0: (2/10 + 1/10 + 0/10)/3 = 0.1.
    """
    return total.precision / total.n
