"""Define a request: the typed, immutable record of a verb's options and their values.

A request is a class whose fields are options. Classes of options that several verbs share are its bases:

    class Ask(Drawn, Reading):
        source: Any = argument(kw_only=False, help="What to read.")
        by: str | None = option(default=None, metavar="COLUMN", help="Break down the scores by a column.")

A class may change fields of an option from its bases: `class Ask(Drawn, reworded={"seed": {"help": "…"}})`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, dataclass_transform, get_type_hints

from msgspec import UNSET, Struct
from msgspec.structs import replace

from nescio.errors import FLAGS, MARK, UsageError, opt, shorten, spelled, unexpected
from nescio.options.kinds import ANYTHING, NAME_OR_PATH, Kind, RepeatedNameError, kind_of

Word = str | tuple[str, ...]
Words = Mapping[str, Mapping[str, Any]]
_NOTHING: Words = {}


class Option(Struct, frozen=True):
    """An option of a verb: its default, its help, and the rules for its value.

    `flags` are its names in a shell, if they differ from `--name`, and `given_as` has all of them. `default_words` say
    what happens if the default is None. The option cannot be given with an option in `apart`, and needs one of those in
    `needs`; both may also name facts of the request, such as "suite". `bare` is its value if a shell gives only its
    name. `edge` means that only programs can give it; `positional` that they can give it by position; `argument` that a
    shell does so. `reads`, `writes` and `runs` mean that its files are read, written, or started as programs (which no
    assistant may do). `complete` returns possible values, or a mapping from values to their meanings.
    """

    default: Any = UNSET
    help: str = ""
    flags: tuple[str, ...] = ()
    metavar: str = ""
    default_words: str = ""
    low: float | None = None
    high: float | None = None
    above: bool = False
    apart: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    bare: str | None = None
    edge: bool = False
    positional: bool = False
    argument: bool = False
    runs: bool = False
    reads: bool = False
    writes: bool = False
    own_kind: Kind | None = None
    complete: Any = None
    name: str = ""
    group: str = ""
    kind: Kind = ANYTHING
    required: bool = False
    given_as: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """Return the help of the option, with option names spelled as the current interface (shell or Python) does."""
        return spelled(self.help) if MARK in self.help else self.help

    @property
    def default_about(self) -> str:
        """Return the text that describes the default, with option names spelled as in the current interface."""
        return spelled(self.default_words)

    def checked(self, value: Any, *, typed: bool = False) -> Any:
        """Return the value as the request holds it. Raises UsageError for an invalid value.

        `typed` says that the value comes from a shell as words.
        """
        try:
            if value is None and (self.kind.optional or self.default is None):
                return None
            return self.kind.check(self.kind.read(value) if typed else value)
        except RepeatedNameError as error:
            raise UsageError(f"{opt(self.name)} {error}") from None
        except (ValueError, TypeError):
            plain = value[0] if typed and isinstance(value, list) and len(value) == 1 else value
            raise UsageError(f"{opt(self.name)} takes {self.takes} (found {shorten(plain)})") from None

    @property
    def takes(self) -> str:
        """Return in words which values the option takes, such as "a whole number, 1 or more".

        For an option whose values have a form such as MEASURE=VALUE, return this form.
        """
        return self.metavar if self.kind.several and "=" in self.metavar else self.kind.takes


def option(
    *, default: Any = UNSET, help: str = "", flags: Word = (), apart: Word = (), needs: Word = (), **more: Any
) -> Any:
    """Declare an option of a class of requests. Further arguments are fields of `Option`.

    An option without a default must be given.
    """
    return _declared(default=default, help=help, flags=flags, apart=apart, needs=needs, **more)


def argument(*, kw_only: Literal[False], default: Any = UNSET, help: str = "", **more: Any) -> Any:
    """Declare an option that programs may give by position; with `argument=True` a shell does so, too.

    Type checkers need the argument `kw_only=False`, which has no other effect.
    """
    assert not kw_only
    return _declared(default=default, help=help, positional=True, **more)


def _declared(**fields: Any) -> Option:
    fields["own_kind"] = fields.pop("kind", None)
    for name in ("flags", "apart", "needs"):
        if isinstance(fields.get(name), str):
            fields[name] = (fields[name],)
    return Option(**fields)


class _Declared:
    """The options of a class of requests, keyed by name, with the kind of each. They are computed on first use."""

    def __init__(self) -> None:
        self.of: dict[type, dict[str, Option]] = {}

    def __get__(self, request: Any, kind: type) -> dict[str, Option]:
        if kind not in self.of:
            hints = get_type_hints(kind, include_extras=True)
            bare = {n: o for base in reversed(kind.__mro__) for n, o in base.__dict__.get("_own", {}).items()}
            placed = sorted(bare.items(), key=lambda item: (not item[1].positional, item[1].edge, bool(item[1].group)))
            self.of[kind] = {name: _with_kind(setting, hints[name]) for name, setting in placed}
        return self.of[kind]


def _with_kind(setting: Option, hint: Any) -> Option:
    kind = setting.own_kind or kind_of(hint, setting.low, setting.high, above=setting.above)
    named = setting.flags or (f"--{setting.name.replace('_', '-')}",)
    return replace(
        setting, kind=kind, metavar=setting.metavar or kind.metavar, required=setting.default is UNSET, given_as=named
    )


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, argument))
class Request:
    """The base of all requests: the checked options of one call of a verb.

    The constructor checks every value, and whether the options may be given together. It raises UsageError, or
    TypeError for an option that does not exist.
    """

    options: ClassVar[Any] = _Declared()
    facts: ClassVar[dict[str, str]] = {}  # possible facts about a request, in words: "suite", "a suite of benchmarks"

    def __init_subclass__(cls, group: str = "", reworded: Words = _NOTHING) -> None:
        options = {name: setting for name, setting in vars(cls).items() if isinstance(setting, Option)}
        cls._own = {
            name: replace(setting, name=name, group=setting.group or group) for name, setting in options.items()
        }
        for name, setting in options.items():
            if setting.flags and FLAGS.setdefault(name, setting.flags[0]) != setting.flags[0]:
                raise TypeError(
                    f"the option {name} has the flag {FLAGS[name]} already, and cannot have {setting.flags[0]}"
                )
            delattr(cls, name)
        for name, words in reworded.items():
            inherited = next(setting for base in cls.__mro__[1:] if (setting := vars(base).get("_own", {}).get(name)))
            cls._own[name] = replace(inherited, **words)

    _own: ClassVar[dict[str, Option]] = {}

    def __init__(self, *values: Any, **named: Any) -> None:
        given = self._bound(values, named)
        set_ = object.__setattr__
        for name, setting in self.options.items():
            set_(self, name, setting.checked(given[name]) if name in given else setting.default)
        self._check_company()
        self.check()
        self._check_files()

    def _bound(self, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return all given values keyed by name, also those given by position.

        Raises TypeError for unknown, missing or repeated names, as the call of a function does.
        """
        places = [name for name, setting in self.options.items() if setting.positional]
        if len(values) > len(places):
            raise TypeError(
                f"takes {len(places)} positional values ({', '.join(places)}), but {len(values)} were given"
            )
        given = dict(zip(places, values, strict=False))
        for name in named:
            if name in given:
                raise TypeError(f"{name!r} was given twice")
            if name not in self.options:
                raise TypeError(unexpected(name, list(self.options)))
        missing = [name for name, setting in self.options.items() if setting.required and name not in {*given, *named}]
        if missing:
            raise TypeError(f"{', '.join(missing)} must be given")
        return given | named

    @classmethod
    def typed(cls, words: dict[str, Any], **further: Any) -> Self:
        """Return a request from words of a shell, given as a text or a list of texts for each option.

        `further` holds options with values that are not words.
        """
        return cls(**{name: cls.options[name].checked(value, typed=True) for name, value in words.items()}, **further)

    def check(self) -> None:
        """Raise UsageError for a wrong combination of options that their declarations do not exclude.

        Classes of requests override this method, which allows everything.
        """

    def holding(self) -> AbstractContextManager[None]:
        """Return a context manager that is active while the request is answered, such as one that limits files."""
        return nullcontext()

    def is_(self, fact: str) -> bool:  # noqa: ARG002
        """Return whether a fact, such as "suite", is true of this request."""
        return False

    @cached_property
    def given(self) -> tuple[str, ...]:
        """Return the names of the options whose values differ from the defaults."""
        return tuple(name for name, setting in self.options.items() if not _same(getattr(self, name), setting.default))

    def _check_company(self) -> None:
        for name in self.given:
            setting = self.options[name]
            for other in setting.apart:
                if other in self.given or self.is_(other):
                    raise UsageError(f"{opt(name)} cannot be used with {self.facts.get(other) or opt(other)}")
            if setting.needs and not any(other in self.given or self.is_(other) for other in setting.needs):
                need = " or ".join(self.facts.get(other) or opt(other) for other in setting.needs)
                raise UsageError(f"{opt(name)} needs {need}")

    def _check_files(self) -> None:
        """Raise UsageError if two options would write the same file, or if one would overwrite an input file."""
        written = [(name, str(file)) for name, file in self.outputs().items()]
        read = [str(path) for path in self.inputs() if isinstance(path, (str, Path))]
        for at, (name, file) in enumerate(written):
            if any(_is_same(file, path) for path in read):
                raise UsageError(f"{opt(name)}: {file} is one of the input files; write to another file")
            for other, path in written[:at]:
                if _is_same(file, path):
                    raise UsageError(f"{opt(other)} and {opt(name)} must name two different files (found {file!r})")

    def values(self, *groups: type[Request]) -> dict[str, Any]:
        """Return the values of the options keyed by name: all, or only those of the classes in `groups`."""
        names = self.options if not groups else {name for group in groups for name in group.options}
        return {name: getattr(self, name) for name in self.options if name in names}

    def inputs(self) -> list[Any]:
        """Return the files that the request reads, which it must not overwrite."""
        return [
            path
            for name, setting in self.options.items()
            if setting.reads or setting.runs or setting.kind.files or setting.kind is NAME_OR_PATH
            for path in _flat(getattr(self, name))
            if setting.kind is not NAME_OR_PATH or (path is not None and os.path.isfile(path))
        ]

    def outputs(self) -> dict[str, Any]:
        """Return the files that a command writes besides its results, keyed by the name of the option."""
        named = {name: getattr(self, name) for name, setting in self.options.items() if setting.writes}
        return {name: file for name, file in named.items() if file and file is not True}

    def but(self, **changes: Any) -> Self:
        """Return a copy of the request in which some options have other values."""
        return type(self)(**{**self.values(), **changes})

    def words(self, *kept: type[Request] | str) -> tuple[str, ...]:
        """Return the words with which a shell gives the options that differ from the defaults.

        `kept` limits them to the options of some classes, and to options with some names.
        """
        mine = (
            {name for part in kept for name in ([part] if isinstance(part, str) else part.options)}
            if kept
            else self.given
        )
        return tuple(w for name in self.given if name in mine for w in _words(self.options[name], getattr(self, name)))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a request cannot be changed ({name})")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.given)
        return f"{type(self).__name__}({given})"


def _is_same(path: str, other: str) -> bool:
    """Return whether two paths lead to the same file, also by different names."""
    if os.path.abspath(path) == os.path.abspath(other):
        return True
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def _flat(value: Any) -> Iterator[Any]:
    """Yield the values inside lists, tuples and dictionaries, at any depth.

    None and the rows of a table in memory are left out.
    """
    if isinstance(value, dict):
        yield from _flat(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for part in value:
            if not isinstance(part, dict):
                yield from _flat(part)
    elif value is not None:
        yield value


def _same(value: Any, default: Any) -> bool:
    """Return whether a value is the default. A table in memory never is."""
    if value is default:
        return True
    return type(value) is type(default) and isinstance(value, (str, int, float, tuple, dict)) and value == default


def _words(setting: Option, value: Any) -> Iterator[str]:
    """Yield the words with which a shell gives this value to an option, such as "--seed" and "1"."""
    if setting.argument or setting.edge:
        return
    flag = max(setting.given_as, key=len)
    if setting.kind.flag:
        yield flag if value else flag.replace("--", "--no-", 1)
    elif setting.kind.several:
        items = [f"{name}={of}" for name, of in value.items()] if isinstance(value, dict) else value
        for item in items if isinstance(items, (list, tuple)) else [items]:
            yield from (flag, setting.kind.write(item))
    else:
        yield from (flag, _word(value))


def _word(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(_word, value))
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
