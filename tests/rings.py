"""Define the rings of the tests: those that run every day, and how much more the proofs try.

`pytest` is the daily ring, `pytest -m slow` the second. The proofs are the tests marked `proof`, which only run there,
and those marked `sampled`, which try more there: `NESCIO_PROOFS=1 pytest -m "proof or sampled"` tries everything,
`NESCIO_PROOFS=0.02` a fiftieth of it. `NESCIO_SEED` chooses the sample; without it the date does.
"""

from __future__ import annotations

import datetime
import functools
import inspect
import math
import os
import random
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

SHARE = float(os.environ.get("NESCIO_PROOFS", "0"))
# Set for the processes of pytest-xdist, too, because they must choose the same cases later.
SEED = os.environ.setdefault("NESCIO_SEED", datetime.date.today().isoformat())


def many(daily: int, proofs: int) -> int:
    """Return the number of cases that a test tries: `daily`, or in the proofs the requested share of `proofs`."""
    return max(daily, math.ceil(SHARE * proofs))


def sample(cases: Iterable[T], size: int, each: Callable[[T], Hashable] | None = None) -> list[T]:
    """Return a seeded sample of cases in order; the proofs get the requested share, and never fewer.

    With `each`, every value of it is in the sample at least once, whatever the size.
    """
    every = list(cases)
    order = list(range(len(every)))
    random.Random(SEED).shuffle(order)
    first: dict[Hashable, int] = {}
    if each is not None:
        for i in order:
            first.setdefault(each(every[i]), i)
    chosen = set(first.values())
    for i in order:
        if len(chosen) >= many(size, len(every)):
            break
        chosen.add(i)
    return [every[i] for i in sorted(chosen)]


def together(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes one test of many small cases, because parametrizing takes longer than such a test.

    All cases are tried, each in its own folder, and the failed ones are named together.
    """
    every, named = tuple(cases), [name.strip() for name in names.split(",")]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            folder = fixtures.get("tmp_path")
            for i, case in enumerate(every):
                if folder is not None:
                    fixtures["tmp_path"] = folder / str(i)
                    fixtures["tmp_path"].mkdir()
                try:
                    test(**fixtures, **dict(zip(named, case if len(named) > 1 else (case,), strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"where {names} = {case!r}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(every)} cases", failed)

        assert every, "no case"
        signature = inspect.signature(test)
        fixtures = [parameter for parameter in signature.parameters.values() if parameter.name not in named]
        tried.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return tried

    return decorate
