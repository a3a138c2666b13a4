"""From answers to outcomes: one file a judge, imported when it is asked for. `_judge.py` says what a judge is."""

from nescio.judging import _index
from nescio.judging._judge import (
    REGISTRY,
    AnswerToJudge,
    Declaration,
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
    "Declaration",
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

import_all(__name__, __path__, but=_index.MODULES)
