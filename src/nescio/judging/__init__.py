"""From answers to outcomes: one file a judge. `_judge.py` says what a judge is."""

from nescio.judging import choice, exact
from nescio.judging._judge import REGISTRY, Judge, default_judge, judge, judge_runs, known

__all__ = ["REGISTRY", "Judge", "default_judge", "judge", "judge_runs", "known"]

_FILES = (choice, exact)
