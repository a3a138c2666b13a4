"""Every measure, by name. A file here holds declarations only; `_measure.py` says what a measure is."""

from nescio.measures._measure import REGISTRY, Declaration, Measure, measure, parse
from nescio.registry import import_all

__all__ = ["REGISTRY", "Declaration", "Measure", "measure", "parse"]

import_all(__name__, __path__)
