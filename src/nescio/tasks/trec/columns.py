"""The values of trec_eval for each topic of a run. They cover all documents that the run ranks, not only the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import Array, Column, declare

CUTOFFS = (1, 5, 10, 15, 20, 30, 100, 200, 500, 1000)  # trec_eval's cutoffs, and 1
_RANKED = "ranks questions by confidence; trec.AP is over the documents of each topic by rank"


def _first(behaviour: Any) -> Array:
    """Return the simulated precision at the first document: 1 for a right answer, and 0 for any other."""
    return np.where(behaviour.right & behaviour.answered, 1.0, 0.0)


def _of_topic(name: str, meaning: str, **more: Any) -> Column:
    lacking = "documents that a run ranks for each topic, beside people's judgements of them (qrels)"
    return Column(name, meaning, "score", when_missing=lacking, simulate=_first, **more)


declare(
    _of_topic("trec.ap", "average precision of the topic's documents", unlike={"AP": _RANKED}),
    _of_topic("trec.rr", "1 divided by the rank of the first relevant document, 0 if there is none"),
    *(_of_topic(f"trec.top{k}", f"relevant documents among the first {k}") for k in CUTOFFS),
)
