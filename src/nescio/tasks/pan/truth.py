"""Recognise the kinds of PAN's files, and read the truth of its problems, as JSON Lines or as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from nescio.errors import FormatError
from nescio.sources import elements
from nescio.sources.documents import cells_of
from nescio.sources.elements import number
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES, Source
from nescio.sources.text_files import WHITE
from nescio.tasks.kit import fault_at

# ---- the kinds of files ----

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
    """Return the key that truth files and answer files share, such as "label", or None if the file has no such key."""
    return next((key for key in SHARED if key in source.columns), None)


# ---- the truth ----

DECIDED = {"Y": 1.0, "N": 0.0, "-": 0.5}


class Truth(Struct):
    """The truth of each problem in file order, and the values in other columns of the file."""

    same: dict[str, int] = field(default_factory=dict)
    strata: dict[str, Mapping[str, str]] = field(default_factory=dict)


def read_truth(source: Source) -> Truth:
    """Read a truth file. Raises FormatError if a problem appears twice."""
    truth = Truth()
    for problem, same, strata, line in _texts(source) if source.kind == "text" else _rows(source):
        if problem in truth.same:
            raise fault_at(source, line, "the problem appears twice", problem)
        truth.same[problem] = same
        truth.strata[problem] = strata
    return truth


def problems_of(source: Source) -> tuple[str, ...]:
    """Return the ids of the problems in a truth file. Raises FormatError for any other file."""
    if recognise(source) is None:
        raise FormatError(source.label, 'topics of PAN must be a truth file, as in {"id", "same"} or EN001 Y')
    return tuple(read_truth(source).same)


def _rows(source: Source) -> Iterator[tuple[str, int, Mapping[str, str], int]]:
    key = "same" if "same" in source.columns else shared(source) or "same"
    for row, line in json_lines(source):
        same = row.get(key)
        if isinstance(same, list) and len(same) == 2 and {*map(repr, map(number, same))} == {"0.0", "1.0"}:
            same = 0 if number(same[0]) else 1
        if not isinstance(same, (bool, int, float)) or same not in (0, 1):
            rule = (
                "same must be true or false"
                if key == "same"
                else f"{key} of a truth file must be 0, 1, [0, 1] or [1, 0]"
            )
            raise fault_at(source, line, rule, same)
        strata = {name: row[name] for name in STRATA if isinstance(row.get(name), str) and row[name]}
        yield identifier(source, row, line), int(same), strata, line


def _texts(source: Source) -> Iterator[tuple[str, int, Mapping[str, str], int]]:
    for words, line in cells_of(source):
        if len(words) != 2 or words[1] not in ("Y", "N"):
            rule = "a line of a truth file is a problem and Y or N"
            raise fault_at(source, line, rule, " ".join(words))
        # The letters of a problem name its corpus: a language and a genre.
        yield words[0], int(words[1] == "Y"), {"corpus": words[0].rstrip("0123456789")}, line


def identifier(source: Source, row: dict[str, Any], line: int) -> str:
    """Return the id of the problem in a row of JSON Lines."""
    return elements.identifier(row, "id", source.label, line).strip(WHITE)
