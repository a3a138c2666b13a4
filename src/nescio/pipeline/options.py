"""How files are to be read: every field has its option on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

from nescio.data.columns import OUTCOMES
from nescio.data.outcomes import STATES
from nescio.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of reading, judging and the policies.

    `strata` names the columns to keep for breakdowns (None: all that are constant within a question); `cluster` the
    stratum whose questions move together when they are resampled; `graded` the numeric columns that measures such as
    mean(f1) read. `watch` is told how many bytes of JSON Lines have been read, of how many.
    """

    format_in: str | None = None
    judge: str | None = None
    missing: str = "error"
    ungraded: str = "error"
    unanswerable: str = "correct"
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
        """Raise UsageError for an option that is set and cannot apply to what was given; `allowed` are those that
        can."""
        plain = Options()
        for option in fields(self):
            if option.name in (*allowed, *_SILENT) or getattr(self, option.name) == getattr(plain, option.name):
                continue
            raise UsageError(f"{option.name} says how files are read, and {what}")


_SILENT = ("watch", "strata", "graded")  # what a caller sets for its own sake
