"""Define the exceptions that nescio raises on purpose.

    NescioError
    ├── UsageError           an option or a parameter that makes no sense
    ├── FormatError          a file that breaks a rule of its format (path, line, rule, value)
    ├── MismatchError        inputs that are valid alone but do not belong together
    │   └── RunInTwoFilesError   one run in two tables
    ├── MissingColumnError   a measure needs a column that the data does not have
    ├── UnknownNameError     a measure, format or judge that nobody registered
    ├── EndpointError        a service that refuses every call, or does not answer
    └── WorkerLostError      a process of several that was killed before its work was done

The command line turns each of them into one message and exit status 2.

A message names an option by `opt`. The interface that shows the message spells the option as its users type it:
`--missing common` in a shell, `missing="common"` in Python, `"missing": "common"` for an assistant.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from nescio.text import command_text, quoted, sanitize

P = ParamSpec("P")
R = TypeVar("R")


# Between Unicode noncharacters, which no text contains: a name, and a JSON value after the letter of its kind.
MARK = "\ufdd0"  # begins an option that a text names, to be spelled
_TOKEN = re.compile("\ufdd0([a-z_]+)\ufdd1([a-z]?)([^\ufdd0-\ufdd2]*)\ufdd2", re.DOTALL)
_OFFERED = "h"
Speller = Callable[[str, str, Any], str]
FLAGS: dict[str, str] = {}  # shell names of options that differ from the Python names: measures, -m


def opt(name: str, value: object = None, *, of: str = "") -> str:
    """Return a mark for the option `name` in a message; `spelled` later replaces it by what the reader types.

    `value` is the option's value. `of` is a placeholder for any value instead: opt("choose", of="filter=NAME").
    """
    if isinstance(value, Mapping):
        return _token(name, "m", [[key, str(entry)] for key, entry in value.items()])
    if isinstance(value, (list, tuple)):
        return _token(name, "l", [str(entry) for entry in value])
    kinds = {bool: "b", int: "n", float: "n", type(None): "p" if of else ""}
    return _token(name, kinds.get(type(value), "s"), of if value is None else str(value))


def offer(name: str, value: str | Mapping[str, str]) -> str:
    """Return a mark for an option that may solve the problem; only `NescioError.offers` shows it, not the message.

    The name "beside" does not stand for an option: its `value` is a pattern for names of files beside the given file.
    """
    return _token(name, _OFFERED, dict(value) if isinstance(value, Mapping) else value)


def _token(name: str, kind: str, value: Any) -> str:
    return f"\ufdd0{name}\ufdd1{kind}{json.dumps(value)}\ufdd2"


def in_shell(name: str, kind: str, value: Any) -> str:
    """Return an option as a command line spells it."""
    flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
    if kind == "b":
        return flag if value == "True" else flag.replace("--", "--no-", 1)
    if kind == "m":
        return " ".join(f"{flag} {command_text([f'{key}={text}'])}" for key, text in value)
    if kind == "l":
        return " ".join(f"{flag} {command_text([text])}" for text in value)
    return f"{flag} {value if kind == 'p' else command_text([value])}" if kind else flag


def in_python(name: str, kind: str, value: Any) -> str:
    """Return an option as a keyword argument of a Python function."""
    return f"{name}={_literal(kind, value, functools.partial(quoted, python=True))}" if kind else name


def in_json(name: str, kind: str, value: Any) -> str:
    """Return an option as an assistant passes it: a key and a value in JSON."""
    literal = _literal(kind, value, quoted)
    return f'"{name}": {literal.lower() if kind == "b" else literal}' if kind else name


def _literal(kind: str, value: Any, quote: Callable[[str], str]) -> str:
    """Return the value of an option as a literal of Python or JSON."""
    if kind == "l":
        return f"[{', '.join(map(quote, value))}]"
    if kind == "m":
        return f"{{{', '.join(f'{quote(key)}: {quote(text)}' for key, text in value)}}}"
    key, equals, rest = value.rpartition("=")
    if kind == "p" and equals:
        return f"{{{quote(key)}: {rest if rest.isupper() else quote(rest)}}}"
    return quote(value) if kind == "s" else value


SPELLING: ContextVar[Speller] = ContextVar("spelling", default=in_python)
TYPED: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())  # the words of a shell's command


def again(options: Mapping[str, Any]) -> str:
    """Return the typed command with `options` added or replaced; for a program, return only the options."""
    named = [opt(name, value) for name, value in options.items()]
    words = TYPED.get()
    if not words:
        return ", ".join(named)
    keys = {name: {*value} if isinstance(value, Mapping) else None for name, value in options.items()}
    flags = {in_shell(name, "", None): subkeys for name, subkeys in keys.items()}
    kept: list[str] = []
    skip = False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if skip:
            skip = False
            continue
        flag, equals, value = word.partition("=")
        value = value if equals else following
        if flag in flags and (flags[flag] is None or value.partition("=")[0] in (flags[flag] or ())):
            skip = not equals
            continue
        kept.append(word)
    return f"{command_text(['nescio', *kept])} {' '.join(named)}"


@contextmanager
def spelling(speller: Speller) -> Iterator[None]:
    """Spell options for another reader within the block; the previous spelling returns afterwards, also on an error."""
    before = SPELLING.set(speller)
    try:
        yield
    finally:
        SPELLING.reset(before)


def spelled(text: str) -> str:
    """Return a text with its options spelled for the reader of this context."""
    if MARK not in text:
        return text
    return _TOKEN.sub(_spelled, text)


def _spelled(token: re.Match[str]) -> str:
    """Return one option spelled for the reader. Text that only looks like an option stays unchanged."""
    if token[2] == _OFFERED:
        return ""
    try:
        return SPELLING.get()(token[1], token[2], json.loads(token[3]))
    except ValueError:
        return token[0]


class NescioError(Exception):
    """The base class of the exceptions that nescio raises on purpose."""

    several_lines = False  # whether the message's line breaks are nescio's own; others come from user data

    def __str__(self) -> str:
        lines = spelled(super().__str__()).split("\n")
        return "\n".join(sanitize(line, target="message") for line in lines)  # names in it may come from foreign data

    @property
    def offers(self) -> tuple[tuple[str, Any], ...]:
        """Return the options that the message names with a value, as (name, value). Each option may solve the problem.

        The value of an option such as `--column` is {NAME: VALUE}.
        """
        pairs: list[tuple[str, Any]] = []
        for name, kind, text in _TOKEN.findall(super().__str__()):
            with suppress(ValueError):
                value = json.loads(text)
                if kind == "m":
                    pairs += [(name, {key: entry}) for key, entry in value]
                if kind in ("s", _OFFERED):
                    pairs.append((name, value))
        return tuple(pairs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Return a function and its arguments, with which pickle restores the error unchanged."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[NescioError], args: tuple[object, ...], state: dict[str, object]) -> NescioError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class UsageError(NescioError):
    """An option or a parameter is invalid."""


class FormatError(NescioError):
    """A file breaks a rule of its format.

    `where` is a line of a text file ("line 7") or a row of a table ("row 7"), counted from 1. None means the whole
    file.
    """

    def __init__(self, path: object, rule: str, *, where: str | None = None, value: object = None) -> None:
        self.path, self.where, self._rule, self.value = str(path), where, rule, value
        place = f"{path}, {where}" if where else str(path)
        offending = "" if value is None else f" (found {shorten(value)})"
        super().__init__(f"{place}: {rule}{offending}")

    @property
    def rule(self) -> str:
        """Return the rule that is broken."""
        return spelled(self._rule)

    @property
    def rule_alone(self) -> str:
        """Return the rule that is broken, without advice that names options, for commands without these options."""
        return "; ".join(part for part in self._rule.split("; ") if MARK not in part) or self.rule


@contextmanager
def collected(faults: list[FormatError] | None) -> Iterator[None]:
    """Add a FormatError of the block to the list `faults`, so that the reader continues. Without a list, raise it."""
    try:
        yield
    except FormatError as error:
        if faults is None:
            raise
        faults.append(error)


class MismatchError(NescioError):
    """Inputs are valid alone but do not belong together."""


class RunInTwoFilesError(MismatchError):
    """Two tables hold answers of one run."""


class MissingColumnError(NescioError):
    """A measure needs a column that the data do not have."""


_NEAREST = 5  # the most suggested names with the same ending as the unknown one


class UnknownNameError(NescioError):
    """Nobody registered a measure, format or judge of this name. The message suggests the nearest of the `known` names.

    `besides` is the end of the message. If several names match `name`, they are `fitting`, and the message lists them.
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], besides: str = "", *, fitting: Iterable[str] = ()
    ) -> None:
        known = sorted(set(known))
        near = nearest(name, known)
        between = "; " if any("," in entry for entry in known) else ", "
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {between.join(known)}"
        several = f"{name!r} fits more than one {kind}: {'; '.join(fitting)}" if fitting else ""
        super().__init__(several or f"unknown {kind} {name!r}; {hint}{besides}")


def not_constant(column: str, columns: Iterable[str]) -> MismatchError:
    """Return the error for a column that cannot break down scores. Its message lists `columns`, which can."""
    known = list(columns)
    meant = "".join(f"; did you mean {name}?" for name in nearest(column, known, 0.7)[:1])
    return MismatchError(
        f"scores cannot be broken down by {column!r}; columns that can be used (constant within every question): "
        f"{', '.join(known) or 'none'}{meant}"
    )


def differs_between_runs(column: str, question: str, *values: tuple[str, str, str | None]) -> MismatchError:
    """Return the error for a question's column on which runs disagree.

    `values` has, for two runs, the run's name, the place of the row, and the value (None or "" if there is none).
    """
    statements = ", and ".join(
        f"run {run!r} ({place}) has {value!r}" if value else f"run {run!r} ({place}) has none"
        for run, place, value in values
    )
    return MismatchError(f"the column {column!r} must be the same in all runs: for question {question!r}, {statements}")


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> list[str]:
    """Return the known names most similar to a name, the likeliest first; empty if none is close."""
    import difflib

    by_folded = {k.lower(): k for k in known}
    # A name that ends so (pan.F1, abstention_F1) is nearer than one that is spelled alike (UF01).
    near = [name.lower()] if name.lower() in by_folded else []
    near = near or [k for k in by_folded if name.lower() in re.split(r"[._@(]", k)[1:]][:_NEAREST]
    near = near or difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=cutoff)
    return [by_folded[k] for k in near]


def names_nearest(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that the TypeError for a misspelt keyword suggests the nearest keyword, as in Python
    3.13."""

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        import inspect

        names = list(inspect.signature(function).parameters)
        for name in keywords:
            if name not in names:
                raise TypeError(f"{function.__name__}() {unexpected(name, names)}")
        return function(*arguments, **keywords)

    return call


def unexpected(name: str, known: list[str]) -> str:
    """Return the end of the message on an unknown option, with the nearest of the known options, or all of them."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"its options are {', '.join(known)}"
    return f"got an unexpected option {name!r}; {hint}"


class EndpointError(NescioError):
    """A service refuses every call, or does not respond."""


class WorkerLostError(NescioError):
    """A worker process was killed before its work was done."""


def shorten(value: object, limit: int = 60) -> str:
    """Return a value as quoted in a message: on one line, and at most `limit` characters long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # endless nested lists; a number of thousands of digits
        text = f"a value of type {type(value).__name__} that is too long to show"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
