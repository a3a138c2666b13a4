"""An option that there is not is a TypeError with the nearest name, whichever function takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nescio

FUNCTIONS: tuple[Callable[..., Any], ...] = (
    nescio.score,
    nescio.compare,
    nescio.tune,
    nescio.plan,
    nescio.meta.stability,
    nescio.meta.swap,
    nescio.meta.power,
    nescio.meta.agreement,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
def test_an_unknown_option_is_a_type_error_with_the_nearest_name(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError) as refused:
        function("nowhere.csv", mising="common")
    assert str(refused.value) == (f"{function.__name__}() got an unexpected option 'mising'; did you mean missing?")


def test_the_options_of_the_function_itself_are_near_too() -> None:
    with pytest.raises(TypeError, match=r"^score\(\) got an unexpected option 'intervall'; did you mean interval\?$"):
        nescio.score("nowhere.csv", intervall="bca")
    with pytest.raises(TypeError, match=r"its options are baseline, .*format_in"):
        nescio.compare("nowhere.csv", zzz=1)
