"""Convert assessors' verdicts of QA campaigns: right, wrong, inexact and unsupported (R, W, X, U).

Inexact and unsupported answers are incorrect, and have columns of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from nescio.data.columns import Array, Column, Summary, declare
from nescio.data.model import Verdict
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED

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

STATES = {verdict: CORRECT if verdict is Verdict.RIGHT else INCORRECT for verdict in Verdict}
COLUMNS = {Verdict.INEXACT: INEXACT, Verdict.UNSUPPORTED: UNSUPPORTED}
WORDS = {Verdict.INEXACT: "inexact", Verdict.UNSUPPORTED: "unsupported"}


def verdicts_in(words: Iterable[str]) -> dict[str, Verdict]:
    """Return the verdict that each word of a column means, keyed by word; words that mean no verdict are left out.

    "inexact" and "unsupported" mean verdicts. The letters R, W, X and U do so only if R and X are among the words,
    because U alone may mean unanswered.
    """
    words = list(words)
    folded = {word.strip().lower() for word in words}
    known = {word: verdict for verdict, word in WORDS.items()}
    if {"r", "x"} <= folded:
        known |= {verdict.value.lower(): verdict for verdict in Verdict}
    return {word: known[word.strip().lower()] for word in words if word.strip().lower() in known}


def columns_of(states: Array, verdicts: Mapping[tuple[int, int], Verdict]) -> dict[str, Array]:
    """Return the columns `INEXACT` and `UNSUPPORTED`, shape (runs, questions); `verdicts` are keyed by (run, question).

    In the column `INEXACT`, 1 marks an inexact answer, 0 any other answer, and NaN an answer without a grade; likewise
    in `UNSUPPORTED`. The result is empty if no answer is inexact or unsupported.
    """
    if not any(verdict in COLUMNS for verdict in verdicts.values()):
        return {}
    cells = {name: np.where(states == NOT_GRADED, np.nan, 0.0) for name in COLUMNS.values()}
    for (run, question), verdict in verdicts.items():
        if verdict in COLUMNS and states[run, question] == INCORRECT:
            cells[COLUMNS[verdict]][run, question] = 1.0
    return cells
