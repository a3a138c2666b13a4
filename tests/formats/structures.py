"""Damage the content of a JSON document, because damage to its bytes would leave no document to read."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    7,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    10**30,
    "",
    "x",
    "C",
    "\ud800",
    "\n",
]
ODD += [[], {}, [[]], [None], {"name": None}, {"": {}}, ["a", "b"], [[0.5, "True"], [1, "False"]]]


@st.composite
def rewritten(draw: DrawFn, document: Any) -> Any:
    """Return a JSON value with one to three parts, at any depth, replaced, removed or doubled."""
    found = {"": copy.deepcopy(document)}
    for _ in range(draw(st.integers(1, 3))):
        _change(draw, found)
    return found.get("")


def _change(draw: DrawFn, found: Any) -> None:
    holder: Any = found
    key: Any = ""
    while isinstance(at := holder.get(key) if isinstance(holder, dict) else holder[key], (dict, list)) and at:
        if not draw(st.integers(0, 4)):
            break
        holder, key = at, draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
    what = draw(st.sampled_from(["replace", "replace", "lose", "double"]))
    if what == "replace":
        holder[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
    elif what == "lose" and isinstance(holder, dict):
        holder.pop(key, None)  # the whole value may be removed twice
    elif what == "lose":
        del holder[key]
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(at))
    else:
        holder[f"{key}2"] = copy.deepcopy(at)
