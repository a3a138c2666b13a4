"""Judge answers: one file per judge, imported when it is needed. `_judge.py` defines what a judge is."""

from nescio.judging._doubts import Doubts, default_note
from nescio.judging._judge import (
    REGISTRY,
    AnswerToJudge,
    Grade,
    Judge,
    Resources,
    default_judge,
    factory,
    first_measures,
    judge,
    known,
)
from nescio.judging._runs import asked_cells, judge_runs, lower_ranks
from nescio.judging.human import Human

__all__ = [
    "REGISTRY",
    "AnswerToJudge",
    "Doubts",
    "Grade",
    "Human",
    "Judge",
    "Resources",
    "asked_cells",
    "default_judge",
    "default_note",
    "factory",
    "first_measures",
    "judge",
    "judge_runs",
    "known",
    "lower_ranks",
]
