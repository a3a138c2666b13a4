"""What of many cases alike a day's work tries; continuous integration tries them all."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def daily(values: Iterable[Any], each: int) -> list[Any]:
    """Mark all values of a parameter but each n-th as slow."""
    return [pytest.param(value, marks=[pytest.mark.slow] * (i % each > 0)) for i, value in enumerate(values)]


def together(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of many small cases, on each of which `pytest.mark.parametrize` spends longer than the test does.

    All of them are tried, each in a folder of its own, and those that fail are named together.
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
        own = inspect.signature(test)
        fixtures = [one for one in own.parameters.values() if one.name not in named]
        tried.__signature__ = own.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return tried

    return decorate
