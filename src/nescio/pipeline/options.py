"""How files are to be read: every field but those of `CALLERS` has its option on the command line, with its default and choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any

from nescio.data.columns import OUTCOMES
from nescio.data.outcomes import STATES, Missing, Unanswerable, Ungraded
from nescio.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of reading, judging and the policies.

    `strata` names the columns to keep for breakdowns (None: all that are constant within a question); `cluster` the stratum
    whose questions move together when they are resampled; `graded` the numeric columns that
    measures such as mean(f1) read. `watch` is told how many bytes of JSON Lines have been read, of how many.
    """

    format_in: str | None = None
    judge: str | None = None
    missing: Missing = "error"
    ungraded: Ungraded = "error"
    unanswerable: Unanswerable = "correct"
    outcome_map: Mapping[str, str] = field(default_factory=dict)
    strata: tuple[str, ...] | None = None
    cluster: str | None = None
    graded: tuple[str, ...] = ()
    choose: Mapping[str, str] = field(default_factory=dict)
    declined_pattern: tuple[str, ...] = ()
    watch: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        for word, outcome in self.outcome_map.items():
            if outcome not in STATES:
                raise UsageError(f"--outcome-map {word}={outcome}: an outcome must be one of {', '.join(OUTCOMES)}")

    def refuse(self, what: str, *, allowed: tuple[str, ...] = ()) -> None:
        """Raise UsageError for an option that is set and cannot apply to what was given; `allowed` are those that can."""
        plain = Options()
        for option in fields(self):
            if option.name in (*allowed, *CALLERS) or getattr(self, option.name) == getattr(plain, option.name):
                continue
            raise UsageError(f"{option.name} says how files are read, and {what}")


CALLERS = ("watch", "strata", "graded")  # what a caller sets for its own sake, and no user asks for


def check_names(function: Callable[..., Any], options: Mapping[str, Any], names: Sequence[str] = ()) -> None:
    """Raise TypeError for an option that neither the function nor `Options` has, with the nearest name; `options` are what the
    function took as further keywords, `names` those of `Options` that it has a use for (none named: all)."""
    names = [*names, "watch"] if names else [option.name for option in fields(Options)]
    for name in options:
        if name in names:
            continue
        own = [p.name for p in signature(function).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
        near = get_close_matches(name, [*own, *names], n=1)
        hint = f"did you mean {near[0]}?" if near else f"its options are {', '.join([*own, *names])}"
        raise TypeError(f"{function.__name__}() got an unexpected option {name!r}; {hint}")
