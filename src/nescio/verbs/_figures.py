"""Declare the option for the file of a figure, and check this file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nescio.options import Request, option
from nescio.verbs._output_paths import as_path, check_file


class Figured(Request):
    """The option for the file in which a figure is saved."""

    figure: Path | str | None = option(default=None, metavar="FILE", help="Also draw the figure as FILE (.svg).")


def figure_of(request: Figured, inputs: Iterable[Any] = ()) -> Path | None:
    """Return the path of the figure, or None if none is requested. Raises UsageError if it cannot be written there."""
    path = as_path(request.figure)
    if path is not None:
        check_file(path, "a figure", (".svg",), inputs)
    return path
