"""Recognise the kind of a PAN file by its keys, its lines or its name."""

from __future__ import annotations

import re

from nescio.sources.source import LINES, Source

STRATA = ("source", "model", "genre")  # columns that the truth of 2025 may have
SHARED = ("is_human", "label")  # keys that both kinds of files have
BESIDE = frozenset(("id", "text", *SHARED, *STRATA))  # A PAN file has only these keys beside them.
LINE = re.compile(r"[A-Z]{2}\d{2,4}\s+(?:[YN-]|[YN-]\s+[-+.\deE]+|[-+]?\.?\d[.\deE+-]*)\s*")


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `id` and `same` (truth) or `value` (answers), or of `is_human` or `label` (either); or
    lines such as `EN001 0.8`."""
    named = "gold" if "truth" in source.stem.lower() else "answers"
    if source.kind == "text":
        return named if LINE.fullmatch(source.first) else None
    if source.suffix not in LINES or "id" not in source.columns:
        return None
    if "same" in source.columns or "value" in source.columns:
        return "answers" if "value" in source.columns else "gold"
    key = shared(source)
    if key is None or isinstance(source.first.get(key), str) or not BESIDE.issuperset(source.columns):
        return None
    return "gold" if isinstance(source.first[key], list) else named


def shared(source: Source) -> str | None:
    """Return the key of this file that does not tell whether it is a truth file, such as "label", or None."""
    return next((key for key in SHARED if key in source.columns), None)
