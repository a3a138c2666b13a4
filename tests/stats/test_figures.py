"""Figures of public functions of `nescio.stats` that were worked elsewhere; the figures are in figures.toml."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FIGURES = tomllib.loads((Path(__file__).parent / "figures.toml").read_text(encoding="utf-8"))["figures"]


def read(argument: Any) -> Any:
    """Lists are arrays, and so are texts: `1x12 0` is twelve times 1 and a 0, and `1..9` the numbers from 1 to 9."""
    if isinstance(argument, list):
        return np.array([read(part) for part in argument])
    if not isinstance(argument, str):
        return argument
    if ".." in argument:
        first, last = map(int, argument.split(".."))
        return np.arange(first, last + 1, dtype=float)
    parts = (part.partition("x") for part in argument.split())
    return np.array([float(digit) for digits, _, times in parts for digit in digits * int(times or 1)])


def kept(argument: Any) -> Any:
    return tuple(argument) if isinstance(argument, list) else argument


@pytest.mark.parametrize(
    ("block", "arguments", "expected"),
    [pytest.param(block, *case, id=f"{block['of']}-{i}") for block in FIGURES for i, case in enumerate(block["cases"])],
)
def test_worked_figures(block: dict[str, Any], arguments: list[Any], expected: Any) -> None:
    module, name = block["of"].split(".")
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    given = [(kept if block.get("tuples") else read)(argument) for argument in arguments if argument is not named]
    options = {key: read(argument) for key, argument in named.items()}
    found = getattr(importlib.import_module(f"nescio.stats.{module}"), name)(*given, **options)
    if isinstance(expected, dict):
        found, expected = [getattr(found, key) for key in expected], [*expected.values()]
    within = block.get("within", 1e-9)
    found, expected = (np.array(one, dtype=float) for one in (found, expected))
    assert found == pytest.approx(expected, rel=0, abs=within, nan_ok=True)
