"""Read the value of a cell whose text is JSON, or Python's notation of a list or an object."""

from __future__ import annotations

import json
import warnings
from typing import Any

from nescio.sources.limits import limits, too_deep

# the most characters of a text that is read as Python, whose parser needs a hundred times as much memory
LONGEST = 1_000_000


class UnsoundLiteralError(ValueError):
    """The error for a text that looks like a value but is nested too deep or breaks another rule, which the error
    names."""


def read_literal(text: str) -> Any:
    """Return the value that a text holds in JSON or in Python's notation, such as the list in "['a', 'b']".

    Raises ValueError if the text holds no value, and UnsoundLiteralError if the value is nested too deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise UnsoundLiteralError(too_deep()) from None
    except ValueError:
        value = _python(text)
    if _nests_deep(value):
        raise UnsoundLiteralError(too_deep())
    return value


def literal_or(text: str, otherwise: Any) -> Any:
    """Return the value that a text holds in JSON or in Python's notation, or `otherwise` if it holds none."""
    try:
        return read_literal(text)
    except ValueError:
        return otherwise


def json_or(text: str, otherwise: Any) -> Any:
    """Return the value that a text holds in JSON, or `otherwise` if it holds none.

    Prose that only begins with a JSON value, such as `"a" or "b"`, holds none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
    return otherwise if _nests_deep(value) else value


def _python(text: str) -> Any:
    import ast

    if len(text) > LONGEST:
        raise ValueError("too long to be read as Python")
    try:
        with warnings.catch_warnings(action="ignore"):  # Python warns of unknown escapes.
            return ast.literal_eval(text)
    except (RecursionError, MemoryError):
        raise UnsoundLiteralError(too_deep()) from None
    except TypeError:
        raise UnsoundLiteralError("a list or an object cannot be a key") from None
    except SyntaxError:
        raise ValueError("neither JSON nor Python") from None


def _nests_deep(value: Any) -> bool:
    level = [value]
    for _ in range(limits().max_depth):
        containers = [
            entry.values() if isinstance(entry, dict) else entry
            for entry in level
            if isinstance(entry, (dict, list, tuple))
        ]
        if not containers:
            return False
        level = [inner for entry in containers for inner in entry]
    return True
