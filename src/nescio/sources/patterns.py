"""Match regular expressions from users in bounded time.

Patterns that could take long go to the table engine, whose matching takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from nescio.errors import UsageError
from nescio.text import WHITE_SPACE

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
# What Python's classes match beyond ASCII, as members of a class of the table engine.
_WIDE = {"d": r"\p{Nd}", "w": r"\p{L}\p{N}_", "s": WHITE_SPACE, "D": r"\P{Nd}"}
_WIDE["S"] = (
    r"\x00-\x08\x0e-\x1b\x21-\x84\x86-\x9f\xa1-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)
_BRACKET_OR_ESCAPE = re.compile(r"\[|\\.", re.DOTALL)
_CLASS_OR_ESCAPE = re.compile(r"(\[\^?)(\]?(?:\\.|[^\]\\])*\])|\\.", re.DOTALL)
_QUICK, _BEARABLE = 10**6, 10**8  # steps of Python's engine on one text: about 10 milliseconds, and about a second
_FOREIGN = re.compile(r"\\[bBZ1-9]|\(\?(?![:imsPx])|\(\?P[=>]|[*+?}]\+")


def whole_matcher(name: str, pattern: str) -> Callable[[str], bool]:
    """Return a function that tests whether a pattern matches a whole text, with case ignored and "." for any character.

    Raises UsageError, which calls the option `name`, for an invalid regular expression. Also raises it for one that
    could take exponential time in Python and that DuckDB cannot match in linear time.
    """
    flags = re.IGNORECASE | re.DOTALL
    try:
        compiled = re.compile(pattern, flags)
        tree = parser.parse(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{name}: this is not a valid regular expression: {error}") from None
    if any(_is_ambiguous(body) for body in _repeated(tree)):
        slow = f"{name}: {pattern!r} repeats a repetition or a choice, which could take exponential time"
        return _in_linear_time(slow, pattern)
    repeats = sum(1 for _ in _repeated(tree))

    def matches(text: str) -> bool:
        """Return whether the pattern matches the whole text.

        With k repetitions in the pattern and n characters, Python may try n^k ways. If these are too many, DuckDB
        matches the pattern in linear time; if DuckDB does not support the pattern, UsageError is raised.
        """
        steps = max(len(text), 1) ** repeats
        if steps <= _QUICK or (steps <= _BEARABLE and _is_foreign(pattern)):
            return compiled.fullmatch(text) is not None
        much = (
            f"{name}: {pattern!r} has {repeats} repetitions, which take too long on a text of {len(text):,} characters"
        )
        return _in_linear_time(much, pattern)(text)

    return matches


def _repeated(tree: Iterable[Any]) -> Iterator[Any]:
    """Yield the repeated part of each repetition in a parsed regular expression, such as `ab` in `(ab)*`."""
    for code, value in tree:
        if code in _REPEATS and value[1] > 1:
            yield value[2]
        yield from (body for part in _parts(value) for body in _repeated(part))


def _parts(value: Any) -> Iterator[Any]:
    """Yield the subexpressions in an element of a parsed regular expression."""
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _parts(part)


def _is_ambiguous(body: Any) -> bool:
    """Return whether the repeated part of a pattern may match one text in several ways: it has a choice or repetition
    in it."""
    return any(
        code in (codes.BRANCH, *_REPEATS, codes.GROUPREF) or any(map(_is_ambiguous, _parts(value)))
        for code, value in body
    )


def _is_foreign(pattern: str) -> bool:
    """Return whether a pattern has a construct that the table engine lacks, or reads otherwise."""
    classes = [{*_BRACKET_OR_ESCAPE.findall(match[2])} for match in _CLASS_OR_ESCAPE.finditer(pattern) if match[1]]
    if any(r"\b" in members or (r"\W" in members and r"\w" not in members) for members in classes):
        return True
    bare = _CLASS_OR_ESCAPE.sub(lambda match: match[0] if match[0][1:].isalnum() else "x", pattern)
    return _FOREIGN.search(bare) is not None


def _widened(pattern: str) -> str:
    """Return a pattern of Python's in the table engine's words."""

    def outside(match: re.Match[str]) -> str:
        if match[1]:
            return match[1] + _BRACKET_OR_ESCAPE.sub(inside, match[2])
        members = _WIDE.get(match[0][1].lower())
        return match[0] if not members else f"[^{members}]" if match[0][1].isupper() else f"[{members}]"

    def inside(match: re.Match[str]) -> str:
        # Python takes "[" in a class for itself. The table engine would start a named class such as [:alpha:].
        return r"\[" if match[0] == "[" else _WIDE.get(match[0][1], match[0])

    return _CLASS_OR_ESCAPE.sub(outside, pattern)


def _in_linear_time(slow: str, pattern: str) -> Callable[[str], bool]:
    import duckdb

    from nescio.sources.database import connect, first_line

    if _is_foreign(pattern):
        raise UsageError(
            f"{slow}; rewrite it with simpler repetitions, or without look-around, back-references, \\b, "
            "and \\W in brackets"
        )
    wide = _widened(pattern)

    def matches(text: str) -> bool:
        with connect(small=True) as connection:
            return bool(connection.execute("SELECT regexp_full_match(?, ?, 'is')", [text, wide]).fetchall()[0][0])

    try:
        matches("")
    except duckdb.Error as error:
        raise UsageError(
            f"{slow}; DuckDB, which takes linear time, does not accept the pattern: {first_line(error)}"
        ) from None
    return matches
