"""nescio: evaluation of question-answering systems that may decline to answer.

    import nescio
    nescio.score(df)                      # any outcome table: a path, or a pandas, Polars or Arrow table
    nescio.compare(df, baseline="old")    # paired differences with interval and p-value
    nescio.measure("c@1")(237, 156, 107)  # a measure of counts: correct, incorrect, unanswered

Names are imported when they are first used, so that `import nescio` costs nothing.
"""

from __future__ import annotations

from nescio._version import __version__

TYPE_CHECKING = False  # typing itself takes as long to import as all the rest of `nescio --version`

__all__ = [
    "Collection",
    "Comparison",
    "Comparisons",
    "Evidence",
    "FormatError",
    "Measure",
    "MismatchError",
    "MissingColumnError",
    "NescioError",
    "Question",
    "Response",
    "Results",
    "Run",
    "Score",
    "Scores",
    "Tally",
    "Tuned",
    "Tuning",
    "UnknownNameError",
    "UsageError",
    "__version__",
    "audit",
    "compare",
    "from_dataframe",
    "measure",
    "meta",
    "plan",
    "score",
    "tune",
]

_HOME = {
    "Collection": "data.model",
    "Question": "data.model",
    "Response": "data.model",
    "Run": "data.model",
    "FormatError": "errors",
    "MismatchError": "errors",
    "MissingColumnError": "errors",
    "NescioError": "errors",
    "UnknownNameError": "errors",
    "UsageError": "errors",
    "Evidence": "data.evidence",
    "Tally": "data.evidence",
    "Comparison": "data.results",
    "Comparisons": "data.results",
    "Measure": "measures",
    "Results": "data.results",
    "Score": "data.results",
    "Scores": "data.results",
    "compare": "comparison",
    "audit": "meta.audit",
    "from_dataframe": "sources.dataframes",
    "plan": "meta.planning",
    "score": "scoring.score",
    "Tuned": "selective",
    "Tuning": "selective",
    "tune": "selective",
}

if TYPE_CHECKING:
    from nescio import meta as meta
    from nescio.comparison import compare as compare
    from nescio.data.evidence import Evidence as Evidence
    from nescio.data.evidence import Tally as Tally
    from nescio.data.model import Collection as Collection
    from nescio.data.model import Question as Question
    from nescio.data.model import Response as Response
    from nescio.data.model import Run as Run
    from nescio.data.results import Comparison as Comparison
    from nescio.data.results import Comparisons as Comparisons
    from nescio.data.results import Results as Results
    from nescio.data.results import Score as Score
    from nescio.data.results import Scores as Scores
    from nescio.errors import (
        FormatError as FormatError,
    )
    from nescio.errors import (
        MismatchError as MismatchError,
    )
    from nescio.errors import (
        MissingColumnError as MissingColumnError,
    )
    from nescio.errors import (
        NescioError as NescioError,
    )
    from nescio.errors import (
        UnknownNameError as UnknownNameError,
    )
    from nescio.errors import (
        UsageError as UsageError,
    )
    from nescio.measures import Measure as Measure
    from nescio.measures import parse as measure
    from nescio.meta.audit import audit as audit
    from nescio.meta.planning import plan as plan
    from nescio.scoring.score import score as score
    from nescio.selective import Tuned as Tuned
    from nescio.selective import Tuning as Tuning
    from nescio.selective import tune as tune
    from nescio.sources.dataframes import from_dataframe as from_dataframe


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOME:
        exported: object = getattr(import_module(f"nescio.{_HOME[name]}"), name)
        return exported
    if name == "meta":
        meta: object = import_module("nescio.meta")
        return meta
    if name == "measure":
        parse: object = import_module("nescio.measures").parse
        return parse
    raise AttributeError(f"module 'nescio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
