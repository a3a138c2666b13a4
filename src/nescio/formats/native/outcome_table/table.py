"""A source that was loaded as an outcome table: its cells, what plays each part, and the columns that are nobody's."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from nescio.data.repeats import BETWEEN, REPEAT
from nescio.formats.native import roles
from nescio.formats.native.headers import REPEATS
from nescio.formats.native.outcome_table.choosing import Chosen
from nescio.formats.registry import ReadOptions
from nescio.sources.source import Source
from nescio.tasks.stakes.stating import STAKE

RESERVED = (
    *("run", "question", "outcome", "confidence", "candidate", "rank", "answerable", "cluster", "known_answers"),
    *("judge", REPEAT),
)
SMALL = 1 << 24  # bytes
NO_TEXTS = ("outcome", "confidence", "candidate", "rank", "answerable", "known_answers")


class Table(Struct, frozen=True):
    """A source that was loaded: the cell of each of its columns, and what plays each part."""

    name: str
    source: Source
    have: Mapping[str, str]
    chosen: Chosen

    @property
    def columns(self) -> Mapping[str, str]:
        """The column that plays each part."""
        return self.chosen.columns

    @property
    def own(self) -> set[str]:
        """The columns that play the part whose name they bear."""
        return {name for part, name in self.columns.items() if part == name}

    @property
    def taken(self) -> set[str]:
        """The columns that speak of runs and single answers, as they are called in `extra`."""
        playing = {*self.columns.values(), *self.chosen.texts} - {*self.own, STAKE}  # a stake is a stratum, too
        return {_as_given(name) for name in playing}

    @property
    def extra(self) -> dict[str, str]:
        """The cells of the columns that go by other names than nescio's, one that only bears such a name included."""
        return {_as_given(name): cell for name, cell in self.have.items() if name and name not in self.own}


def _as_given(name: str) -> str:
    """Return what a column of a user's is called: nescio's own names are kept for the columns that play the part."""
    return f"{name}{roles.DISPLACED}" if name in RESERVED else name


def _is_small(source: Source) -> bool:
    """Say whether reading every column costs nothing, so that a note can name those that are not used."""
    return source.path is None or (source.path.is_file() and source.path.stat().st_size <= SMALL)


def kept(source: Source, options: ReadOptions) -> set[str] | None:
    """Return the columns of a source that are read: those that play a part, and those asked for; None for all, as of
    a small file."""
    if options.strata is None or source.kind == "lines" or _is_small(source):
        return None
    known = roles.roles_of(source.columns, source.named)
    proposed = {name for name in source.columns if roles.is_run(name) or roles.squash(name) in REPEATS}
    several = _several(source)
    return {*RESERVED, *options.strata, *options.graded, *known.all(*known.columns), *proposed, *several}


def _several(source: Source) -> list[str]:
    """Return the columns that together say which answer to its question a row is, if several were named."""
    named = source.named.get(REPEAT, "")
    return [] if named in source.columns or roles.AND not in named else named.split(roles.AND)


def joined(source: Source, have: Mapping[str, str]) -> dict[str, str]:
    """Return the cell that several columns of repeats are joined into, by the name that they were given under; it is
    empty where one of them is."""
    several = _several(source)
    if not several or not {*several} <= {*have}:
        return {}
    return {source.named[REPEAT]: f" || '{BETWEEN}' || ".join(have[name] for name in several)}
