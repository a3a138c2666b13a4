"""Register measures, judges, formats, writers and systems by name, and parse names with parameters (`penalty(t=0.75)`).

A module registers its objects when it is imported, so a new file needs no entry elsewhere. Modules of other people are
plug-ins (`nescio.plugins`).
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from msgspec import Struct

from nescio import plugins
from nescio.errors import UnknownNameError, UsageError

T = TypeVar("T")
Rule = tuple[str, Callable[[Any], bool]]
REQUIRED = inspect.Parameter.empty  # in place of the default of a required parameter
_CALL = re.compile(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_PARTS = re.compile(r"(?:[^,()]|\([^()]*\)|[()])+")  # separated by commas, except for those in parentheses


class Registry(MutableMapping[str, T]):
    """Objects of one kind, keyed by name.

    `places` maps nescio's own names, in the order in which they are listed, to the modules that register them. Such a
    module is imported when its name is looked up. `besides` is the end of the message on an unknown name.
    """

    def __init__(self, kind: str, places: Mapping[str, str] | None = None, besides: str = "") -> None:
        self.kind, self._besides = kind, besides
        self._places = places or {}
        self._things: dict[str, T] = {}
        if places:  # For other registries, nescio's own names are unknown.
            plugins.TABLES.append((self._things, places))

    def __getitem__(self, name: str) -> T:
        if name not in self._things and name in self._places:
            import_module(self._places[name])
        return self._things[name]

    def __setitem__(self, name: str, thing: T) -> None:
        self._things[name] = thing

    def __delitem__(self, name: str) -> None:
        del self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._places, *self._things)))

    def __len__(self) -> int:
        return len(self._places.keys() | self._things.keys())

    def add(self, name: str, thing: T) -> None:
        """Register an object. Raises ValueError for a name that is taken, even by an object not yet imported."""
        if name in self._things or self._places.get(name, __name__) not in sys.modules:
            raise ValueError(f"a {self.kind} named {name!r} is already registered")
        self._things[name] = thing

    def find(self, name: str) -> T:
        """Return the object with this name; plug-ins are searched too. Raises UnknownNameError with the nearest
        names."""
        if name not in self:
            self.load_all()
        if name not in self:
            raise UnknownNameError(self.kind, name, self, self._besides)
        return self[name]

    def load_all(self) -> None:
        """Import every module that registers a name, and the plug-ins of installed packages."""
        for module in dict.fromkeys(self._places.values()):
            import_module(module)
        plugins.load_installed()


class Call(Struct, frozen=True):
    """A name with its parameters as the user wrote them. Each argument is (parameter's name or None, text)."""

    text: str
    name: str
    inside: str  # the text in parentheses
    arguments: tuple[tuple[str | None, str], ...]


def parse_call(text: object, kind: str) -> Call:
    """Return the call for NAME or NAME(value, parameter=value). Raises UsageError for any other text."""
    if not isinstance(text, str):
        raise UsageError(f"the name of a {kind} must be text (found {text!r})")
    match = _CALL.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is not a {kind}; write it as NAME or NAME(parameter=value)")
    arguments, inside = [], (match[2] or "").strip()
    for part in map(str.strip, _PARTS.findall(inside)):
        key, equals, value = part.partition("=") if "(" in part else part.rpartition("=")
        if part:
            arguments.append((key.strip() if equals else None, value.strip()))
    return Call(text, match[1], inside, tuple(arguments))


def values_of(call: Call, parameters: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the parameters of a call, keyed by name. Raises UsageError for too many parameters, or one given twice.

    If there is a single text parameter (`mean(my column)`), it gets the whole text in parentheses.
    """
    names = list(parameters)
    alone = len(names) == 1 or (names[:1] == ["column"] and len(call.arguments) == 1)
    if alone and parameters[names[0]] is REQUIRED and call.inside:
        name, equals, text = call.inside.partition("=")
        if not equals or not name.strip().isidentifier():  # A column may be called `factual_correctness(mode=f1)`.
            name, text = names[0], call.inside
        return {name.strip(): _unquoted(text.strip())}
    values: dict[str, Any] = {}
    for position, (key, text) in enumerate(call.arguments):
        if key is None and position >= len(names):
            raise UsageError(f"{call.text!r} has too many parameters; the {kind} takes {', '.join(names) or 'none'}")
        parameter = names[position] if key is None else key
        if parameter in values:
            raise UsageError(f"{call.text!r} gives {parameter} twice")
        values[parameter] = literal(text)
    return values


def bind(
    name: str, kind: str, parameters: Mapping[str, Any], values: Mapping[str, Any], rules: Mapping[str, Rule]
) -> dict[str, Any]:
    """Return all parameters with their given or default values. Raises UsageError for an unknown, missing or invalid
    one."""
    for key in values:
        if key not in parameters:
            allowed = f"its parameters are {', '.join(parameters)}" if parameters else "it has no parameters"
            raise UsageError(f"{kind} {name} has no parameter {key!r}; {allowed}")
    bound = {**parameters, **values}
    for key, value in bound.items():
        if value is REQUIRED:
            raise UsageError(f"{kind} {name} needs its parameter {key!r}, as in {name}({key})")
        number, default = isinstance(value, (int, float)) and not isinstance(value, bool), parameters[key]
        if isinstance(default, bool) and not isinstance(value, bool):
            raise UsageError(f"{kind} {name}: {key} must be true or false (found {value!r})")
        if isinstance(default, (int, float)) and not isinstance(default, bool) and not number:
            raise UsageError(f"{kind} {name}: {key} must be a number (found {value!r})")
        if number and not math.isfinite(value):
            raise UsageError(f"{kind} {name}: {key} must be a finite number (found {value!r})")
        rule, holds = rules.get(key, ("", lambda _: True))
        if not holds(value):
            raise UsageError(f"{kind} {name}: {rule} (found {key} = {value!r})")
    return bound


def written(name: str, values: Mapping[str, Any]) -> str:
    """Return a name with its parameters as text, which `parse_call` reads."""
    shown = ", ".join(f"{key}={as_text(value)}" for key, value in values.items())
    return f"{name}({shown})" if values else name


def literal(text: str) -> Any:
    """Return the value of a parameter's text: a whole number, a number, true or false, or else the text itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), _unquoted(text))


def _unquoted(text: str) -> str:
    return text.strip("'\"")


def as_text(value: Any) -> str:
    """Return a parameter's value as text, which `literal` reads."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def import_all(package: str, path: Iterable[str], *, nested: bool = False, but: Collection[str] = ()) -> None:
    """Import the public modules of a package, except those in `but`; `nested` includes its subpackages."""
    for module in modules_in(package, path, nested=nested):
        if module not in but:
            import_module(module)


def modules_in(package: str, path: Iterable[str], *, nested: bool = False) -> Iterator[str]:
    """Yield the names of the public modules of a package in order, without importing them; `nested` includes its
    subpackages."""
    for info in iter_modules(path):
        if not info.name.startswith("_"):
            yield f"{package}.{info.name}"
            if nested and info.ispkg:
                yield from modules_in(
                    f"{package}.{info.name}", [f"{folder}/{info.name}" for folder in path], nested=True
                )
