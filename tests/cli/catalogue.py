"""Every command, with its options, and the function that does its work."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import click

import nescio
from nescio.cli import COMMANDS

# What has a name of its own in Python. The demo is a series of commands, and no function.
ELSEWHERE: dict[str, Callable[..., Any] | None] = {
    "c@1": nescio.score,
    "measures": nescio.measure,
    "demo": None,
    "mcp": None,
}


def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The commands of a group, and of the groups in it, each by its whole name; a command that is none, as it is."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    for part in command.list_commands(click.Context(command)):
        one = command.get_command(click.Context(command), part)
        assert one is not None
        yield from below(f"{name} {part}", one)


EVERY = dict(
    leaf
    for name, (module, _) in COMMANDS.items()
    for leaf in below(name, import_module(f"nescio.cli.{module}").command)
)


def function_of(name: str) -> Callable[..., Any] | None:
    """The function of a command: `nescio ave validate train` is nescio.ave.validate.train."""
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    value: Any = nescio
    for part in name.split():
        value = getattr(value, part)
    function: Callable[..., Any] = value
    return function


FUNCTIONS = {name: function for name in EVERY if (function := function_of(name)) is not None}


def functions_in(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions that a namespace offers, and those of the namespaces in it."""
    own = {name: getattr(module, name) for name in module.__all__}
    inner = {
        f"{name} {part}": function
        for name, value in own.items()
        if inspect.ismodule(value)
        for part, function in functions_in(value).items()
    }
    return {name: value for name, value in own.items() if inspect.isfunction(value)} | inner


def options_of(name: str) -> dict[str, click.Option]:
    """The options of a command by the names that its function has for them."""
    return {str(option.name): option for option in EVERY[name].params if isinstance(option, click.Option)}
