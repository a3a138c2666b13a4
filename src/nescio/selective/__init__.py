"""Decide when to answer: risk-coverage curves, the best threshold by a measure, and thresholds with a guaranteed risk.

`tune` does all of this for one run. It estimates the results on new questions from questions on which the threshold was
not chosen.
"""

from nescio.selective.certified import GridPoint, Guarantee, bounds_on_grid, certify, needed
from nescio.selective.curve import Point, as_outcomes, risk_coverage
from nescio.selective.tuned import Tuned, Tuning
from nescio.selective.tuning import tune
from nescio.selective.two import TunedPair, at_thresholds, tune_pair

__all__ = [
    "GridPoint",
    "Guarantee",
    "Point",
    "Tuned",
    "TunedPair",
    "Tuning",
    "as_outcomes",
    "at_thresholds",
    "bounds_on_grid",
    "certify",
    "needed",
    "risk_coverage",
    "tune",
    "tune_pair",
]
