"""Figures of the papers as files: the option that asks for one, and results that say where it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from nescio.data.results import Results, Scores
from nescio.options import Request, option
from nescio.verbs._output_paths import as_path, check_file

Row = TypeVar("Row")


class Figured(Request):
    """Where a figure goes."""

    figure: Path | str | None = option(default=None, metavar="FILE", help="Also draw the figure as FILE (.svg).")


class DrawnScores(Scores, frozen=True):
    """Scores, and what was written beside them."""

    wrote: tuple[str, ...] = ()


class DrawnResults(Results[Row], frozen=True):
    """Rows of a study, and what was written beside them."""

    wrote: tuple[str, ...] = ()


def figure_of(request: Figured, inputs: Iterable[Any] = ()) -> Path | None:
    """Return where the figure goes, if there is one; raises UsageError for a place where none can."""
    path = as_path(request.figure)
    if path is not None:
        check_file(path, "a figure", (".svg",), inputs)
    return path
