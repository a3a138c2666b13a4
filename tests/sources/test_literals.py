"""Values written in a cell: sound ones are read, endless or impossible ones are refused with the rule they break."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

from nescio.sources.literals import LONGEST, UnsoundLiteralError, json_or, literal_or, read_literal

VALUES: dict[str, Any] = {
    '["a", null, 1.5]': ["a", None, 1.5],
    "['a', None, 1.5]": ["a", None, 1.5],
    '{"a": {"b": []}}': {"a": {"b": []}},
    "{'a': (1, 2)}": {"a": (1, 2)},
    r"['\d']": [r"\d"],
    "-1e3": -1000.0,
}


@pytest.mark.parametrize("text", VALUES)
def test_json_and_python_are_read(text: str) -> None:
    with warnings.catch_warnings(action="error"):
        assert read_literal(text) == VALUES[text]


def test_a_number_that_is_none() -> None:
    assert math.isnan(json_or('{"score": NaN}', None)["score"])


@pytest.mark.parametrize("text", ["", "prose", "f()", "[1", "[x]", "1" * 10_000, "'" + "a" * LONGEST + "'", "('" * 300])
def test_what_writes_no_value(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        read_literal(text)
    assert not isinstance(raised.value, UnsoundLiteralError)
    assert literal_or(text, text) is text


@pytest.mark.parametrize("text", ["[{[1]: 2}]", "{1, [2]}"])
def test_a_list_cannot_be_a_key(text: str) -> None:
    with pytest.raises(UnsoundLiteralError, match="a list or an object cannot be a key"):
        read_literal(text)
    assert literal_or(text, None) is None


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 300 + "]" * 300, "[" * 50_000 + "]" * 50_000, "-" * 9_000 + "1"])
def test_values_without_end(text: str) -> None:
    with pytest.raises(UnsoundLiteralError, match="nested more than 200 levels deep"):
        read_literal(text)
    assert json_or(text, None) is None


def test_two_quoted_words_are_prose_to_json() -> None:
    assert json_or('"a" "b"', "as it is") == "as it is"
