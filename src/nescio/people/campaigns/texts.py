"""Check the texts that people write: the encoding of a file, and characters that an answer may not contain."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Mapping
from pathlib import Path

from nescio.errors import FormatError

# By byte-order mark, the longer first: UTF-32's begins with UTF-16's.
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# The letters beyond ASCII of the languages that an encoding was made for.
_LETTERS: Mapping[str, tuple[str, str]] = {
    "cp1252": ("Windows-1252 or Latin-1", "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšž’“”–—«»¿¡ªº€"),
    "cp1250": ("Windows-1250", "áâăäĺćçčéęëěíîďđńňóôőöřůúűüýţşśšťžźżłľąßŕ’“”„–—€"),
    "cp1251": ("Windows-1251", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ«»–—„“№"),
    "cp1253": ("Windows-1253", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ«»–—’"),
}
_SINGLE = re.compile(rb"[\x80-\xff]+")
# Overrides and embeddings can disguise a text; the direction marks that Arabic and Hebrew need are allowed.
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f]")
_GUESSED_FROM = 1 << 16  # bytes from which the encoding is guessed, because a large file would take minutes
_ODD = 0.05  # of the characters beyond ASCII, how many may be none of an encoding's letters


def encoding_fault(content: bytes) -> str | None:
    """Return a message that a file is not UTF-8, with its probable encoding; None if the file is UTF-8."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return f"the file is {encoding} text; save it as UTF-8"
    if b"\0" in content:
        many = content[:4096].count(b"\0") > len(content[:4096]) / 8
        return (
            "the file is UTF-16 text without a byte order mark, or it is not a text; save it as UTF-8"
            if many
            else "the file contains a NUL byte"
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        name = _likeliest(content[error.start : error.start + _GUESSED_FROM])
        guess = f", but probably {name}" if name else ""
        return f"line {line} is not UTF-8 text{guess}; save it as UTF-8"
    return None


def _likeliest(content: bytes) -> str | None:
    """Return the first encoding in which nearly all non-ASCII bytes are letters, or None if there is none."""
    high = b" ".join(_SINGLE.findall(content))
    counts = {}
    for name, (_, letters) in _LETTERS.items():
        text = high.decode(name, "replace").replace(" ", "").casefold()
        counts[name] = sum(letter in letters for letter in text) / max(len(text), 1)
    best = max(counts.values())
    if best < 1 - _ODD:
        return None
    return next(_LETTERS[name][0] for name, count in counts.items() if count == best)


def utf8_text(path: Path) -> str:
    """Return the text of a file without its byte order mark. Raises FormatError for a file that is not UTF-8."""
    content = path.read_bytes()
    if fault := encoding_fault(content):
        raise FormatError(path, fault)
    return io.StringIO(content.decode("utf-8-sig"), newline=None).read()


def canonical(content: bytes) -> bytes:
    """Return a text without the marks that editors add: a byte-order mark, and carriage returns at line ends."""
    return content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")


def text_fault(text: str, longest: int) -> str | None:
    """Return a message if a text is longer than `longest` characters or has a forbidden character, else None."""
    if len(text) > longest:
        return f"the text has {len(text):,} characters, and at most {longest:,} are accepted"
    if match := _CONTROL.search(text):
        what = "a NUL character" if match[0] == "\0" else f"a control character (U+{ord(match[0]):04X})"
        return f"the text contains {what}"
    if match := _HIDING.search(text):
        return f"the text contains a character that changes the direction of writing (U+{ord(match[0]):04X})"
    return None
