"""An option that there is not is a TypeError with the nearest name, whichever function takes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

import nescio
from nescio.commands.judge import READING
from nescio.pipeline import ChooseOption, JudgingOptions, Options, OutcomeMapOption, ReadingOptions
from nescio.pipeline.options import CallerOptions

FUNCTIONS: tuple[Callable[..., Any], ...] = (
    nescio.score,
    nescio.compare,
    nescio.tune,
    nescio.plan,
    nescio.check,
    nescio.convert,
    nescio.report,
    nescio.report_change,
    nescio.read.score,
    nescio.meta.stability,
    nescio.meta.swap,
    nescio.meta.power,
    nescio.meta.agreement,
)


CALLED = set(get_type_hints(CallerOptions))  # what callers set for their own sake
NARROW: tuple[Callable[..., Any], ...] = (nescio.judge, nescio.ave.build, nescio.ave.score)


def files(function: Callable[..., Any]) -> list[str]:
    """A file that there is not for each that a function needs."""
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return ["nowhere.csv"] * max(1, len(needed))


@pytest.mark.parametrize("function", NARROW, ids=lambda function: str(function.__name__))
def test_an_option_of_reading_that_has_no_use_is_refused_too(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"got an unexpected option 'missing'; "):
        function(*files(function), missing="common")
    with pytest.raises(TypeError, match=r"got an unexpected option 'outcome_mop'; |'choos'; did you mean choose"):
        function(*files(function), **{"choos" if function is nescio.ave.score else "outcome_mop": {}})


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
def test_an_unknown_option_is_a_type_error_with_the_nearest_name(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError) as refused:
        function(*files(function), mising="common")
    assert str(refused.value) == (f"{function.__name__}() got an unexpected option 'mising'; did you mean missing?")


@pytest.mark.parametrize(
    ("declared", "names"),
    [
        (ReadingOptions, {*Options.__struct_fields__}),
        (JudgingOptions, {*READING, *CALLED}),
        (OutcomeMapOption, {"outcome_map", *CALLED}),
        (ChooseOption, {"choose", *CALLED}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_type_checker_sees_the_options_that_there_are(declared: type, names: set[str]) -> None:
    types = get_type_hints(declared)
    assert set(types) == names
    assert {name: get_type_hints(Options)[name] for name in names} == types


def test_the_options_of_the_function_itself_are_near_too() -> None:
    with pytest.raises(TypeError, match=r"^score\(\) got an unexpected option 'intervall'; did you mean interval\?$"):
        nescio.score("nowhere.csv", intervall="bca")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"its options are baseline, .*format_in"):
        nescio.compare("nowhere.csv", zzz=1)  # type: ignore[call-arg]
