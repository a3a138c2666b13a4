"""Whether what steps wrote is of what is there now, by digests and not by dates: what each step reads, what has changed
since, and which of its own files were changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import MismatchError
from nescio.people.campaigns.entries import Entry
from nescio.people.campaigns.folder import JUDGEMENTS, KEY, POOL, RESULTS, RETURNS, SHEETS, SITE, TOPICS, Campaign
from nescio.people.campaigns.log import digests, latest, read_log, record
from nescio.people.campaigns.receipts import taken_in

POOLING, SCORING, PUBLISHING = "pool", "score", "publish"
_SETTINGS = {  # those that a step depends on
    POOLING: ("task", "languages", "depth", "distinct", "options_from", "dropped"),
    SCORING: (
        *("name", "task", "groups", "languages", "distinct", "resolve", "judge", "measures", "options_from"),
        *("dropped", "systems"),
    ),
    PUBLISHING: ("name", "task", "groups", "languages", "deadline", "blind"),
}
_READS = {POOLING: (TOPICS,), SCORING: (TOPICS, KEY, JUDGEMENTS, f"{SHEETS}/assessors.json"), PUBLISHING: (RESULTS,)}
_WRITES = {POOLING: (POOL,), SCORING: (RESULTS,), PUBLISHING: (SITE, RETURNS)}
FEW = 3


class Age(Struct, frozen=True):
    """The state of a step's output: its inputs that are newer, and its files that were changed."""

    step: str
    newer: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def fresh(self) -> bool:
        """Return whether nothing has changed."""
        return not (self.newer or self.changed)

    def __str__(self) -> str:
        parts = [f"older than {_listed(self.newer)}"] if self.newer else []
        parts += [f"changed since: {_listed(self.changed)}"] if self.changed else []
        return "; ".join(parts)


_SAID = {JUDGEMENTS: "the judgements", RESULTS: "the results", SHEETS: "who was asked to judge"}


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(_SAID.get(name.partition("/")[0], name) for name in names))
    shown = [*names[:FEW], *([f"{len(names) - FEW} more"] if len(names) > FEW else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def inputs(campaign: Campaign, step: str, entries: Sequence[Entry] | None = None) -> dict[str, str]:
    """Return the digests of all inputs of a step, by name."""
    values: Mapping[str, Any] = {name: getattr(campaign.settings, name) for name in _SETTINGS[step]}
    own = {
        f"{name} in campaign.toml": hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()
        for name, value in values.items()
    }
    own |= digests(campaign, *_READS[step])
    if step != PUBLISHING:
        own |= {f"run {run.run}": f"version {run.version}, {run.digest}" for run in taken_in(campaign, entries)}
    return own


def done(campaign: Campaign, step: str, read: Mapping[str, str], about: Mapping[str, Any] | None = None) -> None:
    """Write down that a step is done: what it read and what it wrote.

    `read` are its inputs before it began, so that what was changed while it worked is newer.
    """
    record(campaign, step, read, digests(campaign, *_WRITES[step]), about)


def age(campaign: Campaign, step: str, entries: Sequence[Entry] | None = None) -> Age | None:
    """Say how old what a step wrote is; None if it was never done."""
    log = read_log(campaign) if entries is None else entries
    last = latest(campaign, step, log)
    if last is None:
        return None
    now = inputs(campaign, step, log)
    wrote = digests(campaign, *_WRITES[step])
    return Age(step, tuple(_differing(last.read, now)), tuple(_differing(last.wrote, wrote)))


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of files that changed, are new, or are gone."""
    for name in dict.fromkeys((*before, *now)):
        if before.get(name) != now.get(name):
            yield f"{name} (gone)" if name not in now else name


def refuse_old(campaign: Campaign) -> None:
    """Raise MismatchError if the results are older than the current inputs, or were changed."""
    old = age(campaign, SCORING)
    if old is None:
        raise MismatchError(f"there are no results yet; nescio campaign score {campaign.folder} makes them")
    if not old.fresh:
        raise MismatchError(f"the results are {_as_said(old)}; run nescio campaign score {campaign.folder} first")


def _as_said(old: Age) -> str:
    return str(old) if old.newer else f"not what was scored: {_listed(old.changed)}"
