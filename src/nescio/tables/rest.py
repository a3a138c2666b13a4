"""Complete files that list only some questions, such as failures, given the number of all questions (`--total`)."""

from __future__ import annotations

import numpy as np

from nescio.data.outcomes import ABSENT, MEANINGS, Outcomes
from nescio.errors import FormatError, opt
from nescio.sources.source import Source
from nescio.tables.asking import AskedError

RESTS = ("correct", "incorrect", "unanswered", "ungraded")


def with_rest(outcomes: Outcomes, source: Source, total: int, rest: str | None) -> Outcomes:
    """Return outcomes of `total` questions; each question that a run's file does not list has the outcome `rest`.

    Raises AskedError, which asks for this outcome, if `rest` is None.
    """
    listed = len(outcomes.questions)
    if outcomes.repeats is not None or total < listed:
        why = "answers one question several times" if outcomes.repeats is not None else f"has {listed} questions"
        raise FormatError(source.label, f"the file {why}, so the total cannot be {total} ({opt('total', total)})")
    if total == listed and not (outcomes.state == ABSENT).any():
        return outcomes
    if rest is None:
        ways = [{"total": total, "rest": rest} for rest in RESTS]
        raise AskedError(
            source, f"the file does not list {total - listed} answers: which outcome do these answers have?", ways
        )
    state = np.full((len(outcomes.runs), total), MEANINGS[rest], dtype=np.int8)
    state[:, :listed] = np.where(outcomes.state == ABSENT, MEANINGS[rest], outcomes.state)
    names = (*outcomes.questions, *(f"not listed {i}" for i in range(1, total - listed + 1)))
    reasons = None
    if outcomes.why is not None:
        reasons = np.full(state.shape, None, dtype=object)
        reasons[:, :listed] = outcomes.why
    return Outcomes(outcomes.runs, names, state, files=outcomes.files, judges=outcomes.judges, why=reasons)
