"""Make the commands from the declarations of the verbs."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.core import ParameterSource

from nescio.cli import OWN
from nescio.cli.bars import progress
from nescio.cli.help import Command, Group
from nescio.cli.present import FORMS, Printing, present
from nescio.cli.stdin import Files
from nescio.errors import UnknownNameError, UsageError, opt
from nescio.memory import limit_process
from nescio.options import Option, Verb
from nescio.plugins import load_file, load_installed
from nescio.verbs import LAB, files, find, names_in, verb_in
from nescio.verbs._output_paths import check_apart, check_results

PLUGIN = "--plugin"


def command_named(name: str) -> click.Command:
    """Return the command with this name, as typed in a shell."""
    return made_of(name, vars(import_module(f"nescio.cli.{name}"))[name] if name in OWN else find(files()[name]))


def made_of(name: str, one: Any) -> click.Command:
    """Return the command of `one`: a single verb, or a module with a group of verbs."""
    return command_of(one) if isinstance(one, Verb) else VerbGroup(name, one)


class VerbGroup(Group):
    """A command for a group of verbs, such as `nescio ave`. A verb is imported only when it is called."""

    def __init__(self, name: str, module: Any) -> None:
        super().__init__(name, help=module.__doc__)
        self.module = module
        if module.__name__ == LAB:
            about = "Also list the statistics that this Python file registers. Repeatable."
            self.params.append(click.Option([PLUGIN], multiple=True, metavar="FILE", expose_value=False, help=about))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Load the plug-ins that the command line names before the group looks for its commands."""
        for word, after in zip(args, [*args, ""][1:], strict=True):
            if word.partition("=")[0] == PLUGIN:
                load_file(word.partition("=")[2] or after)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command with the first name in `args`, and the other words.

        Raises UnknownNameError with similar names if there is no such command.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise UnknownNameError(f"{ctx.command_path} command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [name.replace("_", "-") for name in names_in(self.module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            load_installed()
        if cmd_name not in self.list_commands(ctx):
            return None
        return made_of(cmd_name, verb_in(self.module, cmd_name.replace("-", "_")))


def command_of(verb: Verb[Any, Any]) -> Command:
    """Return the command that runs a verb. Its parameters are the options of the verb, and those for printing."""
    declared = verb.options
    options = [option for option in declared.values() if not option.edge]
    printing = [option for name, option in _printing(verb).items() if name not in declared]
    made = Command(
        verb.name.rpartition(" ")[2],
        params=[parameter_of(option) for option in (*options, *printing)],
        callback=partial(_run, verb),
        help=verb.doc,
    )
    made.declared = {option.name: option for option in (*options, *printing)}
    return made


def _printing(verb: Verb[Any, Any]) -> dict[str, Option]:
    """Return the options for printing results that the command of this verb has, keyed by name."""
    options: dict[str, Option] = FORMS[verb.prints].options if verb.prints in FORMS else {}
    return options


def parameter_of(one: Option) -> click.Parameter:
    """Return the parameter of the command line for an option of a verb.

    The parameter accepts any text as a value, because the option checks its value later.
    """
    kind = one.kind
    of: Any = Files() if kind.files or one.reads else click.Path() if kind.path else None
    if one.argument:
        metavar = one.metavar or one.name.upper()
        nargs = -1 if kind.several else 1
        return click.Argument([one.name], nargs=nargs, required=one.required, type=of, metavar=metavar)
    flags = [*one.given_as, one.name]
    if kind.flag:
        both = one.default is not False
        flag = max(one.given_as, key=len)
        flags = [f"{flag}/{flag.replace('--', '--no-', 1)}", one.name] if both else flags
        return click.Option(flags, is_flag=True, default=None)
    bare: dict[str, Any] = {} if one.bare is None else {"is_flag": False, "flag_value": one.bare}
    return click.Option(
        flags,
        required=one.required,
        multiple=True,  # So that a second value of an option that takes one value is noticed.
        metavar=one.metavar,
        type=of,
        shell_complete=partial(_words_for, one) if one.complete or kind.choices else None,
        **bare,
    )


def _words_for(option: Option, _context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the possible values of an option that start with `begun`, which the user has typed."""
    words = option.complete() if option.complete else option.kind.choices
    return [word for word in words if word.startswith(begun)]


def _run(verb: Verb[Any, Any], **given: Any) -> int:
    """Run a verb with the options that the user typed, print its results, and return the exit status."""
    context = click.get_current_context()
    options = verb.options
    declared = _printing(verb) | options
    typed = {
        name: _words_of(declared[name], value)
        for name, value in given.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if "figure" in options and "figure" not in typed and str(typed.get("output", "")).lower().endswith(".svg"):
        typed["figure"] = typed.pop("output")  # Such a file gets a drawing.
    printing = Printing()
    if verb.prints in FORMS:
        form_words = {
            name: typed.pop(name) for name in FORMS[verb.prints].options if name in typed and name not in options
        }
        printing = Printing(**FORMS[verb.prints].typed(form_words).values())
    if "memory_limit" in typed:
        context.find_root().call_on_close(limit_process(str(typed["memory_limit"])))
    with progress(verb.working) if verb.working else nullcontext() as watch:
        request = verb.request.typed(typed, **({"progress": watch} if "progress" in options else {}))
        if printing.output is not None:
            check_results(printing.output, request.inputs())
            check_apart(printing.output, request.outputs())
        result = verb.run(request)
    return present(verb, result, printing)


def _words_of(option: Option, value: Any) -> Any:
    """Return the value that the user typed for an option: a list if the option takes several words, else one word.

    Raises UsageError if an option for one value was given different values.
    """
    if not isinstance(value, tuple) or option.kind.several:
        return list(value) if isinstance(value, tuple) else value
    if len({*value}) > 1:
        raise UsageError(
            f"{opt(option.name)} takes one value, but was given {', '.join(repr(str(word)) for word in value)}"
        )
    return value[0]
