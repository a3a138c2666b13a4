"""Readers and writers, one file or folder per format. `registry.py` says what a format is, and when it is imported."""

from nescio.formats import known
from nescio.formats.registry import (
    REGISTRY,
    WRITERS,
    Choices,
    Data,
    Declined,
    Format,
    ReadOptions,
    ReadResult,
    SourceRole,
    Unjudged,
    Writer,
    WriteResult,
    candidate_formats,
    is_streamed,
    matching_formats,
    reader,
    writer,
)
from nescio.sources.opening import HEADLESS, KEPT, open_source
from nescio.sources.source import BY_SUFFIX, Source
from nescio.sources.temporary import folder_with

__all__ = [
    "BY_SUFFIX",
    "KEPT",
    "REGISTRY",
    "WRITERS",
    "Choices",
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
    "candidate_formats",
    "folder_with",
    "is_streamed",
    "matching_formats",
    "open_source",
    "reader",
    "writer",
]

for _suffix, _pattern in known.HEADLESS.items():
    HEADLESS.setdefault(_suffix, set()).add(_pattern)
