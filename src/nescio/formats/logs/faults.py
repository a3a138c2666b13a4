"""Say in words which rule a row of a log breaks, from the types of the struct that describes such rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

Name = int | Annotated[str, Meta(pattern=r"\S")]  # the name of a question or a run
_KINDS: Mapping[Any, str] = {int: "a whole number", bool: "true or false", str: "a text", float: "a number"}


def fault_of(kind: type[Struct], row: Any, message: str) -> tuple[str, Any]:
    """Return the rule that a row breaks, such as "trial must be a whole number", and the value that breaks it.

    `kind` is the type that the row should have, and `message` is msgspec's error.
    """
    match = re.search(r"at `\$([^`]*)`", message)
    place = match[1].replace("...", "*") if match else ""  # msgspec leaves out the key of an object's value
    path = re.findall(r"[^.\[\]]+", place)
    if lost := re.search(r"missing required field `([^`]+)`", message):
        path.append(lost[1])
    type_: Any = kind
    value = row
    for name in path:
        type_ = _type_of(name, type_)
        value = value.get(name) if isinstance(value, dict) else value[int(name)] if name.isdecimal() else None
    return f"{'.'.join(path) or 'this'} must be {_in_words(type_)}", value


def _type_of(name: str, type_: Any) -> Any:
    """Return the type of the element `name` in a value of the type `type_`.

    It is the type of a struct's field, of a list's items, or of an object's values; Any if this is unknown.
    """
    for alternative in _alternatives(type_):
        if isinstance(alternative, type) and issubclass(alternative, Struct):
            fields = {field.encode_name: field.name for field in msgspec.structs.fields(alternative)}
            return get_type_hints(alternative, include_extras=True)[fields[name]]
        if items := [item for item in get_args(alternative) if item is not Ellipsis]:
            return items[-1]
    return Any


def _alternatives(type_: Any) -> list[Any]:
    """Return the types that a value may have, without None."""
    if get_origin(type_) is Annotated:
        return _alternatives(get_args(type_)[0])
    if get_origin(type_) in (Union, UnionType):
        return [alternative for part in get_args(type_) for alternative in _alternatives(part)]
    return [] if type_ is type(None) else [type_]


def _in_words(type_: Any) -> str:
    if type_ == Name:
        return "a text or a whole number"
    if get_origin(type_) is Annotated:
        description = next((meta.description for meta in get_args(type_)[1:] if isinstance(meta, Meta)), None)
        if description:
            return description
    words = [_KINDS.get(alternative) or _origin_in_words(alternative) for alternative in _alternatives(type_)]
    return " or ".join(dict.fromkeys(words))


def _origin_in_words(type_: Any) -> str:
    return "a list" if (get_origin(type_) or type_) in (list, tuple) else "an object"
