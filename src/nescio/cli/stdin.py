"""Read standard input as a file: `-` among the files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nescio.errors import UsageError
from nescio.formats import KEPT, folder_with

NAME = "-"


class Files(click.Path):
    """The type of a parameter that is the path of a file.

    The value `-` becomes the path of a temporary file with the content of standard input. The file exists while the
    command runs.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the file. Raises UsageError if `-` is given twice, or if standard input is empty."""
        if not str(value):
            raise UsageError("'' is not the name of a file")
        if str(value) != NAME:
            return super().convert(value, param, ctx)
        if ctx is not None and ctx.meta.setdefault(NAME, 0):
            raise UsageError("- (standard input) was given twice")
        if ctx is not None:
            ctx.meta[NAME] = 1
        content = b"" if sys.stdin is None else sys.stdin.buffer.read()
        if not content.strip():
            raise UsageError("- : standard input is empty")
        path = folder_with(Files) / f"stdin{suffix_of(content)}"
        path.write_bytes(content)
        KEPT[path] = "standard input"
        return path


def suffix_of(content: bytes) -> str:
    """Return the suffix of a file with this content, such as ".parquet".

    The function knows Parquet, ZIP archives, gzipped CSV, JSON, JSON Lines, TSV and CSV.
    """
    if content.startswith(b"PAR1"):
        return ".parquet"
    if content.startswith(b"PK\x03\x04"):
        return ".eval"
    if content.startswith(b"\x1f\x8b"):
        return ".csv.gz"
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = text.split(b"\n", 1)[0].strip()
    if text.startswith(b"["):
        return ".json"
    if text.startswith(b"{"):
        return ".jsonl" if first.endswith(b"}") else ".json"
    return ".tsv" if b"\t" in first else ".csv"
