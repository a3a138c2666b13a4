"""Define the kinds of values that options take, with the check for each, the same for every interface."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace

LEAST_LEVEL, MOST_LEVEL = 50, 99.9999999  # in percent
Check = Callable[[Any], Any]


class Kind(Struct, frozen=True):
    """The kind of value that an option takes, such as a whole number or a path, for every interface.

    `takes` names the kind in error messages, and `plain` is its type in JSON. `check` returns the value as requests
    hold it, or raises ValueError, TypeError or UsageError. `read` converts the word of a shell, or the list of words if
    `several` may be given, to the value that a program would pass. `write` converts one of several values to a word.
    """

    takes: str
    check: Check
    read: Check = str
    plain: Any = str
    metavar: str = "TEXT"
    several: bool = False
    flag: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False
    files: bool = False  # whether they are files to read
    path: bool = False
    write: Check = str


def kind_of(annotation: Any, low: float | None = None, high: float | None = None, *, above: bool = False) -> Kind:
    """Return the kind of value that an annotated type describes; an `Annotated` type may state its kind itself.

    `low` and `high` are bounds of a number. If `above`, the number must be greater than `low`.
    """
    if get_origin(annotation) is Annotated:
        stated = next((part for part in get_args(annotation)[1:] if isinstance(part, Kind)), None)
        return stated or kind_of(get_args(annotation)[0], low, high, above=above)
    origin = get_origin(annotation) or annotation
    if origin in (Union, UnionType):
        return _kind_of_union(get_args(annotation), low, high, above=above)
    if origin in (int, float):
        return number(origin, low, high, above=above)
    return _kind_of_several(origin, get_args(annotation))


def _kind_of_several(origin: Any, of: tuple[Any, ...]) -> Kind:
    if origin is Literal:
        return one_of(of)
    if origin in (tuple, Sequence):
        return FILES if of[0] is Path else several_of(get_args(of[0])) if get_origin(of[0]) is Literal else NAMES
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return LIMITS if of[1] is float else PAIRS
    return {bool: FLAG, str: TEXT, Path: PATH}.get(origin, ANYTHING)


def _kind_of_union(types: tuple[Any, ...], low: float | None, high: float | None, *, above: bool) -> Kind:
    kinds = [kind_of(member, low, high, above=above) for member in types if member is not NoneType]
    kind = next((kind for kind in kinds if kind is not ANYTHING), ANYTHING)
    return replace(kind, optional=True, plain=kind.plain | None) if NoneType in types else kind


def number(of: type, low: float | None = None, high: float | None = None, *, above: bool = False) -> Kind:
    """Return the kind of a number between bounds: whole if `of` is int, any number if it is float."""
    what = "a whole number" if of is int else "a number"
    if low is not None and high is not None:
        limits = [f"above {low:g} and at most {high:g}" if above else f"from {low:,} to {high:,}"]
    elif low is not None:
        limits = [f"above {low:g}" if above else f"{low:,} or more"]
    else:
        limits = [f"{high:,} or less"] if high is not None else []

    def check(value: Any) -> Any:
        if isinstance(value, bool) or not hasattr(value, "__float__" if of is float else "__index__"):
            raise TypeError
        value = of(value)
        if math.isnan(value) or (high is not None and value > high) or math.isinf(value):
            raise ValueError
        if low is not None and (value <= low if above else value < low):
            raise ValueError
        return value

    metavar = "N" if of is int else "NUMBER"
    return Kind(f"{what}{', ' * bool(limits)}{', '.join(limits)}", check, of, of, metavar)


def one_of(choices: tuple[str, ...]) -> Kind:
    """Return the kind whose value is one of these words."""

    def check(value: Any) -> Any:
        if value not in choices:
            raise ValueError
        return value

    return Kind(f"one of {', '.join(choices)}", check, str, Literal[choices], "|".join(choices), choices=choices)


def several_of(choices: tuple[str, ...]) -> Kind:
    """Return the kind whose value is a list of some of these words."""

    def check(value: Any) -> Any:
        names = _names(value)
        if not set(names) <= set(choices):
            raise ValueError
        return names

    takes = f"any of {', '.join(choices)}"
    return Kind(takes, check, list, list[str], "|".join(choices), several=True, choices=choices)


def _names(value: Any) -> tuple[str, ...]:
    """Return a list of texts, or a single text, as a tuple of texts. A text is not split into letters."""
    if isinstance(value, str):
        return (_text(value),)
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise TypeError
    return tuple(map(_text, value))


def _paths(value: Any) -> tuple[Any, ...]:
    items = value if isinstance(value, (list, tuple)) else (value,)
    return tuple(_text(item) if isinstance(item, str) else item for item in items)  # Other values are tables.


def _pairs(value: Any) -> dict[str, str]:
    """Return a dictionary of names and their values, from a mapping, "NAME=VALUE" texts or (name, value) pairs."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Mapping):
        value = once([_pair(item) for item in value])
    if not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise TypeError
    return dict(value)


class RepeatedNameError(ValueError):
    """The error that a name is given twice, so that the first value would be lost."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dictionary. Raises RepeatedNameError for a name with two different values."""
    for at, (name, value) in enumerate(pairs):
        if any(name == other and value != before for other, before in pairs[:at]):
            raise RepeatedNameError(f"has two values for {name!r}; give one")
    return dict(pairs)


def _pair(item: Any) -> tuple[str, str]:
    if isinstance(item, str):
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise ValueError
        return name, text
    name, text = item
    return name, text


def _limits(value: Any) -> dict[str, float]:
    """Return a bound for each measure, from a mapping or from texts such as "c@1=0.7".

    The bound follows the last "=", because the parameters of a measure may contain one.
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Mapping):
        pairs = [item.rpartition("=")[::2] if isinstance(item, str) else item for item in value]
        value = once([(name.strip(), float(bound)) for name, bound in pairs])
    if not all(isinstance(name, str) and name and math.isfinite(float(bound)) for name, bound in value.items()):
        raise ValueError
    return {name: float(bound) for name, bound in value.items()}


def _level(value: Any) -> float:
    """Return a level of confidence in percent. A value from 0.5 to below 1 is a share, so that 0.95 becomes 95."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise TypeError
    level = float(value)
    level = round(level * 100, 10) if 0.5 <= level < 1 else level
    if not LEAST_LEVEL <= level <= MOST_LEVEL:
        raise ValueError
    return level


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    if not value:
        raise ValueError
    return value


def _path(value: Any) -> Path:
    return Path(value if hasattr(value, "__fspath__") else _text(value))


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


def _between(value: Any) -> float:
    between: float = number(float).check(value)
    if not 0 < between < 1:
        raise ValueError
    return between


def _each(check: Check) -> Check:
    """Return a check of one or several values, which returns a tuple with the result of `check` for each."""

    def checked(value: Any) -> tuple[Any, ...]:
        if isinstance(value, (str, bytes)):
            raise TypeError
        values = tuple(map(check, value if isinstance(value, Iterable) else (value,)))
        if not values:
            raise ValueError
        return values

    return checked


def _split(text: Any) -> list[float]:
    return [float(part.strip().removesuffix("%")) for part in str(text).split(",")]


def same(value: Any) -> Any:
    """Return the value unchanged, as the check of a kind that accepts everything."""
    return value


FLAG = Kind("True or False", _flag, same, bool, flag=True)
TEXT = Kind("a text", _text)
PATH = Kind("a path", _path, metavar="FILE", path=True)
NAME_OR_PATH = Kind("a name or a path", lambda value: value if isinstance(value, Path) else _text(value))
FUNCTION = Kind("a function", _function)
FILES = Kind("paths", _paths, list, list[str], "FILE", several=True, path=True)
NAMES = Kind("a list of texts", _names, list, list[str], "NAME", several=True)
PAIRS = Kind("NAME=VALUE", _pairs, list, dict[str, str], "NAME=VALUE", several=True)
LIMITS = Kind("MEASURE=VALUE", _limits, list, dict[str, float], "MEASURE=VALUE", several=True)
WORDS = Kind("texts separated by commas", _names, lambda text: text.split(","), list[str], "WORD,WORD,…")
NUMBERS = Kind("numbers separated by commas", _each(number(float).check), _split, list[float], "N,N,…")
COUNTS = Kind(
    "whole numbers from 1, separated by commas",
    _each(number(int, 1).check),
    lambda words: [int(part) for word in words for part in word.split(",")],
    list[int] | None,
    "N,N,…",
    several=True,
)
COUNT_OR_ALL = Kind(
    "a whole number from 1, or the word all",
    lambda value: None if value in (None, "all") else number(int, 1).check(value),
    lambda text: text if text == "all" else int(text),
    int | None,
    "N|all",
    optional=True,
)
BETWEEN = Kind("a number between 0 and 1, such as 0.05", _between, float, float, "SHARE")
BETWEENS = Kind("numbers between 0 and 1, separated by commas", _each(_between), _split, list[float], "N,N,…")
LEVEL = Kind(f"a level in percent, from {LEAST_LEVEL} to below 100, such as 95", _level, float, float, "LEVEL")
LEVEL_OR_NONE = Kind(
    f"a level in percent, from {LEAST_LEVEL} to below 100, such as 95, or none",
    lambda value: None if value is None else _level(value),
    lambda text: None if text.lower() == "none" else float(text),
    float | None,
    "LEVEL|none",
)
SHARE = Kind("a share from .5 to below 1, such as .95", lambda value: _level(value) / 100, float, float, "SHARE")
ANYTHING = Kind("", same, same, Any)
