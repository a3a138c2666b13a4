"""Make answer sheets that both nescio and its peers can read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence


@dataclass(frozen=True)
class Sheet:
    """One run on n questions.

    `outcome` is 0 correct, 1 incorrect, 2 unanswered; `confidence` lies in [0, 1]; `same` and `value` are PAN's.
    """

    outcome: Array
    confidence: Array
    same: Array
    value: Array

    @property
    def right(self) -> Array:
        """Return 1 for correct answers, else 0."""
        return (self.outcome == 0).astype(int)


def sheet(n: int, seed: int, *, silence: float = 0.25, ties: bool = True) -> Sheet:
    """Return a run whose confidence is related to its correctness."""
    rng = np.random.default_rng(seed)
    sure = rng.random(n)
    outcome = np.where(rng.random(n) < silence, 2, np.where(rng.random(n) < 0.3 + 0.6 * sure, 0, 1))
    same = rng.integers(0, 2, n)
    value = np.where(outcome == 2, 0.5, 0.5 + np.where(same == (outcome == 0), 0.5, -0.5) * np.maximum(sure, 0.01))
    return Sheet(outcome, np.round(sure, 1) if ties else sure, same, value)


def evidence(*sheets: Sheet) -> Evidence:
    """Return the sheets as runs on the same questions."""
    outcome = np.stack([one.outcome for one in sheets])
    columns: dict[str, Array] = {name: (outcome == i).astype(np.int8) for i, name in enumerate(OUTCOMES)}
    columns["answered"] = (outcome < 2).astype(np.int8)
    columns["confidence"] = np.where(outcome < 2, np.stack([one.confidence for one in sheets]), np.nan)
    columns["verification.same"] = np.stack([one.same for one in sheets]).astype(np.int8)
    columns["verification.value"] = np.stack([one.value for one in sheets])
    questions = tuple(f"q{i}" for i in range(outcome.shape[1]))
    runs = tuple(f"run {i}" for i in range(len(sheets)))
    return Evidence(runs, questions, columns, np.zeros(outcome.shape, dtype=np.uint8))
