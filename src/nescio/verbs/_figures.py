"""Write figures of the papers as files: the option for a figure, and results that name its file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from nescio.data.results import Results, Scores
from nescio.options import Request, option
from nescio.verbs._output_paths import as_path, check_file

Row = TypeVar("Row")


class Figured(Request):
    """The option for the file in which a figure is saved."""

    figure: Path | str | None = option(default=None, metavar="FILE", help="Also draw the figure as FILE (.svg).")


class DrawnScores(Scores, frozen=True):
    """Scores, and the paths of the files that were written with them."""

    wrote: tuple[str, ...] = ()


class DrawnResults(Results[Row], frozen=True):
    """Rows of a study, and the paths of the files that were written with them."""

    wrote: tuple[str, ...] = ()


def figure_of(request: Figured, inputs: Iterable[Any] = ()) -> Path | None:
    """Return the path of the figure, or None if none is requested. Raises UsageError if it cannot be written there."""
    path = as_path(request.figure)
    if path is not None:
        check_file(path, "a figure", (".svg",), inputs)
    return path
