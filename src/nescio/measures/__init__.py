"""Every measure, keyed by name. A module of measures is imported when one of its measures is needed; `_measure.py`
defines what a measure is."""

from importlib import import_module

from nescio.data.results import Scores
from nescio.errors import NescioError
from nescio.measures import _index
from nescio.measures._measure import (
    REGISTRY,
    Declaration,
    Measure,
    Measures,
    OwnInterval,
    as_namespace,
    measure,
    parse,
)
from nescio.registry import import_all

__all__ = ["REGISTRY", "Declaration", "Measure", "Measures", "OwnInterval", "as_namespace", "measure", "parse"]


def _lower_is_better(name: str) -> bool:
    try:
        return parse(name).declaration.lower_is_better
    except NescioError:  # The scores were made by hand.
        return False


Scores.lower_is_better = staticmethod(_lower_is_better)
for _columns in _index.COLUMNS:  # the columns of tasks, which must be known before their measures are
    import_module(_columns)
import_all(__name__, __path__, but=_index.MODULES)
