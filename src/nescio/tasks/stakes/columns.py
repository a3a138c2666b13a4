"""The column of answers at stated stakes: the price of an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import UNCHANGED, Array, Column, declare
from nescio.errors import MissingColumnError
from nescio.tasks.stakes.stating import are_stated, penalties


def _penalty(evidence: Any) -> Array:
    """Return the stake of each answer, which the label of its repeat says."""
    repeats = getattr(evidence, "repeats", None)
    labels = [] if repeats is None else [str(label) for label in repeats.label]
    known = penalties(labels) if labels and are_stated(labels) else None
    if repeats is None or known is None:
        raise MissingColumnError(
            "it needs stated stakes: a column 'stake' that holds the price of an error, and questions asked at several"
        )
    prices = np.array([float(known[str(label)]) for label in repeats.label])
    return np.broadcast_to(prices, evidence.present.shape)


declare(
    Column(
        "stakes.penalty",
        "the stated price of an error, where a right answer earns 1 and silence 0",
        "score",
        when_missing="a stated stake",
        when_declined=UNCHANGED,
        derive=_penalty,
    )
)
