"""Decode JSON, in one place; refuse repeated keys, deep nesting, and values that need too much memory.

Half of a surrogate pair, which no text can hold, is replaced.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.errors import FormatError, opt
from nescio.memory import limit, of_machine
from nescio.sources.limits import check_columns, check_text_length, limits, longest_text, too_deep

FREE = 1 << 26  # bytes of values that are always allowed, however small the file
# the least bytes that Python needs for an object or a list, a text, and an item of a list
_OBJECT, _TEXT, _SLOT = 64, 56, 8
_SHORT = 1 << 20  # bytes: the values of a shorter JSON text never need more than FREE
# bytes of a text in which marks are counted with arrays, and bytes that fit into the cache
_LONG, _AT_ONCE = 1 << 13, 1 << 16
_AT_BYTE = re.compile(r"\(byte (\d+)\)")
_HALF_PAIR = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
_HEX = rb"[0-9a-f]{2}"
_PAIRS = re.compile(rb"\\(?:ud[89ab]%b\\ud[c-f]%b|(ud[89a-f]%b)|.)" % (_HEX, _HEX, _HEX), re.IGNORECASE | re.DOTALL)
_SPACED = re.compile(rb'"[ \t\r\n]+:')


def decode_object(
    path: Path, text: bytes, line: int, *, lenient: bool = False, room: MemoryBudget | None = None
) -> dict[str, Any]:
    """Return the JSON object of one line. Raises FormatError if there is no object, or if the object repeats a key.

    `lenient` also accepts NaN, Infinity and half of a surrogate pair, which some tools write though JSON forbids them.
    `room` is the memory that the values may take.
    """
    import msgspec

    text = text.rstrip(b"\r\n")
    if room is not None and len(text) > _SHORT:
        room.hold(path, needs(text), f"line {line}")
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        if not lenient or not isinstance(value := _forgiven(text), dict):
            at = _AT_BYTE.search(str(error))
            start = max(0, int(at[1]) - 20) if at else 0
            shown = text[start : start + 40].decode(errors="replace").strip()
            rule = f"not a JSON object: {_why_not_json(text, error)}"
            raise FormatError(path, rule, where=f"line {line}", value=shown) from None
    if not isinstance(value, dict):
        raise FormatError(path, "each line must be a JSON object", where=f"line {line}", value=value)
    if room is not None:
        check_columns(path, len(value), room.left, f"line {line}")
    # Otherwise no key can occur twice, and nothing is nested deep.
    if text.count(b":") > len(value) or text.count(b"[") >= limits().max_depth:
        _check(path, value, text, f"line {line}")
    return value


def decode_document(path: Path | str, text: bytes, room: MemoryBudget, where: str | None = None) -> Any:
    """Return the JSON value of a file, or of the place `where` in it.

    NaN and Infinity are allowed, and half of a surrogate pair is replaced. Raises FormatError if the text is not JSON,
    repeats a key in one object, is nested too deep, or needs more memory than `room` has left.
    """
    import msgspec

    text = text.removeprefix(codecs.BOM_UTF8)
    if len(text) > longest_text():
        check_text_length(path, _longest(text), where)
    needed = needs(text)
    room.hold(path, needed, where)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if (value := _forgiven(text)) is _NOTHING:
            reason = too_deep() if isinstance(error, RecursionError) else str(error).split("\n", 1)[0]
            raise FormatError(path, f"not a JSON document: {reason}", where=where) from None
    _check(path, value, text, where)
    room.left -= needed
    return value


class MemoryBudget:
    """The memory that the values of a file may still take.

    At first it is 64 MB plus ten times the size of the file. For a compressed file of `packed` bytes, the unpacked size
    counts. In this case, at most 200 MB plus 500 times `packed` are allowed. If the user limits memory, the budget is
    half of this limit instead. The budget never exceeds half of the machine's memory.
    """

    __slots__ = ("left",)

    def __init__(self, size: int, *, packed: int = 0) -> None:
        most = min(10 * size, 2 * FREE + 500 * packed) if packed else 10 * size
        stated, there = limit(), of_machine()
        self.left = FREE + most if stated is None else stated // 2
        if there is not None:
            self.left = min(self.left, there // 2)

    def hold(self, path: Path | str, needed: int, where: str | None = None) -> None:
        """Raise FormatError if `needed` bytes are more memory than the budget has left."""
        if needed > self.left:
            rule = f"its values would take about {needed >> 20} MB of memory, which is too much for a file of this size"
            rule += f"; {opt('memory_limit')} sets a memory limit, and a file may take half of it"
            raise FormatError(path, rule, where=where)


def needs(text: bytes) -> int:
    """Return an estimate of the memory that a JSON text and its values take.

    The estimate is 3 to 6 times the size of a usual log, and 26 times the size of a text of empty lists, `[[],[],…`.
    """
    texts = _times(text, b'"') - _times(text, b'\\"')  # Each text has two quotation marks.
    objects = _times(text, b"{") + _times(text, b"[")
    return 2 * len(text) + _TEXT // 2 * texts + _OBJECT * objects + _SLOT * _times(text, b",")


def _times(text: bytes, mark: bytes) -> int:
    """Return how often `mark`, which cannot overlap itself, occurs in a text.

    The result equals that of `bytes.count`, which is several times slower in long texts with many occurrences.
    """
    if len(text) < _LONG:
        return text.count(mark)
    total = 0
    for part in _parts(text, len(mark)):
        places = max(0, len(part) - len(mark) + 1)
        here = part[:places] == mark[0]
        for i, byte in enumerate(mark[1:], 1):
            here &= part[i : i + places] == byte
        total += int(np.count_nonzero(here))
    return total


def _parts(text: bytes, wide: int) -> Iterator[NDArray[np.uint8]]:
    """Yield a text in parts, as arrays of bytes, so that marks of `wide` bytes can be found in each part.

    Each part overlaps the next by `wide` - 1 bytes, because a mark may lie across their border.
    """
    for start in range(0, len(text), _AT_ONCE):
        yield np.frombuffer(text[start : start + _AT_ONCE + wide - 1], dtype=np.uint8)


def _longest(text: bytes) -> int:
    """Return the largest number of bytes between two quotation marks; no text in this JSON can be longer."""
    longest, last, start = 0, -1, 0
    for part in _parts(text, 1):
        places = np.flatnonzero(part == ord('"')) + start
        if len(places):
            longest = max(longest, int(np.diff(places, prepend=last).max()) - 1)
            last = int(places[-1])
        start += len(part)
    return max(longest, len(text) - last - 1)


_NOTHING = object()  # the result for a text that is no JSON at all


def _forgiven(text: bytes) -> Any:
    """Return the value that Python's own JSON reader reads from a text, or `_NOTHING` if the text is not JSON.

    Half of a surrogate pair becomes U+FFFD.
    """
    try:
        if _HALF_PAIR.search(text):
            text = _PAIRS.sub(lambda match: rb"\ufffd" if match[1] else match[0], text)
        # The bytes are decoded first, because Python's reader would accept UTF-16 and broken UTF-8.
        return json.loads(text.decode())
    except (ValueError, RecursionError):
        return _NOTHING


def halves_of_pairs(text: bytes) -> int:
    """Return the number of halves of surrogate pairs in a JSON text; nescio reads each as U+FFFD."""
    if not _HALF_PAIR.search(text):
        return 0
    return sum(match[1] is not None for match in _PAIRS.finditer(text))


def _why_not_json(text: bytes, error: Exception) -> str:
    """Return the reason why a text is not JSON.

    It is msgspec's error or, if Python's more tolerant reader accepts the text, the fault that this reader tolerates.
    """
    import msgspec

    if isinstance(error, msgspec.ValidationError):
        return "a number is out of range"
    if isinstance(error, RecursionError):
        return too_deep()
    if "truncated" in str(error) and not _HALF_PAIR.search(text):
        return "the object does not end on this line; each line must hold one complete object"
    constants: list[str] = []
    try:
        json.loads(text, parse_constant=constants.append, parse_int=str)
    except (ValueError, RecursionError):
        return str(error)
    if constants:
        return f"JSON has no {constants[0]}; write null if there is no number"
    return "a text contains half of a surrogate pair"


def _check(path: Path | str, value: Any, text: bytes, where: str | None) -> None:
    """Raise FormatError if the decoded `value` nests too deep, or if an object in its JSON `text` repeats a key.

    A repeated key shows because `value` holds only its last value, so that it has fewer keys than the text.
    """
    keys = depth = 0
    level = [value]
    while level:
        depth += 1
        if depth > limits().max_depth:
            raise FormatError(path, too_deep(), where=where)
        inner: list[Any] = []
        for value_ in level:
            if type(value_) is dict:
                keys += len(value_)
                inner.extend(value_.values())
            elif type(value_) is list:
                inner.extend(value_)
        level = inner
    if most_keys(text) > keys:
        refuse_twice(path, text, where)


def most_keys(text: bytes) -> int:
    """Return the largest number of keys that a JSON text may hold, from the number of times that `":` occurs in it.

    A quotation mark within a text has a backslash before it. So `":` ends a key if there is no backslash before it, or
    if this backslash is itself escaped. The result is exact unless a key ends in a backslash, or a text holds `" :`.
    """
    closed = _times(text, b'":') - _times(text, b'\\":') + _times(text, b'\\\\":')
    return closed + (len(_SPACED.findall(text)) if len(text) < _LONG or _has_spaced_colon(text) else 0)


def _has_spaced_colon(text: bytes) -> bool:
    """Return whether white space comes before a colon, which is rare in long texts."""
    return any(np.any((part[1:] == ord(":")) & (part[:-1] <= ord(" "))) for part in _parts(text, 2))


def refuse_twice(path: Path | str, text: bytes, where: str | None) -> None:
    """Raise FormatError if a key appears twice in one object of a JSON text. This check is slow."""

    def check(pairs: list[tuple[str, Any]]) -> None:
        if len(dict(pairs)) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise FormatError(path, "a key appears twice in one object", where=where, value=twice)

    json.loads(text, object_pairs_hook=check, parse_int=str)


def as_text(value: Any) -> str | None:
    """Return a JSON value as the text of a table cell."""
    if value is None or isinstance(value, str):
        return value
    import msgspec

    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, OverflowError, RecursionError):
        return "�"  # Only a line that was read leniently can hold such a value.
