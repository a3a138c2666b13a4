"""Errors arrive from another process as they were raised there."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from nescio.errors import FormatError, NescioError, UnknownNameError


def kinds(of: type[NescioError] = NescioError) -> Iterator[type[NescioError]]:
    """Yield a kind of error and all that derive from it."""
    yield of
    for kind in of.__subclasses__():
        yield from kinds(kind)


def raised(kind: type[NescioError]) -> NescioError:
    """Make an error of a kind as its users do."""
    if issubclass(kind, FormatError):
        return kind("runs.csv", "a rule", where="line 7", value="maybe")
    if issubclass(kind, UnknownNameError):
        return kind("measure", "c@2", ["c@1"])
    return kind("what is wrong")


@pytest.mark.parametrize("kind", sorted(set(kinds()), key=str))
def test_an_error_travels(kind: type[NescioError]) -> None:
    error = raised(kind)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert vars(again) == vars(error)
