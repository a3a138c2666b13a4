"""The evaluation of measures: how stable, how discriminating, how sensitive they are on a given collection.

The functions take whatever `nescio.score` takes, but for counts tables: sub-collections need questions.
"""

from nescio.meta.stability import FUZZINESS, Stability, stability
from nescio.meta.swap import Sensitivity, SwapBin, swap

__all__ = ["FUZZINESS", "Sensitivity", "Stability", "SwapBin", "stability", "swap"]
