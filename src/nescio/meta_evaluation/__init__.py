"""Evaluate measures: how stable, discriminating and sensitive they are on a given collection.

The functions take the same sources as `nescio.score`. All but `agreement` refuse counts tables, because they draw
questions.
"""

from nescio.data.results import Finding
from nescio.meta_evaluation.agreement import Agreement, CountedDisagreement, Disagreement, agreement
from nescio.meta_evaluation.audit import Earned, audit
from nescio.meta_evaluation.comparability import Correlation, comparability
from nescio.meta_evaluation.planning import PowerPlan, System, plan
from nescio.meta_evaluation.power import Power, Significance, power
from nescio.meta_evaluation.stability import FUZZINESS, Stability, stability
from nescio.meta_evaluation.swap import Sensitivity, SwapBin, swap

__all__ = [
    "FUZZINESS",
    "Agreement",
    "Correlation",
    "CountedDisagreement",
    "Disagreement",
    "Earned",
    "Finding",
    "Power",
    "PowerPlan",
    "Sensitivity",
    "Significance",
    "Stability",
    "SwapBin",
    "System",
    "agreement",
    "audit",
    "comparability",
    "plan",
    "power",
    "stability",
    "swap",
]
