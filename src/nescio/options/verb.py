"""Define a verb: its request, and the function that runs it. A call checks the arguments."""

from __future__ import annotations

import inspect
import json
import shlex
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Generic, ParamSpec, TypeVar

from nescio.options.moved import moved
from nescio.options.request import Option, Request

P = ParamSpec("P")
Q = TypeVar("Q", bound=Request)
R = TypeVar("R")
ROOM = "nescio.verbs."


class Verb(Generic[P, R]):
    """A verb of nescio, such as `score`, which a shell, Python and assistants can call.

    `name` is its name in a shell ("ave build"), and `doc` its help with examples. `working` is the text of its progress
    bar. `show` replaces the usual display of its results as a table, and `present` prints all of its output. `prints`
    says which options for printing it has: "results" (-f and -o), "forms" (only -f, because it declares its own -o),
    "json" (-f table or json) or "" (none). `tool` says that assistants may call it.
    """

    def __init__(
        self,
        request: Any,
        run: Callable[[Any], R],
        *,
        name: str,
        working: str = "",
        show: Callable[..., None] | None = None,
        present: Callable[[Any, Any], int | None] | None = None,
        prints: str = "results",
        tool: bool = False,
    ) -> None:
        self.request, self._run, self.name = request, run, name
        self.working, self.show, self.present, self.prints, self.tool = working, show, present, prints, tool
        self.__name__, self.__qualname__, self.__module__ = run.__name__, run.__qualname__, run.__module__
        self.doc = inspect.getdoc(run) or inspect.cleandoc(sys.modules[run.__module__].__doc__ or "")

    def __call__(self, *values: P.args, **named: P.kwargs) -> R:
        try:
            request = self.request(*values, **named)
        except TypeError as error:
            if now := next((now for name in named if (now := moved(self.name, name, python=True))), ""):
                raise TypeError(f"{self.__name__}(): {now}") from None
            raise TypeError(f"{self.__name__}() {error}") from None
        return self.run(request)

    def run(self, request: Any) -> R:
        """Return the answer to a request. Limits that the request sets apply while the answer is computed."""
        with request.holding():
            return self._run(request)

    @property
    def about(self) -> str:
        """Return the first sentence of the verb's help."""
        return self.doc.partition("\n")[0]

    @property
    def path(self) -> str:
        """Return the name of the verb in Python, such as nescio.ave.build."""
        return ".".join(["nescio", *self.name.replace("-", "_").split()[:-1], self.__name__])

    @property
    def examples(self) -> list[str]:
        """Return the examples in the verb's help, as lines for a shell."""
        parts = [part for part in self.doc.split("\n\n") if part.startswith("\b\n")]
        return [line.partition("  #")[0].strip() for part in parts for line in part.split("\n")[1:]]

    @property
    def calls(self) -> list[str]:
        """Return those examples of the verb's help that call this verb, as calls in Python.

        Examples with a pattern such as *.json are left out, because Python would have to search for the files.
        """
        prefix = f"nescio {self.name} "
        lines = [line for line in self.examples if line.startswith(prefix) and "*" not in line]
        return [as_call(self, shlex.split(line.removeprefix(prefix))) for line in lines]

    @property
    def options(self) -> dict[str, Option]:
        """Return the options of the verb, keyed by name."""
        options: dict[str, Option] = self.request.options
        return options

    @property
    def __signature__(self) -> inspect.Signature:
        kinds = inspect.Parameter
        hints = {
            name: hint
            for base in reversed(self.request.__mro__)
            for name, hint in vars(base).get("__annotations__", {}).items()
        }
        return inspect.Signature(
            [
                kinds(
                    name,
                    kinds.POSITIONAL_OR_KEYWORD if option.positional else kinds.KEYWORD_ONLY,
                    default=kinds.empty if option.required else option.default,
                    annotation=hints[name],
                )
                for name, option in self.options.items()
            ],
            return_annotation=getattr(self._run, "__annotations__", {}).get("return", inspect.Signature.empty),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self._run.__module__, self.__name__)

    def __repr__(self) -> str:
        return f"<{self.path}>"


def _named(module: str, name: str) -> Any:
    """Return the verb with this name in this module, so that another process can unpickle it."""
    return getattr(import_module(module), name)


def documented(verb: Verb[Any, Any]) -> str:
    """Return the text of Python's `help` on a verb: its help, its examples in Python, and each option."""
    prose = "\n\n".join(part for part in verb.doc.split("\n\n") if not part.startswith("\b"))
    lines = [prose, "", *(f"    {line}" for line in verb.calls), "", "Arguments:"]
    for name, option in verb.options.items():
        default = f" [default: {option.default_about}]" if option.default_words else ""
        lines.append(
            textwrap.fill(f"{name}: {option.about}{default}", 116, initial_indent="    ", subsequent_indent=" " * 8)
        )
    return "\n".join(lines)


def words_given(verb: Verb[Any, Any], words: Sequence[str]) -> dict[str, list[str]]:
    """Return the words that a shell gives for each option of the verb, keyed by the option's name.

    `words` are those after the verb. Options for printing are left out.
    """
    flags = {
        flag: option
        for option in verb.options.values()
        for flag in (*option.given_as, f"--{option.name.replace('_', '-')}")
    }
    flags |= {
        f"--no-{name[2:]}": option for name, option in flags.items() if option.kind.flag and name.startswith("--")
    }
    given: dict[str, list[str]] = {}
    loose: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option = flags.get(word.partition("=")[0]) if word.startswith("-") else None
        if option is None and word.startswith("-"):  # a word for printing results
            rest = rest if word == "-v" else rest[1:]
        elif option is None:
            loose.append(word)
        elif option.kind.flag:
            given[option.name] = [word]
        else:
            given.setdefault(option.name, []).append(word.partition("=")[2] if "=" in word else rest.pop(0))
    places = [option for option in verb.options.values() if option.argument]
    for at, option in enumerate(places):
        left = len(places) - at - 1
        taken = len(loose) - left if option.kind.several else 1
        given[option.name], loose = loose[:taken], loose[taken:]
    return {name: words_of_option for name, words_of_option in given.items() if words_of_option}


def typed_request(verb: Verb[Any, Any], given: Mapping[str, Sequence[str]]) -> Any:
    """Return a request of the verb from the words that a shell gives for each option."""
    typed: dict[str, Any] = {}
    for name, words in given.items():
        kind = verb.options[name].kind
        if kind.flag:
            typed[name] = not words[0].startswith("--no-")
        else:
            typed[name] = list(words) if kind.several else words[0]
    return verb.request.typed(typed)


def as_call(verb: Verb[Any, Any], words: Sequence[str]) -> str:
    """Return the call in Python that is equivalent to the verb with these words in a shell."""
    given = words_given(verb, words)
    by_place: list[str] = []
    by_name: list[str] = []
    for name, option in verb.options.items():
        if given.get(name):
            value = _shown(option, given[name])
            in_place = option.positional and len(by_place) == list(verb.options).index(name)
            by_place.append(value) if in_place else by_name.append(f"{name}={value}")
    return f"{verb.path}({', '.join([*by_place, *by_name])})"


def _shown(option: Option, words: list[str]) -> str:
    """Return the value that words of a shell give to an option, as written in Python, such as `["a", "b"]`."""
    if option.kind.flag:
        return str(not words[0].startswith("--no-"))
    value = option.kind.read(list(words) if option.kind.several else words[0])
    if option.kind.several and "=" in option.metavar and not isinstance(value, dict):
        value = option.kind.check(value)
    if isinstance(value, dict):
        value = {name: _alone(of) for name, of in value.items()}
    return json.dumps(_alone(value) if option.kind.several else value, default=str, ensure_ascii=False)


def _alone(value: Any) -> Any:
    """Return the only item of a list without the list, and several items as a list. Other values are unchanged."""
    if isinstance(value, (list, tuple)):
        return value[0] if len(value) == 1 else list(value)
    return value


Verb.__doc__ = property(documented)  # type: ignore[assignment]


def verb(request: Callable[P, Q], *, name: str = "", **how: Any) -> Callable[[Callable[[Q], R]], Verb[P, R]]:
    """Return a decorator that turns a function into a verb. The function takes a request and returns the answer.

    `request` is the class of the requests, and `how` holds further arguments of `Verb`.
    """

    def declare(run: Callable[[Q], R]) -> Verb[P, R]:
        assert isinstance(request, type)
        return Verb(request, run, name=name or _name(run), **how)

    return declare


def _name(run: Callable[..., Any]) -> str:
    """Return the name of the verb that a function defines, such as "ave build" for `build` in the module `ave`."""
    module = run.__module__.removeprefix(ROOM).split(".")
    function_name = run.__name__.rstrip("_").replace("_", "-")
    return " ".join(
        [*module[:-1], function_name] if module[-1].replace("_", "-") == function_name else [*module, function_name]
    )
