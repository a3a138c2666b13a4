"""The kit of log readers: a row that is not as its struct says is refused, with the place and the kind of the value."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from nescio.data.judge_record import combined, grader, parse
from nescio.errors import FormatError
from nescio.formats.logs.kit import Name, checked
from nescio.pipeline import Options, load

from .excerpts import EVERY


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


@pytest.mark.parametrize(
    ("format_", "judge"),
    [
        ("inspect", "match"),
        ("evalscope", "acc"),
        (
            "lighteval",
            r"acc+em(acc.sample_level_fn=LoglikelihoodAcc\(length_normalization\=None\), acc.version=1, "
            r"em.sample_level_fn=ExactMatches\(strip_strings\=True\), em.version=1)",
        ),
        ("ragas", "none"),
        (
            "deepeval",
            "Short+Words(Short.criteria=Are the words right? Count them., Short.model=lamplighter/judge, "
            "Short.threshold=0.5, Words.criteria=Are the words right? Count them., Words.model=lamplighter/judge, "
            "Words.threshold=0.5)",
        ),
    ],
)
def test_a_log_that_states_who_graded_names_its_judge(format_: str, judge: str) -> None:
    assert load(EVERY[format_].files, Options(ungraded="exclude")).signature["judge"] == judge


def test_a_record_of_a_grader_is_short_and_can_be_read_back() -> None:
    empty: dict[str, Any] = {"config": {}, "base_url": None}
    record = grader("qa", key=True, model={"model": "lamp/judge", **empty}, template="Grade this. " * 9, least=1.0)
    assert str(record).startswith("qa(key=true, least=1, template=")
    assert record.model == "lamp/judge"
    assert parse(str(record)) == record
    assert record == grader("qa", least=1, template="Grade this.\n" * 9, model="lamp/judge", key=True)
    assert combined({grader("b", least=0.5), grader("b"), grader("a", model="m")}) == parse(
        "a+b(a.model=m, b.least=0.5, b.least=not stated)"
    )
