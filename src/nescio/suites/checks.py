"""Refuse a suite that has one file under two names, or a benchmark without a name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nescio.data.evidence import Evidence
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, UsageError

# options that select other questions or outcomes from the same file
_SELECTING = ("choose", "column", "format", "format_in")
_NAMED = 3  # questions that a message names


def check_files(source: Mapping[str, Any]) -> None:
    """Raise UsageError if a benchmark's files are all files of another benchmark, and both are read in the same way."""
    seen: dict[str, tuple[frozenset[Path], Any]] = {}
    for name, what in source.items():
        options = dict(what) if isinstance(what, Mapping) and "files" in what else {"files": what}
        files = options.pop("files", None)
        listed = files if isinstance(files, (list, tuple)) else [files]
        if not listed or not all(isinstance(file, (str, Path)) for file in listed):
            continue
        paths = frozenset(Path(file).resolve() for file in listed)
        selecting = {option: options[option] for option in _SELECTING if option in options}
        for other, (others, selected) in seen.items():
            if (paths <= others or others <= paths) and selecting == selected:
                shared = sorted(path.name for path in paths & others)
                raise UsageError(
                    f"benchmarks {other!r} and {str(name)!r} read the same file{'s' * (len(shared) > 1)}"
                    f" ({', '.join(shared)}), which would count twice; leave one of them out"
                )
        seen[str(name)] = (paths, selecting)


def check_named(data: Evidence | Outcomes, by: str) -> None:
    """Raise MismatchError if the column `by` is blank for a question, because its benchmark would have no name."""
    values = data.strata.get(by, ())
    blank = {q: None for q, value in zip(data.questions, values, strict=False) if _blank(value)}
    if blank:
        first = ", ".join(map(repr, list(blank)[:_NAMED]))
        raise MismatchError(
            f"the column {by!r} is blank for {len(blank):,} of {len({*data.questions}):,} questions "
            f"({first}{', …' if len(blank) > _NAMED else ''}), which would make a benchmark without a name; fill in "
            "the column, or leave these questions out"
        )


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or not str(value).strip()
