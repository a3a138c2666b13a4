"""From answers to outcomes: one file a judge. `_judge.py` says what a judge is."""

from nescio.judging._judge import (
    REGISTRY,
    Asked,
    Grade,
    Judge,
    asked_cells,
    default_judge,
    first_measures,
    judge,
    judge_runs,
    known,
)
from nescio.judging.choice import no_options
from nescio.judging.human import Human
from nescio.registry import import_all

__all__ = [
    "REGISTRY",
    "Asked",
    "Grade",
    "Human",
    "Judge",
    "asked_cells",
    "default_judge",
    "first_measures",
    "judge",
    "judge_runs",
    "known",
    "no_options",
]

import_all(__name__, __path__)
