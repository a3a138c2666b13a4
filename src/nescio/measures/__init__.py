"""Every measure, by name. A file here holds declarations only; `_measure.py` says what a measure is."""

from nescio.measures import abstention, calibration, counts, graded, pan, penalties, ranking, risk, simpleqa, squad
from nescio.measures._measure import REGISTRY, Declaration, Measure, measure, parse

__all__ = ["REGISTRY", "Declaration", "Measure", "measure", "parse"]

_FILES = (abstention, calibration, counts, graded, pan, penalties, ranking, risk, simpleqa, squad)
