"""Decide whether an answer is right, and whether its text supports it: an answer validator.

Techniques of the validators of 2007 compute features. A forest of trees computes a calibrated probability, and
thresholds decide. Nothing is downloaded, and a saved model holds only numbers and words.
"""

from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator.deciding import decide
from nescio.tasks.ave.validator.features import Features, Rarity, features, rarity
from nescio.tasks.ave.validator.model import Model, languages, load, save
from nescio.tasks.ave.validator.techniques import (
    OWN,
    PARTICIPANTS,
    REDUNDANCY,
    TECHNIQUES,
    chosen,
    missing,
    named,
    table12,
    versions,
)
from nescio.tasks.ave.validator.training import ALL, Trained, TrainingPlan, ablation, fit, gather

__all__ = [
    "ALL",
    "OWN",
    "PARTICIPANTS",
    "REDUNDANCY",
    "TECHNIQUES",
    "Features",
    "Model",
    "Rarity",
    "Resources",
    "Trained",
    "TrainingPlan",
    "ablation",
    "chosen",
    "decide",
    "features",
    "fit",
    "gather",
    "languages",
    "load",
    "missing",
    "named",
    "rarity",
    "save",
    "table12",
    "versions",
]
