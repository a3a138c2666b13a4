"""Read cells that hold one answer, or several: texts, lists as JSON or Python writes them, and SQuAD's objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nescio.errors import FormatError
from nescio.sources.elements import identity
from nescio.sources.json_lines import json_lines
from nescio.sources.literals import UnsoundLiteralError, json_or, read_literal
from nescio.sources.source import Source
from nescio.sources.tables import locate
from nescio.sources.text_files import WHITE
from nescio.tables.cells import Placed

Structured = Mapping[tuple[int, str], type] | None  # types by row and role; None for files where only the text tells


def types_of_cells(source: Source, placed: Placed) -> Structured:
    """Return the types of the cells of JSON Lines that are lists or objects, keyed by row number and role.

    The type is needed because a text may look like a list. The result is None for other formats.
    """
    if source.kind != "lines":
        return None
    names = {(r, name) for _, m in placed for r in ("prediction", "gold") if r in m for name in m[r].columns}
    return {
        (at, role): type(row[name])
        for at, (row, _) in enumerate(json_lines(source), 1)
        for role, name in names
        if isinstance(row.get(name), (list, dict))
    }


def _kind(text: str, place: tuple[Source, int], structured: Structured, role: str) -> type:
    """Return the type of a cell's content: list, dict or str.

    `place` is the file and the row. A text in braces is not an object in a delimited file, whose cells are all texts.
    """
    listed = text.startswith("[") and text.endswith("]")
    if structured is not None:
        return structured.get((place[1], role), list if listed and role == "gold" else str)
    if text.startswith("{") and text.endswith("}") and place[0].kind in ("parquet", "table"):
        return dict
    return list if listed else str


def golds_of(text: str | None, place: tuple[Source, int], structured: Structured) -> tuple[str, ...]:
    """Return the gold answers in a cell.

    The cell may be a list as JSON or Python writes it, SQuAD's {"text": [...]}, or texts separated by " | ".
    """
    if text is None:
        return ()
    kind = _kind(text, place, structured, "gold")
    if kind is dict:
        held = json_or(text, None)
        texts = held.get("text") if isinstance(held, dict) else None
        if not isinstance(texts, list) or not all(isinstance(item, str) for item in texts):
            raise _object(text, place)
        return tuple(dict.fromkeys(item for item in texts if item.strip(WHITE)))
    if kind is list:
        items = _list(text, place)
        if items is not None:
            return tuple(dict.fromkeys(item for item in items if item.strip(WHITE)))
        if place[0].kind in ("parquet", "table"):
            raise broken_cell(place, "a list of gold answers must be JSON", text)
    return tuple(dict.fromkeys(part for piece in text.split(" | ") if (part := piece.strip(WHITE))))


def predictions_of(text: str | None, place: tuple[Source, int], structured: Structured) -> tuple[str, ...]:
    """Return the predictions in a cell; a list in JSON has one for each rank, the best first."""
    if text is None:
        return ()
    kind = _kind(text, place, structured, "prediction")
    if kind is dict:
        raise _object(text, place)
    items = _list(text, place) if structured is not None and kind is list else None
    return (text,) if items is None else tuple(items)


def _list(text: str, place: tuple[Source, int]) -> list[str] | None:
    try:
        items = read_literal(text)
    except UnsoundLiteralError as error:
        raise broken_cell(place, f"this looks like a list but cannot be read: {error}", text) from None
    except ValueError:
        return None
    if not isinstance(items, list) or any(isinstance(x, bool) or not isinstance(x, (str, int, float)) for x in items):
        return None
    return [identity(item) for item in items]


def _object(text: str, place: tuple[Source, int]) -> FormatError:
    rule = (
        "this cell is an object, but an answer must be a text or a list of texts: put the answer into a column "
        "of its own"
    )
    return broken_cell(place, rule, text)


def broken_cell(place: tuple[Source, int], rule: str, value: Any = None) -> FormatError:
    """Return the error that a cell breaks a rule; `place` is the file and the row."""
    source, row = place
    return FormatError(source.label, rule, where=locate(source, row), value=value)
