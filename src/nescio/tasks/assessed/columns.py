"""The columns of assessors' verdicts: which incorrect answers are inexact, and which unsupported."""

from __future__ import annotations

import numpy as np

from nescio.data.columns import Column, Summary, declare

INEXACT, UNSUPPORTED = "assessed.inexact", "assessed.unsupported"


def _verdict(name: str, meaning: str, word: str) -> Column:
    lacking = "a verdict of right, wrong, inexact or unsupported"
    return Column(
        name,
        meaning,
        "score",
        when_missing=lacking,
        summaries=(Summary("sum", word),),
        when_declined=0.0,
        simulate=lambda behaviour: np.zeros(behaviour.behaviour.shape),
    )


declare(
    _verdict(INEXACT, "1 if the answer is incorrect because it is inexact (X): too long, or cut off", "inexact"),
    _verdict(
        UNSUPPORTED,
        "1 if the answer is right and its document does not support it (U), which is incorrect",
        "unsupported",
    ),
)
