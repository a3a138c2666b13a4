"""Every command is a function of the same name, and takes the same options of reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import pytest

import nescio
from nescio.errors import NescioError
from nescio.pipeline import CALLERS, Options

from .catalogue import ELSEWHERE, EVERY, FUNCTIONS, functions_in, options_of

READING = {*Options.__struct_fields__} - {*CALLERS}
NAMESPACES = {
    "ave": nescio.ave,
    "campaign": nescio.campaign,
    "meta": nescio.meta,
    "nuggets": nescio.nuggets,
    "read": nescio.read,
}
# Functions of a namespace that are no command of its own: parts of others.
PARTS = {"meta": {"audit", "plan", "comparability"}}
META = [name for name in EVERY if name.startswith("meta ")]
READ_ALL = ["score", "compare", "report", "tune", "plan", "repeats", "check", "convert", "read score", *META]


def test_the_functions_of_python_are_the_commands() -> None:
    offered = {name for name in nescio.__all__ if inspect.isfunction(getattr(nescio, name))}
    single = {name for name in EVERY if " " not in name and name not in ELSEWHERE}
    others = {
        "check_each",
        "compare_early",
        "report_change",
        "from_dataframe",
        "measure",
        "tune_pair",
        "plan_labels",
        "plan_repeats",
        "score_suite",
        "compare_suite",
        "report_suite",
    }  # check of files that do not belong together, compare --sequential, compare -o FILE.html, a table as data, a
    # measure by its name, tune of two runs, plan --labels and --repeats, score --suite and compare --suite
    assert offered == single | others


@pytest.mark.parametrize("name", NAMESPACES)
def test_the_functions_of_a_namespace_are_the_commands_of_a_group(name: str) -> None:
    group = {command.removeprefix(f"{name} ") for command in EVERY if command.startswith(f"{name} ")}
    assert set(functions_in(NAMESPACES[name])) == group | PARTS.get(name, set())


@pytest.mark.parametrize("command", [name for name in FUNCTIONS if ".commands." in FUNCTIONS[name].__module__])
def test_a_function_says_by_example_what_it_does(command: str) -> None:
    paragraphs = (inspect.getdoc(FUNCTIONS[command]) or "").split("\n\n")
    assert any(text.startswith("    ") and "nescio." in text for text in paragraphs[1:])


def takes(function: Callable[..., Any], option: str) -> bool:
    """Whether a function takes an option of reading: another is a TypeError before anything is read."""
    parameters = inspect.signature(function).parameters
    if option in parameters:
        return True
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return False
    needed = [p for p in parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    try:
        function(*["nowhere.csv" for _ in needed], **{option: getattr(Options(), option)})
    except TypeError:
        return False
    except NescioError:  # there is no such file
        return True
    raise AssertionError(f"{function.__name__} reads what there is not")


@pytest.mark.parametrize("command", FUNCTIONS)
def test_a_command_has_the_options_of_reading_that_its_function_has(command: str) -> None:
    if command in ELSEWHERE:
        return
    assert READING & {*options_of(command)} == {name for name in READING if takes(FUNCTIONS[command], name)}


@pytest.mark.parametrize("command", READ_ALL)
def test_a_command_that_reads_has_every_option_of_reading(command: str) -> None:
    assert {*options_of(command)} >= READING


@pytest.mark.parametrize("option", sorted(READING))
def test_an_option_of_reading_has_one_default_and_one_set_of_choices(option: str) -> None:
    hint = get_type_hints(Options)[option]
    default = getattr(Options(), option)
    here = {name: options_of(name)[option] for name in EVERY if option in options_of(name)}
    assert set(here) >= set(READ_ALL)
    for name, declared in here.items():
        assert declared.opts == [f"--{option.replace('_', '-')}"], name
        stated = declared.get_default(click.Context(EVERY[name]))
        assert (stated if isinstance(stated, (str, float)) else None) == (default or None), name
        choices = get_args(hint) if get_origin(hint) is Literal else None
        assert getattr(declared.type, "choices", None) == choices, name


EXPLICIT = [
    (nescio.meta.audit, "measure", "measures"),
    (nescio.from_dataframe, "confidnce", "confidence"),
    (nescio.ave.baselines, "sed", "seed"),
    (nescio.ave.table12, "wordnett", "wordnet"),
    (nescio.nuggets.answer, "foldr", "folder"),
    (nescio.nuggets.score, "resample", "resamples"),
    (nescio.read.answer, "sistem", "system"),
]


@pytest.mark.parametrize(
    ("function", "misspelt", "nearest"), EXPLICIT, ids=lambda case: getattr(case, "__name__", None)
)
def test_a_misspelt_keyword_of_a_function_without_options_of_reading_names_the_nearest(
    function: Callable[..., Any], misspelt: str, nearest: str
) -> None:
    with pytest.raises(TypeError, match=f"{misspelt!r}; did you mean {nearest}\\?"):
        function("nowhere.csv", **{misspelt: 1})
