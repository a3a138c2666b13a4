"""A table before it is printed: its head and its cells as text, and which columns are text."""

from __future__ import annotations

Grid = tuple[list[str], list[list[str]]]
TEXTS = (
    "run",
    "baseline",
    "measure",
    "other",
    "stratum",
    "statistic",
    "how",
    "verdict",
    "table",
    "test",
    "result",
    "finding",
    "method",
    "tied with",
    "exact for",
    "system",
    "people",
    "judge",
    "type",
    "rule",
    "language",
    "non answer",
    "taken for",
    "asked",
)  # others hold numbers
