"""nescio: evaluation of question-answering systems that may decline to answer.

    import nescio
    nescio.score(df)                      # any outcome table: a path, or a pandas, Polars or Arrow table
    nescio.compare(df, baseline="old")    # paired differences with interval and p-value
    nescio.measure("c@1")(237, 156, 107)  # a measure of counts: correct, incorrect, unanswered

Every command of the command line is a function of the same name here. Those of a group are in a namespace:
`nescio.meta`, `nescio.ave`, `nescio.nuggets`, `nescio.read`, `nescio.campaign`. `nescio.verbs` declares them.

Names are imported when they are first used, so that `import nescio` is fast. tools/stub.py writes `__init__.pyi`, which
declares the same for type checkers and editors.
"""

from __future__ import annotations

from nescio import verbs as _verbs
from nescio._version import __version__ as __version__

# The further names beside the verbs, with their modules.
_TYPES = {
    "Collection": "data.model",
    "Comparison": "data.results",
    "Comparisons": "data.results",
    "Evidence": "data.evidence",
    "FormatError": "errors",
    "Measure": "measures",
    "MismatchError": "errors",
    "MissingColumnError": "errors",
    "NescioError": "errors",
    "Question": "data.model",
    "Response": "data.model",
    "Results": "data.results",
    "Run": "data.model",
    "Score": "data.results",
    "Scores": "data.results",
    "Tally": "data.evidence",
    "Tuned": "selective",
    "Tuning": "selective",
    "UnknownNameError": "errors",
    "UsageError": "errors",
    "from_dataframe": "sources.dataframes",
    "measure": "measures:parse",
    "statistic": "verbs._statistic",
}
_MOVED = {
    "check_each": "check",
    "compare_early": "compare(…, looks=True)",
    "compare_suite": "compare",
    "report_change": "report",
    "report_suite": "report",
    "score_suite": "score",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__all__":
        return [*_TYPES, *_verbs.names(), "__version__"]
    if name in _TYPES:
        module, _, other = _TYPES[name].partition(":")
        return getattr(import_module(f"nescio.{module}"), other or name)
    if name in _verbs.names():
        return _verbs.find(name)
    from nescio.options.moved import command_moved

    now = f"it is nescio.{_MOVED[name]} now" if name in _MOVED else command_moved(name, python=True)
    moved = f"; {now}" if now else ""
    raise AttributeError(f"module 'nescio' has no attribute {name!r}{moved}")


def __dir__() -> list[str]:
    return sorted([*_TYPES, *_verbs.names(), "__version__"])
