"""The kit of log readers: a row that is not as its struct says is refused, with the place and the kind of the value."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from nescio.errors import FormatError
from nescio.formats.logs.kit import Name, checked


class Turn(Struct, rename="camel"):
    tokens: int
    said_by: str = ""


class Row(Struct):
    scores: list[float] | None = None
    names: Annotated[list[Name], Meta(min_length=1)] = []
    turns: Annotated[list[Turn], Meta(min_length=1)] = []
    by_task: dict[str, Turn] | None = None
    sizes: tuple[int, ...] = ()
    share: Annotated[float, Meta(ge=0, description="a number from 0 on")] = 0


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"scores": 3}, "scores must be a list (found 3)"),
        ({"scores": [1, "x"]}, "scores.1 must be a number (found 'x')"),
        ({"names": [1.5]}, "names.0 must be a text or a whole number (found 1.5)"),
        ({"names": []}, "names must be a list (found [])"),
        ({"turns": [{"tokens": "k"}]}, "turns.0.tokens must be a whole number (found 'k')"),
        ({"turns": [{"tokens": 1, "saidBy": 2}]}, "turns.0.saidBy must be a text (found 2)"),
        ({"turns": [{}]}, "turns.0.tokens must be a whole number"),
        ({"by_task": {"a": {"tokens": "k"}}}, "by_task.*.tokens must be a whole number"),
        ({"by_task": {"a": 3}}, "by_task.* must be an object"),
        ({"sizes": [1, "x"]}, "sizes.1 must be a whole number (found 'x')"),
        ({"share": -1}, "share must be a number from 0 on (found -1)"),
        ([], "this must be an object (found [])"),
    ],
)
def test_a_value_of_another_kind_is_named_with_its_place(row: Any, rule: str) -> None:
    with pytest.raises(FormatError) as error:
        checked(Row, row, "a.json", "line 2")
    assert str(error.value) == f"a.json, line 2: {rule}"
