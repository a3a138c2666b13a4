"""Yield the elements of a list or an object in a JSON document one at a time, without loading a large document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nescio.errors import FormatError
from nescio.sources.source import Source
from nescio.sources.text_files import WHITE
from nescio.text import decimal

_PIECE = 1 << 22  # bytes read at a time: with each piece, the parser restarts an unfinished text


def part_of(document: Any, *place: str) -> Any:
    """Return the value under nested keys in a document, such as `part_of(document, "eval", "model")`; None if there is
    none."""
    for key in place:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def as_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object, or else an empty object."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is a list, or else an empty list."""
    return value if isinstance(value, list) else []


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; empty if the value is not a list."""
    return [element for element in as_list(value) if isinstance(element, dict)]


def texts_in(value: Any) -> list[str]:
    """Return the texts in a list, or a text alone; empty if the value is neither."""
    return [element for element in (value if isinstance(value, list) else [value]) if isinstance(element, str)]


def identifier(row: Mapping[str, Any], key: str, label: object, where: str | int) -> str:
    """Return the name of a row, which is the text or whole number under `key`, as text.

    Raises FormatError if the value is neither of these, or is blank. The message calls the file `label`, and `where` is
    the row's place or line number.
    """
    name = row.get(key)
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip(WHITE):
        place = f"line {where}" if isinstance(where, int) else where
        raise FormatError(label, f"{key} must be a text or a whole number", where=place, value=name)
    return str(name)


def identity(value: object) -> str:
    """Return a name as text that can be encoded as UTF-8; half of a surrogate pair in it is replaced."""
    return str(value).encode(errors="replace").decode()


def number(value: Any) -> float | None:
    """Return a JSON value as a float, or None if it is not a number.

    True is 1, and a text that writes a number, such as "0.5", is converted.
    """
    if isinstance(value, str):
        return decimal(value)
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:
        return None


def whole_number(value: Any) -> int | None:
    """Return a JSON value as a whole number, rounded toward zero, or None if it is not a finite number."""
    figure = number(value)
    return int(figure) if figure is not None and math.isfinite(figure) else None


def flag(row: Mapping[str, Any], key: str, label: object, where: str) -> bool | None:
    """Return the value under `key` in a row, which is true, false or None (also if the key is missing).

    Raises FormatError for any other value; the message calls the file `label` and the place of the row `where`.
    """
    value = row.get(key)
    if not isinstance(value, (bool, type(None))):
        raise FormatError(label, f"{key} must be true or false", where=where, value=value)
    return value


def placed_rows(
    source: Source, rows: Iterable[Any], what: str = "each item", *, each: str = "item"
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the objects of a list with their places, such as "item 3"; `each` is the word for an element in a place.

    Raises FormatError for an element that is not an object; the message calls elements `what`.
    """
    for i, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise FormatError(source.label, f"{what} must be an object", where=f"{each} {i}", value=row)
        yield row, f"{each} {i}"


def elements(source: Source, place: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """Yield the elements of the list under nested keys in a document, each with its place, such as "testCases[3]".

    A missing list counts as empty. Raises FormatError if the value there is not a list.
    """
    name = ".".join(place)
    if source.outline:
        for i, value in enumerate(_streamed(source, place)):
            yield value, f"{name}[{i}]"
        return
    values = part_of(source.document, *place)
    if not isinstance(values, (list, type(None))):
        raise FormatError(source.label, f"{name or 'this document'} must be a list", value=values)
    for i, value in enumerate(values or ()):
        yield value, f"{name}[{i}]"


def entries(source: Source, place: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
    """Yield the keys and values of the object under nested keys in a document, each with its place ("lookup entry 3").

    A missing object counts as empty. Raises FormatError if the value there is not an object.
    """
    name = ".".join(place)
    if source.outline:
        for i, (key, value) in enumerate(_streamed(source, place, keyed=True), 1):
            yield key, value, f"{name} entry {i}"
        return
    values = part_of(source.document, *place)
    if not isinstance(values, (dict, type(None))):
        raise FormatError(source.label, f"{name or 'this document'} must be an object", value=values)
    for i, (key, value) in enumerate((values or {}).items(), 1):
        yield key, value, f"{name} entry {i}"


def _streamed(source: Source, place: Sequence[str], *, keyed: bool = False) -> Iterator[Any]:
    """Yield the elements of the list under nested keys while the file is read; if `keyed`, the pairs of the object
    there.

    Raises FormatError for malformed JSON.
    """
    import ijson

    assert source.path is not None
    with source.path.open("rb") as file:
        if keyed:
            values = ijson.kvitems(file, ".".join(place), use_float=True, buf_size=_PIECE)
        else:
            values = ijson.items(file, ".".join((*place, "item")), use_float=True, buf_size=_PIECE)
        try:
            yield from values
        except (ijson.JSONError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(source.label, f"not a JSON document: {str(error).splitlines()[0]}") from None


def outline_of(head: bytes) -> Any:
    """Return the part of a JSON document that lies in its first bytes, or None if these bytes are not JSON.

    Lists and objects that continue after these bytes are ended there.
    """
    import ijson

    builder = ijson.ObjectBuilder()
    try:
        for event, value in ijson.basic_parse(head, use_float=True):
            builder.event(event, value)
    except (ijson.JSONError, UnicodeDecodeError, RecursionError):
        pass  # The bytes end within a value.
    return getattr(builder, "value", None)
