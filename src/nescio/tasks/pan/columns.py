"""The columns of verification tasks: the truth, and a system's score."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.columns import UNCHANGED, Array, Column, Summary, declare

SILENCE = 0.5  # the score of an abstention


def _simulated_score(behaviour: Any) -> Array:
    """Return simulated scores: on the true side of 0.5 for right answers, and 0.5 for abstentions."""
    side = np.where(behaviour.side == behaviour.right, 1.0, -1.0)
    strength = np.maximum(np.nan_to_num(behaviour.sure) - 0.5, 0.01)
    return np.where(behaviour.answered, SILENCE + side * strength, SILENCE)


declare(
    Column(
        "verification.same",
        "the truth: 1 if the answer to the problem is yes",
        "count",
        when_declined=UNCHANGED,
        simulate=lambda behaviour: behaviour.side.astype(np.int8),
        labels=("different", "same"),
    ),
    Column(
        "verification.value",
        "the score in [0, 1]: above 0.5 for yes, below 0.5 for no, 0.5 for an abstention",
        "score",
        when_missing="a score",
        summaries=(Summary("count", "with value"),),
        when_declined=SILENCE,
        simulate=_simulated_score,
    ),
)
