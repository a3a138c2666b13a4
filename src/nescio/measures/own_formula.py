"""A measure that its user writes down: arithmetic on the counts of correct, incorrect and unanswered questions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

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
    """Read arithmetic, and nothing else; raises UsageError that names what is not understood."""
    if len(text) > LONGEST:
        raise UsageError(f"a formula has at most {LONGEST} characters (found {len(text)})")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        near = text[max(0, (getattr(error, "offset", None) or 1) - 1) :][:20]
        raise UsageError(
            f"formula({text}): cannot be read{f' at {near!r}' if near else ''}; a formula is made of {_WHAT_IS_READ}"
        ) from None
    for node in ast.walk(tree):
        if not _is_arithmetic(node):
            part = (isinstance(node, ast.expr) and ast.get_source_segment(text.strip(), node)) or type(node).__name__
            if isinstance(node, ast.BitXor):
                part = "^ (powers are written **)"
            raise UsageError(f"formula({text}): {part} is not understood; a formula is made of {_WHAT_IS_READ}")
    return tree


def _is_arithmetic(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id in NAMES
    return type(node) in {ast.BinOp, ast.UnaryOp, ast.Load, *_TWO, *_ONE}


def _value(node: ast.expr, counts: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return counts[node.id]
    if isinstance(node, ast.BinOp):
        return _TWO[type(node.op)](_value(node.left, counts), _value(node.right, counts))
    if isinstance(node, ast.UnaryOp):
        return _ONE[type(node.op)](_value(node.operand, counts))
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, (int, float))
    return float(node.value)


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
    r"""A formula of your own from the numbers of correct (C), incorrect (W) and unanswered (U) questions, and n = C +
    W + U, as in formula((C + U*C/n)/n), which is c@1.

    $f(C, W, U, n)$ from numbers, C, W, U, n, + - * / ** and parentheses; higher is taken to be better, so write -(…)
    of what should be small. Undefined where it divides by 0. It should give the same if all counts are doubled:
    intervals and tests are then those of any measure of counts.
    """
    counts = {letter: getattr(total, name) for letter, name in NAMES.items()}
    return _value(_read(str(text)), counts) + 0 * total.n
