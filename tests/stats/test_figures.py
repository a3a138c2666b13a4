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
    """Lists and texts of 0 and 1 are arrays of numbers."""
    if isinstance(argument, str):
        return np.array([float(digit) for digit in argument])
    return np.array([read(part) for part in argument]) if isinstance(argument, list) else argument


@pytest.mark.parametrize(
    ("block", "arguments", "expected"),
    [pytest.param(block, *case, id=f"{block['of']}-{i}") for block in FIGURES for i, case in enumerate(block["cases"])],
)
def test_worked_figures(block: dict[str, Any], arguments: list[Any], expected: Any) -> None:
    module, name = block["of"].split(".")
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    kind = (lambda one: tuple(one) if isinstance(one, list) else one) if block.get("tuples") else read
    given = [kind(argument) for argument in arguments if argument is not named]
    found = getattr(importlib.import_module(f"nescio.stats.{module}"), name)(
        *given, **{key: read(argument) for key, argument in named.items()}
    )
    expected = np.array(expected, dtype=float)
    assert np.array(found, dtype=float) == pytest.approx(expected, rel=0, abs=block.get("within", 1e-9), nan_ok=True)
