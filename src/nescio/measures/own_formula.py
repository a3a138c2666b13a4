"""Define a measure from a user's formula: arithmetic on the counts of correct, incorrect and unanswered questions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from nescio.errors import UsageError
from nescio.measures._measure import measure

NAMES = {"C": "correct", "W": "incorrect", "U": "unanswered", "n": "n"}
LONGEST = 500
_WHAT_IS_READ = "numbers, C, W, U, n, + - * / ** and parentheses"

_TWO: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_ONE: Mapping[type, Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


@lru_cache(maxsize=64)
def _read(text: str) -> ast.expr:
    """Return a user's formula as a syntax tree. Raises UsageError that names any part that is not arithmetic."""
    if len(text) > LONGEST:
        raise UsageError(f"a formula has at most {LONGEST} characters (found {len(text)})")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        near = text[max(0, (getattr(error, "offset", None) or 1) - 1) :][:20]
        raise UsageError(
            f"formula({text}): cannot be read{f' at {near!r}' if near else ''}; a formula is made of {_WHAT_IS_READ}"
        ) from None
    if "#" in text:
        raise UsageError(f"formula({text}): # is not understood; a formula is made of {_WHAT_IS_READ}")
    for node in ast.walk(tree):
        if not _is_arithmetic(node):
            part = (isinstance(node, ast.expr) and ast.get_source_segment(text.strip(), node)) or type(node).__name__
            if isinstance(node, ast.BitXor):
                part = "^ (powers are written **)"
            raise UsageError(f"formula({text}): {part} is not understood; a formula is made of {_WHAT_IS_READ}")
    _check_size(tree, text)
    return tree


def _check_size(tree: ast.expr, text: str) -> None:
    """Raise UsageError for a number, or a part made only of numbers, that is too large for a float."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not any(isinstance(part, ast.Name) for part in ast.walk(node)):
            with np.errstate(all="ignore"):
                overflows = _overflows(node)
            if overflows:
                part = ast.get_source_segment(text.strip(), node) or text
                raise UsageError(f"formula({text}): {part} is too large a number")


def _overflows(node: ast.expr) -> bool:
    """Return whether a part of a formula is too large for a float, although the numbers in it are not.

    A division by 0 is not counted, because its result is undefined.
    """
    if not np.isinf(_value(node, {})):
        return False
    if not isinstance(node, ast.BinOp):
        return isinstance(node, ast.Constant)
    left, right = _value(node.left, {}), _value(node.right, {})
    zero = {ast.Div: right, ast.Pow: left}.get(type(node.op), 1)
    return bool(np.isfinite(left) and np.isfinite(right) and zero != 0)


def _is_arithmetic(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id in NAMES
    return type(node) in {ast.BinOp, ast.UnaryOp, ast.Load, *_TWO, *_ONE}


def _value(node: ast.expr, counts: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return np.float64(1) * counts[node.id]  # Python integers would have no limit in powers.
    if isinstance(node, ast.BinOp):
        return _TWO[type(node.op)](_value(node.left, counts), _value(node.right, counts))
    if isinstance(node, ast.UnaryOp):
        return _ONE[type(node.op)](_value(node.operand, counts))
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, (int, float))
    try:
        return np.float64(float(node.value))
    except OverflowError:
        return np.float64(np.inf)


def _is_read(text: Any) -> bool:
    _read(str(text))
    return True


@measure(
    "formula",
    needs="correct incorrect unanswered",
    bounds=(float("-inf"), float("inf")),
    source="the user's own",
    valid={"text": ("text must be a formula of C, W, U and n", _is_read)},
)
def formula(total: Any, text: str) -> Any:
    """A formula of your own from the numbers of correct (C), incorrect (W) and unanswered (U) questions, and n = C + W
    + U.

    For example, formula((C + U*C/n)/n) is c@1.

    $f(C, W, U, n)$ from numbers, C, W, U, n, + - * / ** and parentheses. Higher counts as better, so write -(…) if
    lower is better. Undefined if it divides by 0. Doubling all counts should not change it: intervals and tests are
    then those of any measure of counts.

    When to use it: When your own rule values the outcomes. No paper vouches for it: test it against cheats and axioms
    with nescio audit before you rank by it. Use c@1 or penalty if they say the same.

    Example: formula((C + U*C/n)/n) with C = 237, W = 156, U = 107: (237 + 107·237/500)/500 = 0.5754. The counts are
    those of Peñas & Rodrigo 2011, Table 3, icia091ro.
    """
    counts = {letter: getattr(total, name) for letter, name in NAMES.items()}
    with np.errstate(all="ignore"):
        return _value(_read(str(text)), counts) + 0 * total.n
