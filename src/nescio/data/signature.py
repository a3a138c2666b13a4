"""Make the signature of a result: one line, in the manner of sacreBLEU, with all that a number depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nescio._version import __version__

TOOL = "nescio"  # the first field: its value is the version
SHORT = ("data", "seed")  # the fields of the short form, beside the version
_SPECIAL = re.compile(r"[\\|:]")
_BARS = re.compile(r"(?:\\.|[^\\|])+", re.DOTALL)
_FIELD = re.compile(r"((?:\\.|[^\\:])*):(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Signature(Mapping[str, str]):
    """The origin of a result as names and values in order, with the version of nescio first.

    As text it is `nescio:0.2.0|runs:3|…`, which `parse` reads.
    """

    fields: tuple[tuple[str, str], ...]

    def __getitem__(self, name: str) -> str:
        return dict(self.fields)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        return "|".join(f"{_escape(name)}:{_escape(value)}" for name, value in self.fields)

    def extend(self, **fields: object) -> Signature:
        """Return the signature with more fields at its end; an existing field gets the new value in its place."""
        return Signature(tuple((dict(self.fields) | {name: str(value) for name, value in fields.items()}).items()))

    def short(self) -> str:
        """Return the version, the data and the seed alone, for terminals and papers: `nescio 0.2.0 · data da07807d ·
        seed 0`."""
        kept = [f"{name} {self[name]}" for name in (TOOL, *SHORT) if name in self]
        return " · ".join(kept)


def sign(**fields: object) -> Signature:
    """Return a signature that begins with this version of nescio, followed by `fields`."""
    return Signature(((TOOL, __version__), *((name, str(value)) for name, value in fields.items())))


def exactly(number: float) -> str:
    """Return a number with as few digits as it needs: a decision is made by the level that a signature states."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def parse(text: str) -> Signature:
    """Return the signature that a text such as `nescio:0.2.0|runs:3` states. Raises ValueError for any other text."""
    fields = []
    for part in _BARS.findall(text):
        match = _FIELD.fullmatch(part)
        if not match:
            raise ValueError(f"a signature consists of parts NAME:VALUE, separated by | (found {part!r})")
        fields.append((_ESCAPED.sub(r"\1", match[1]), _ESCAPED.sub(r"\1", match[2])))
    return Signature(tuple(fields))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
