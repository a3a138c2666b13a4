"""What a command refuses names what it takes, and what it offers it can do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nescio as package
from nescio.cli.present import FORMS
from nescio.data.evidence import outcome_tally
from nescio.data.policies import Policies
from nescio.errors import UsageError
from nescio.reporting import tables

from .conftest import EXAMPLES, Command

POLICIES = ("missing", "ungraded", "unanswerable", "missing_confidence")
CHOSEN = [("interval", package.score), ("test", package.compare), ("correction", package.compare)]
CHOSEN += [(name, package.score) for name in POLICIES]


@pytest.mark.parametrize(
    "name", sorted({choice for printing in FORMS.values() for choice in printing.options["form"].kind.choices})
)
def test_every_format_that_is_offered_is_rendered(name: str) -> None:
    results = package.score(outcome_tally(["a"], np.array([[3, 1, 1]])), ci=None)
    assert re.search(r"\b0(\.| & )72", tables.render(results, name))  # c@1 of 3, 1 and 1 is (3 + 3/5)/5


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_that_nobody_chose_is_that_of_the_rooms(name: str) -> None:
    assert package.score.options[name].default == getattr(Policies(), name)


@pytest.mark.parametrize(("argument", "function"), CHOSEN)
def test_what_is_not_offered_is_refused_and_the_choices_named(
    argument: str, function: Callable[..., Any], nescio: Command
) -> None:
    verb: Any = function
    choices = verb.options[argument].kind.choices
    with pytest.raises(UsageError) as refused:
        function(EXAMPLES / "outcomes.csv", **{argument: "nonsense"})
    option = f"--{argument.replace('_', '-')}"
    typed = nescio(verb.name, EXAMPLES / "outcomes.csv", option, "nonsense")
    assert (typed.status, typed.out) == (2, "")
    assert len(choices) > 1
    for choice in choices:
        assert choice in str(refused.value)
        assert choice in typed.err
    assert str(refused.value).startswith(f"{argument} takes one of ")
    assert typed.err.startswith(f"nescio: {option} takes one of ")
