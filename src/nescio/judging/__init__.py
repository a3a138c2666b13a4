"""From answers to outcomes: one file a judge. `_judge.py` says what a judge is."""

from nescio.judging._judge import (
    REGISTRY,
    AnswerToJudge,
    Factory,
    Grade,
    Judge,
    Resources,
    default_judge,
    factory,
    first_measures,
    judge,
    known,
)
from nescio.judging.human import Human
from nescio.judging.runs import asked_cells, judge_runs
from nescio.registry import import_all

__all__ = [
    "REGISTRY",
    "AnswerToJudge",
    "Factory",
    "Grade",
    "Human",
    "Judge",
    "Resources",
    "asked_cells",
    "default_judge",
    "factory",
    "first_measures",
    "judge",
    "judge_runs",
    "known",
]

import_all(__name__, __path__)
