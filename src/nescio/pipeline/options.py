"""How files are to be read: every field but those of `CALLERS` has its option on the command line, with its default and
choices."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, get_args

from msgspec import Struct, field

from nescio.data.columns import OUTCOMES
from nescio.data.outcomes import STATES
from nescio.data.policies import Missing, MissingConfidence, Unanswerable, Ungraded
from nescio.engines.memory import size_of
from nescio.errors import NescioError, UsageError
from nescio.formats import Counting
from nescio.formats.native.judgements import OWN_PARTS
from nescio.formats.native.roles import NAMES
from nescio.sources.compressed import MOST
from nescio.stats.parallel import Progress


class CallerOptions(TypedDict, total=False):
    """What a caller sets for its own sake, with any option; `Options` says what these are."""

    watch: Progress | None
    watch_judging: Progress | None
    typed: bool
    texts: bool
    counting: Counting | None
    beside: frozenset[str]
    baseline_file: Path | None
    certificate: Any


class ChooseOption(CallerOptions, total=False):
    """Which of several things in a log to read."""

    choose: Mapping[str, str]


class OutcomeMapOption(CallerOptions, total=False):
    """What words mean, as in {"yes": "correct"}."""

    outcome_map: Mapping[str, str]


class JudgingOptions(ChooseOption, OutcomeMapOption, total=False):
    """The options of reading that judging has a use for."""

    format_in: str | None
    column: Mapping[str, str]
    declined_pattern: tuple[str, ...]
    max_unpacked: float
    memory_limit: str | None


class ReadingOptions(JudgingOptions, total=False):
    """The fields of `Options`, as the functions that read take them by keyword; a test holds one to the other."""

    judge: str | None
    missing: Missing
    missing_confidence: MissingConfidence
    ungraded: Ungraded
    unanswerable: Unanswerable
    strata: tuple[str, ...] | None
    cluster: str | None
    repeats_of: Mapping[str, str]
    graded: tuple[str, ...]


class Options(Struct, frozen=True):
    """What a caller may ask of reading, judging and the policies.

    `strata` names the columns to keep for breakdowns (None: all that are constant within a question); `cluster` the
    stratum whose questions move together when they are resampled; `repeats_of` names runs (NAME: PATTERN) that are
    repeats of one; `column` says which column of a table plays a part (NAME: COLUMN); `graded` the numeric columns that
    measures such as mean(f1) read; `max_unpacked` how many GB a compressed file may unpack to, `memory_limit` how
    much memory reading may take ("2GB"). `watch` is told how many bytes of tables have been read, of how many,
    and `watch_judging` how many answers have been judged; `typed` says that the options were typed on a command
    line, which errors then name; `texts` asks for the words of questions and answers, which a report shows;
    `counting` says that counts of a large table will do, and which; `beside` are the columns of a table of labels
    that is read beside the files, which `column` may mean; `baseline_file` is the file of a baseline, whose run is
    to stand beside those of the files; `certificate` is the path of a judge's certificate that must be of the
    judge, prompt and questions of the data (`--require-certificate`).
    """

    format_in: str | None = None
    judge: str | None = None
    missing: Missing = "error"
    ungraded: Ungraded = "error"
    unanswerable: Unanswerable = "correct"
    missing_confidence: MissingConfidence = "error"
    column: Mapping[str, str] = field(default_factory=dict)
    outcome_map: Mapping[str, str] = field(default_factory=dict)
    strata: tuple[str, ...] | None = None
    cluster: str | None = None
    repeats_of: Mapping[str, str] = field(default_factory=dict)
    graded: tuple[str, ...] = ()
    choose: Mapping[str, str] = field(default_factory=dict)
    declined_pattern: tuple[str, ...] = ()
    max_unpacked: float = MOST / (1 << 30)
    memory_limit: str | None = None
    watch: Progress | None = None
    watch_judging: Progress | None = None
    typed: bool = False
    texts: bool = False
    counting: Counting | None = None
    beside: frozenset[str] = frozenset()
    baseline_file: Path | None = None
    certificate: Any = None

    def __post_init__(self) -> None:
        for pairs in ("column", "outcome_map", "choose"):
            if not isinstance(getattr(self, pairs), Mapping):
                raise UsageError(
                    f"{pairs} maps names to values, as in {pairs}={{...}} (found {getattr(self, pairs)!r})"
                )
        for name, column in self.column.items():
            if name not in (*NAMES, *OWN_PARTS):
                raise UsageError(f"--column {name}={column}: a column can be named {', '.join((*NAMES, *OWN_PARTS))}")
        if not 0 < self.max_unpacked < float("inf"):
            raise UsageError(f"max_unpacked is a number of GB above 0 (found {self.max_unpacked!r})")
        if self.memory_limit is not None:
            size_of(self.memory_limit)
        for word, outcome in self.outcome_map.items():
            if outcome not in STATES:
                raise UsageError(f"--outcome-map {word}={outcome}: an outcome must be one of {', '.join(OUTCOMES)}")

    @property
    def judging(self) -> bool:
        """Whether answers are to be judged, or taken from people, though their table says which are right."""
        return self.judge is not None or "judge" in self.choose

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let errors that pass name options as they were given: on a command line, or as arguments of functions."""
        try:
            yield
        except NescioError as error:
            if not self.typed:
                error.args = (in_python(str(error)), *error.args[1:])
            raise

    def refuse(self, what: str, *, allowed: tuple[str, ...] = ()) -> None:
        """Raise UsageError for an option that is set and cannot apply to what was given; `allowed` are those that
        can."""
        plain = Options()
        for name in self.__struct_fields__:
            if name in (*allowed, *CALLERS) or getattr(self, name) == getattr(plain, name):
                continue
            raise UsageError(f"{name} says how files are read, and {what}")


def in_python(message: str) -> str:
    """Name the options that a message proposes as the arguments of functions: --format-in matrix as
    format_in='matrix'."""
    return re.sub(_OPTION, _argument, message)


def _argument(typed: re.Match[str]) -> str:
    """Write an option as an argument: --missing common as missing='common', --choose key=first as
    choose={'key': 'first'}."""
    name, value = typed[1].replace("-", "_"), typed[2]
    if value is None:
        return name
    if value.isupper() and "=" not in value:
        return f"{name}={value}"
    key, equals, chosen = shlex.split(value)[0].partition("=")
    return f"{name}={ {key: chosen}!r}".replace("= {", "={") if equals else f"{name}={key!r}"


CALLERS = (
    "watch",
    "watch_judging",
    "strata",
    "graded",
    "typed",
    "texts",
    "counting",
    "beside",
    "baseline_file",
    "certificate",
)  # what a caller sets for its own sake, and no user asks for
# What a message says of an option of reading: its name, and a value where one follows (no other word does).
_NAMES = "|".join(name.replace("_", "-") for name in Options.__struct_fields__ if name not in CALLERS)
_CHOICES = chain(*map(get_args, (Missing, MissingConfidence, Unanswerable, Ungraded)))
_WORDS = "|".join((*_CHOICES, "exact", "human", "llm", "matrix", "outcomes"))
_OPTION = rf"--({_NAMES})(?![\w-])(?: ('[^']*'|[^\s=]+=[^\s:;,)]+|[A-Z]+\b|(?:{_WORDS})\b))?"


def check_names(function: Callable[..., Any], options: Mapping[str, Any], names: Sequence[str] = ()) -> None:
    """Raise TypeError for an option that neither the function nor `Options` has, with the nearest name; `options` are
    what the function took as further keywords, `names` those of `Options` that it has a use for (none named: all)."""
    names = [*names, "watch", "watch_judging", "typed"] if names else [*Options.__struct_fields__]
    for name in options:
        if name in names:
            continue
        from difflib import get_close_matches

        own = [p.name for p in signature(function).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
        near = get_close_matches(name, [*own, *names], n=1)
        hint = f"did you mean {near[0]}?" if near else f"its options are {', '.join([*own, *names])}"
        raise TypeError(f"{function.__name__}() got an unexpected option {name!r}; {hint}")
