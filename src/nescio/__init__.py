"""nescio: evaluation of question-answering systems that may decline to answer.

    import nescio
    nescio.score(df)                      # any outcome table: a path, or a pandas, Polars or Arrow table
    nescio.compare(df, baseline="old")    # paired differences with interval and p-value
    nescio.measure("c@1")(237, 156, 107)  # a measure of counts: correct, incorrect, unanswered

Every command of the command line is a function of the same name here, and those of a group are in a namespace:
`nescio.meta`, `nescio.ave`, `nescio.nuggets`, `nescio.read`.

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
    "ave",
    "baseline",
    "campaign",
    "check",
    "check_each",
    "comment",
    "compare",
    "compare_early",
    "compare_suite",
    "convert",
    "from_dataframe",
    "judge",
    "measure",
    "meta",
    "nuggets",
    "plan",
    "plan_labels",
    "plan_repeats",
    "read",
    "repeats",
    "report",
    "report_change",
    "report_suite",
    "score",
    "score_suite",
    "tally",
    "tune",
    "tune_pair",
    "view",
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
    "audit": "meta.audit",
    "baseline": "commands.baseline",
    "check": "commands.check",
    "check_each": "commands.check_each",
    "comment": "commands.comment",
    "compare": "comparison",
    "compare_early": "comparison.early",
    "compare_suite": "suites.comparing",
    "convert": "commands.convert",
    "from_dataframe": "sources.dataframes",
    "judge": "commands.judge",
    "plan": "meta.planning",
    "plan_labels": "meta.planning.labels",
    "plan_repeats": "meta.planning.repeats",
    "repeats": "scoring.repeats",
    "report": "commands.report",
    "report_change": "commands.report",
    "report_suite": "commands.report",
    "score": "comparison.leaderboard",
    "score_suite": "suites.scoring",
    "tally": "commands.tally",
    "Tuned": "selective",
    "Tuning": "selective",
    "tune": "selective",
    "tune_pair": "selective",
    "view": "commands.view",
}
_NAMESPACES = {
    "ave": "commands.ave",
    "campaign": "campaign",
    "meta": "meta",
    "nuggets": "commands.nuggets",
    "read": "commands.read",
}

if TYPE_CHECKING:
    from nescio import campaign as campaign
    from nescio import meta as meta
    from nescio.commands import ave as ave
    from nescio.commands import nuggets as nuggets
    from nescio.commands import read as read
    from nescio.commands.baseline import baseline as baseline
    from nescio.commands.check import check as check
    from nescio.commands.check_each import check_each as check_each
    from nescio.commands.comment import comment as comment
    from nescio.commands.convert import convert as convert
    from nescio.commands.judge import judge as judge
    from nescio.commands.report import report as report
    from nescio.commands.report import report_change as report_change
    from nescio.commands.report import report_suite as report_suite
    from nescio.commands.tally import tally as tally
    from nescio.commands.view import view as view
    from nescio.comparison import compare as compare
    from nescio.comparison.early import compare_early as compare_early
    from nescio.comparison.leaderboard import score as score
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
    from nescio.meta.planning.labels import plan_labels as plan_labels
    from nescio.meta.planning.repeats import plan_repeats as plan_repeats
    from nescio.scoring.repeats import repeats as repeats
    from nescio.selective import Tuned as Tuned
    from nescio.selective import Tuning as Tuning
    from nescio.selective import tune as tune
    from nescio.selective import tune_pair as tune_pair
    from nescio.sources.dataframes import from_dataframe as from_dataframe
    from nescio.suites.comparing import compare_suite as compare_suite
    from nescio.suites.scoring import score_suite as score_suite


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOME:
        exported: object = getattr(import_module(f"nescio.{_HOME[name]}"), name)
        return exported
    if name in _NAMESPACES:
        return import_module(f"nescio.{_NAMESPACES[name]}")
    if name == "measure":
        parse: object = import_module("nescio.measures").parse
        return parse
    raise AttributeError(f"module 'nescio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
