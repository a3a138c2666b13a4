"""Readers and writers, one file or folder per format. `registry.py` says what a format is."""

from nescio.formats.registry import (
    REGISTRY,
    WRITERS,
    Choices,
    Counting,
    Data,
    Declined,
    Format,
    ReadOptions,
    ReadResult,
    SourceRole,
    Unjudged,
    Writer,
    WriteResult,
    is_streamed,
    reader,
    takers,
    writer,
)
from nescio.registry import import_all
from nescio.sources.opening import open_source
from nescio.sources.source import BY_SUFFIX, Source

__all__ = [
    "BY_SUFFIX",
    "REGISTRY",
    "WRITERS",
    "Choices",
    "Counting",
    "Data",
    "Declined",
    "Format",
    "ReadOptions",
    "ReadResult",
    "Source",
    "SourceRole",
    "Unjudged",
    "WriteResult",
    "Writer",
    "is_streamed",
    "open_source",
    "reader",
    "takers",
    "writer",
]

import_all(__name__, __path__, nested=True)
