"""What the command line offers is what the library takes: the same words, and the same defaults."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, get_args

import click
import numpy as np
import pytest

import nescio
from nescio.campaign.settings import TASKS, Resolution
from nescio.commands.judge import Judged
from nescio.comparison import CORRECTIONS, TESTS
from nescio.comparison._looks import METHODS as SEQUENCES
from nescio.data.evidence import outcome_tally
from nescio.data.judges import TARGETS
from nescio.data.policies import MISSING, MISSING_CONFIDENCE, UNANSWERABLE, UNGRADED_POLICIES, Policies
from nescio.errors import UsageError
from nescio.pipeline import Options
from nescio.reporting import tables
from nescio.reporting.page.report_data import STUDIES
from nescio.scoring.confidence_intervals import METHODS
from nescio.suites.choices import INCOMPLETE, OVER

from .catalogue import EVERY, FUNCTIONS
from .conftest import EXAMPLES

# What the library takes where a command offers a choice. An option that is not here fails below.
TAKEN = {
    "--interval": METHODS,
    "--test": TESTS,
    "--correction": CORRECTIONS,
    "--sequence": SEQUENCES,
    "--missing": MISSING,
    "--ungraded": UNGRADED_POLICIES,
    "--unanswerable": UNANSWERABLE,
    "--missing-confidence": MISSING_CONFIDENCE,
    "--study": STUDIES,
    "--target": TARGETS,
    "--task": TASKS,
    "--resolve": get_args(Resolution),
    "--over": OVER,
    "--incomplete": INCOMPLETE,
}
FEWEST = {
    "comment": 1,
    "convert": 1,
    "check": 0,
    "repeats": 1,
    "measures": 0,
    "c@1": 0,
    "ave table12": 0,
    "ave pairs": 1,
    "read key": 1,
    **{f"campaign {step}": 0 for step in ("check", "checker", "handout", "intake", "pool", "publish", "status")},
}  # options with a default that are their own
OPTIONS = [
    (name, option) for name, command in EVERY.items() for option in command.params if isinstance(option, click.Option)
]
OFFERS = {
    (name, option.opts[-1]): tuple(option.type.choices)
    for name, option in OPTIONS
    if isinstance(option.type, click.Choice)
}


@pytest.mark.parametrize(("command", "option"), [offer for offer in OFFERS if offer[1] != "--format"])
def test_a_choice_is_what_the_library_takes(command: str, option: str) -> None:
    assert OFFERS[command, option] == TAKEN[option]


def test_every_choice_of_the_library_is_offered() -> None:
    assert {option for _, option in OFFERS} == {*TAKEN, "--format"}


@pytest.mark.parametrize(
    "name", sorted({choice for (_, option), held in OFFERS.items() if option == "--format" for choice in held})
)
def test_every_format_that_is_offered_is_rendered(name: str) -> None:
    results = nescio.score(outcome_tally(["a"], np.array([[3, 1, 1]])), ci=None)
    assert re.search(r"\b0(\.| & )72", tables.render(results, name))  # c@1 of 3, 1 and 1 is (3 + 3/5)/5
    assert name in get_args(tables.Form)


@pytest.mark.parametrize("command", FUNCTIONS)
def test_a_default_is_that_of_the_function(command: str) -> None:
    parameters = dict(inspect.signature(FUNCTIONS[command]).parameters)
    if command == "judge":  # with --against
        parameters |= inspect.signature(Judged.agreement).parameters
    context = click.Context(EVERY[command])
    compared = 0
    for name, option in OPTIONS:
        default = option.get_default(context)
        parameter = parameters.get(str(option.name))
        if name != command or parameter is None or not isinstance(default, str | int | float):
            continue  # what has no default is asked of the function as None or not at all
        offered = option.type_cast_value(context, default)
        read = type(parameter.default)(offered) if isinstance(offered, str) else offered
        assert read == parameter.default, option.name
        compared += 1
    assert compared >= FEWEST.get(command, 2)


def test_the_defaults_of_reading_are_those_of_python() -> None:
    for name, option in OPTIONS:
        if option.name in ("missing", "ungraded", "unanswerable", "missing_confidence"):
            assert option.default == getattr(Options(), option.name) == getattr(Policies(), option.name), name


@pytest.mark.parametrize(
    ("argument", "function"),
    [
        ("interval", nescio.score),
        ("test", nescio.compare),
        ("correction", nescio.compare),
        ("missing", nescio.score),
        ("ungraded", nescio.score),
        ("unanswerable", nescio.score),
        ("missing_confidence", nescio.score),
    ],
)
def test_what_is_not_offered_is_refused_and_the_choices_named(argument: str, function: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as refused:
        function(EXAMPLES / "outcomes.csv", **{argument: "nonsense"})
    for choice in TAKEN[f"--{argument.replace('_', '-')}"]:
        assert choice in str(refused.value)
